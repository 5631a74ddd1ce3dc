import type { AppError } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Pending } from '../../domain/pending.ts'
import type { DecisionInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { toolOf, type Engine } from '../engine.ts'
import type { Journal } from '../journal.ts'
import { endOf } from './run.ts'

export type Checked = { ok: true; item: Pending } | { ok: false; error: AppError }

/** Whether a decision is for something that still waits, with exactly the arguments that the human saw. */
export function checkDecision(journal: Journal, engine: Engine, pendingId: string, input: DecisionInput): Checked {
  const item = journal.state.pending.find(({ id }) => id === pendingId)
  const stale = { ok: false, error: { code: 'stale_decision', pendingId } } as const
  if (!item || Date.parse(item.expires_time) <= journal.now()) return stale
  if (input.arguments_hash !== undefined && input.arguments_hash !== item.arguments_hash) return stale
  const wrong = item.type === 'question' ? input.decision === 'approve' : input.decision === 'answer'
  if (wrong) {
    const message =
      item.type === 'question' ? 'a question takes answer or reject' : 'an approval takes approve or reject'
    return { ok: false, error: { code: 'invalid_input', detail: message, issues: [{ path: 'decision', message }] } }
  }
  return checkArguments(engine, item, input) ?? { ok: true, item }
}

function checkArguments(engine: Engine, item: Pending, input: DecisionInput): Checked | null {
  const parsed =
    input.arguments && item.tool !== undefined ? toolOf(engine, item.tool)?.parse(input.arguments) : undefined
  if (!parsed || parsed.ok) return null
  const issues = parsed.errors.map(({ path, expected }) => ({
    path: path === '' ? 'arguments' : `arguments.${path}`,
    message: expected,
  }))
  return {
    ok: false,
    error: { code: 'invalid_input', detail: 'The arguments do not fit the tool; see errors.', issues },
  }
}

export function decisionEvent(item: Pending, input: DecisionInput): NewEvent {
  const { feedback, answer, arguments: args } = input
  return endOf(item, input.decision, {
    ...(feedback === undefined ? {} : { feedback }),
    ...(answer === undefined ? {} : { answer }),
    ...(args === undefined ? {} : { arguments: args }),
  })
}

/** The record with a tool approved for the rest of the session. */
export function remembered(record: SessionRecord, tool: string): SessionRecord {
  const known = record.config.tools?.[tool]
  const tools = { ...record.config.tools, [tool]: { ...known, auto_approve: true } }
  return { ...record, config: { ...record.config, tools } }
}

/** What has waited too long is refused, and the run goes on in the background. */
export function expiryEvents(journal: Journal): NewEvent[] {
  const { pending, status } = journal.state
  const expired = pending.filter((item) => Date.parse(item.expires_time) <= journal.now())
  if (expired.length === 0) return []
  const ends = expired.map((item) => endOf(item, 'expired', {}))
  return status === 'interrupted' ? [...ends, { type: 'run-resume', mode: 'background' }] : ends
}
