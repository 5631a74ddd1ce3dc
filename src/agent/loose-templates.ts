import { LooseJson } from '../lib/loose-json.ts'
import { toArguments } from './arguments.ts'
import { type LooseCall, type Read, TRIES_MAX } from './loose-names.ts'
import { Comments, endsLine, isCommented, isIndented, isQuotation } from './loose-places.ts'
import { VisibleText } from './thinking.ts'

/** Marks of chat templates, and elements around calls, as servers let them through that do not know the template. */
const TOKEN = /<[|｜][^\s<>|｜]{1,64}[|｜]>|\[(?:TOOL_CALLS|ARGS)\]|<\/?(?:tool_calls?|function_calls?|tool_code)>/g
const LINE = /[^\n]+/g
/** `NAME{…}`, with what templates write around the name: `to=functions.NAME json`, `NAME:0`, a fence around the object. */
const NAMED_JSON =
  /(?<![^\n])[ \t]*(?:[^\n{]{0,80}?[ \t]to=)?(?:functions?\.)?([\p{L}_][\p{L}\p{N}_-]{0,127})(?::\d{1,6})?:?\s{0,8}(?:json\s{0,8})?(?:```(?:json)?\s{0,8})?\{/gu

/** The reply with a line end for each mark of a template, in lines that begin with one and are no code, quotation or comment. */
export function withoutTokens(reply: string): string {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  return reply.replaceAll(LINE, (line, at: number) => {
    const isTemplate = line.trimStart().search(TOKEN) === 0 && !isIndented(reply, { 0: line, index: at })
    return isTemplate && visible.isVisible(at) && !comments.hold(at) ? line.replaceAll(TOKEN, '\n') : line
  })
}

/** The name of a tool at the head of a line, and behind it the object of its arguments, which ends its line. */
export function namedJson(reply: string, { tools, isCut }: Read): LooseCall | null {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  let tries = 0
  for (const begin of reply.matchAll(NAMED_JSON)) {
    const [head, name = ''] = begin
    const tool = tools.find(name)
    if (!tool || isIndented(reply, begin) || comments.hold(begin.index) || !visible.isVisible(begin.index)) continue
    if (++tries > TRIES_MAX) return null
    const found = new LooseJson(reply, begin.index + head.length - 1).read()
    const isWhole = found !== null && !(isCut && found.isCut) && endsLine(reply, found.end)
    const args = isWhole ? tools.fit(tool, found.value) : null
    if (args) return { tool, arguments: args, dropped: 0 }
  }
  return null
}

const [KEYED, KEY, KEY_END, VALUE, VALUE_END] = [
  '<tool_call>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
] as const

/** `<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>`, as GLM is taught. The last elements may be left open. */
export function keyedInTags(reply: string, { tools, isCut }: Read): LooseCall | null {
  const begin = reply.indexOf(KEYED)
  const first = reply.indexOf(KEY, begin)
  if (begin < 0 || first < 0 || !new VisibleText(reply).isVisible(begin) || isCommented(reply, begin)) return null
  if (isQuotation(reply.slice(reply.lastIndexOf('\n', begin) + 1, begin))) return null
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
