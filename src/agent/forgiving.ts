import { isCutReason } from '../domain/cut-reason.ts'
import type { ModelReply, Protocol } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import { withoutFenced } from '../lib/fence.ts'
import { parseJson } from '../lib/json.ts'
import { LooseJson } from '../lib/loose-json.ts'
import { type Decoded, type DecodedCall, noCall } from './decode.ts'
import { callInForm } from './loose-forms.ts'
import { type LooseCall, LooseTools } from './loose-names.ts'
import { callInTags } from './loose-tags.ts'
import { withoutThoughts } from './thinking.ts'

/** A reply in which the strict reading found a fault, read once more as weak models mean it; the same, if that gives no valid call.
 *  Text between the markers of what came from outside is not looked at. Linear in the length of the reply. */
export function forgive(decoded: Decoded, reply: ModelReply, tools: readonly Tool[], protocol: Protocol): Decoded {
  const isCut = isCutReason(reply.stopReason)
  const loose = new LooseTools(tools)
  if (decoded.form === 'native') {
    const calls = decoded.calls.map((call, index) =>
      forgiveCall(call, reply.toolCalls[index]?.arguments ?? '', loose, isCut),
    )
    return isCut ? cutAnswer({ ...decoded, calls }, reply, loose) : { ...decoded, calls }
  }
  const found = protocol === 'native' ? null : readLoosely(reply.content, loose, isCut)
  if (found === null) return decoded
  const { tool, arguments: args, dropped } = found
  const call = { name: tool.id, toolId: tool.id, arguments: args, problem: null }
  return { content: reply.content, form: 'text', calls: [call], problem: null, dropped }
}

function forgiveCall(call: DecodedCall, written: string, tools: LooseTools, isCut: boolean): DecodedCall {
  const tool = call.problem ? tools.find(call.name) : undefined
  const args = tool ? tools.fit(tool, givenIn(written, isCut)) : null
  return tool && args ? { name: tool.id, toolId: tool.id, arguments: args, problem: null } : call
}

/** A reply that reached its limit within the answer that it gave to `finish` is what it says, as one that wrote it without a call. */
function cutAnswer(decoded: Decoded, reply: ModelReply, tools: LooseTools): Decoded {
  const [call] = decoded.calls
  const tool =
    decoded.calls.length === 1 && call?.toolId === 'finish' && call.problem ? tools.find(call.name) : undefined
  const args = tool ? tools.fit(tool, new LooseJson(reply.toolCalls[0]?.arguments.trim() ?? '', 0).read()?.value) : null
  const reason = args?.['reason']
  if (typeof reason !== 'string' || reason.trim() === '') return decoded
  const said = [decoded.content.trim(), reason].filter((text) => text !== '').join('\n\n')
  return noCall({ ...reply, content: said })
}

/** The arguments of a native call: JSON, half of it or JSON as models write it, or the text itself. */
function givenIn(written: string, isCut: boolean): unknown {
  const strict = parseJson(written.trim() || '{}')
  if (strict !== undefined) return strict
  const text = written.trim()
  const found = new LooseJson(text, 0).read()
  return found?.end === text.length && !(isCut && found.isCut) ? found.value : undefined
}

/** The call in a text, whatever its form; null: none, or none that is valid. */
function readLoosely(reply: string, tools: LooseTools, isCut: boolean): LooseCall | null {
  const own = withoutFenced(reply)
  const said = withoutThoughts(own).trim()
  const text = unwrapped(said, isCut)
  // Where thoughts end is seen better by who reads tags: they may stand within a value.
  return callInTags(text === said ? own : text, tools, isCut) ?? callInForm(text, { tools, isCut })
}

/** Inline code, or a fence on one line. */
const SPAN = /^(`{1,3})(?:(?:json|xml|tool_call|tool_code)[ \t]+)?([^`\n]+)\1$/
const FENCE = /^(`{3,}|~{3,})[^\n`]*\n/

/** What is in a fence, or in inline code, that is the whole reply; else the reply. The end of the reply may have left the fence open. */
function unwrapped(reply: string, isCut: boolean): string {
  const fence = FENCE.exec(reply)
  if (fence) {
    const [head, marks = ''] = fence
    const inside = reply.slice(head.length)
    const end = inside.lastIndexOf(`\n${marks}`)
    if (end < 0 && !isCut) return inside
    const isWhole = end >= 0 && /^[`~ \t]*$/.test(inside.slice(end + 1)) && !inside.slice(0, end).includes(`\n${marks}`)
    return isWhole ? inside.slice(0, end) : reply
  }
  return SPAN.exec(reply)?.[2] ?? reply
}
