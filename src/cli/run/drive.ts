import { ApiProblem, type Client, isDelta, type StreamEvent } from '../../client/client.ts'
import type { Action } from '../../client/sessions.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Sleep } from '../../domain/ports.ts'
import type { AgentResponseData, SessionData } from '../../domain/session.ts'
import type { Decider } from './decide.ts'

export interface DriveOptions {
  client: Client
  sessionId: string
  show: (event: StreamEvent) => void
  /** One line about a decision that the server did not take. */
  refused: (line: string) => void
  decide: Decider
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

type End = (StreamEvent & { type: 'run-end' }) | (StreamEvent & { type: 'run-pause' })

/** Acts, and carries the run on, batch by batch and decision by decision, until it ends or a pending item is left undecided. */
export async function driveRun(options: DriveOptions, first: Action, after: number): Promise<DriveOutcome> {
  let lastSeq = after
  let action: Action | null = first
  let end: End | null = null
  let runId: string | null = null
  const show = (event: StreamEvent) => {
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
    action = problem === null ? await nextAction(options, end) : await decideNext(options)
  }
  return { response: driveResponse(await current(options, 'last_run'), end, runId), lastSeq }
}

/** Performs one action; a decision that came too late or does not fit is reported and asked again. */
async function perform(
  options: DriveOptions,
  action: Action,
  after: number,
  show: (event: StreamEvent) => void,
): Promise<ApiProblem | null> {
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
      await options.sleep(LIMITS.client.busyDelayMs, options.signal)
    }
  }
}

/** What to do after a batch: go on, decide what waits, or nothing. */
async function nextAction(options: DriveOptions, end: End | null): Promise<Action | null> {
  if (end?.type === 'run-end') return null
  if (end?.status === 'in_progress') return { type: 'continue' }
  return decideNext(options)
}

async function decideNext(options: DriveOptions): Promise<Action | null> {
  const session = await current(options, 'none')
  if (session.status === 'in_progress') return { type: 'continue' }
  const [pending] = session.pending
  if (pending === undefined) return null
  const decision = await options.decide(pending)
  return decision === null ? null : { type: 'decide', pendingId: pending.id, decision }
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
