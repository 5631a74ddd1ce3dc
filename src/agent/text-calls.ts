import type { Tool } from '../domain/tool.ts'
import type { ToolCall } from '../domain/message.ts'
import { toArguments, withEnglishNames } from './arguments.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { textOf } from '../lib/text.ts'
import { withoutTurnMarks } from '../lib/turn-marks.ts'
import { parseTextCalls } from './text-protocol.ts'
import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import { isHtmlElement } from './text-value.ts'
import { LIMITS } from '../domain/limits.ts'
import type { WrittenParameters } from './text-call.ts'
import { toolsByName } from './tool-names.ts'
import { afterThoughts, VisibleText } from './thinking.ts'

/** The calls that a reply writes in its text: as tags, or, if there are none, in a form of the model's own. */
export function findTextCalls(reply: string, tools: readonly Tool[]): FoundCalls {
  const tags = parseTextCalls(reply, tools)
  if (tags.calls.length > 0) {
    const calls = tags.calls.map(({ tool, params }) => ({ tool, arguments: toArguments(params, tool) }))
    return { calls, unknown: null, isForeign: false }
  }
  const { calls, unknown } = parseForeignCalls(reply, tools)
  const isForeign = calls.length > 0
  return { calls, unknown: isForeign ? null : (tags.unknown ?? unknown), isForeign }
}

/** What a reply that cannot be followed says to its reader: what it gives to `finish` in a form that its protocol does not have, else its words. */
export function saidToReader(reply: string, tools: readonly Tool[]): string {
  // Most replies that call a tool natively say nothing beside.
  if (reply.trim() === '') return ''
  const finish = tools.find(({ id }) => id === 'finish')
  const [call] = finish ? findTextCalls(reply, [finish]).calls : []
  return textOf(call?.arguments['reason']) || textBesideCalls(reply)
}

/** The same of a reply whose calls were made natively: what a wrong call of `finish` was given counts, where nothing is said beside it. */
export function saidInReply(reply: string, calls: readonly SaidCall[], tools: readonly Tool[]): string {
  const said = saidToReader(reply, tools)
  const finish = said === '' ? calls.find(({ name }) => name === 'finish') : undefined
  const reason = finish?.arguments['reason']
  return typeof reason === 'string' ? reason.trim() : said
}

type SaidCall = Pick<ToolCall, 'name' | 'arguments'>

/** What a reply says to its reader: what stands before the first tag in it that may be a call, without the thoughts at its head. A reply that
 *  is the JSON of a call says nothing. */
export function textBesideCalls(reply: string): string {
  if (wholeReply(reply).length > 0) return ''
  const said = afterThoughts(reply)
  const tags = new Tags(said)
  const visible = new VisibleText(said)
  for (let tag = 0; tag < tags.count; tag++)
    if (!isHtmlElement(tags.name(tag)) && visible.isVisible(tags.start(tag)))
      return said.slice(0, tags.start(tag)).trim()
  return said.trim()
}

/** Whether a reply ends within a call of a tool: its tag begins a line, outside of thoughts and code, holds no
 *  words of its own, and is not closed. */
export function endsInCall(reply: string, tools: readonly Tool[]): boolean {
  const byName = toolsByName(tools)
  const tags = new Tags(reply)
  const visible = new VisibleText(reply)
  let open = ''
  for (let tag = 0; tag < tags.count; tag++) {
    const [kind, name, start] = [tags.kinds[tag], tags.name(tag), tags.start(tag)]
    if (kind === CLOSE && name === open) open = ''
    const begins = kind === OPEN && byName.has(name) && startsLine(reply, start) && holdsTags(reply, tags.end(tag))
    if (begins && visible.isVisible(start)) open = name
  }
  return open !== ''
}

function startsLine(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - INDENT_CHARS_MAX), at))
}

function holdsTags(text: string, from: number): boolean {
  return /^\s*(?:<|$)/.test(text.slice(from, from + INDENT_CHARS_MAX))
}

const INDENT_CHARS_MAX = 80

/** What a reply that is the answer says: without the thoughts at its head, and without tags of the tool that is given answers, which were
 *  left open at its end or never opened. Where such tags stand in another place, or as many close as open, the reply is taken as it is. */
export function answerText(reply: string, tool: Tool): string {
  const said = withoutTurnMarks(afterThoughts(reply)).trim()
  if (!said.includes('<')) return said
  const own = [tool.id, ...Object.values(tool.names)]
  const given = Object.entries(tool.parameters).flatMap(([name, one]) => [name, ...Object.values(one.names)])
  const names = [...own, ...given].join('|')
  const open = new RegExp(`^(?:<(?:${names})>\\s*){1,4}`, 'iu').exec(said)?.[0] ?? ''
  const opened = namesIn(open)
  const behind = withoutHalfTag(said.slice(open.length), opened)
  const closing = new RegExp(`(?:</(?:${names})>\\s*){1,4}$`, 'iu').exec(behind)?.[0] ?? ''
  const closed = namesIn(closing)
  const isMeant = closed.every((name) => opened.includes(name)) || closed.some((name) => own.includes(name))
  const words = isMeant ? behind.slice(0, behind.length - closing.length).trim() : behind
  const isWhole = opened.length === closed.length
  return isWhole || new RegExp(`</?(?:${names})(?:[\\s/][^<>]*)?>`, 'iu').test(words) ? said : words
}

function namesIn(tags: string): string[] {
  return [...tags.matchAll(/[^<>/\s]+/g)].map(([name]) => name.toLowerCase())
}

/** A text without the start of a tag that closes one of these names, which its end cut. */
function withoutHalfTag(text: string, names: readonly string[]): string {
  const at = text.lastIndexOf('<')
  const half = at < 0 ? '' : text.slice(at).toLowerCase()
  return half !== '' && names.some((name) => `</${name}`.startsWith(half)) ? text.slice(0, at) : text
}

/** A call that a model wrote as text in a form of its own training. */
interface ForeignCall {
  at: number
  name: string
  arguments: Record<string, unknown> | WrittenParameters
}

interface FoundCalls {
  calls: { tool: Tool; arguments: Record<string, unknown> }[]
  unknown: string | null
  /** The calls are in a form of the model's own. */
  isForeign: boolean
}

/** Marks around the JSON of a call; `close` null: up to the next mark or the end of the reply. */
const WRAPPERS: readonly { open: string; close: string; mustClose: boolean }[] = [
  { open: '<tool_call>', close: '</tool_call>', mustClose: true },
  { open: '<function_call>', close: '</function_call>', mustClose: true },
  { open: '<|tool_call|>', close: '<|/tool_call|>', mustClose: false },
  { open: '<|tool_call>', close: '<tool_call|>', mustClose: false },
  { open: '<|tool_call_begin|>', close: '<|tool_call_end|>', mustClose: false },
  { open: '<|python_tag|>', close: '<|eom_id|>', mustClose: false },
  { open: '[TOOL_CALLS]', close: '</s>', mustClose: false },
]
const FUNCTION = /<function=([^\s<>"'=]{1,128})>/g
const PARAMETER = /<parameter=([^\s<>"'=]{1,128})>/g
const WHOLE_FENCE = /^(`{3,}|~{3,})(?:json)?[ \t]*\n([^]*)\n[ \t]*\1[`~]*$/

/** Calls in the forms of other protocols, which models write that were trained for those: JSON within marks such as
 *  `<tool_call>{"name":…,"arguments":…}</tool_call>`, `<function=NAME>…</function>`, or a whole reply that is the JSON of a
 *  call of a known tool. Linear in the reply's length. */
function parseForeignCalls(reply: string, tools: readonly Tool[]): Omit<FoundCalls, 'isForeign'> {
  const byName = toolsByName(tools)
  const marked = visibleOnly(reply, [...wrappedCalls(reply), ...functionCalls(reply)])
  const written = marked.length > 0 ? marked : wholeReply(reply).filter(({ name }) => byName.has(name))
  const calls = written.flatMap((call) => {
    const tool = byName.get(call.name)
    return tool === undefined ? [] : [{ tool, arguments: argumentsOf(call, tool) }]
  })
  return { calls, unknown: calls.length > 0 ? null : (written[0]?.name ?? null) }
}

function argumentsOf(call: ForeignCall, tool: Tool): Record<string, unknown> {
  return Array.isArray(call.arguments) ? toArguments(call.arguments, tool) : withEnglishNames(call.arguments, tool)
}

function visibleOnly(reply: string, calls: ForeignCall[]): ForeignCall[] {
  if (calls.length === 0) return calls
  const text = new VisibleText(reply)
  return calls.toSorted((a, b) => a.at - b.at).filter(({ at }) => text.isVisible(at))
}

function wrappedCalls(reply: string): ForeignCall[] {
  return WRAPPERS.flatMap(({ open, close, mustClose }) => {
    const starts = [...positions(reply, open)].map((at) => ({ at, end: at + open.length }))
    return pieces(reply, starts, close, mustClose).flatMap(({ at, text }) => callsInJson(parseJson(text.trim()), at))
  })
}

function functionCalls(reply: string): ForeignCall[] {
  const marks = [...reply.matchAll(FUNCTION)]
  const starts = marks.map((mark) => ({ at: mark.index, end: mark.index + mark[0].length, name: mark[1] ?? '' }))
  return pieces(reply, starts, '</function>', true).flatMap(({ at, text, start }): ForeignCall[] => {
    const given = parseJson(text.trim() || '{}')
    if (isObject(given)) return [{ at, name: start.name, arguments: given }]
    const params = parameters(text)
    return params.length > 0 ? [{ at, name: start.name, arguments: params }] : []
  })
}

function parameters(text: string): WrittenParameters {
  const marks = [...text.matchAll(PARAMETER)]
  const starts = marks.map((mark) => ({ at: mark.index, end: mark.index + mark[0].length, name: mark[1] ?? '' }))
  return pieces(text, starts, '</parameter>', true).map((piece) => [piece.start.name, piece.text.trim()])
}

/** A reply that is, but for thoughts and a fence around it, the JSON of a call and nothing else. */
function wholeReply(reply: string): ForeignCall[] {
  const text = afterThoughts(reply)
  const json = text.startsWith('{') ? text : WHOLE_FENCE.exec(text)?.[2]
  // To find out that words are no JSON costs more than most that is done with a reply.
  const value = json === undefined ? undefined : parseJson(json)
  return isObject(value) && ('arguments' in value || 'parameters' in value) ? callsInJson(value, 0) : []
}

/** The calls that a JSON value is: one or a list, `{name, arguments|parameters}` or the same within `function`. */
function callsInJson(value: unknown, at: number): ForeignCall[] {
  if (Array.isArray(value)) return value.flatMap((one) => (Array.isArray(one) ? [] : callsInJson(one, at)))
  if (!isObject(value)) return []
  if (isObject(value['function'])) return callsInJson({ ...value['function'], function: null }, at)
  const { name } = value
  const given = value['arguments'] ?? value['parameters'] ?? {}
  const args = typeof given === 'string' ? parseJson(given) : given
  return typeof name === 'string' && isObject(args) ? [{ at, name, arguments: args }] : []
}

/** The text behind each start, up to the closing mark; one that is opened again before it is closed was left open. */
function pieces<S extends { at: number; end: number }>(
  text: string,
  starts: readonly S[],
  close: string,
  mustClose: boolean,
): { at: number; text: string; start: S }[] {
  let closing = -1
  return starts.slice(0, LIMITS.model.callsPerReplyMax).flatMap((start, index) => {
    const next = starts[index + 1]?.at ?? text.length
    if (closing < start.end) closing = found(text.indexOf(close, start.end), text.length)
    if (mustClose && closing >= next) return []
    return [{ at: start.at, text: text.slice(start.end, Math.min(closing, next)), start }]
  })
}

function found(at: number, otherwise: number): number {
  return at < 0 ? otherwise : at
}

function* positions(text: string, part: string): Generator<number> {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) yield at
}
