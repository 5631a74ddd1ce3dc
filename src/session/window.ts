import type { ModelSpec } from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import type { Log } from '../domain/ports.ts'
import type { SessionState } from '../domain/state.ts'
import { estimateTokens } from '../lib/tokens.ts'

/** Tokens that a message takes beside its text: role, separators. */
const MESSAGE_TOKENS = 4

/** Share of the budget that a compaction keeps as it is; the rest is left to grow into. */
const KEPT_SHARE = 0.4

/** Tokens that messages may take in one call of a model. `promptTokens`: what the prompt and the tools take. */
export function windowBudget(spec: ModelSpec, promptTokens: number): number {
  return Math.max(spec.contextTokens - spec.maxTokens - promptTokens, Math.floor(spec.contextTokens / 4))
}

/** What is sent of a session: the task, the summary of what is folded away, and every message since, oldest first; it
 *  grows at its end only. What is still over the budget loses its oldest turns. */
export function windowOf(log: Log, state: SessionState, budgetTokens: number): Message[] {
  const { coveredSeq, summarySeq } = state.window
  const newest = log.messages({
    scope: null,
    after: coveredSeq,
    limit: LIMITS.model.messagesPerCallMax,
    newestFirst: true,
  })
  const recent = newest.filter(({ kind }) => kind !== 'summary')
  const kept = fromTurnStart(recent.slice(0, fittingCount(recent, budgetTokens)).toReversed())
  const first = kept[0]
  const task = first && state.taskSeq < first.seq ? at(log, state.taskSeq) : []
  return [...task, ...at(log, summarySeq), ...kept]
}

/** What a compaction folds away: all but the newest turns that fit its share of the budget. Empty: nothing can be. */
export function foldable(log: Log, state: SessionState, budgetTokens: number): Message[] {
  const { coveredSeq, tokens } = state.window
  const all = log.messages({
    scope: null,
    after: coveredSeq,
    limit: LIMITS.model.messagesPerCallMax,
    newestFirst: true,
  })
  const newest = all.filter(({ kind }) => kind !== 'summary')
  const share = Math.floor(Math.min(budgetTokens, tokens) * KEPT_SHARE)
  const kept = fromTurnStart(newest.slice(0, fittingCount(newest, share)).toReversed())
  return newest.toReversed().slice(0, newest.length - kept.length)
}

/** How many of the newest messages fit; the last turn always counts as fitting. */
function fittingCount(newestFirst: readonly Message[], budgetTokens: number): number {
  let left = budgetTokens
  const end = newestFirst.findIndex((message, index) => {
    left -= tokensOf(message)
    return left < 0 && index > 0 && newestFirst[index - 1]?.role !== 'tool'
  })
  return end < 0 ? newestFirst.length : end
}

/** Results whose call was cut off say nothing. */
function fromTurnStart(messages: Message[]): Message[] {
  const start = messages.findIndex((message) => message.role !== 'tool')
  return start <= 0 ? messages : messages.slice(start)
}

function at(log: Log, seq: number): Message[] {
  return seq === 0 ? [] : log.messages({ after: seq - 1, before: seq + 1, limit: 1 })
}

/** Tokens that a message takes of a window; none, if it is not sent as a message. */
export function tokensOf(message: Message): number {
  if (message.kind === 'prompt') return 0
  const calls = message.tool_calls ? estimateTokens(JSON.stringify(message.tool_calls)) : 0
  return MESSAGE_TOKENS + calls + estimateTokens(message.content)
}
