import { contentText } from '../../../src/domain/content.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { Deed } from '../deed.ts'

/** Every deed that was taken had its effect exactly once, and those that were refused had none. */
export function claimsOfDeeds(events: readonly SessionEvent[], deeds: Deed[]): string[] {
  return [
    ...deeds.flatMap((deed) => said(events, deed)),
    ...deeds.flatMap((deed) => decided(events, deed)),
    ...deeds.flatMap((deed) => answered(events, deed)),
    ...resumes(events, deeds),
    ...nothingElse(events, deeds),
  ]
}

function said(events: readonly SessionEvent[], { content, took, path }: Deed): string[] {
  if (content === null) return []
  const times = userMessages(events).filter((message) => message.content === content).length
  return times === (took ? 1 : 0) ? [] : [`the message of POST ${path} is there ${times} times: ${content}`]
}

function decided(events: readonly SessionEvent[], { took, path }: Deed): string[] {
  const id = /\/pending\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return []
  const times = events.filter((event) => event.type === 'pending-end' && event.id === id).length
  return times === 1 || (!took && times === 0) ? [] : [`${id} was decided ${times} times`]
}

/** An answer is of the run that its message started. */
function answered(events: readonly SessionEvent[], { kind, content, answer, form }: Deed): string[] {
  const own = userMessages(events).find((message) => message.content === content)
  const body = answer?.body
  if (kind !== 'message' || !own || form === 'sse' || typeof body !== 'object' || body === null) return []
  const problems: string[] = []
  if ('run_id' in body && body.run_id !== own.run_id) {
    problems.push(`the answer to ${own.id} is of ${String(body.run_id)}, not of ${own.run_id}`)
  }
  const told =
    'messages' in body && Array.isArray(body.messages) ? (body.messages as { id: string; run_id: string }[]) : []
  const foreign = told.find((message) => message.run_id !== own.run_id)
  if (foreign) problems.push(`the answer to ${own.id} holds ${foreign.id} of another run`)
  return problems
}

/** As many times as runs went on, somebody had asked for it. */
function resumes(events: readonly SessionEvent[], deeds: Deed[]): string[] {
  const went = events.filter(
    (event, index) =>
      (event.type === 'run-resume' && !isWoken(events, index)) || (event.type === 'run-start' && event.resumed),
  )
  const asked = deeds.filter(
    ({ kind, took }) => took && (kind === 'decision' || kind === 'continue' || kind === 'retry'),
  )
  // What steers a run that rests at the bound of its request has it go on.
  const steers = deeds.filter(({ path, took }) => took && path.endsWith('when_busy=steer')).length
  const heard = events.filter((event, index) => event.type === 'pending-end' && isAtWork(events, index)).length
  const isMeant = went.length >= asked.length - heard && went.length <= asked.length + steers
  return isMeant ? [] : [`runs went on ${went.length} times, asked for ${asked.length} times`]
}

/** Whether the run was at work, as when a time that another step waited for came just before a decision: then nothing has to go on. */
function isAtWork(events: readonly SessionEvent[], at: number): boolean {
  const last = events.slice(0, at).findLast(({ type }) => STANDS.has(type))
  return last?.type === 'run-start' || last?.type === 'run-resume'
}

const STANDS: ReadonlySet<string> = new Set(['run-start', 'run-resume', 'run-pause', 'run-end'])

/** A run that waited for nothing but a time goes on by itself. */
function isWoken(events: readonly SessionEvent[], at: number): boolean {
  const before = events[at - 1]
  const isTime = before?.type === 'step-due' || (before?.type === 'pending-end' && before.decision === 'expired')
  const pause = events.slice(0, at).findLast((event) => event.type === 'run-pause')
  return isTime && pause?.type === 'run-pause' && pause.status === 'interrupted'
}

function nothingElse(events: readonly SessionEvent[], deeds: Deed[]): string[] {
  const known = new Set(deeds.map(({ content }) => content))
  return userMessages(events)
    .filter(({ content }) => !known.has(contentText(content, null)))
    .map(({ content }) => `nobody said: ${contentText(content, null)}`)
}

function userMessages(events: readonly SessionEvent[]) {
  return events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'user' && event.scope === null ? [event.message] : [],
  )
}
