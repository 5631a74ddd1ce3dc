import type { Problem } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ModelReply, RawToolCall } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import { parseJson, withEnglishNames } from './arguments.ts'
import type { Decoded, DecodedCall } from './codec-shapes.ts'
import { badParameters, notAnObject } from './expectation.ts'
import { isObject } from './schema.ts'
import { findTextCalls } from './text-calls.ts'
import { toolsByName } from './tool-names.ts'

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
  const { calls, unknown } = findTextCalls(reply.content, tools)
  const base = { content: reply.content, form: 'text' as const, dropped: Math.max(0, calls.length - 1) }
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
