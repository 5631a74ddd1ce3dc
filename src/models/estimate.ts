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

function estimateMessage(message: WireMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const content = MESSAGE_OVERHEAD_TOKENS + estimateTokens(message.content ?? '')
  return calls.reduce(
    (sum, { function: called }) => sum + estimateTokens(called.name) + estimateTokens(called.arguments),
    content,
  )
}
