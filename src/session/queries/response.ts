import type { SessionEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { Pending } from '../../domain/pending.ts'
import type { AgentResponseData, RunOutcome } from '../../domain/session.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { eventsBehind } from '../../log/read-pages.ts'
import { agentResponse, shownError, skillResultOf } from './session-data.ts'

/** The answer to whoever asked for a run when the log ended at `fromSeq`: as the session stands while that run is its newest,
 *  else as the run stood at its first rest behind `fromSeq`. */
export function responseOf(
  journal: Journal,
  engine: Pick<Engine, 'config' | 'orchestrators'>,
  runId: string | null,
  fromSeq: number,
): AgentResponseData {
  const newest = agentResponse(journal, engine)
  if (runId === null || newest.run_id === runId) return newest
  const earlier = earlierRun(journal, engine, runId, fromSeq)
  if (!earlier) return newest
  const { progress: _, stage: __, ...rest } = newest
  return { ...rest, ...earlier }
}

type OfRun = Pick<
  AgentResponseData,
  'run_id' | 'status' | 'finish_reason' | 'messages' | keyof RunOutcome | 'pending' | 'usage' | 'skill_result'
>

/** A run that another has followed, from its events; null when it has none behind `fromSeq`. */
function earlierRun(
  journal: Journal,
  engine: Pick<Engine, 'config' | 'orchestrators'>,
  runId: string,
  fromSeq: number,
): OfRun | null {
  let messages: Message[] = []
  let pending: Pending[] = []
  const toolsUsed = new Set<string>()
  for (const event of eventsBehind(journal, fromSeq)) {
    if (event.run_id !== runId) continue
    if (event.type === 'message') messages = isUsers(event.message) ? [] : [...messages, event.message]
    if (event.type === 'tool-start') toolsUsed.add(event.tool)
    if (event.type === 'pending') pending = [...pending, event.pending]
    if (event.type === 'pending-end') pending = pending.filter(({ id }) => id !== event.id)
    if (event.type !== 'run-end' && event.type !== 'run-pause') continue
    const { status, finish_reason, usage } = event
    const outcome = event.type === 'run-end' ? outcomeOf(event, journal, engine) : NO_OUTCOME
    const ended = { status, ...outcome, usage }
    const skill = skillResultOf(journal.record, ended, [...toolsUsed])
    return { run_id: runId, finish_reason, messages, pending, ...ended, ...skill }
  }
  return null
}

const NO_OUTCOME: RunOutcome = { result: null, error: null, ended_by: null }

function outcomeOf(
  { result, error, ended_by = null, loop }: SessionEvent & { type: 'run-end' },
  { record }: Journal,
  engine: Pick<Engine, 'config' | 'orchestrators'>,
): RunOutcome {
  return { result, error: shownError(error, record, engine), ended_by, ...(loop ? { loop } : {}) }
}

/** What the user said; the task of a part of a run is told in the same role. */
function isUsers({ role, scope }: Message): boolean {
  return role === 'user' && scope === null
}

/** The seq of the first event of a run; null: there is none. */
export function firstSeqOf(journal: Pick<Journal, 'log' | 'state'>, runId: string): number | null {
  const { run } = journal.state
  if (run?.id === runId) return run.firstSeq
  for (const event of eventsBehind(journal, 0, ['run-start'])) if (event.run_id === runId) return event.seq
  return null
}

/** The seq up to which the rests of a run are over: it was begun there, or last went on, or was ended behind it while it rested. */
export function restsOverAt(journal: Pick<Journal, 'log'>, runId: string): number {
  let seq = 0
  for (const event of eventsBehind(journal, 0, ['run-start', 'run-resume', 'run-end']))
    if (event.run_id === runId) seq = event.type === 'run-end' ? event.seq - 1 : event.seq
  return seq
}
