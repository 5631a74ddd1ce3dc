import type { Language } from '../domain/language.ts'
import type { ToolCall } from '../domain/message.ts'
import type { ModelMessage, ModelRequest } from '../domain/model.ts'
import type { Tool } from '../domain/tool.ts'
import type { Codec, EncodeInput } from './codec-shapes.ts'
import { decodeNative, decodeText, noCall } from './decode.ts'
import { promptMessage, type ReplyTurn, saidMessage, turnsOf } from './history.ts'
import { findTextCalls } from './text-calls.ts'
import { toolsByName } from './tool-names.ts'
import { writeCall } from './write-call.ts'

/** The text protocol: calls are tags in the reply, results are user messages. A model that answers with native calls
 *  anyway is understood. */
export const xmlCodec: Codec = {
  encode: encodeAsText,
  decode(reply, tools, language) {
    const text = decodeText(reply, tools, language)
    if (text !== null && text.problem?.code !== 'unknown_tool') return text
    return decodeNative(reply, tools, language) ?? text ?? noCall(reply)
  },
}

/** Write a history without tool messages and `tools`: also for requests that offer no tools, because some services refuse
 *  a `tool` message in a request without `tools`. */
export function encodeAsText({ prompt, messages, tools, language }: EncodeInput): ModelRequest {
  const turns = turnsOf(messages, tools, language).flatMap((turn): ModelMessage[] => {
    if (turn.role === 'user') return [turn]
    const results = turn.calls.map(({ result }) => ({ role: 'user' as const, content: result }))
    return [saidMessage(contentWithCalls(turn, tools, language), turn), ...results]
  })
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
