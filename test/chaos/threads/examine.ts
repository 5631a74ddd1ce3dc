import type { SessionEvent } from '../../../src/domain/event.ts'
import { contentText } from '../../../src/domain/content.ts'
import type { SessionSummary } from '../../../src/domain/session.ts'
import { claimsOfLog } from '../claims/log.ts'
import { claimsOfWorld } from '../claims/world.ts'
import type { World } from '../world.ts'
import type { Thread } from './thread.ts'

/** What has to hold of a conversation once all is done: one session, nothing said or done twice, no answer lost. One whose run failed may have begun
 *  another session, and said its words there. */
export async function examineThread(
  world: World,
  thread: Thread,
  listed: readonly SessionSummary[],
  { asked, hits }: { asked: ReadonlyMap<string, number>; hits: ReadonlyMap<string, number> },
): Promise<void> {
  const { id } = thread.plan
  const own = listed.filter((session) => threadIn(session) === id)
  const logs = await Promise.all(own.map((session) => world.events(session.id)))
  const events = logs.flat()
  const hasFailed = events.some((event) => event.type === 'run-end' && event.status === 'failed')
  const claims = [
    ...logs.flatMap((log) => claimsOfLog(log).filter((claim) => !givenIn(log).some((given) => claim.includes(given)))),
    ...claimsOfWorld(events, { asked: asked.get(id) ?? 0, hits }),
    // A session that goes on in another way holds the results of the first.
    ...logs.flatMap(resultsTwice),
    ...(thread.hasFailed && !hasFailed ? ['it was told of a failure that no log tells of'] : []),
    ...(hasFailed ? [] : [...oneSession(thread, own), ...wordsOnce(thread, events), ...answersKept(thread, events)]),
  ]
  for (const claim of claims) thread.violate(`${claim} (${own.map((session) => session.id).join(' ')})`)
  count(world, thread, events, hasFailed)
}

/** The thread that a session is of; undefined: none. Not all doors have a place for metadata: a session without a title is called by its first task. */
export function threadIn({ metadata, title }: SessionSummary): unknown {
  return metadata['thread'] ?? /#task:(\w+)-/.exec(title)?.[1]
}

/** Ids of what a client told of another session. */
function givenIn(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'message' && event.message.given ? [event.message.id] : []))
}

function oneSession({ sessions }: Thread, own: readonly SessionSummary[]): string[] {
  const ids = new Set([...sessions, ...own.map(({ id }) => id)])
  return ids.size === 1 ? [] : [`the thread has ${ids.size} sessions: ${[...ids].join(' ')}`]
}

function wordsOnce({ plan }: Thread, events: readonly SessionEvent[]): string[] {
  const said = events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'user' ? [contentText(event.message.content, null)] : [],
  )
  return plan.turns.flatMap(({ content }) => {
    const times = said.filter((words) => words === content).length
    return times === 1 ? [] : [`${content} is there ${times} times`]
  })
}

function resultsTwice(events: readonly SessionEvent[]): string[] {
  const results = events.flatMap((event) =>
    event.type === 'message' && !event.message.given ? (event.message.tool_call_id ?? []) : [],
  )
  return results.filter((id, index) => results.indexOf(id) < index).map((id) => `${id} has two results`)
}

function answersKept({ answers, plan }: Thread, events: readonly SessionEvent[]): string[] {
  const results = events.flatMap((event) => (event.type === 'run-end' ? [event.result ?? ''] : []))
  const isKept =
    answers.length === plan.turns.length && answers.every((answer, at) => answer.endsWith(results[at] ?? '?'))
  return isKept && results.length === answers.length
    ? []
    : [`the answers are ${JSON.stringify(answers)}, by the log ${JSON.stringify(results)}`]
}

function count(world: World, { plan }: Thread, events: readonly SessionEvent[], hasFailed: boolean): void {
  world.count(`threads of ${plan.door}`)
  if (hasFailed) world.count('threads that failed')
  for (const event of events) {
    if (event.type === 'tool-start' && event.client) world.count('calls for clients of doors')
    if (event.type === 'pending-end' && event.decision === 'approve') world.count('approvals by doors')
  }
}
