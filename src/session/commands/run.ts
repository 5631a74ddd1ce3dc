import { parseDecision, type TextDecision } from '../../agent/approval.ts'
import type { AuditActor } from '../../domain/audit.ts'
import { type Content, contentText, toldText } from '../../domain/content.ts'
import { fail } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { clientDefinition } from '../../domain/client-tool.ts'
import type { Language } from '../../domain/language.ts'
import type { Decision, Pending } from '../../domain/pending.ts'
import type { SessionState } from '../../domain/state.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import type { TeamMessageInput } from '../../domain/team.ts'
import { newId } from '../../lib/id.ts'
import { findTool } from '../../tools/registry.ts'
import type { CallOptions, Triggered } from '../call.ts'
import { closedBy, closingEvents, type Ending } from '../../engine/closing.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageFor } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'

/** A message to a session whose run waits decides on what waits. */
export function decisionMessage(
  { journal, engine }: { journal: Journal; engine: Engine },
  content: Content,
  { mode, by, pending }: { mode: RunMode; by: AuditActor; pending: readonly Pending[] },
): NewEvent[] {
  const decided = decide(journal.record, engine, { content, by, pending })
  const answered = pending.find(({ id }) =>
    decided.some((event) => event.type === 'pending-end' && event.id === id && event.decision === 'answer'),
  )
  const isSecret = answered !== undefined && isSecretWanted(answered)
  const said = isSecret ? SECRET_NOT_KEPT[languageFor(engine, journal.record)] : content
  return [
    journal.messageEvent({ role: 'user', content: said, kind: answered ? 'answer' : 'approval' }),
    ...decided,
    { type: 'run-resume', mode },
  ]
}

/** Whether somebody may take the answer to be the secret itself. What is answered then is kept nowhere. */
export function isSecretWanted({ connection }: Pick<Pending, 'connection'>): boolean {
  return connection?.wants === 'secret'
}

/** What stands in the log in the place of such a message. */
const SECRET_NOT_KEPT: Readonly<Record<Language, string>> = {
  'zh-CN': '（这条回答没有保留：密钥要保存为连接，不写在对话中。）',
  en: '(This answer is not kept: a secret is given as a connection, not in the conversation.)',
}

/** Whatever a message says to a run that waits for a human decides, if only that the call is refused. */
export const MAY_NOT_DECIDE = fail({
  code: 'forbidden',
  detail: 'This session waits for a human: a message to it needs a key with scope decide.',
})

/** Who may decide by a message on what waits: a call that the caller makes may be given up by whoever may run. Undefined: the caller may not. */
export function deciderOn(
  { pending }: Pick<SessionState, 'pending'>,
  { decider, answerer = decider }: Pick<CallOptions, 'decider' | 'answerer'>,
): AuditActor | undefined {
  return pending.every(({ type }) => type === 'tool_call') ? answerer : decider
}

/** Whether whatever the user says now decides on something that waits. */
export function isDecision({ pending, run }: Pick<SessionState, 'pending' | 'run'>): boolean {
  return run !== null && pending.length > 0
}

/** What it brings along decides nothing: only its words do. */
function decide(
  record: Journal['record'],
  engine: Engine,
  { content: said, by, pending }: { content: Content; by: AuditActor; pending: readonly Pending[] },
): NewEvent[] {
  const named = namedItem(pending, engine, contentText(said, null))
  if (named) {
    const { item, word } = named
    return [endOf(item, word.decision, { by, ...(word.feedback ? { feedback: word.feedback } : {}) })]
  }
  const content = toldText(said, languageFor(engine, record))
  const question = pending.find(({ type }) => type === 'question')
  if (question) return [endOf(question, 'answer', { by, ...(isSecretWanted(question) ? {} : { answer: content }) })]
  return pending.map((one) => endOf(one, 'reject', { by, feedback: content }))
}

/** The item that a message is nothing but a decision on; null: it is anything else. */
export function namedItem(
  pending: readonly Pending[],
  engine: Engine,
  content: string,
): { item: Pending; word: TextDecision } | null {
  const word = parseDecision(content)
  const item = word && pending.find((one) => one.type === 'approval' && isNamed(one, engine, word.tool))
  return word && item ? { item, word } : null
}

function isNamed(item: Pending, engine: Engine, name: string): boolean {
  return item.tool === name || findTool(engine.tools, name)?.id === item.tool
}

type Ended = Extract<NewEvent, { type: 'pending-end' }>

export function endOf(
  item: Pending,
  decision: Exclude<Decision, 'cancelled'>,
  words: Pick<Ended, 'by' | 'feedback' | 'answer' | 'arguments' | 'result' | 'error'>,
): NewEvent {
  return { type: 'pending-end', id: item.id, decision, scope: item.scope, ...words }
}

interface TaskOptions {
  runId?: string
  /** What it is for a team, where that is more than its words. */
  said?: TeamMessageInput
  triggered?: Triggered | undefined
  /** What its answer has to fit, where the message says. */
  outputSchema?: NewMessageInput['output_schema']
  /** Tools that its caller runs. */
  clientTools?: NewMessageInput['client_tools']
  /** What its workflow is given. */
  inputs?: NewMessageInput['inputs']
}

/** That a run has tools which its caller runs; nothing where none were brought along. */
export function clientToolsEvents(tools: NewMessageInput['client_tools']): NewEvent[] {
  return tools === undefined || tools.length === 0 ? [] : [{ type: 'client-tools', tools }]
}

/** The same where the run has others; none: it has no more. Absent: it keeps those that it has. */
export function otherTools({ tools: all }: Pick<Engine, 'tools'>, tools: NewMessageInput['client_tools']): NewEvent[] {
  if (tools === undefined) return []
  const known = all.flatMap(({ client, definition }) => (client === undefined ? [] : [definition]))
  const isSame = known.length === tools.length && tools.every((one, at) => known[at] === clientDefinition(one))
  return isSame ? [] : [{ type: 'client-tools', tools }]
}

/** A new task: what was left of an earlier run is ended as cancelled first. */
export function newTaskEvents(
  journal: Journal,
  engine: Engine,
  content: Content,
  mode: RunMode,
  { runId = newId('run', journal.now()), said, triggered, outputSchema, clientTools, inputs }: TaskOptions = {},
): NewEvent[] {
  const unfinished = journal.state.status === 'in_progress' || journal.state.status === 'interrupted'
  const before = unfinished ? closingEvents(journal, engine, CANCELLED) : closedBy('left', { journal, engine })
  const { orchestrator } = journal.record
  const { begin } = engine.orchestrators.find(orchestrator) ?? {}
  const words = said ?? { content: toldText(content, languageFor(engine, journal.record)) }
  const first = begin?.(journal, { ...words, inputs }, unfinished ? 'cancelled' : 'ended')
  return [
    ...before,
    {
      type: 'run-start',
      run_id: runId,
      orchestrator,
      mode,
      resumed: false,
      ...first?.bounds,
      ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    },
    ...clientToolsEvents(clientTools),
    journal.messageEvent({ role: 'user', content, kind: 'task' }, triggered?.untrusted ? { untrusted: true } : {}),
    ...(first?.events ?? []),
  ]
}

export const CANCELLED: Ending = {
  status: 'cancelled',
  finishReason: 'cancelled',
  result: null,
  error: null,
  endedBy: null,
}
