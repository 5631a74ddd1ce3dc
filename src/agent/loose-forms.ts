import { isObject } from '../lib/json.ts'
import { LooseJson } from '../lib/loose-json.ts'
import { lowerBound } from '../lib/markdown-code.ts'
import { actionCall, actionInBrackets, finalAnswer, isFinalAnswer } from './loose-actions.ts'
import { bracketedCall, yamlCall } from './loose-lines.ts'
import { type LooseCall, type LooseTools, type Read, TRIES_MAX } from './loose-names.ts'
import { Comments, INDENT_CHARS_MAX, isQuotation } from './loose-places.ts'
import { pythonCall } from './loose-python.ts'
import { keyedInTags, namedJson, withoutTokens } from './loose-templates.ts'
import { VisibleText } from './thinking.ts'

const NAMES = 'name tool function tool_name function_name action 工具 工具名称 工具名 函数 名称'.split(' ')
const ARGUMENTS = 'arguments args parameters params input tool_input tool_args action_input kwargs 参数 输入'.split(' ')
const HOLDERS = ['function', 'tool_call', 'function_call', 'tool_calls'] as const
/** Members that may hold a call, where they are all that a value has. */
const SOLE_HOLDERS: ReadonlySet<string> = new Set(['tool', 'action'])
/** Members of a call that are no arguments. */
const BESIDE: ReadonlySet<string> = new Set(['id', 'type', 'thought', 'thoughts', 'reasoning'])
/** A call that a reply writes in a form other than tags. */
export function callInForm(reply: string, read: Read): LooseCall | null {
  const written = callAsWritten(reply, read)
  if (written) return written
  const plain = withoutTokens(reply)
  return plain === reply ? null : callAsWritten(plain, read)
}

function callAsWritten(reply: string, read: Read): LooseCall | null {
  return (
    actionCall(reply, read) ??
    actionInBrackets(reply, read) ??
    keyedInTags(reply, read) ??
    jsonCall(reply, read) ??
    namedJson(reply, read) ??
    pythonCall(reply, read) ??
    finalAnswer(reply, read) ??
    bracketedCall(reply, read) ??
    yamlCall(reply, read)
  )
}

/** The first of the JSON objects in a reply that are calls, outside of inline code and quotations. */
function jsonCall(reply: string, read: Read): LooseCall | null {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  const calls: LooseCall[] = []
  const lines = lineStarts(reply)
  const begin = reply.search(/\S/)
  const end = reply.trimEnd().length
  let tries = 0
  for (let at = reply.indexOf('{'); at >= 0 && tries < TRIES_MAX; at = reply.indexOf('{', at)) {
    const found = new LooseJson(reply, at).read()
    const value = found && !(read.isCut && found.isCut) ? found.value : undefined
    if (value === undefined) tries++
    else if (!comments.hold(at) && mayBegin(reply, lines[lowerBound(lines, at + 1) - 1] ?? 0, at, visible))
      add(calls, callIn(value, read.tools, at === begin && found?.end === end))
    at = found?.end ?? at + 1
  }
  const [first] = calls
  return first ? { ...first, dropped: calls.length - 1 } : bareArguments(reply, read)
}

/** Whether a call may begin here: neither in inline code nor in a quotation; in a fence at the head of a line. */
function mayBegin(reply: string, lineStart: number, at: number, visible: VisibleText): boolean {
  if (visible.isVisible(at)) return !isQuotation(reply.slice(lineStart, Math.min(at, lineStart + INDENT_CHARS_MAX)))
  return at - lineStart <= INDENT_CHARS_MAX && reply.slice(lineStart, at).trim() === ''
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
}

function add(calls: LooseCall[], call: LooseCall | null): void {
  if (call) calls.push(call)
}

/** The call that a JSON value is: a name with arguments, in one of the ways that models were taught. `isAll`: the reply is nothing else. */
function callIn(value: unknown, tools: LooseTools, isAll: boolean): LooseCall | null {
  if (!isObject(value)) return null
  for (const holder of HOLDERS) {
    const held = value[holder]
    const inner: unknown = Array.isArray(held) ? held[0] : held
    if (isObject(inner)) return callIn(inner, tools, isAll)
  }
  const named = NAMES.find((key) => typeof value[key] === 'string' && tools.find(nameIn(value[key])) !== undefined)
  if (named === undefined) return keyedCall(value, tools, isAll)
  return callOf(nameIn(String(value[named])), argumentsIn(value, named), tools)
}

/** The tool that a name of JSON means; an action may be called what ReAct calls the answer. */
function nameIn(name: string): string {
  return isFinalAnswer(name) ? 'finish' : name
}

function argumentsIn(value: Record<string, unknown>, named: string): unknown {
  const given = ARGUMENTS.find((key) => key !== named && Object.hasOwn(value, key))
  if (given !== undefined) return value[given] ?? {}
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== named && !BESIDE.has(key)))
}

/** `{"NAME": {…}}`, or a text in the place of the arguments: among other words that may be data. */
function keyedCall(value: Record<string, unknown>, tools: LooseTools, isAll: boolean): LooseCall | null {
  const [entry, ...others] = Object.entries(value).filter(([key]) => !BESIDE.has(key))
  if (!entry || others.length > 0) return null
  const [name, given] = entry
  if (isObject(given) && SOLE_HOLDERS.has(name) && !tools.find(name)) return callIn(given, tools, isAll)
  return isObject(given) || (typeof given === 'string' && isAll) ? callOf(name, given, tools) : null
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
