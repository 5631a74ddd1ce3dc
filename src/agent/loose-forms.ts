import { isObject } from '../lib/json.ts'
import { LooseJson, type LooseValue } from '../lib/loose-json.ts'
import { toArguments } from './arguments.ts'
import { lowerBound } from '../lib/markdown-code.ts'
import type { LooseCall, LooseTools } from './loose-names.ts'
import { VisibleText } from './thinking.ts'

/** Places at which a call may begin that are tried, of those that begin none; each may cost the rest of the reply. */
const TRIES_MAX = 16
/** What is looked at before a call on its line: white space within a fence, marks of lists and quotations. */
const INDENT_CHARS_MAX = 80
const NAMES = 'name tool function tool_name function_name action 工具 工具名称 工具名 函数 名称'.split(' ')
const ARGUMENTS = 'arguments args parameters params input tool_input action_input kwargs 参数 输入'.split(' ')
const HOLDERS = ['function', 'tool_call', 'function_call', 'tool_calls'] as const
/** Members of a call that are no arguments. */
const BESIDE: ReadonlySet<string> = new Set(['id', 'type', 'thought', 'thoughts', 'reasoning'])
const PYTHON =
  /^[ \t]*`?(?:[\p{L}_][\p{L}\p{N}_]{0,63}[ \t]{0,8}=[ \t]{0,8})?(?:print\()?(?:functions?\.|default_api\.)?([\p{L}_][\p{L}\p{N}_-]{0,127})[(（]/gmu
/** The words of ReAct (Yao et al. 2022) before a call, its input, what follows it, and the answer. */
const ACTION = /(?<![^\n])[ \t*]*(?:Action|行动|动作)[ \t*]*[:：][ \t*`]*([^\s`*([]{1,128})[ \t*`]*$/gimu
/** The same with its input in brackets, on one line. */
const ACTION_CALL =
  /(?<![^\n])[ \t*]*(?:Action|行动|动作)[ \t*]*[:：][ \t*`]*([^\s`*([]{1,128})(?:\[(.*)\]|(\())[^\n]*$/gimu
/** A footnote, which looks like an input in brackets. */
const FOOTNOTE = /^\^[^\s\]]{1,64}$/
const ACTION_INPUT = /^[ \t*]*(?:Action[ _]Input|行动输入|动作输入)[ \t*]*[:：][ \t*]*/imu
const BEHIND_INPUT = /^[ \t*]*(?:Observation|Thought|观察|思考)[ \t*]*[:：]/imu
const FINAL = /^(?:\**(?:Thought|思考)\**[:：][^\n]*\n\s*)*\**(?:Final Answer|最终答案)\**[:：]\**/iu

interface Read {
  tools: LooseTools
  /** The reply was longer: what the end left open is not known. */
  isCut: boolean
}

/** A call that a reply writes in a form other than tags. */
export function callInForm(reply: string, read: Read): LooseCall | null {
  return (
    actionCall(reply, read) ??
    actionInBrackets(reply, read) ??
    keyedInTags(reply, read) ??
    jsonCall(reply, read) ??
    pythonCall(reply, read) ??
    finalAnswer(reply, read)
  )
}

/** `Action: NAME`, and its input as JSON or as a text. */
function actionCall(reply: string, { tools, isCut }: Read): LooseCall | null {
  const action = firstSaid(reply, ACTION)
  const tool = action ? tools.find(action[1] ?? '') : undefined
  if (!action || !tool) return null
  const behind = reply.slice(action.index + action[0].length)
  const input = ACTION_INPUT.exec(behind)
  if (!input || behind.slice(0, input.index).trim() !== '') return null
  const rest = behind.slice(input.index + input[0].length)
  const text = rest.slice(0, BEHIND_INPUT.exec(rest)?.index ?? rest.length).trim()
  const found = inputIn(text)
  if (isCut && (found?.isCut ?? true)) return null
  const args = tools.fit(tool, found ? found.value : text)
  return args && { tool, arguments: args, dropped: 0 }
}

/** `Action: NAME[TEXT]`, as ReAct has it, or `Action: NAME(key="value")`. */
function actionInBrackets(reply: string, { tools, isCut }: Read): LooseCall | null {
  const action = firstSaid(reply, ACTION_CALL)
  const [line = '', name = '', text, bracket] = action ?? []
  const tool = action ? tools.find(name) : undefined
  if (!action || !tool) return null
  if (text !== undefined) {
    const isWhole = !isCut || (isBalanced(text) && reply[action.index + line.length] === '\n')
    const isInput = /\][ \t*`]*$/.test(line) && !FOOTNOTE.test(text)
    const args = isInput && isWhole ? tools.fit(tool, text) : null
    return args && { tool, arguments: args, dropped: 0 }
  }
  const from = action.index + line.indexOf(bracket ?? '(') + 1
  const found = new LooseJson(reply, from).readArguments()
  if (!found || (isCut && found.isCut) || !endsLine(reply, found.end)) return null
  const args = argumentsOf(found.value, tool, tools)
  return args && { tool, arguments: args, dropped: 0 }
}

/** The input of an action that is an object, or one text in quotes; null: it is a text as it stands. */
function inputIn(text: string): LooseValue | null {
  const found = /^["{]/.test(text) ? new LooseJson(text, 0).read() : null
  return typeof found?.value === 'string' && found.end < text.length ? null : found
}

/** The first match outside of thoughts, code and comments: examples of calls stand there. */
function firstSaid(reply: string, pattern: RegExp): RegExpExecArray | null {
  const visible = new VisibleText(reply)
  for (const found of reply.matchAll(pattern)) {
    const at = found.index + (/\S/.exec(found[0])?.index ?? 0)
    if (!isIndented(reply, found) && visible.isVisible(at)) return isCommented(reply, at) ? null : found
  }
  return null
}

/** Whether a match begins a line of indented code. */
function isIndented(reply: string, { 0: found, index }: RegExpExecArray): boolean {
  return /^(?: {4}|\t)/.test(found) && /\n[ \t]*\n$/.test(reply.slice(Math.max(0, index - 80), index))
}

function isCommented(reply: string, at: number): boolean {
  return reply.lastIndexOf('<!--', at) > reply.lastIndexOf('-->', at)
}

/** Tells where comments are. One that is left open reaches to the end. */
class Comments {
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  constructor(text: string) {
    for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', this.#ends.at(-1))) {
      const end = text.indexOf('-->', at)
      this.#starts.push(at)
      this.#ends.push(end < 0 ? text.length : end)
    }
  }

  hold(at: number): boolean {
    return at < (this.#ends[lowerBound(this.#starts, at + 1) - 1] ?? -1)
  }
}

function isBalanced(text: string): boolean {
  return text.split('[').length === text.split(']').length
}

const [KEYED, KEY, KEY_END, VALUE, VALUE_END] = [
  '<tool_call>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
] as const

/** `<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>`, as GLM is taught. The last elements may be left open. */
function keyedInTags(reply: string, { tools, isCut }: Read): LooseCall | null {
  const begin = reply.indexOf(KEYED)
  const first = reply.indexOf(KEY, begin)
  if (begin < 0 || first < 0 || !new VisibleText(reply).isVisible(begin) || isCommented(reply, begin)) return null
  if (/^[ \t]*>/.test(reply.slice(reply.lastIndexOf('\n', begin) + 1, begin))) return null
  const tool = tools.find(reply.slice(begin + KEYED.length, first))
  if (!tool) return null
  const given: [string, string][] = []
  let at = first
  while (reply.startsWith(KEY, at)) {
    const keyEnd = reply.indexOf(KEY_END, at)
    const value = keyEnd < 0 ? -1 : spaceEnd(reply, keyEnd + KEY_END.length)
    if (value < 0 || !reply.startsWith(VALUE, value)) return null
    const end = reply.indexOf(VALUE_END, value)
    if (end < 0 && isCut) return null
    given.push([
      reply.slice(at + KEY.length, keyEnd).trim(),
      reply.slice(value + VALUE.length, end < 0 ? undefined : end).trim(),
    ])
    at = end < 0 ? reply.length : spaceEnd(reply, end + VALUE_END.length)
  }
  const args = tools.fit(tool, toArguments(given, tool))
  return args && { tool, arguments: args, dropped: 0 }
}

/** Where white space that begins here ends. */
function spaceEnd(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? 'x')) at++
  return at
}

/** The first of the JSON objects in a reply that are calls, outside of inline code and quotations. */
function jsonCall(reply: string, read: Read): LooseCall | null {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  const calls: LooseCall[] = []
  const lines = lineStarts(reply)
  let tries = 0
  for (let at = reply.indexOf('{'); at >= 0 && tries < TRIES_MAX; at = reply.indexOf('{', at)) {
    const found = new LooseJson(reply, at).read()
    const value = found && !(read.isCut && found.isCut) ? found.value : undefined
    if (value === undefined) tries++
    else if (!comments.hold(at) && mayBegin(reply, lines[lowerBound(lines, at + 1) - 1] ?? 0, at, visible))
      add(calls, value, read.tools)
    at = found?.end ?? at + 1
  }
  const [first] = calls
  return first ? { ...first, dropped: calls.length - 1 } : bareArguments(reply, read)
}

/** A line of a quotation, which may be in a list. */
const QUOTATION = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*>/

/** Whether a call may begin here: neither in inline code nor in a quotation; in a fence at the head of a line. */
function mayBegin(reply: string, lineStart: number, at: number, visible: VisibleText): boolean {
  if (visible.isVisible(at)) return !QUOTATION.test(reply.slice(lineStart, Math.min(at, lineStart + INDENT_CHARS_MAX)))
  return at - lineStart <= INDENT_CHARS_MAX && reply.slice(lineStart, at).trim() === ''
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
}

function add(calls: LooseCall[], value: unknown, tools: LooseTools): void {
  const call = callIn(value, tools)
  if (call) calls.push(call)
}

/** The call that a JSON value is: a name with arguments, in one of the ways that models were taught. */
function callIn(value: unknown, tools: LooseTools): LooseCall | null {
  if (!isObject(value)) return null
  for (const holder of HOLDERS) {
    const held = value[holder]
    const inner: unknown = Array.isArray(held) ? held[0] : held
    if (isObject(inner)) return callIn(inner, tools)
  }
  const named = NAMES.find((key) => typeof value[key] === 'string' && tools.find(value[key]) !== undefined)
  if (named === undefined) return keyedCall(value, tools)
  return callOf(String(value[named]), argumentsIn(value, named), tools)
}

function argumentsIn(value: Record<string, unknown>, named: string): unknown {
  const given = ARGUMENTS.find((key) => key !== named && Object.hasOwn(value, key))
  if (given !== undefined) return value[given] ?? {}
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== named && !BESIDE.has(key)))
}

/** `{"NAME": {…}}`. */
function keyedCall(value: Record<string, unknown>, tools: LooseTools): LooseCall | null {
  const [entry, ...others] = Object.entries(value)
  if (!entry || others.length > 0) return null
  const [name, given] = entry
  return isObject(given) || typeof given === 'string' ? callOf(name, given, tools) : null
}

function callOf(name: string, given: unknown, tools: LooseTools): LooseCall | null {
  const tool = tools.find(name)
  const args = tool ? tools.fit(tool, given) : null
  return tool && args ? { tool, arguments: args, dropped: 0 } : null
}

/** A reply that is nothing but the arguments of `finish`, under their own names. */
function bareArguments(reply: string, { tools, isCut }: Read): LooseCall | null {
  const tool = tools.tools.find(({ id }) => id === 'finish')
  const text = reply.trim()
  const found = tool && text.startsWith('{') ? new LooseJson(text, 0).read() : null
  if (!tool || found?.end !== text.length || (isCut && found.isCut)) return null
  const { value } = found
  return isObject(value) && tool.parse(value).ok ? { tool, arguments: value, dropped: 0 } : null
}

/** `NAME(key="value")` on lines of its own, outside of code and comments. */
function pythonCall(reply: string, { tools, isCut }: Read): LooseCall | null {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  let tries = 0
  for (const begin of reply.matchAll(PYTHON)) {
    const tool = tools.find(begin[1] ?? '')
    const bracket = begin.index + begin[0].length - 1
    if (!tool || isIndented(reply, begin) || comments.hold(bracket) || !visible.isVisible(bracket)) continue
    if (++tries > TRIES_MAX) return null
    const found = new LooseJson(reply, bracket + 1).readArguments()
    const args =
      found && !(isCut && found.isCut) && endsLine(reply, found.end) ? argumentsOf(found.value, tool, tools) : null
    if (args) return { tool, arguments: args, dropped: 0 }
  }
  return null
}

/** Whether nothing more stands on the line of a call; what is printed has a bracket more. */
function endsLine(reply: string, end: number): boolean {
  return /^\)?[ \t;`*]*(?:\n|$)/.test(reply.slice(end, end + 80))
}

function argumentsOf(
  given: [name: string, value: unknown][],
  tool: LooseCall['tool'],
  tools: LooseTools,
): Record<string, unknown> | null {
  const [first] = given
  if (given.length === 1 && first?.[0] === '') return tools.fit(tool, first[1])
  return given.some(([name]) => name === '') ? null : tools.fit(tool, Object.fromEntries(given))
}

/** `Final Answer: …` at the head of a reply, or behind thoughts. */
function finalAnswer(reply: string, { tools }: Read): LooseCall | null {
  const tool = tools.tools.find(({ id }) => id === 'finish')
  const head = FINAL.exec(reply.trim())
  const args = tool && head ? tools.fit(tool, reply.trim().slice(head[0].length)) : null
  return tool && args ? { tool, arguments: args, dropped: 0 } : null
}
