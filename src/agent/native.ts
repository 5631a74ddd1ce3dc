import type { Language } from '../domain/language.ts'
import type { WireMessage, WireTool, WireToolCall } from '../domain/model.ts'
import type { JsonSchema, Tool } from '../domain/tool.ts'
import type { Codec, EncodeInput, Encoded } from './codec-shapes.ts'
import { decodeNative, decodeText, noCall } from './decode.ts'
import { promptMessage, reasoningOf, type Turn, turnsOf } from './history.ts'
import { isObject } from './schema.ts'
import { encodeAsText } from './xml.ts'

/** Function calling: only what the service reports as a call is one. */
export const nativeCodec: Codec = {
  encode: encodeNative,
  decode: (reply, tools, language) => decodeNative(reply, tools, language) ?? noCall(reply),
}

/** Function calling, for a model of which it is not known whether it does it: a call written as text counts, too. */
export const autoCodec: Codec = {
  encode: encodeNative,
  decode: (reply, tools, language) =>
    decodeNative(reply, tools, language) ?? decodeText(reply, tools, language) ?? noCall(reply),
}

function encodeNative(input: EncodeInput): Encoded {
  const { prompt, messages, tools, language } = input
  if (tools.length === 0) return encodeAsText(input)
  const ids = new CallIds()
  const turns = turnsOf(messages, tools, language).flatMap((turn) => wireTurn(turn, ids))
  return { messages: [...promptMessage(prompt), ...turns], tools: wireTools(tools, language) }
}

const WIRED = new WeakMap<readonly Tool[], Map<Language, readonly WireTool[]>>()

/** The same for the same list: it goes with every call of a run. */
function wireTools(tools: readonly Tool[], language: Language): readonly WireTool[] {
  const known = WIRED.get(tools) ?? new Map<Language, readonly WireTool[]>()
  WIRED.set(tools, known)
  const wired = known.get(language) ?? tools.map((tool) => wireTool(tool, language))
  known.set(language, wired)
  return wired
}

/** A tool as the `tools` of a request describe it. */
export function wireTool(tool: Tool, language: Language): WireTool {
  const parameters = withDescriptions(tool, language)
  return { type: 'function', function: { name: tool.id, description: tool.description[language], parameters } }
}

function withDescriptions(tool: Tool, language: Language): JsonSchema {
  const schema = tool.inputSchema()
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const described = Object.entries(properties).map(([name, property]) => {
    const description = tool.parameters[name]?.description[language] ?? ''
    return [name, isObject(property) && description !== '' ? { description, ...property } : property] as const
  })
  return { type: 'object', ...schema, properties: Object.fromEntries(described) }
}

function wireTurn(turn: Turn, ids: CallIds): WireMessage[] {
  if (turn.role === 'user') return [turn]
  const { message, calls } = turn
  const said = { role: 'assistant' as const, ...reasoningOf(message) }
  if (calls.length === 0) return [{ ...said, content: message.content }]
  const written = calls.map(({ call, result }) => ({ id: ids.next(call.id), call, result }))
  const toolCalls = written.map(({ id, call }) => wireCall(id, call.name, call.arguments))
  const results = written.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result }))
  return [
    { ...said, content: message.content.trim() === '' ? null : message.content, tool_calls: toolCalls },
    ...results,
  ]
}

/** Services refuse function names with other characters or over 64, as unknown names of a model may have. */
function wireCall(id: string, name: string, args: unknown): WireToolCall {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown'
  return { id, type: 'function', function: { name: safe, arguments: JSON.stringify(isObject(args) ? args : {}) } }
}

/** Ids of calls that are unique in one request, even if a client's history repeats them. */
class CallIds {
  readonly #used = new Set<string>()
  readonly #repeats = new Map<string, number>()

  next(wanted: string): string {
    const base = wanted || 'call'
    let id = base
    for (let n = this.#repeats.get(base) ?? 2; this.#used.has(id); n++) {
      id = `${base}_${n}`
      this.#repeats.set(base, n + 1)
    }
    this.#used.add(id)
    return id
  }
}
