import { parseJson } from '../lib/json.ts'
import type { Tool } from '../domain/tool.ts'
import { type LooseCall, type LooseTools, onlyRequired, type Read } from './loose-names.ts'

/** A tool's name in brackets at the head of a reply, and at its end. */
const HEAD = /^(?:\[([^\s[\]]{1,128})\](?!\()|【([^【】\n]{1,128})】)[ \t]*[:：]?\s*/
const END = /^(?:\[\/([^\s[\]]{1,128})\]|【[/／]([^【】\n]{1,128})】)$/
const BRACKETED = /\[\/?([^\s[\]]{1,128})\]|【[/／]?([^【】\n]{1,128})】/g

/** A reply that is nothing but a name in brackets and the one text that the tool needs: `[finish] …`, `【完成会话】…【/完成会话】`. */
export function bracketedCall(reply: string, { tools, isCut }: Read): LooseCall | null {
  const text = reply.trim()
  const head = HEAD.exec(text)
  const tool = head ? tools.find(head[1] ?? head[2] ?? '') : undefined
  if (!head || !tool || onlyRequired(tool) === null) return null
  const rest = text.slice(head[0].length)
  const last = Math.max(rest.lastIndexOf('['), rest.lastIndexOf('【'))
  const end = last < 0 ? null : END.exec(rest.slice(last))
  const isClosed = end !== null && tools.find(end[1] ?? end[2] ?? '') === tool
  if (isCut && !isClosed) return null
  const value = isClosed ? rest.slice(0, last) : rest
  // A text that names tools in brackets speaks of them.
  for (const [, name, wide] of value.matchAll(BRACKETED)) if (tools.find(name ?? wide ?? '')) return null
  const args = value.trim() === '' ? null : tools.fit(tool, value)
  return args && { tool, arguments: args, dropped: 0 }
}

const NAME_KEYS: ReadonlySet<string> = new Set(
  'tool name function action tool_name 工具 工具名称 调用工具 函数'.split(' '),
)
const ARGUMENT_KEYS: ReadonlySet<string> = new Set('arguments args parameters params input 参数 输入'.split(' '))
const LINES_MAX = 1_000
const KEYED = /^([ \t]*)([\p{L}_][\p{L}\p{N}_-]{0,63})[ \t]*(?::(?=[ \t]|$)|：)[ \t]*(.*)$/u
/** A text that follows on lines of its own. */
const BLOCK = /^[|>][-+]?$/

/** A reply that is nothing but a call as YAML: the name of the tool, then what it is given, with `arguments:` over it or without. */
export function yamlCall(reply: string, { tools, isCut }: Read): LooseCall | null {
  const [first = '', ...lines] = reply.trim().split('\n', LINES_MAX + 1)
  const [, , key = '', name = ''] = KEYED.exec(first) ?? []
  const tool = NAME_KEYS.has(key.toLowerCase()) ? tools.find(unquoted(name)) : undefined
  if (!tool || isCut || lines.length >= LINES_MAX) return null
  const given: Record<string, unknown> = {}
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trimEnd()
    const [isKeyed, indent = '', named = '', value = ''] = KEYED.exec(line) ?? []
    const isHead = isKeyed !== undefined && ARGUMENT_KEYS.has(named.toLowerCase()) && Object.keys(given).length === 0
    if (isHead && value !== '') return callOf(tool, [value, ...lines.slice(at + 1)].join('\n'), tools)
    if (line === '' || isHead) continue
    if (isKeyed === undefined || Object.hasOwn(given, named)) return null
    const block = BLOCK.test(value) ? blockFrom(lines, at + 1, indent.length) : null
    given[named] = block === null ? valueOf(value) : block.text
    at += block?.lines ?? 0
  }
  return callOf(tool, given, tools)
}

function callOf(tool: Tool, given: unknown, tools: LooseTools): LooseCall | null {
  const args = tools.fit(tool, given)
  return args && { tool, arguments: args, dropped: 0 }
}

/** The lines from `from` on that are indented by more than `indent`, without what all of them are indented by. */
function blockFrom(lines: readonly string[], from: number, indent: number): { text: string; lines: number } {
  const depth = (line: string) => line.length - line.trimStart().length
  let end = from
  while (end < lines.length && ((lines[end] ?? '').trim() === '' || depth(lines[end] ?? '') > indent)) end += 1
  const block = lines.slice(from, end)
  const least = Math.min(...block.filter((line) => line.trim() !== '').map(depth))
  return {
    text: block
      .map((line) => line.slice(least))
      .join('\n')
      .trimEnd(),
    lines: block.length,
  }
}

function valueOf(written: string): unknown {
  return /^[[{"]/.test(written) ? (parseJson(written) ?? written) : unquoted(written)
}

function unquoted(written: string): string {
  const text = written.trim()
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text
}
