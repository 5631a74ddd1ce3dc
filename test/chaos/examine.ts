import { PATIENCE_MS } from '../support/patience.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contentText } from '../../src/domain/content.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { SessionSummary } from '../../src/domain/session.ts'
import { claimsOfDecisions } from './claims/decisions.ts'
import { claimsOfDeeds } from './claims/deeds.ts'
import { claimsOfEnds } from './claims/ends.ts'
import { claimsOfLog } from './claims/log.ts'
import { claimsOfPlan } from './claims/plan.ts'
import { claimsOfPosts, isCut, startsOfPosts } from './claims/posts.ts'
import { claimsOfShown, type Exported } from './claims/shown.ts'
import { claimsOfTeam } from './claims/team.ts'
import { claimsOfTold } from './claims/told.ts'
import { claimsOfWorkflow } from './claims/workflow.ts'
import { claimsOfWorld } from './claims/world.ts'
import type { Player } from './player.ts'
import { threadIn } from './threads/examine.ts'
import type { World } from './world.ts'

/** What the model and the pages saw: requests by session, visits by address. */
export interface Seen {
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

/** Everything that has to hold of a session once all is done; what does not is a violation. */
export async function examine(
  world: World,
  player: Player,
  { asked, hits, posts, told, logsFolder }: Seen & { logsFolder: string | null },
): Promise<void> {
  const violate = (claim: string) => world.violate(player.plan.id, claim, player.story.end())
  if (!player.hasSession) return violate('it was never made')
  const id = player.sessionId
  await player.replayAll()
  const events = await world.events(id)
  const heard = Promise.all(player.observers.map((one) => one.until(({ lastSeq }) => lastSeq >= events.length)))
  if (!(await Promise.race([heard.then(() => true), sleep(PATIENCE_MS, false, { ref: false })])))
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
    ...claimsOfWorkflow(events),
    ...claimsOfPosts(events, posts),
    ...(await claimsOfShown(world, events, exported)),
    ...claimsOfWorld(events, { asked: asked.get(player.plan.id) ?? 0, hits }),
  ]
  for (const claim of claims) violate(`${claim} (${id})`)
  if (claims.length > 0 && logsFolder !== null) keepLog(logsFolder, exported)
  count(world, events, player)
}

/** No request arrived that no log tells of. */
export function examinePosts(world: World, posts: ReadonlyMap<string, number>, told: ReadonlySet<string>): void {
  for (const id of posts.keys()) if (!told.has(id)) world.violate('posts', `a POST of ${id} arrived, which nobody made`)
}

/** All sessions that there are. */
export async function listOf(world: World): Promise<SessionSummary[]> {
  const listed: SessionSummary[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: SessionSummary[]; next_cursor: string | null } = await world.read(
      `/v1/sessions?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    listed.push(...page.data)
    cursor = page.next_cursor
  }
  return listed
}

/** One session for every POST that made one, and no other but those of threads. */
export function examineList(world: World, players: readonly Player[], listed: readonly SessionSummary[]): void {
  const titles = listed.flatMap((session) => (threadIn(session) === undefined ? [session.title] : []))
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
  world.count('messages by a door', player.deeds.filter(({ byDoor, took }) => byDoor && took).length)
  for (const event of events) {
    if (event.type === 'run-end') world.count(`runs ended ${event.error?.code ?? event.finish_reason}`)
    if (event.type === 'model-start' && event.attempt > 1) world.count('model calls repeated')
    if (event.type === 'tool-start' && event.attempt > 1) world.count('tool calls repeated')
    if (event.type === 'tool-start' && event.tool === 'http_request') world.count('POSTs of tools')
    if (event.type === 'message' && isCut(contentText(event.message.content, null)))
      world.count('POSTs of tools cut, and said so')
    if (event.type === 'message' && event.message.kind === 'summary') world.count('compactions')
    if (event.type === 'pending-end') world.count('decisions')
    if (event.type === 'run-pause' && event.status === 'in_progress') world.count('bounds')
    if (event.type === 'message-queued') world.count('queued')
    if (event.type === 'tool-start' && event.client) world.count('calls for the client')
    if (event.type === 'message' && event.message.kind === 'steer') world.count('steered')
    if (event.type === 'task-end') world.count(`sub-tasks ${event.task.status}`)
    if (event.type === 'step-end') world.count(`steps ${event.status}`)
    if (event.type === 'step-redo') world.count('steps retried')
    if (event.type === 'rollback-end') world.count(`steps undone${event.ok ? '' : ' in vain'}`)
    if (event.type === 'step-due') world.count('steps due')
    if (event.type === 'pending-end' && event.decision === 'expired') world.count('waits over')
    if (event.type === 'task-start' && event.task.call_id !== undefined) world.count('tasks given away')
    if (event.type === 'round-start') world.count('rounds')
    if (event.type === 'team-message') world.count('team messages')
  }
}
