import type { ModelContent, ModelMessage, ModelPart, ModelRequest, ModelTool, RawToolCall } from '../domain/model.ts'
import { LIMITS } from '../domain/limits.ts'
import { estimateTokens } from '../lib/text.ts'

/** Tokens that a message takes beside its text: role and separators. */
const MESSAGE_OVERHEAD_TOKENS = 4
/** The frame around a tool on the wire. */
const TOOL_OVERHEAD_TOKENS = 8

/** About how many prompt tokens a request takes: messages, their tool calls, and the tools offered. */
export function estimateRequest(request: ModelRequest): number {
  const tools = request.tools?.length ? estimateTools(request.tools) : 0
  return request.messages.reduce((sum, message) => sum + estimateMessage(message), tools)
}

const OF_TOOLS = new WeakMap<readonly ModelTool[], number>()

/** Of a list that was estimated before, the same. */
function estimateTools(tools: readonly ModelTool[]): number {
  const tokens = OF_TOOLS.get(tools) ?? tools.length * TOOL_OVERHEAD_TOKENS + estimateTokens(JSON.stringify(tools))
  OF_TOOLS.set(tools, tokens)
  return tokens
}

/** About how many completion tokens a reply took. */
export function estimateReply(content: string, reasoning: string, calls: readonly RawToolCall[]): number {
  return estimateTokens(content) + estimateTokens(reasoning) + estimateCalls(calls)
}

function estimateCalls(calls: readonly RawToolCall[]): number {
  return calls.reduce((sum, call) => sum + estimateTokens(call.name) + estimateTokens(call.arguments), 0)
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

function estimateMessage(message: ModelMessage): number {
  if (message.role === 'system') return MESSAGE_OVERHEAD_TOKENS + estimatePrompt(message.content)
  const calls = message.role === 'assistant' ? estimateCalls(message.toolCalls ?? []) : 0
  return MESSAGE_OVERHEAD_TOKENS + estimateContent(message.content) + calls
}

function estimateContent(content: ModelContent): number {
  const ofPart = (part: ModelPart) => (part.type === 'text' ? estimateTokens(part.text) : LIMITS.parts.imageTokens)
  return typeof content === 'string' ? estimateTokens(content) : content.reduce((sum, part) => sum + ofPart(part), 0)
}
