import type { Problem } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import type { Message } from '../domain/message.ts'
import type { ModelReply, ModelRequest, RawToolCall } from '../domain/model.ts'
import type { JsonSchema, Tool } from '../domain/tool.ts'
import { LIMITS } from '../domain/limits.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { withEnglishNames } from './arguments.ts'
import type { Pictures } from './history.ts'
import { badParameters, notAnObject } from './parameter-schema.ts'
import { findTextCalls } from './text-calls.ts'
import { toolsByName } from './tool-names.ts'

export interface EncodeInput {
  /** The newest generated prompt: the only system message, sent first. Null: none is sent. */
  prompt: string | null
  /** The window of the history, oldest first; prompts in it are not sent. */
  messages: readonly Message[]
  /** Tools that may be called in the reply. */
  tools: readonly Tool[]
  language: Language
  /** What the answer has to fit; absent: anything. */
  outputSchema?: JsonSchema | null
  /** What the model is shown; absent: it is shown no images. */
  pictures?: Pictures | null
}

export interface DecodedCall {
  /** The tool's id, or the name that no tool has. */
  name: string
  toolId: string | null
  /** By English names; `{}` if they were no JSON object. They fit the tool if `problem` is null. */
  arguments: Record<string, unknown>
  problem: Problem | null
}

export interface Decoded {
  /** The reply as it was written. */
  content: string
  form: 'native' | 'text' | 'none'
  /** Its call is written in a form of the model's own. */
  isForeign?: true
  /** It calls nothing, and yet writes a call of a tool in its text, which its end cut, or in a form that is not read here. */
  writesCall?: true
  /** Calls to run, or to answer with their problem (native form only); at most one in the text form. */
  calls: DecodedCall[]
  /** What is wrong with the reply as a whole; null when `calls` is not empty. */
  problem: Problem | null
  /** Further complete calls of known tools in a text reply, and native ones over the limit, that are not run. */
  dropped: number
}

/** How a history is written for a model, and how its reply is read. */
export interface Codec {
  encode(input: EncodeInput): ModelRequest
  decode(reply: ModelReply, tools: readonly Tool[], language: Language): Decoded
}

/** A reply without any call. */
export function noCall(reply: ModelReply, problem: Problem = { code: 'no_tool_called' }): Decoded {
  return { content: reply.content, form: 'none', calls: [], problem, dropped: 0 }
}

/** A reply by its native calls, each with its own problem; null if it has none. */
export function decodeNative(reply: ModelReply, tools: readonly Tool[], language: Language): Decoded | null {
  if (reply.toolCalls.length === 0) return null
  const byName = toolsByName(tools)
  const taken = reply.toolCalls.slice(0, LIMITS.model.callsPerReplyMax)
  const calls = taken.map((call) => nativeCall(call, byName, language))
  return {
    content: reply.content,
    form: 'native',
    calls,
    problem: null,
    dropped: reply.toolCalls.length - taken.length,
  }
}

/** A reply by the calls in its text, of which the first counts; null if there is none, not even of an unknown
 *  tool, or if no tools were offered. */
export function decodeText(reply: ModelReply, tools: readonly Tool[], language: Language): Decoded | null {
  if (tools.length === 0) return null
  const { calls, unknown, isForeign } = findTextCalls(reply.content, tools)
  const base = {
    content: reply.content,
    form: 'text' as const,
    dropped: Math.max(0, calls.length - 1),
    ...(isForeign ? { isForeign } : {}),
  }
  const [first] = calls
  if (first === undefined) {
    return unknown === null ? null : { ...base, calls: [], problem: { code: 'unknown_tool', name: unknown } }
  }
  const problem = problemOf(first.tool, first.arguments, language)
  if (problem !== null) return { ...base, calls: [], problem }
  const { id } = first.tool
  return { ...base, calls: [{ name: id, toolId: id, arguments: first.arguments, problem: null }], problem: null }
}

function nativeCall(call: RawToolCall, tools: ReadonlyMap<string, Tool>, language: Language): DecodedCall {
  const name = call.name.trim()
  const tool = tools.get(name) ?? tools.get(name.replace(/^functions\./, ''))
  const given = parseJson(call.arguments.trim() || '{}')
  if (tool === undefined) {
    const args = isObject(given) ? given : {}
    return { name, toolId: null, arguments: args, problem: { code: 'unknown_tool', name } }
  }
  const base = { name: tool.id, toolId: tool.id }
  if (!isObject(given)) return { ...base, arguments: {}, problem: notAnObject(tool, language) }
  const args = withEnglishNames(given, tool)
  return { ...base, arguments: args, problem: problemOf(tool, args, language) }
}

function problemOf(tool: Tool, args: Record<string, unknown>, language: Language): Problem | null {
  const parsed = tool.parse(args)
  return parsed.ok ? null : badParameters(tool, parsed.errors, language)
}
