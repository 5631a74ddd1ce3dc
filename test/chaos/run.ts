import { setTimeout as sleep } from 'node:timers/promises'
import { startMockModel } from '../../src/cli/mock-model/server.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import { validateStrictHistory } from '../support/strict-history.ts'
import { chaosModel, taskOf } from './model.ts'
import { examine, examineList, examinePosts, listOf } from './examine.ts'
import { type ChaosPages, startChaosPages } from './pages.ts'
import { CHAOS_WORKFLOWS } from './flow.ts'
import { CREW, planSession } from './plan.ts'
import { Player } from './player.ts'
import { type Random, randomOf } from './random.ts'
import { MortalServer } from './server.ts'
import { Story } from './story.ts'
import { A2aThread } from './threads/a2a.ts'
import { AgUiThread } from './threads/ag-ui.ts'
import { AiSdkThread } from './threads/ai-sdk.ts'
import { ChatThread } from './threads/chat.ts'
import { examineThread } from './threads/examine.ts'
import { McpThread } from './threads/mcp.ts'
import { ResponsesThread } from './threads/responses.ts'
import { planThread, type Thread } from './threads/thread.ts'
import { type Violation, World } from './world.ts'

export interface ChaosOptions {
  kills: number
  seed: number
  /** Sessions that are kept going at a time. */
  sessions: number
  /** Told of what goes on, now and then a line. */
  tell: (line: string) => void
  verbose: boolean
  /** How many times as long the server lives between kills as on a quick machine. */
  pace: number
  /** Milliseconds after the last kill at which also sessions that nobody looks at are looked at; without, their alarm has to
   *  wake them, which takes up to half a minute. */
  lookAfterMs: number
  /** Where exports of sessions that break a claim are kept; null: nowhere. */
  logsFolder: string | null
}

export interface ChaosReport {
  sessions: number
  counts: Map<string, number>
  violations: Violation[]
  ms: number
}

const MODEL_REQUESTS = 'model requests'
/** After the last kill everything has to come to rest within so long. */
const REST_MS = 60_000
/** A quiet server is killed, too; on a machine that is busy it needs a while to begin. */
const QUIET_MS = 300
const LASTING_QUIET_MS = 3_000
/** Of all lives of the server so many end with the first that begins; the others last until its sessions have come on: a move that is cut
 *  in three lives in a row fails its run. */
const SHORT_LIVES = 0.15
/** Of all ends so many begin with the question to end. */
const ASKED = 0.2
/** Of all starts so many take open sessions up at once. */
const MINUTE_LATER = 0.7
/** A life that lasts has so many model requests for each session, at least and at most. */
const REQUESTS_OF_LIFE = [2, 4] as const

/** Sessions of every kind, killed again and again with their server, and looked at from outside when all is done. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startTime = Date.now()
  const random = randomOf(String(options.seed))
  const asked = new Map<string, number>()
  let world: World | null = null
  const pages = await startChaosPages(() => world?.begin())
  const model = await startMockModel({
    script: chaosModel(pages.url),
    onRequest: ({ body }) => {
      world?.begin()
      if (world) noteRequest(world, asked, body)
    },
  })
  const server = await MortalServer.start(configOf(model.url, pages), (line) => onServerLine(world, line, options))
  world = new World(server)
  try {
    await world.ask('POST', '/v1/skills', {}, CREW)
    for (const [name, workflow] of Object.entries(CHAOS_WORKFLOWS))
      await world.ask('PUT', `/v1/workflows/${name}`, {}, workflow)
    const playing = { ...options, pagesUrl: pages.url }
    const { players, threads } = await playAndKill(world, playing, random, startTime)
    const told = new Set<string>()
    for (const player of players)
      await examine(world, player, { asked, ...pages, told, logsFolder: options.logsFolder })
    examinePosts(world, pages.posts, told)
    const listed = await listOf(world)
    examineList(world, players, listed)
    for (const thread of threads) await examineThread(world, thread, listed, { asked, hits: pages.hits })
    return {
      sessions: players.length + threads.length,
      counts: world.counts,
      violations: world.violations,
      ms: Date.now() - startTime,
    }
  } finally {
    await server.stop()
    await model.close()
    await pages.close()
  }
}

function configOf(modelUrl: string, pages: ChaosPages): ServerConfig {
  const model = { api_url: modelUrl, model: 'chaos', max_tokens: 300, retry: { times: 0 } }
  return {
    models: {
      m: { ...model, context_tokens: 200_000 },
      failing: { ...model, context_tokens: 200_000 },
      small: { ...model, context_tokens: 3_000 },
    },
    default_model: 'm',
    web: { allow_private_hosts: [pages.host] },
  }
}

function onServerLine(world: World | null, line: string, { tell, verbose }: ChaosOptions): void {
  if (/\\?"event\\?":\\?"bug/.test(line)) world?.violate('server', `a bug was reported: ${line}`)
  if (verbose) tell(`server: ${line}`)
}

function noteRequest(world: World, asked: Map<string, number>, body: unknown): void {
  const messages: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'messages') : []
  const problems = validateStrictHistory(Array.isArray(messages) ? messages : [])
  const task = taskOf(body)
  for (const problem of problems)
    world.violate(task ?? 'model', `the model got ${problem} in ${JSON.stringify(messages)}`)
  world.count(MODEL_REQUESTS)
  const session = task?.split('-')[0]
  if (session !== undefined) asked.set(session, (asked.get(session) ?? 0) + 1)
}

type Playing = ChaosOptions & { pagesUrl: string }

interface Played {
  players: Player[]
  threads: Thread[]
}

async function playAndKill(world: World, options: Playing, random: Random, startTime: number): Promise<Played> {
  const played: Played = { players: [], threads: [] }
  const { players, threads } = played
  const slot = async () => {
    do {
      const id = `s${String(players.length + threads.length + 1).padStart(5, '0')}`
      const own = random.fork(id)
      const one = own.fork('thread').chance(THREADS)
        ? begun(threads, threadOf(id, own, world, new Story(startTime)))
        : begun(players, new Player(planSession(id, own, options.pagesUrl), world, new Story(startTime)))
      await playOut(world, one)
    } while (world.calmSince === null)
  }
  const slots = Array.from({ length: options.sessions }, slot)
  await kill(world, options, random.fork('kills'), played)
  world.calm(options.lookAfterMs)
  options.tell(`${options.kills} kills made; ${players.length + threads.length} sessions come to rest`)
  await Promise.all(slots)
  return played
}

/** Of all that is played so many are conversations of clients of other protocols, which know no sessions. */
const THREADS = 0.45

function begun<T>(list: T[], one: T): T {
  list.push(one)
  return one
}

const THREADS_OF = {
  chat: ChatThread,
  responses: ResponsesThread,
  'ag-ui': AgUiThread,
  'ai-sdk': AiSdkThread,
  a2a: A2aThread,
  mcp: McpThread,
}

function threadOf(id: string, random: Random, world: World, story: Story): Thread {
  const plan = planThread(id, random)
  return new THREADS_OF[plan.door](plan, world, story)
}

/** A session that does not come to rest in time after the last kill is given up. */
async function playOut(world: World, player: Player | Thread): Promise<void> {
  const played = player.play().then(
    () => true,
    (error: unknown) => {
      world.violate(player.plan.id, `the client was surprised: ${String(error)}`, player.story.end())
      return true
    },
  )
  for (;;) {
    if (await Promise.race([played, sleep(250).then(() => false)])) return
    if (world.calmSince === null || Date.now() - world.calmSince < REST_MS) continue
    world.violate(player.plan.id, `it does not come to rest within ${REST_MS} ms`, player.story.end())
    return
  }
}

/** Until the model was asked so often, or nothing begins any more; 0: until the first thing begins. */
async function life(world: World, requests: number): Promise<void> {
  const asked = () => world.counts.get(MODEL_REQUESTS) ?? 0
  const until = asked() + requests
  const quietMs = requests > 0 ? LASTING_QUIET_MS : QUIET_MS
  do {
    const isQuiet = await Promise.race([world.nextBegin().then(() => false), sleep(quietMs).then(() => true)])
    if (isQuiet) return
  } while (asked() < until)
}

async function kill(world: World, options: ChaosOptions, random: Random, { players, threads }: Played): Promise<void> {
  let toldTime = Date.now()
  for (let number = 1; number <= options.kills; number++) {
    await life(world, random.chance(SHORT_LIVES) ? 0 : options.sessions * random.int(...REQUESTS_OF_LIFE))
    await sleep(options.pace * random.int(2, 150))
    for (const { story } of [...players, ...threads]) story.tellKill(number)
    await world.server.restart({ isAsked: random.chance(ASKED), isMinuteLater: random.chance(MINUTE_LATER) })
    if (Date.now() - toldTime < 2_000 && !options.verbose) continue
    toldTime = Date.now()
    options.tell(
      `kill ${number}/${options.kills}: ${players.length + threads.length} sessions begun, ${world.violations.length} violations`,
    )
  }
}
