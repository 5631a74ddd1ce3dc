import type { AuditActor, Decided } from '../../domain/audit.ts'
import type { Pending } from '../../domain/pending.ts'
import { type GivenMessage, toolIdOf } from '../../domain/message.ts'
import { contentText } from '../../domain/content.ts'
import type { AppError } from '../../domain/errors.ts'
import type { EventBody, NewEvent } from '../../domain/event.ts'
import type { StatelessInput } from '../../domain/session-input.ts'
import { decisionsIn } from './begin.ts'
import { historyEvents, postedReply } from './history.ts'
import { decisionMessage, deciderOn, isDecision, MAY_NOT_DECIDE, namedItem } from './run.ts'
import { takeResults } from './caller-results.ts'
import { changedByHooks, isExpired, isProven, provenItems, type Prover } from './proof.ts'
import type { Engine, MoveContext } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import type { Journal } from '../../log/journal.ts'
import { handOutEvents, pendingEvent } from '../../run/steps/pending.ts'
import { decodeReply, isOutput, readReply } from '../../run/steps/reply.ts'
import { protocolOf } from '../../run/steps/request.ts'
import { branchOf } from '../../log/branches.ts'

/** Who may decide by a history, and who is told of it. */
export interface Deciders {
  /** Who decides on what waits; absent: the caller may not. */
  decider?: AuditActor
  /** Called with what the history decides, for the audit. */
  decided?: (decisions: readonly Decided[]) => void
  /** Who gives results of the calls that callers make; absent: the decider. */
  answerer?: AuditActor
}

/** Take the caller's history into the log. Its last message is read as if it came now: a word of the user decides what waits, or is
 *  a new task; a reply that calls nothing may be the answer. Null: it is in; else why it cannot be. */
export async function adoptHistory(
  journal: Journal,
  engine: Engine,
  { messages, pending = [] }: { messages: readonly GivenMessage[]; pending: StatelessInput['pending'] },
  { decider, decided, answerer, ...prover }: Prover & Deciders,
): Promise<AppError | null> {
  const last = messages.at(-1)
  if (last?.role === 'user') {
    journal.append(historyEvents(journal, engine, messages.slice(0, -1)))
    const wrong = await takeResults({ journal, engine }, pending, prover)
    if (wrong) return wrong
    const given = await provenItems(pending, prover)
    const proven = given.filter((item) => !isExpired(item, journal.now()))
    if (engine.hooks) journal.append(await changedByHooks(journal.state, proven))
    await askOpenCalls({ journal, engine })
    const asking = messages.findLast(({ role }) => role === 'assistant')
    return hearUser(journal, engine, last, {
      decider: deciderOn(journal.state, { ...(decider ? { decider } : {}), ...(answerer ? { answerer } : {}) }),
      decided,
      mayApprove: (item) => isProven(item, proven, asking?.tool_calls !== undefined),
    })
  }
  const events = historyEvents(journal, engine, messages)
  journal.append(events.slice(0, -1))
  journal.append(events.slice(-1).map((event) => ({ ...event, ...readEnd(event, journal, engine) })))
  return takeResults({ journal, engine }, pending, prover)
}

interface Hearing {
  decider: AuditActor | undefined
  decided: Deciders['decided']
  mayApprove: (item: Pending) => boolean
}

/** The user's newest words. A history is its caller's, who may have made it up: what it asks to approve is asked again, unless this server
 *  asked about that very call. */
function hearUser(
  journal: Journal,
  engine: Engine,
  said: GivenMessage,
  { decider, decided, mayApprove }: Hearing,
): AppError | null {
  const { pending } = journal.state
  if (!isDecision(journal.state)) {
    journal.append(historyEvents(journal, engine, [{ ...said, kind: 'task' }]))
    return null
  }
  const named = namedItem(pending, engine, contentText(said.content, null))
  if (named?.word.decision === 'approve' && !mayApprove(named.item)) {
    journal.append([journal.messageEvent({ role: 'user', content: said.content, kind: 'approval' })])
    return null
  }
  if (!decider) return MAY_NOT_DECIDE.error
  const events = decisionMessage({ journal, engine }, said.content, { mode: 'request', by: decider, pending })
  decided?.(decisionsIn(events, pending))
  journal.append(events)
  return null
}

type MessageEvent = Extract<EventBody, { type: 'message' }>

/** What the last message of a history is, where that is a reply: it would end its run now, or something is wrong with it that the model is
 *  told. The log ends before it. */
function readEnd(
  event: NewEvent,
  journal: Journal,
  engine: Engine,
): Pick<MessageEvent, 'is_output' | 'problem' | 'call_problems'> {
  if (event.type !== 'message' || event.message.role !== 'assistant') return {}
  const { tool_calls: calls } = event.message
  if (calls) {
    const unknown = calls.filter((call) => !toolOf(engine, toolIdOf(call)))
    const problems = unknown.map(({ id, name }) => [id, { code: 'unknown_tool', name }] as const)
    return problems.length > 0 ? { call_problems: Object.fromEntries(problems) } : {}
  }
  const context = { journal, engine }
  const worker = workerOf(context, null)
  if (!worker.choice.ok) return {}
  const read = { ...worker, tools: worker.known, protocol: protocolOf(worker.choice.spec, context) }
  const reply = postedReply(contentText(event.message.content, null))
  const found = readReply(read, decodeReply(read, reply, worker.language), context)
  if (isOutput(found)) return { is_output: true }
  return found.problem && found.problem.code !== 'no_tool_called' ? { problem: found.problem } : {}
}

/** Calls of the history that have no result wait for the word that comes now. */
async function askOpenCalls(context: MoveContext): Promise<void> {
  const { run } = context.journal.state
  for (const { id: callId, client, status } of run ? branchOf(run, null).calls : []) {
    if (status !== 'open') continue
    const asked = { scope: null, callId }
    const events =
      client === undefined
        ? pendingEvent({ type: 'ask', ...asked }, context)
        : handOutEvents({ type: 'hand-out', ...asked }, context)
    context.journal.append(await events)
  }
}
