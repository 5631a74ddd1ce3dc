import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMockModel } from '../../src/cli/mock-model/server.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import { validateStrictHistory } from '../support/strict-history.ts'
import { claimsOfDecisions } from './claims/decisions.ts'
import { claimsOfDeeds } from './claims/deeds.ts'
import { claimsOfEnds } from './claims/ends.ts'
import { claimsOfLog } from './claims/log.ts'
import { claimsOfPlan } from './claims/plan.ts'
import { claimsOfPosts, isCut, startsOfPosts } from './claims/posts.ts'
import { claimsOfShown, type Exported } from './claims/shown.ts'
import { claimsOfTeam } from './claims/team.ts'
import { claimsOfTold } from './claims/told.ts'
import { claimsOfWorld } from './claims/world.ts'
import { chaosModel, taskOf } from './model.ts'
import { type ChaosPages, startChaosPages } from './pages.ts'
import { planSession } from './plan.ts'
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
const STORY_LINES = 40

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
    pages.close()
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
      world.violate(player.plan.id, `the client was surprised: ${String(error)}`, player.story.end(STORY_LINES))
      return true
    },
  )
  for (;;) {
    if (await Promise.race([played, sleep(250).then(() => false)])) return
    if (world.calmSince === null || Date.now() - world.calmSince < REST_MS) continue
    world.violate(player.plan.id, `it does not come to rest within ${REST_MS} ms`, player.story.end(STORY_LINES))
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

/** What the model and the pages saw: requests by session, visits by address. */
interface Seen {
  asked: ReadonlyMap<string, number>
  hits: ReadonlyMap<string, number>
  /** POSTs that arrived, by the id of their call. */
  posts: ReadonlyMap<string, number>
  /** Ids of the calls of which logs tell that they posted: filled as they are read. */
  told: Set<string>
}

/** The export of a session, for `yaa replay` and for eyes. */
function keepLog(folder: string, exported: Exported): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${exported.session.id}.json`), JSON.stringify(exported, null, 1))
}

async function examine(
  world: World,
  player: Player,
  { asked, hits, posts, told, logsFolder }: Seen & Pick<ChaosOptions, 'logsFolder'>,
): Promise<void> {
  const violate = (claim: string) => world.violate(player.plan.id, claim, player.story.end(STORY_LINES))
  if (!player.hasSession) return violate('it was never made')
  const id = player.sessionId
  await player.replayAll()
  const events = await world.events(id)
  const heard = Promise.all(player.observers.map((one) => one.until(({ lastSeq }) => lastSeq >= events.length)))
  if (!(await Promise.race([heard.then(() => true), sleep(5_000).then(() => false)])))
    violate('an observer heard no end')
  for (const observer of player.observers) observer.stop()
  for (const { call_id: post } of startsOfPosts(events)) told.add(post)
  const exported = await world.read<Exported>(`/v1/sessions/${id}/export`)
  const claims = [
    ...claimsOfLog(events),
    ...claimsOfTold(events, player.observers, player.deeds),
    ...claimsOfDeeds(events, player.deeds),
    ...claimsOfEnds(events, player.plan),
    ...claimsOfDecisions(exported),
    ...claimsOfTeam(events),
    ...claimsOfPlan(events),
    ...claimsOfPosts(events, posts),
    ...(await claimsOfShown(world, events, exported)),
    ...claimsOfWorld(events, { asked: asked.get(player.plan.id) ?? 0, hits }),
  ]
  for (const claim of claims) violate(`${claim} (${id})`)
  if (claims.length > 0 && logsFolder !== null) keepLog(logsFolder, exported)
  count(world, events, player)
}

/** No request arrived that no log tells of. */
function examinePosts(world: World, posts: ReadonlyMap<string, number>, told: ReadonlySet<string>): void {
  for (const id of posts.keys()) if (!told.has(id)) world.violate('posts', `a POST of ${id} arrived, which nobody made`)
}

/** One session for every POST that made one, and no other. */
async function examineList(world: World, players: readonly Player[]): Promise<void> {
  const titles: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: { title: string }[]; next_cursor: string | null } = await world.read(
      `/v1/sessions?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    titles.push(...page.data.map(({ title }) => title))
    cursor = page.next_cursor
  }
  for (const { plan } of players) {
    const times = titles.filter((title) => title === plan.id).length
    if (times !== 1) world.violate(plan.id, `it is listed ${times} times`)
  }
  if (titles.length !== players.length) world.violate('list', `${titles.length} sessions, made were ${players.length}`)
}

function count(world: World, events: readonly SessionEvent[], player: Player): void {
  world.count('events', events.length)
  world.count(
    'told',
    player.observers.reduce((sum, { told }) => sum + told.length, 0),
  )
  world.count('keyed POSTs', player.deeds.filter(({ key }) => key !== null).length)
  world.count('POSTs', player.deeds.length)
  for (const event of events) {
    if (event.type === 'run-end') world.count(`runs ended ${event.error?.code ?? event.finish_reason}`)
    if (event.type === 'model-start' && event.attempt > 1) world.count('model calls repeated')
    if (event.type === 'tool-start' && event.attempt > 1) world.count('tool calls repeated')
    if (event.type === 'tool-start' && event.tool === 'http_request') world.count('POSTs of tools')
    if (event.type === 'message' && isCut(event.message.content)) world.count('POSTs of tools cut, and said so')
    if (event.type === 'message' && event.message.kind === 'summary') world.count('compactions')
    if (event.type === 'pending-end') world.count('decisions')
    if (event.type === 'run-pause' && event.status === 'in_progress') world.count('bounds')
    if (event.type === 'message-queued') world.count('queued')
    if (event.type === 'task-end') world.count(`sub-tasks ${event.task.status}`)
    if (event.type === 'round-start') world.count('rounds')
    if (event.type === 'team-message') world.count('team messages')
  }
}
