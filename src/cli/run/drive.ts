import { ApiProblem, type Client, isDelta, type StreamEvent } from '../../client/client.ts'
import type { Action } from '../../client/sessions.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Sleep } from '../../domain/ports.ts'
import type { AgentResponseData, SessionData } from '../../domain/session.ts'
import type { Pending } from '../../domain/pending.ts'
import type { PendingInput } from '../../domain/session-input.ts'
import type { WantedConnection } from '../../domain/wanted-connection.ts'
import { type Decider, type GivenSecret, isGivenSecret } from './decide.ts'

export interface DriveOptions {
  client: Client
  sessionId: string
  show: (event: StreamEvent) => void
  /** One line about a decision that the server did not take. */
  refused: (line: string) => void
  /** `isShown`: the item is the only one that this batch asked for, and has just been shown. */
  decide: (pending: Pending, isShown: boolean) => ReturnType<Decider>
  sleep: Sleep
  signal: AbortSignal
}

/** Where a run stands when nobody drives it any more. */
export interface DriveOutcome {
  /** As the awaited answer of the run would be. */
  response: AgentResponseData
  lastSeq: number
}

/** Decisions in a row that the server does not take before the command gives up. */
const REFUSALS_MAX = 5

/** What a run is driven by; `follow`: by somebody else, it is only watched to its next rest. `keep`: by a secret that it waits for. */
export type Drive = Action | { type: 'follow' } | { type: 'keep'; wanted: WantedConnection; secret: string }

type End = (StreamEvent & { type: 'run-end' }) | (StreamEvent & { type: 'run-pause' })

/** Acts, and carries the run on, batch by batch and decision by decision, until it ends or a pending item is left undecided. */
export async function driveRun(options: DriveOptions, first: Drive, after: number): Promise<DriveOutcome> {
  let lastSeq = after
  let action: Drive | null = first
  let end: End | null = null
  let runId: string | null = null
  const shown = new Set<string>()
  const show = (event: StreamEvent) => {
    if (event.type === 'pending') shown.add(event.pending.id)
    if (!isDelta(event)) lastSeq = event.seq
    if (event.run_id !== null) runId = event.run_id
    if (event.type === 'run-end' || event.type === 'run-pause') end = event
    options.show(event)
  }
  let refusals = 0
  while (action !== null) {
    const problem: ApiProblem | null = await perform(options, action, lastSeq, show)
    refusals = problem === null ? 0 : refusals + 1
    if (problem !== null && refusals >= REFUSALS_MAX) throw problem
    action = problem === null ? await nextAction(options, end, shown) : await decideNext(options, shown)
  }
  return { response: driveResponse(await current(options, 'last_run'), end, runId), lastSeq }
}

/** Performs one action; a decision that came too late or does not fit is reported and asked again. */
async function perform(
  options: DriveOptions,
  action: Drive,
  after: number,
  show: (event: StreamEvent) => void,
): Promise<ApiProblem | null> {
  if (action.type === 'follow') return follow(options, after, show)
  if (action.type === 'keep') return (await keepSecret(options, action)) ?? follow(options, after, show)
  for (let tries = 0; ; tries++) {
    try {
      for await (const event of options.client.sessions.stream(options.sessionId, action, {
        signal: options.signal,
        after,
      }))
        show(event)
      return null
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (action.type === 'decide' && (error.status === 409 || error.status === 400)) {
        options.refused(error.message)
        return error
      }
      // The time of the last batch was over, but its last move is still under way.
      const busy = action.type === 'continue' && error.code === 'run_in_progress' && tries < LIMITS.client.busyTriesMax
      if (!busy) throw error
      if (await isDrivenElsewhere(options, after)) return follow(options, after, show)
      await options.sleep(LIMITS.client.busyDelayMs, options.signal)
    }
  }
}

/** Keep a user's secret, in the place of one that does not do any more; the server has the call made with it. Gives why it was not taken. */
async function keepSecret(
  { client: { connections }, refused }: DriveOptions,
  { wanted: { name, origin, user }, secret }: Extract<Drive, { type: 'keep' }>,
): Promise<ApiProblem | null> {
  const whose = user === null ? {} : { user }
  const isKnown = (error: unknown) => error instanceof ApiProblem && error.code === 'already_exists'
  try {
    await connections.create({ name, origin, secret, ...whose }).catch((error: unknown) => {
      if (!isKnown(error)) throw error
      return connections.update(name, { secret }, whose)
    })
    return null
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    refused(error.message)
    return error
  }
}

/** Whether a run goes on that was to be continued, since a message joined it or another client did so first. */
async function isDrivenElsewhere({ client, sessionId }: DriveOptions, after: number): Promise<boolean> {
  const { data } = await client.sessions.eventList(sessionId, { after })
  return data.some(({ type }) => type === 'run-resume' || type === 'model-start')
}

async function follow(
  { client, sessionId, signal }: DriveOptions,
  after: number,
  show: (event: StreamEvent) => void,
): Promise<null> {
  for await (const event of client.sessions.events(sessionId, { after, signal })) {
    show(event)
    if (event.type === 'run-end' || event.type === 'run-pause') break
  }
  return null
}

/** What to do after a batch: go on, decide what waits, or nothing. */
async function nextAction(options: DriveOptions, end: End | null, shown: Set<string>): Promise<Drive | null> {
  if (end?.type === 'run-end') return null
  if (end?.status === 'in_progress') return { type: 'continue' }
  return decideNext(options, shown)
}

/** `shown`: what has been shown since the last decision. */
async function decideNext(options: DriveOptions, shown: Set<string>): Promise<Drive | null> {
  const session = await current(options, 'none')
  if (session.status === 'in_progress') return { type: 'continue' }
  const [pending] = session.pending
  if (pending === undefined) return null
  const isShown = shown.size === 1 && shown.has(pending.id)
  shown.clear()
  const decided = await options.decide(pending, isShown)
  if (decided === null) return null
  // With what it waited for the run may have gone on while the person was asked.
  const isOver = pending.connection && !(await current(options, 'none')).pending.some(({ id }) => id === pending.id)
  return isOver ? { type: 'follow' } : driveBy(pending, decided)
}

/** What a run is driven by once somebody has decided on what it waits for. */
export function driveBy(pending: Pending, decided: PendingInput | GivenSecret): Drive {
  if (!isGivenSecret(decided)) return { type: 'decide', pendingId: pending.id, decision: decided }
  if (!pending.connection) throw new Error('a secret was given for what is no connection')
  return { type: 'keep', wanted: pending.connection, secret: decided.secret }
}

const current = ({ client, sessionId }: DriveOptions, messages: 'last_run' | 'none') =>
  client.sessions.get(sessionId, { messages })

/** The run's answer from the session, and from the event that ended or paused it what is its own. */
export function driveResponse(session: SessionData, end: End | null, runId: string | null): AgentResponseData {
  const lastUser = session.messages.findLastIndex(({ role, scope }) => role === 'user' && scope === null)
  const { id, title, start_time, status, finish_reason, result, error, ended_by, loop, pending } = session
  return {
    id,
    object: 'agent.response',
    title,
    start_time,
    run_id: end?.run_id ?? runId,
    status,
    finish_reason,
    messages: session.messages.slice(lastUser + 1),
    result,
    error,
    ended_by,
    ...(loop ? { loop } : {}),
    pending,
    usage: end?.usage ?? session.usage,
  }
}
