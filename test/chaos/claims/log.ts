import type { EventType, RunMode, SessionEvent } from '../../../src/domain/event.ts'

type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>

const of = <T extends EventType>(events: readonly SessionEvent[], type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type)

/** What holds for every log at rest, whatever happened to the process that wrote it. */
export function claimsOfLog(events: readonly SessionEvent[]): string[] {
  return [...numbers(events), ...runs(events), ...iterations(events), ...modelCalls(events), ...toolCalls(events)]
}

function numbers(events: readonly SessionEvent[]): string[] {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1)
  const foreign = of(events, 'message').filter(({ seq, message }) => message.seq !== seq)
  const ids = of(events, 'message').map(({ message }) => message.id)
  return [
    ...(gap < 0 ? [] : [`event ${gap + 1} has seq ${events[gap]?.seq}`]),
    ...foreign.map(({ seq }) => `the message of event ${seq} has another seq`),
    ...repeated(ids).map((id) => `message id ${id} is used twice`),
  ]
}

/** start → (pause → resume)* → end, of every run, and again for a run that was carried on. A message that steers leaves a run that a request drives
 *  to the background. */
function runs(events: readonly SessionEvent[]): string[] {
  const going = new Map<string, 'active' | 'resting' | 'over'>()
  const problems: string[] = []
  let mode: RunMode = 'background'
  for (const event of events) {
    const { type, run_id: runId, seq } = event
    const isLeft = mode === 'request' && 'mode' in event && event.mode === 'background'
    if ('mode' in event && event.type !== 'message-queued') mode = event.mode
    const id = runId ?? ''
    const now = going.get(id)
    const wrong = (allowed: boolean) => allowed || problems.push(`${type} at ${seq} of run ${id}, which is ${now}`)
    if (type === 'run-start') wrong(now === undefined || now === 'over')
    if (type === 'run-resume') wrong(now === 'resting' || (now === 'active' && isLeft))
    if (type === 'run-pause') wrong(now === 'active')
    if (type === 'run-end') wrong(now === 'active' || now === 'resting')
    if (type === 'run-start' || type === 'run-resume') going.set(id, 'active')
    if (type === 'run-pause') going.set(id, 'resting')
    if (type === 'run-end') going.set(id, 'over')
  }
  const open = [...going].filter(([, where]) => where !== 'over')
  return [...problems, ...open.map(([id, where]) => `run ${id} has no end, it is ${where}`)]
}

function iterations(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  const open = new Map<string | null, number>()
  let run: string | null = null
  let last = 0
  for (const event of events) {
    if (event.type === 'run-start' && event.run_id !== run) [run, last] = [event.run_id, 0]
    if (event.type === 'iteration-start') {
      const within = open.get(event.scope)
      if (within !== undefined) problems.push(`iteration ${event.iteration} starts at ${event.seq} within ${within}`)
      if (event.iteration !== last + 1) problems.push(`iteration ${event.iteration} at ${event.seq} follows ${last}`)
      last = event.iteration
      open.set(event.scope, last)
    }
    if (event.type === 'iteration-end') {
      const begun = open.get(event.scope)
      if (begun !== event.iteration)
        problems.push(`iteration ${event.iteration} ends at ${event.seq}, open is ${begun}`)
      open.delete(event.scope)
    }
  }
  return [...problems, ...[...open.values()].map((one) => `iteration ${one} has no end`)]
}

/** Every reply was asked for, once; an attempt follows the one before it. Text that was cut is of a call that never ended. */
function modelCalls(events: readonly SessionEvent[]): string[] {
  const starts = of(events, 'model-start')
  const ids = starts.map((start) => start.message_id)
  const ends = of(events, 'model-end').map((end) => end.message_id)
  const replies = repliesIn(events).map(({ message }) => message.id)
  const answered = of(events, 'model-end').flatMap((end) => (end.ok ? [end.message_id] : []))
  return [
    ...repeated(ids).map((id) => `message id ${id} was begun twice`),
    ...repeated(ends).map((id) => `model call ${id} ended twice`),
    ...ends.filter((id) => !ids.includes(id)).map((id) => `model call ${id} ended and never began`),
    ...replies.filter((id) => !answered.includes(id)).map((id) => `reply ${id} is of no model call`),
    ...answered.filter((id) => !replies.includes(id)).map((id) => `model call ${id} left no reply`),
    ...starts
      .filter(({ attempt }) => attempt < 1 || attempt > 3)
      .map(({ seq, attempt }) => `attempt ${attempt} at ${seq}`),
  ]
}

/** What models wrote. The call of a step that is a tool is written by none. */
export function repliesIn(events: readonly SessionEvent[]): EventOf<'message'>[] {
  const tools = new Set(of(events, 'step-start').flatMap(({ kind, scope }) => (kind === 'tool' ? [scope] : [])))
  return of(events, 'message').filter(
    ({ scope, message }) =>
      (message.role === 'assistant' && !message.cut && !tools.has(scope)) || message.kind === 'summary',
  )
}

/** Every call has exactly one result, at most one end, and attempts 1, 2, 3. */
function toolCalls(events: readonly SessionEvent[]): string[] {
  const messages = of(events, 'message').map(({ message }) => message)
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
  const results = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))
  const ends = of(events, 'tool-end').map((end) => end.call_id)
  return [
    ...repeated(calls).map((id) => `call id ${id} is used twice`),
    ...repeated(results).map((id) => `call ${id} has two results`),
    ...repeated(ends).map((id) => `call ${id} ended twice`),
    ...calls.filter((id) => !results.includes(id)).map((id) => `call ${id} has no result`),
    ...results.filter((id) => !calls.includes(id)).map((id) => `result of ${id}, which nobody called`),
    ...calls.flatMap((id) => attempts(id, events)),
  ]
}

/** A run that is carried on after too many attempts begins to count anew. */
function attempts(id: string, events: readonly SessionEvent[]): string[] {
  const made = of(events, 'tool-start').filter((start) => start.call_id === id)
  const wrong = made.find(({ attempt }, index) => attempt !== index + 1)
  return wrong ? [`attempt ${wrong.attempt} of ${id} at ${wrong.seq} is out of turn`] : []
}

function repeated(list: readonly string[]): string[] {
  return [...new Set(list.filter((item, index) => list.indexOf(item) !== index))]
}
