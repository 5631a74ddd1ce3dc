import { imagesIn, toldText } from '../domain/content.ts'
import type { ModelSpec } from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import type { Log } from '../domain/ports.ts'
import type { SessionState } from '../domain/state.ts'
import { estimateTokens } from '../lib/text.ts'
import { branchOf, seqsOf } from './branches.ts'

/** Tokens that a message takes beside its text: role, separators. */
const MESSAGE_TOKENS = 4

/** Share of the budget that a compaction keeps as it is; the rest is left to grow into. */
const KEPT_SHARE = 0.4

/** Tokens that messages may take in one call of a model. `promptTokens`: what the prompt and the tools take. */
export function windowBudget(spec: ModelSpec, promptTokens: number): number {
  return Math.max(spec.contextTokens - spec.maxTokens - promptTokens, leastBudget(spec))
}

/** However long the prompt is, messages have this much. */
export function leastBudget(spec: ModelSpec): number {
  return Math.floor(spec.contextTokens / 8)
}

/** What is sent of a session: the task, the summary of what is folded away, and every message since, oldest first; it
 *  grows at its end only. What is still over the budget loses its oldest turns. */
export function windowOf(log: Log, state: SessionState, budgetTokens: number): Message[] {
  const summary = at(log, state.window.summarySeq)
  const recent = unfolded(log, state).messages
  const left = budgetTokens - tokensIn(summary)
  const kept = newestTurns(recent, left)
  const task = at(log, state.taskSeq)
  if (kept.length === 0 || state.taskSeq >= (kept[0]?.seq ?? 0)) return asHeard([...summary, ...kept])
  return asHeard([...task, ...summary, ...newestTurns(recent, left - tokensIn(task))])
}

/** What steers the run stands where its model hears of it: behind the reply that was being written when it came, and behind the results of
 *  calls that were open. */
function asHeard(messages: Message[]): Message[] {
  if (!messages.some(isSteer)) return messages
  const replies = new Set(messages.filter(({ role }) => role === 'assistant').map(({ id }) => id))
  const later = messages.filter((message) => isSteer(message) && replies.has(message.during ?? ''))
  const open = new Set<string>()
  const heard: Message[] = []
  const held: Message[] = []
  for (const message of messages) {
    if (later.includes(message)) continue
    if (isSteer(message)) held.push(message)
    else heard.push(message)
    if (message.role === 'assistant') held.push(...later.filter(({ during }) => during === message.id))
    for (const { id } of message.tool_calls ?? []) open.add(id)
    if (message.role === 'tool') open.delete(message.tool_call_id ?? '')
    if (open.size === 0) heard.push(...held.splice(0))
  }
  return [...heard, ...held]
}

function isSteer({ kind }: Message): boolean {
  return kind === 'steer'
}

/** Whether a message belongs to the turn before it. */
function goesOnTurn(message: Message): boolean {
  return message.role === 'tool' || isSteer(message)
}

/** What is sent of a branch beside the run's own: its task and its newest turns that fit, oldest first. */
export function branchWindowOf(log: Log, scope: string, taskSeq: number, budgetTokens: number): Message[] {
  const limit = LIMITS.model.messagesPerCallMax
  const all = withoutReplaced(log.messages({ scope, after: taskSeq, limit, newestFirst: true }), null)
  const task = at(log, taskSeq)
  return [...task, ...newestTurns(all, budgetTokens - tokensIn(task))]
}

/** What a compaction folds away and what it keeps, oldest first. */
export interface Folding {
  /** Empty: nothing can be folded. */
  folded: Message[]
  /** True: there are older messages than these that are folded with them. */
  isCut: boolean
}

/** All but the newest turns that fit their share of the budget is folded away, unless the task, which is sent anyway, is
 *  all that there is. */
export function foldingOf(log: Log, state: SessionState, budgetTokens: number): Folding {
  const { messages, isCut } = unfolded(log, state)
  const share = Math.floor(Math.min(budgetTokens, state.window.tokens) * KEPT_SHARE)
  const kept = newestTurns(messages, share)
  const folded = messages.toReversed().slice(0, messages.length - kept.length)
  const helps = folded.some(({ kind, seq }) => kind !== 'prompt' && seq !== state.taskSeq)
  return { folded: helps ? folded : [], isCut }
}

/** Whether more messages than a call should hold wait to be folded, however short they are. */
export function isLong(log: Log, { window }: SessionState): boolean {
  const max = LIMITS.model.messagesUnfoldedMax
  if (window.tokens < max * MESSAGE_TOKENS) return false
  return log.messages({ scope: null, after: window.coveredSeq, limit: max, newestFirst: true }).length === max
}

/** Tokens of the window once all up to a seq is folded away, its summary aside; the task is sent also when it is folded. */
export function keptTokens(log: Log, state: SessionState, coveredSeq: number): number {
  const { taskSeq, window, run } = state
  const kept = unfolded(log, { window: { ...window, coveredSeq }, run }).messages
  return tokensIn(kept) + (taskSeq <= coveredSeq ? tokensIn(at(log, taskSeq)) : 0)
}

/** The newest messages behind the summary, newest first; bounded. */
function unfolded(
  log: Log,
  { window, run }: Pick<SessionState, 'window' | 'run'>,
): { messages: Message[]; isCut: boolean } {
  const limit = LIMITS.model.messagesPerCallMax
  const all = log.messages({ scope: null, after: window.coveredSeq, limit, newestFirst: true })
  const said = all.filter(({ kind }) => kind !== 'summary')
  const repeated = run?.phase === 'active' ? run.id : null
  return { messages: withoutReplaced(said, repeated), isCut: all.length === limit }
}

/** Messages, newest first, but replies that were cut and are made again: by a later one of their run, or in the run `repeated`. */
function withoutReplaced(newestFirst: readonly Message[], repeated: string | null): Message[] {
  const replaced = new Set([repeated])
  return newestFirst.filter(({ role, cut, run_id: run }) => {
    if (cut && run !== null && replaced.has(run)) return false
    if (role === 'assistant') replaced.add(run)
    return true
  })
}

/** The newest turns that fit, oldest first; the last one is always among them. */
function newestTurns(newestFirst: readonly Message[], budgetTokens: number): Message[] {
  return fromTurnStart(newestFirst.slice(0, fittingCount(newestFirst, budgetTokens)).toReversed())
}

function tokensIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0)
}

/** One message of the log; none for seq 0. */
export function at(log: Log, seq: number): Message[] {
  return seq === 0 ? [] : log.messages({ after: seq - 1, before: seq + 1, limit: 1 })
}

/** What a branch is to do, as it was said: its task, and what steered the run of the user while that went on, oldest first; bounded. */
export function orderedIn({ log, state }: { log: Log; state: SessionState }, scope: string | null): Message[] {
  const { taskSeq } = seqsOf(state, scope)
  const task = at(log, taskSeq)
  if (scope !== null || !state.run || branchOf(state.run, null).steers === undefined) return task
  const newest = log.messages({ scope, after: taskSeq, limit: LIMITS.model.messagesPerCallMax, newestFirst: true })
  const steers = newest.filter(({ kind }) => kind === 'steer').slice(0, LIMITS.run.steersMax)
  return [...task, ...steers.toReversed()]
}

/** How many of the newest messages fit, by whole turns; the last turn always counts as fitting. */
function fittingCount(newestFirst: readonly Message[], budgetTokens: number): number {
  let left = budgetTokens
  let turn = 0
  for (const [index, message] of newestFirst.entries()) {
    const next = newestFirst[index - 1]
    if (next !== undefined && !goesOnTurn(next)) turn = index
    left -= tokensOf(message)
    if (left < 0 && turn > 0) return turn
  }
  return newestFirst.length
}

/** Results whose call was cut off say nothing. */
function fromTurnStart(messages: Message[]): Message[] {
  const start = messages.findIndex((message) => !goesOnTurn(message))
  return start <= 0 ? messages : messages.slice(start)
}

/** Tokens that a message takes of a window; none, if it is not sent as a message. */
export function tokensOf(message: Message): number {
  if (message.kind === 'prompt') return 0
  const calls = message.tool_calls ? estimateTokens(JSON.stringify(message.tool_calls)) : 0
  const images = imagesIn(message.content).length * LIMITS.parts.imageTokens
  return MESSAGE_TOKENS + calls + images + estimateTokens(toldText(message.content, 'en'))
}
