import type { ModelRequest, RawToolCall, WireMessage, WireTool } from '../domain/model.ts'
import { estimateTokens } from '../lib/tokens.ts'

/** Tokens that a message takes beside its text: role and separators. */
const MESSAGE_OVERHEAD_TOKENS = 4

/** About how many prompt tokens a request takes: messages, their tool calls, and the tools offered. */
export function estimateRequest(request: ModelRequest): number {
  const tools = request.tools?.length ? estimateTools(request.tools) : 0
  return request.messages.reduce((sum, message) => sum + estimateMessage(message), tools)
}

const OF_TOOLS = new WeakMap<readonly WireTool[], number>()

/** Of a list that was estimated before, the same. */
function estimateTools(tools: readonly WireTool[]): number {
  const tokens = OF_TOOLS.get(tools) ?? estimateTokens(JSON.stringify(tools))
  OF_TOOLS.set(tools, tokens)
  return tokens
}

/** About how many completion tokens a reply took. */
export function estimateReply(content: string, reasoning: string, calls: RawToolCall[]): number {
  return calls.reduce(
    (sum, call) => sum + estimateTokens(call.name) + estimateTokens(call.arguments),
    estimateTokens(content) + estimateTokens(reasoning),
  )
}

/** The prompts that were estimated last, newest last: each call of a run has the same one, and is estimated twice. */
const OF_PROMPTS = new Map<string, number>()
const PROMPTS_MAX = 16

function estimatePrompt(text: string): number {
  const tokens = OF_PROMPTS.get(text) ?? estimateTokens(text)
  OF_PROMPTS.set(text, tokens)
  const [oldest] = OF_PROMPTS.keys()
  if (OF_PROMPTS.size > PROMPTS_MAX && oldest !== undefined) OF_PROMPTS.delete(oldest)
  return tokens
}

function estimateMessage(message: WireMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const text = message.content ?? ''
  const content = MESSAGE_OVERHEAD_TOKENS + (message.role === 'system' ? estimatePrompt(text) : estimateTokens(text))
  return calls.reduce(
    (sum, { function: called }) => sum + estimateTokens(called.name) + estimateTokens(called.arguments),
    content,
  )
}
