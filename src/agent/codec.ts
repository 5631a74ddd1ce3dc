import type { ModelMessage, ModelRequest, ModelTool, Protocol, RawToolCall } from '../domain/model.ts'
import { type Codec, decodeNative, decodeText, type EncodeInput, noCall } from './decode.ts'
import type { Language } from '../domain/language.ts'
import type { JsonSchema, Tool } from '../domain/tool.ts'
import { promptMessage, type ReplyTurn, saidMessage, type Turn, turnsOf } from './history.ts'
import { isObject } from '../lib/json.ts'
import type { ToolCall } from '../domain/message.ts'
import { findTextCalls } from './text-calls.ts'
import { parameterOf, toolsByName, writeCall } from './tool-names.ts'

/** Function calling: only what the service reports as a call is one. */
const nativeCodec: Codec = {
  encode: encodeNative,
  decode: (reply, tools, language) => decodeNative(reply, tools, language) ?? noCall(reply),
}

/** Function calling, for a model of which it is not known whether it does it: a call written as text counts, too. */
const autoCodec: Codec = {
  encode: encodeNative,
  decode: (reply, tools, language) =>
    decodeNative(reply, tools, language) ?? decodeText(reply, tools, language) ?? noCall(reply),
}

function encodeNative(input: EncodeInput): ModelRequest {
  const { prompt, messages, tools, language, outputSchema = null, pictures = null } = input
  if (tools.length === 0) return encodeAsText(input)
  const ids = new CallIds()
  const turns = turnsOf(messages, tools, { language, protocol: 'native', outputSchema }, pictures).flatMap((turn) =>
    turnMessages(turn, ids),
  )
  return { messages: [...promptMessage(prompt), ...turns], tools: describedTools(tools, language) }
}

const DESCRIBED = new WeakMap<readonly Tool[], Map<Language, readonly ModelTool[]>>()

/** The same for the same list: it goes with every call of a run. */
function describedTools(tools: readonly Tool[], language: Language): readonly ModelTool[] {
  const known = DESCRIBED.get(tools) ?? new Map<Language, readonly ModelTool[]>()
  DESCRIBED.set(tools, known)
  const described = known.get(language) ?? tools.map((tool) => describedTool(tool, language))
  known.set(language, described)
  return described
}

function describedTool(tool: Tool, language: Language): ModelTool {
  return { name: tool.id, description: tool.description[language], parameters: withDescriptions(tool, language) }
}

function withDescriptions(tool: Tool, language: Language): JsonSchema {
  const schema = tool.inputSchema()
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const isOurs = tool.server === null && tool.client === undefined
  const described = Object.entries(properties).map(([name, property]) => {
    const description = parameterOf(tool, name)?.description[language] ?? ''
    const shown = isOurs ? withoutGuards(property) : property
    return [name, isObject(shown) && description !== '' ? { description, ...shown } : shown] as const
  })
  const { additionalProperties, ...rest } = schema
  const closed = isOurs || additionalProperties === undefined ? {} : { additionalProperties }
  return { type: 'object', ...rest, ...closed, properties: Object.fromEntries(described) }
}

const GUARDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'propertyNames', 'additionalProperties'])

/** A schema of our own without what only guards the server: a call is checked when it is read, and each word costs in every request. */
function withoutGuards(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutGuards)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => !GUARDS.has(key) && !(key === 'maximum' && value === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutGuards(value)]))
}

function turnMessages(turn: Turn, ids: CallIds): ModelMessage[] {
  if (turn.role === 'user') return [turn]
  const { content, calls } = turn
  if (calls.length === 0) return [saidMessage(content, turn)]
  const written = calls.map(({ call, result }) => ({ id: ids.next(call.id), call, result }))
  const toolCalls = written.map(({ id, call }) => namedCall(id, call.name, call.arguments))
  const results = written.map(({ id, result }) => ({ role: 'tool' as const, callId: id, content: result }))
  return [{ ...saidMessage(content.trim() === '' ? '' : content, turn), toolCalls }, ...results]
}

/** Services refuse function names with other characters or over 64, as unknown names of a model may have. */
function namedCall(id: string, name: string, args: unknown): RawToolCall {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown'
  return { id, name: safe, arguments: JSON.stringify(isObject(args) ? args : {}) }
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

/** The text protocol: calls are tags in the reply, results are user messages. A model that answers with native calls
 *  anyway is understood. */
const xmlCodec: Codec = {
  encode: encodeAsText,
  decode(reply, tools, language) {
    const text = decodeText(reply, tools, language)
    if (text !== null && text.problem?.code !== 'unknown_tool') return text
    return decodeNative(reply, tools, language) ?? text ?? noCall(reply)
  },
}

/** Write a history without tool messages and `tools`: also for requests that offer no tools, because some services refuse
 *  a `tool` message in a request without `tools`. */
function encodeAsText({
  prompt,
  messages,
  tools,
  language,
  outputSchema = null,
  pictures = null,
}: EncodeInput): ModelRequest {
  const turns = turnsOf(messages, tools, { language, protocol: 'xml', outputSchema }, pictures).flatMap(
    (turn): ModelMessage[] => {
      if (turn.role === 'user') return [turn]
      const results = turn.calls.map(({ result }) => ({ role: 'user' as const, content: result }))
      return [saidMessage(contentWithCalls(turn, tools, language), turn), ...results]
    },
  )
  return { messages: [...promptMessage(prompt), ...turns] }
}

/** What the assistant wrote, with those calls added as tags that came beside the text. */
function contentWithCalls({ content, calls }: ReplyTurn, tools: readonly Tool[], language: Language): string {
  const unwritten = withoutWritten(
    content,
    calls.map(({ call }) => call),
    tools,
  )
  const written = unwritten.map((call) => writeCall(call, tools, language))
  return [content, ...written].filter((part) => part.trim() !== '').join('\n\n')
}

function withoutWritten(content: string, calls: ToolCall[], tools: readonly Tool[]): ToolCall[] {
  if (calls.length === 0 || content.trim() === '') return calls
  const byName = toolsByName(tools)
  const found = findTextCalls(content, tools)
  const written = new Set(found.calls.map(({ tool }) => tool.id))
  return calls.filter((call) => {
    const tool = byName.get(call.name)
    return tool === undefined ? found.unknown === null : !written.has(tool.id)
  })
}

const CODECS: Readonly<Record<Protocol, Codec>> = { native: nativeCodec, auto: autoCodec, xml: xmlCodec }

/** The codec of a protocol. `auto` writes as native does and reads both forms. */
export function codecFor(protocol: Protocol): Codec {
  return CODECS[protocol]
}
