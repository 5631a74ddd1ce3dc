import type { AuditActor } from '../../domain/audit.ts'
import type { ToolConfig } from '../../domain/config.ts'
import { type AppError, fail, type InputIssue, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Pending } from '../../domain/pending.ts'
import { type CallAnswer, isCallAnswer, type PendingAnswer, type PendingInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { namesOf } from '../../tools/registry.ts'
import type { Tool } from '../../domain/tool.ts'
import { fitAnswer, issuesAt } from '../../skills/output-schema.ts'
import type { ApprovalPart, Engine, MoveContext } from '../../engine/engine.ts'
import { openCallOf } from '../../engine/open.ts'
import { toolOf } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'
import type { CallOptions } from '../call.ts'
import { endOf, isSecretWanted, MAY_NOT_DECIDE } from './run.ts'

export type Checked = { ok: true; item: Pending } | { ok: false; error: AppError }

const TAKES: Record<Pending['type'], string> = {
  approval: 'an approval takes approve or reject',
  question: 'a question takes answer or reject',
  tool_call: 'a tool_call takes result or error',
}

/** Whether what is said is for something that still waits, with exactly the arguments that were seen. */
function checkDecision(journal: Journal, engine: Engine, pendingId: string, input: PendingInput): Checked {
  const item = journal.state.pending.find(({ id }) => id === pendingId)
  const stale = { ok: false, error: { code: 'stale_decision', pendingId } } as const
  if (!item || Date.parse(item.expires_time) <= journal.now()) return stale
  if (input.arguments_hash !== undefined && input.arguments_hash !== item.arguments_hash) return stale
  if (!isFor(item, input)) {
    const message = item.wait ? TAKES_OF_WAIT : TAKES[item.type]
    return { ok: false, error: { code: 'invalid_input', detail: message, issues: [{ path: 'decision', message }] } }
  }
  return checkArguments({ journal, engine }, item, input) ?? checkAnswer(item, input) ?? { ok: true, item }
}

const TAKES_OF_WAIT = 'what waits for a time or a delivery takes result, answer or reject'

function isFor({ type, wait }: Pending, input: PendingInput): boolean {
  const { decision } = input
  if (type === 'tool_call') return decision === undefined
  if (decision === undefined) return wait !== undefined && !('error' in input)
  return type === 'question'
    ? decision === 'answer' || decision === 'reject'
    : decision === 'approve' || decision === 'reject'
}

function checkArguments(context: MoveContext, item: Pending, input: PendingInput): Checked | null {
  const issues = input.arguments ? argumentIssues(context, item, input.arguments) : []
  if (issues.length === 0) return null
  return {
    ok: false,
    error: { code: 'invalid_input', detail: 'The arguments do not fit the tool; see errors.', issues },
  }
}

/** An answer to a form is JSON that fits it. Null: it is, or there is no form. */
function checkAnswer({ form }: Pending, { answer }: PendingInput): Checked | null {
  const fitted = form === undefined || answer === undefined ? null : fitAnswer(answer, form)
  if (!fitted || fitted.ok) return null
  const issues = issuesAt('answer', fitted.errors)
  return {
    ok: false,
    error: { code: 'invalid_input', detail: 'The answer does not fit the form; see errors.', issues },
  }
}

function argumentIssues(context: MoveContext, item: Pending, args: Record<string, unknown>): InputIssue[] {
  const own = approvalsOf(context.engine, item)
  if (own) return own.issues(args)
  const parsed = toolOfItem(context, item)?.parse(args)
  if (!parsed || parsed.ok) return []
  return parsed.errors.map(({ path, expected }) => ({
    path: path === '' ? 'arguments' : `arguments.${path}`,
    message: expected,
  }))
}

/** The tool of the call that an item is about, which may be the caller's under a name that is also one of ours. */
function toolOfItem(context: MoveContext, { scope, call_id: callId, tool }: Pending): Tool | undefined {
  const open = callId === undefined ? undefined : openCallOf(context, scope, callId)
  const id = open?.tool ?? tool
  return id === undefined ? undefined : toolOf(context.engine, id)
}

/** Whose an item is that is no call of a tool. */
function approvalsOf({ orchestrators }: Engine, item: Pending): ApprovalPart | undefined {
  return orchestrators.all.find(({ approvals }) => approvals?.isOwn(item))?.approvals
}

/** The end of a call that the caller made. */
export function resultEvent(item: Pending, input: CallAnswer, by?: AuditActor): NewEvent {
  const said = 'error' in input ? { error: input.error } : { result: input.result }
  return endOf(item, 'answer', { ...(by ? { by } : {}), ...said })
}

function decisionEvent(item: Pending, input: PendingInput, by: AuditActor): NewEvent {
  if (isCallAnswer(input)) return resultEvent(item, input, by)
  const { decision = 'reject', feedback, answer, arguments: args } = input
  return endOf(item, decision, {
    by,
    ...(feedback === undefined ? {} : { feedback }),
    ...(answer === undefined || isSecretWanted(item) ? {} : { answer }),
    ...(args === undefined ? {} : { arguments: args }),
  })
}

/** What is said of items that wait, as events, each item once; and what waits behind that. */
export interface AnsweredItems {
  events: NewEvent[]
  record: SessionRecord
  open: Pending[]
}

export function decidedEvents(
  context: MoveContext,
  answers: readonly PendingAnswer[],
  {
    record: before,
    decider,
    answerer = decider,
  }: { record: SessionRecord } & Pick<CallOptions, 'decider' | 'answerer'>,
): Result<AnsweredItems> {
  const { journal, engine } = context
  const events: NewEvent[] = []
  const items = new Set<string>()
  let record = before
  for (const { pendingId, input } of answers) {
    const by = isCallAnswer(input) ? answerer : decider
    if (!by) return MAY_NOT_DECIDE
    const checked = checkDecision(journal, engine, pendingId, input)
    if (!checked.ok) return checked
    if (items.has(pendingId)) return fail({ code: 'stale_decision', pendingId })
    items.add(pendingId)
    if (input.remember) record = remembered(record, context, checked.item)
    events.push(decisionEvent(checked.item, input, by))
  }
  return ok({ events, record, open: journal.state.pending.filter(({ id }) => !items.has(id)) })
}

/** The record with what was approved approved for the rest of the session: plans, or a tool under whichever of its names the
 *  config knows it. */
export function remembered(record: SessionRecord, context: MoveContext, item: Pending): SessionRecord {
  const own = approvalsOf(context.engine, item)
  if (own) return { ...record, config: own.remember(record.config) }
  const tool = toolOfItem(context, item)
  return item.tool === undefined ? record : withApproved(record, tool, tool?.id ?? item.tool)
}

function withApproved(record: SessionRecord, tool: Tool | undefined, id: string): SessionRecord {
  const names = tool ? namesOf(tool) : [id]
  const said = Object.entries(record.config.tools ?? {})
  const ofTool = said.flatMap(([name, one]) => (names.includes(name) ? [one] : []))
  const { permission, ...others }: ToolConfig = Object.assign({}, ...ofTool)
  const kept = permission === 'deny' ? { permission } : {}
  const elsewhere = Object.fromEntries(said.filter(([name]) => !names.includes(name)))
  const tools = { ...elsewhere, [id]: { ...others, ...kept, auto_approve: true } }
  const definition = tool?.definition ?? ''
  if (definition.length > LIMITS.tool.rememberedCharsMax) return record
  const rest = withoutOldest(record.remembered ?? {}, id)
  return {
    ...record,
    config: { ...record.config, tools },
    remembered: { ...rest, [id]: definition },
  }
}

/** What is remembered beside a tool, as far as there is room for one more. */
function withoutOldest(approved: NonNullable<SessionRecord['remembered']>, id: string): Record<string, string> {
  const others = Object.entries(approved).filter(([one]) => one !== id)
  return Object.fromEntries(others.slice(-(LIMITS.tool.rememberedMax - 1)))
}

/** What has waited too long is refused, and the run goes on in the background. */
export function expiryEvents(journal: Journal): NewEvent[] {
  const { pending, status } = journal.state
  const expired = pending.filter((item) => Date.parse(item.expires_time) <= journal.now())
  if (expired.length === 0) return []
  const ends = expired.map((item) => endOf(item, 'expired', {}))
  return status === 'interrupted' ? [...ends, { type: 'run-resume', mode: 'background' }] : ends
}
