import { LooseJson } from '../lib/loose-json.ts'
import type { Tool } from '../domain/tool.ts'
import { type LooseCall, type LooseTools, type Read, TRIES_MAX } from './loose-names.ts'
import { Comments, endsLine, isIndented } from './loose-places.ts'
import { VisibleText } from './thinking.ts'

/** A call at the head of a line, perhaps assigned, returned, awaited, printed, or the first of a list, as Llama is taught. */
const PYTHON =
  /(?<![^\n])[ \t]*`?(?:[\p{L}_][\p{L}\p{N}_]{0,63}[ \t]{0,8}=[ \t]{0,8})?(?:(?:return|await)[ \t]{1,8})?\[?(?:print\()?(?:functions?\.|default_api\.)?([\p{L}_][\p{L}\p{N}_-]{0,127})[(（]/gu
/** A further call of a list. */
const NEXT = /,\s{0,8}(?:functions?\.)?([\p{L}_][\p{L}\p{N}_-]{0,127})\(/uy
/** The head of a fence that is for calls, as Gemma is taught. */
const CALL_FENCE = /(?:^|\n)`{3,9}[ \t]{0,8}tool_(?:code|call)[ \t]{0,8}\n$/

interface Written {
  arguments: Record<string, unknown>
  /** Behind the call. */
  end: number
}

/** `NAME(key="value")` on lines of its own, outside of comments, and of code but for a fence for calls. */
export function pythonCall(reply: string, read: Read): LooseCall | null {
  const visible = new VisibleText(reply)
  const comments = new Comments(reply)
  let tries = 0
  for (const begin of reply.matchAll(PYTHON)) {
    const tool = read.tools.find(begin[1] ?? '')
    const bracket = begin.index + begin[0].length - 1
    if (!tool || isIndented(reply, begin) || comments.hold(bracket)) continue
    if (!visible.isVisible(bracket) && !CALL_FENCE.test(reply.slice(Math.max(0, begin.index - 40), begin.index)))
      continue
    if (++tries > TRIES_MAX) return null
    const found = callFrom(reply, bracket + 1, tool, read)
    const rest =
      found && begin[0].includes('[') ? furtherCalls(reply, found.end, read.tools) : { end: found?.end ?? 0, count: 0 }
    if (found && endsLine(reply, rest.end)) return { tool, arguments: found.arguments, dropped: rest.count }
  }
  return null
}

/** The call whose arguments begin here, and where it ends; null: it is none, or none that fits its tool. */
function callFrom(reply: string, from: number, tool: Tool, { tools, isCut }: Read): Written | null {
  const found = new LooseJson(reply, from).readArguments()
  const args = found && !(isCut && found.isCut) ? writtenArguments(found.value, tool, tools) : null
  return found && args && { arguments: args, end: found.end }
}

/** How many more calls a list holds, and where they end. */
function furtherCalls(reply: string, from: number, tools: LooseTools): { end: number; count: number } {
  let end = from
  for (let count = 0; ; count++) {
    NEXT.lastIndex = end
    const next = NEXT.exec(reply)
    const found = next && tools.find(next[1] ?? '') ? new LooseJson(reply, end + next[0].length).readArguments() : null
    if (!found) return { end, count }
    end = found.end
  }
}

export function writtenArguments(
  given: [name: string, value: unknown][],
  tool: Tool,
  tools: LooseTools,
): Record<string, unknown> | null {
  const [first] = given
  if (given.length === 1 && first?.[0] === '') return tools.fit(tool, first[1])
  return given.some(([name]) => name === '') ? null : tools.fit(tool, Object.fromEntries(given))
}
