import { type ModelContent, type ModelMessage, type RawToolCall, textIn } from '../domain/model.ts'
import type { ToolCall } from '../domain/message.ts'
import { type SpanContent, TELEMETRY_LIMITS } from '../domain/telemetry.ts'
import { parseJson } from '../lib/json.ts'
import { cutText, graphemeStart } from '../lib/text.ts'

/** What was said, in the JSON of the GenAI conventions. Source: OpenTelemetry, "gen-ai-input-messages.json", "gen-ai-output-messages.json"
 *  and "gen-ai-system-instructions.json". */

type Part = { type: string } & Record<string, unknown>

interface SpanMessage {
  role: ModelMessage['role']
  parts: Part[]
  finish_reason?: string
}

/** What a model is asked: its instructions apart from the messages, of which the newest stay where all would be too much. */
export function askedAttributes(messages: readonly ModelMessage[], content: SpanContent): Record<string, string> {
  const system = messages.flatMap((one) => (one.role === 'system' ? [textPart(one.content)] : []))
  const others = messages.filter(({ role }) => role !== 'system').map(spanMessage)
  return {
    ...(system.length > 0 ? { 'gen_ai.system_instructions': newestOf(system, content) } : {}),
    'gen_ai.input.messages': newestOf(others, content),
  }
}

/** Messages without the bytes of their images, of which spans say only that there were some. */
export function withoutBytes(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => {
    const { role, content } = message
    if (role === 'system' || role === 'assistant' || typeof content === 'string') return message
    return { ...message, content: content.map((one) => (one.type === 'image' ? { ...one, base64: '' } : one)) }
  })
}

/** What a model answered. */
export function outputMessages(
  { content: text, calls = [] }: { content: string; calls?: readonly ToolCall[] },
  reason: string | undefined,
  content: SpanContent,
): string {
  const called = calls.map(({ id, name, arguments: args }) => ({ type: 'tool_call', id, name, arguments: args }))
  const parts = [...(text === '' && called.length > 0 ? [] : [textPart(text)]), ...called]
  const known = reason === 'tool_calls' ? 'tool_call' : reason
  const message = {
    role: 'assistant',
    parts,
    finish_reason: known ?? (called.length > 0 ? 'tool_call' : 'stop'),
  } as const
  return newestOf([message], content)
}

/** What a user said. */
export function inputMessage(text: string, content: SpanContent): string {
  return newestOf([{ role: 'user', parts: [textPart(text)] }], content)
}

/** Arguments of a call: an object, whatever is left of its texts. */
export function argumentsText(args: Record<string, unknown>, { masked }: SpanContent): string {
  const { contentCharsMax, contentAllCharsMax } = TELEMETRY_LIMITS
  for (let charsMax: number = contentCharsMax; charsMax >= 8; charsMax = Math.floor(charsMax / 8)) {
    if (charsIn(args, charsMax) > contentAllCharsMax) continue
    const json = JSON.stringify(told(args, masked, charsMax))
    if (json.length <= contentAllCharsMax) return json
  }
  return '{}'
}

/** The result of a call. */
export function toldResult(text: string, { masked }: SpanContent): string {
  return toldText(text, masked, TELEMETRY_LIMITS.contentCharsMax)
}

function spanMessage(message: ModelMessage): SpanMessage {
  const { role } = message
  if (role === 'tool') {
    return { role, parts: [{ type: 'tool_call_response', id: message.callId, response: textIn(message.content) }] }
  }
  if (role !== 'assistant') return { role, parts: partsOf(message.content) }
  const { content, reasoning, toolCalls = [] } = message
  return {
    role,
    parts: [
      ...(reasoning ? [{ type: 'reasoning', content: reasoning }] : []),
      ...(content === '' ? [] : [textPart(content)]),
      ...toolCalls.map(callPart),
    ],
  }
}

function callPart({ id, name, arguments: written }: RawToolCall): Part {
  return { type: 'tool_call', id, name, arguments: parseJson(written) ?? written }
}

/** Bytes of images stay out: a part of a kind of its own says that there was one. */
function partsOf(content: ModelContent): Part[] {
  if (typeof content === 'string') return [textPart(content)]
  return content.map((part) =>
    part.type === 'text' ? textPart(part.text) : { type: 'image', mime_type: part.mediaType },
  )
}

function textPart(content: string): Part {
  return { type: 'text', content }
}

/** A list as JSON: its newest entries, as many as there is room for. */
function newestOf(list: readonly object[], { masked }: SpanContent): string {
  const kept: string[] = []
  let left: number = TELEMETRY_LIMITS.contentAllCharsMax
  for (const one of list.toReversed()) {
    if (charsIn(one, TELEMETRY_LIMITS.contentCharsMax) > left) break
    const json = JSON.stringify(told(one, masked, TELEMETRY_LIMITS.contentCharsMax))
    left -= json.length
    if (left < 0) break
    kept.unshift(json)
  }
  return `[${kept.join(',')}]`
}

/** A value whose texts hold no secret, and no more than so much each. */
function told(value: unknown, masked: SpanContent['masked'], charsMax: number): unknown {
  if (typeof value === 'string') return toldText(value, masked, charsMax)
  if (Array.isArray(value)) return value.map((one) => told(one, masked, charsMax))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [toldText(name, masked, charsMax), told(one, masked, charsMax)]),
  )
}

/** Of a long text only the beginning is looked at. */
function toldText(text: string, masked: SpanContent['masked'], charsMax: number): string {
  const readMax = charsMax * TELEMETRY_LIMITS.contentReadShare
  const read = text.slice(0, graphemeStart(text, readMax))
  const isCut = read.length < text.length
  const shown = masked(read, isCut)
  return isCut && shown.length <= charsMax ? `${shown}…` : cutText(shown, charsMax)
}

/** What its texts come to, each up to so much, before any is looked at. */
function charsIn(value: unknown, charsMax: number): number {
  if (typeof value === 'string') return Math.min(value.length, charsMax)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + charsIn(one, charsMax), 0)
}
