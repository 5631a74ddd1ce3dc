import { CLOSE, OPEN, Tags } from '../lib/tags.ts'
import type { Tool } from '../domain/tool.ts'
import { toArguments } from './arguments.ts'
import { isOtherName, keyOf, type LooseCall, type LooseTools, onlyRequired, parametersByKey } from './loose-names.ts'
import { parseTextCalls } from './text-protocol.ts'
import { isHtmlElement } from './text-value.ts'
import { VisibleText } from './thinking.ts'

const ATTRIBUTE = /\s+([\p{L}_][\p{L}\p{N}_:.-]{0,63})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s<>"'`=]{1,256}(?<!\/)))/gu
const TAG =
  /<((?:\/\s{0,8})?)([\p{L}\p{N}_][^\s<>/"'`=]{0,127})((?:\s+[\p{L}_][\p{L}\p{N}_:.-]{0,63}\s*=\s*(?:"[^"]*"|'[^']*'|[^\s<>"'`=]{1,256}(?<!\/)))*)\s*(\/?)>/gu
/** `<function=NAME>` and `<parameter=NAME>`, as Llama and Qwen are taught. */
const NAMED = /<(function|parameter)=([^\s<>"'=]{1,128})>/g
/** A tag that the end of the reply cut. */
const CUT_TAG = /<\/?[^<>\n]{0,128}$/
/** Elements that name a tool or a parameter in an attribute. */
const NAMING: ReadonlySet<string> = new Set(
  'invoke tool toolcall tooluse usemcptool function functioncall call 工具调用 parameter param arg'.split(' '),
)
/** An element that names a tool in an element of its own, and what may be around its arguments. */
const NAMED_WITHIN =
  /<(tool_?call|tool_use|use_mcp_tool|tool|function_?call|function|invoke|工具调用)>\s{0,8}<(name|tool_name|function_name|工具名称|工具名|名称)>([^<>\n]{1,128})<\/\2>/giu
const AROUND_ARGUMENTS = /<\/?(?:arguments|args|parameters|params|input|参数)>/giu
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

/** A tag in full-width characters, as a Chinese keyboard has them. */
const WIDE_TAG = /＜([/／]?)([^＜＞<>\n]{1,256}?)([/／]?)＞/g

/** A call that a reply writes as tags, though not as the protocol has them. `isCut`: the reply was longer. */
export function callInTags(reply: string, tools: LooseTools, isCut: boolean): LooseCall | null {
  const text = plainTags(narrow(reply), tools)
  const written = fitting(text, tools) ?? callOfText(text, tools, isCut) ?? callOfValue(text, tools)
  if (written || isCut) return written
  for (const whole of [
    ...respelled(text, tools),
    ...reclosed(text, tools),
    ...closedWithin(text, tools),
    ...closed(text, tools),
  ]) {
    const found = fitting(whole, tools)
    if (found) return found
  }
  return null
}

/** The reply with its tags in ASCII. */
function narrow(reply: string): string {
  if (!reply.includes('＜')) return reply
  return reply.replaceAll(WIDE_TAG, (_, slash: string, inner: string, empty: string) => {
    const plain = inner.replaceAll('＝', '=').replaceAll(/[＂“”]/g, '"')
    return `<${slash && '/'}${plain}${empty && '/'}>`
  })
}

function fitting(text: string, tools: LooseTools): LooseCall | null {
  const { calls } = parseTextCalls(text, tools.tools)
  for (const { tool, params } of calls) {
    const args = tools.fit(tool, toArguments(params, tool))
    if (args) return { tool, arguments: args, dropped: calls.length - 1 }
  }
  return null
}

/** The same reply with the names of tools and parameters as they are, and attributes as tags within; without those that name no parameter,
 *  where the parameters stand within the element. */
function plainTags(reply: string, tools: LooseTools): string {
  const parameters = parameterNames(tools)
  const open: { written: string; plain: string }[] = []
  const named = withNames(reply).replaceAll(NAMED, '<$1 name="$2">')
  return named.replaceAll(TAG, (tag, slash: string, name: string, attributes: string, empty: string, at: number) => {
    const isKnown = (plain: string) => tools.find(plain) !== undefined || parameters.has(keyOf(plain))
    if (slash !== '') {
      const closes = closedName(open, name) ?? plainName(name, tools, parameters)
      return slash === '/' || isKnown(closes) ? `</${closes}>` : tag
    }
    const given = [...attributes.matchAll(ATTRIBUTE)].map(
      ([, key = '', double, single, bare]) => [key, double ?? single ?? bare ?? ''] as const,
    )
    const naming = NAMING.has(keyOf(name)) ? given.find(([key]) => key === 'name') : undefined
    const plain = plainName(naming?.[1] ?? name, tools, parameters)
    if (!isKnown(plain)) return tag
    const tool = tools.find(plain)
    if (naming) open.push({ written: name, plain })
    const own = given.filter((one) => one !== naming)
    const isEmpty = empty !== '' || CLOSED_AT_ONCE.test(named.slice(at + tag.length, at + tag.length + 80))
    // What stands within is what a model says; beside it an attribute says why it ends.
    const holdsAnswer =
      tool?.id === 'finish' && !isEmpty && TEXT.test(named.slice(at + tag.length, at + tag.length + 80))
    const inner =
      tool && !holdsAnswer && (isEmpty || own.some(([key]) => isParameter(key, tool)) || isHtmlElement(plain))
        ? own
        : []
    const tags = inner.map(([key, value]) => (tool ? asTag(tool, key, value) : ''))
    return `<${plain}>${tags.join('')}${empty === '' ? '' : `</${plain}>`}`
  })
}

const CLOSED_AT_ONCE = /^\s*<\//
const TEXT = /^\s*[^\s<]/

/** Whether an attribute gives the tool something; else, such as `id` or `type`, it is a word about the element. */
function isParameter(key: string, tool: Tool): boolean {
  const single = onlyRequired(tool)
  return parametersByKey(tool).has(keyOf(key)) || (single !== null && isOtherName(key, single))
}

/** The reply with the names that stand in elements of their own as attributes. */
function withNames(reply: string): string {
  const named = reply.replaceAll(NAMED_WITHIN, '<$1 name="$3">')
  return named === reply ? reply : named.replaceAll(AROUND_ARGUMENTS, '')
}

/** What the element that a closing tag ends is called now, if it had its name in an attribute. */
function closedName(open: { written: string; plain: string }[], name: string): string | null {
  if (open.at(-1)?.written !== name) return null
  return open.pop()?.plain ?? null
}

function plainName(name: string, tools: LooseTools, parameters: ReadonlyMap<string, string | null>): string {
  return tools.find(name)?.id ?? parameters.get(keyOf(name)) ?? name
}

function asTag(tool: Tool, key: string, value: string): string {
  const name = parametersByKey(tool).get(keyOf(key)) ?? key
  const text = value.replaceAll(/&(quot|apos|lt|gt|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '')
  return `<${name}>${text}</${name}>`
}

/** English names of all parameters by their keys. */
function parameterNames({ tools }: LooseTools): ReadonlyMap<string, string | null> {
  const all = new Map<string, string | null>()
  for (const tool of tools)
    for (const [key, name] of parametersByKey(tool)) all.set(key, all.has(key) && all.get(key) !== name ? null : name)
  return all
}

/** The call of a tool that needs one text, which stands within its element without a tag of its own. */
function callOfText(text: string, tools: LooseTools, isCut: boolean): LooseCall | null {
  const tags = new Tags(text)
  const visible = new VisibleText(text)
  for (let tag = 0; tag < tags.count; tag++) {
    const tool = tags.kinds[tag] === OPEN ? tools.find(tags.name(tag)) : undefined
    if (!tool || onlyRequired(tool) === null || !visible.isVisible(tags.start(tag))) continue
    const end = endOfText(tags, tag)
    if (end === null || (isCut && end === tags.count)) return null
    const args = tools.fit(tool, text.slice(tags.end(tag), tags.start(end)))
    return args && { tool, arguments: args, dropped: 0 }
  }
  return null
}

/** A reply that is nothing but the value of `finish`, and perhaps the end of its element. */
function callOfValue(text: string, tools: LooseTools): LooseCall | null {
  const tool = tools.find('finish')
  const single = tool ? onlyRequired(tool) : null
  if (!tool || single === null) return null
  const whole = text.trim().replace(new RegExp(`\\s*</${tool.id}>$`), '')
  const [open, close] = [`<${single}>`, `</${single}>`]
  const value = whole.slice(open.length, -close.length)
  if (!whole.startsWith(open) || !whole.endsWith(close) || value.includes(open)) return null
  const args = tools.fit(tool, { [single]: value.trim() })
  return args && { tool, arguments: args, dropped: 0 }
}

/** The number of the closing tag of an element that holds nothing but text and HTML and stands on lines of its own; the number of tags
 *  if it is the whole reply and was left open; null: it is no such element. */
function endOfText(tags: Tags, open: number): number | null {
  const nameId = tags.nameIds[open] ?? -1
  const isFirst = tags.text.slice(0, tags.start(open)).trim() === ''
  const isAlone = startsLine(tags, open)
  for (let tag = open + 1; tag < tags.count; tag++) {
    if (tags.is(tag, CLOSE, nameId)) {
      const endsReply = tags.text.slice(tags.end(tag)).trim() === ''
      return isAlone || endsReply ? tag : null
    }
    if (!isHtmlElement(tags.name(tag))) return null
  }
  return isFirst ? tags.count : null
}

function startsLine(tags: Tags, tag: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(tags.text.slice(Math.max(0, tags.start(tag) - 80), tags.start(tag)))
}

/** The reply with its last element closed, and its last value with it. */
function closed(text: string, tools: LooseTools): string[] {
  const whole = text.replace(CUT_TAG, '')
  const tags = new Tags(whole)
  const outer = lastOpen(tags, 0, (name) => tools.find(name) !== undefined)
  if (outer < 0 || !tags.isBlankAfter(outer) || openCount(tags, tags.nameIds[outer] ?? -1) !== 1) return []
  const parameters = parametersByKey(tools.find(tags.name(outer)) ?? { parameters: {} })
  const known = lastOpen(tags, outer + 1, (name) => parameters.has(keyOf(name)))
  const value = known < 0 ? lastOpen(tags, outer + 1, (name) => !isHtmlElement(name)) : known
  if (value < 0) return []
  const end = `</${tags.name(outer)}>`
  const endsWithTag = whole.slice(tags.end(tags.count - 1)).trim() === ''
  return [...(endsWithTag ? [`${whole}${end}`] : []), `${whole}</${tags.name(value)}>${end}`]
}

/** The reply with the last value of a call closed where the call is: models forget the tag within more often than the one around it. The call
 *  begins its line: a sentence may name both tags. */
function closedWithin(text: string, tools: LooseTools): string[] {
  const tags = new Tags(text)
  const outer = firstOpen(tags, (name) => tools.find(name) !== undefined)
  if (outer < 0 || !tags.isBlankAfter(outer) || !startsLine(tags, outer)) return []
  const end = tags.kinds.findIndex((_, tag) => tag > outer && tags.is(tag, CLOSE, tags.nameIds[outer] ?? -1))
  const parameters = parametersByKey(tools.find(tags.name(outer)) ?? { parameters: {} })
  const known = lastOpen(tags, outer + 1, (name) => parameters.has(keyOf(name)), end)
  const value = known < 0 && tags.kinds[outer + 1] === OPEN ? outer + 1 : known
  if (value < 0 || value >= end) return []
  const isClosed = tags.kinds.some(
    (_, tag) => tag > value && tag < end && tags.is(tag, CLOSE, tags.nameIds[value] ?? -1),
  )
  return isClosed ? [] : [`${text.slice(0, tags.start(end))}</${tags.name(value)}>${text.slice(tags.start(end))}`]
}

/** The reply with closing tags that end nothing, as models write that misspell a name, named after the element that is open there. */
function respelled(text: string, tools: LooseTools): string[] {
  const tags = new Tags(text)
  const outer = firstOpen(tags, (name) => tools.find(name) !== undefined)
  if (outer < 0) return []
  const parameters = parametersByKey(tools.find(tags.name(outer)) ?? { parameters: {} })
  const opened = new Set(tags.nameIds.filter((_, tag) => tags.kinds[tag] === OPEN))
  const open: number[] = []
  let whole = ''
  let from = 0
  for (let tag = outer; tag < tags.count; tag++) {
    const isOwn = tag === outer || parameters.has(keyOf(tags.name(tag)))
    if (tags.kinds[tag] === OPEN && isOwn) open.push(tag)
    if (tags.kinds[tag] !== CLOSE || open.length === 0) continue
    const isMeant = opened.has(tags.nameIds[tag] ?? -1)
    const endsElement = tag === tags.count - 1 ? tags.text.slice(tags.end(tag)).trim() === '' : tags.isBlankAfter(tag)
    if (isMeant ? tags.nameIds[tag] !== tags.nameIds[open.at(-1) ?? -1] : !endsElement || isHtmlElement(tags.name(tag)))
      continue
    const name = tags.name(open.pop() ?? outer)
    if (isMeant) continue
    whole += `${text.slice(from, tags.start(tag))}</${name}>`
    from = tags.end(tag)
  }
  return from === 0 ? [] : [whole + text.slice(from)]
}

/** The reply with an element closed where its tag stands a second time, as models write that forget the slash: a value, and the call at the
 *  end of the reply. The call begins its line and holds nothing beside its values: a sentence may name the same tag twice. */
function reclosed(text: string, tools: LooseTools): string[] {
  const tags = new Tags(text)
  const outer = firstOpen(tags, (name) => tools.find(name) !== undefined)
  if (outer < 0 || !startsLine(tags, outer)) return []
  const parameters = parametersByKey(tools.find(tags.name(outer)) ?? { parameters: {} })
  const open = [outer]
  let known = outer
  let whole = text.slice(0, tags.end(outer))
  let from = tags.end(outer)
  for (let tag = outer + 1; tag < tags.count; tag++) {
    const last = open.at(-1)
    const isSame = last !== undefined && tags.nameIds[tag] === tags.nameIds[last]
    const isKnown = parameters.has(keyOf(tags.name(tag))) || (isSame && last === outer)
    if (!isKnown) continue
    if (last === outer && text.slice(tags.end(known), tags.start(tag)).trim() !== '') return []
    known = tag
    const closes = isSame && (last !== outer || (tag === tags.count - 1 && text.slice(tags.end(tag)).trim() === ''))
    if (closes) open.pop()
    else if (tags.kinds[tag] === OPEN) open.push(tag)
    if (!closes || tags.kinds[tag] === CLOSE) continue
    whole += `${text.slice(from, tags.start(tag))}</${tags.name(tag)}>`
    from = tags.end(tag)
  }
  return from === tags.end(outer) ? [] : [whole + text.slice(from)]
}

/** The number of the first opening tag whose name is wanted; -1: none. */
function firstOpen(tags: Tags, isWanted: (name: string) => boolean): number {
  for (let tag = 0; tag < tags.count; tag++) if (tags.kinds[tag] === OPEN && isWanted(tags.name(tag))) return tag
  return -1
}

/** How many elements of a name are open at the end. */
function openCount({ kinds, nameIds }: Tags, nameId: number): number {
  const signs = kinds.map((kind, tag) => (nameIds[tag] === nameId ? { [OPEN]: 1, [CLOSE]: -1 }[kind] : 0) ?? 0)
  return signs.reduce((sum, sign) => sum + sign, 0)
}

/** The number of the last opening tag from `from` on, and before `end`, whose name is wanted; -1: none. */
function lastOpen(tags: Tags, from: number, isWanted: (name: string) => boolean, end = tags.count): number {
  for (let tag = end - 1; tag >= from; tag--) if (tags.kinds[tag] === OPEN && isWanted(tags.name(tag))) return tag
  return -1
}
