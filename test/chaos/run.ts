import { setTimeout as sleep } from 'node:timers/promises'
import { startMockModel } from '../../src/cli/mock-model/server.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import { validateStrictHistory } from '../support/strict-history.ts'
import { chaosModel, taskOf } from './model.ts'
import { examine, examineList, examinePosts } from './examine.ts'
import { type ChaosPages, startChaosPages } from './pages.ts'
import { CREW, planSession } from './plan.ts'
import { Player } from './player.ts'
import { type Random, randomOf } from './random.ts'
import { MortalServer } from './server.ts'
import { Story } from './story.ts'
import { type Violation, World } from './world.ts'

export interface ChaosOptions {
  kills: number
  seed: number
  /** Sessions that are kept going at a time. */
  sessions: number
  /** Told of what goes on, now and then a line. */
  tell: (line: string) => void
  verbose: boolean
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

/** After the last kill everything has to come to rest within so long. */
const REST_MS = 60_000
/** A quiet server is killed, too. */
const QUIET_MS = 300

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
    const players = await playAndKill(world, options, random, startTime)
    const told = new Set<string>()
    for (const player of players)
      await examine(world, player, { asked, ...pages, told, logsFolder: options.logsFolder })
    examinePosts(world, pages.posts, told)
    await examineList(world, players)
    return { sessions: players.length, counts: world.counts, violations: world.violations, ms: Date.now() - startTime }
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
  world.count('model requests')
  const session = task?.split('-')[0]
  if (session !== undefined) asked.set(session, (asked.get(session) ?? 0) + 1)
}

async function playAndKill(world: World, options: ChaosOptions, random: Random, startTime: number): Promise<Player[]> {
  const players: Player[] = []
  const slot = async () => {
    do {
      const id = `s${String(players.length + 1).padStart(5, '0')}`
      const player = new Player(planSession(id, random.fork(id)), world, new Story(startTime))
      players.push(player)
      await playOut(world, player)
    } while (world.calmSince === null)
  }
  const slots = Array.from({ length: options.sessions }, slot)
  await kill(world, options, random.fork('kills'), players)
  world.calm(options.lookAfterMs)
  options.tell(`${options.kills} kills made; ${players.length} sessions come to rest`)
  await Promise.all(slots)
  return players
}

/** A session that does not come to rest in time after the last kill is given up. */
async function playOut(world: World, player: Player): Promise<void> {
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

async function kill(world: World, options: ChaosOptions, random: Random, players: readonly Player[]): Promise<void> {
  let toldTime = Date.now()
  for (let number = 1; number <= options.kills; number++) {
    await Promise.race([world.nextBegin(), sleep(QUIET_MS)])
    await sleep(random.chance(0.7) ? random.int(2, 150) : random.int(150, 800))
    for (const player of players) player.story.tellKill(number)
    await world.server.restart()
    if (Date.now() - toldTime < 2_000 && !options.verbose) continue
    toldTime = Date.now()
    options.tell(
      `kill ${number}/${options.kills}: ${players.length} sessions begun, ${world.violations.length} violations`,
    )
  }
}
