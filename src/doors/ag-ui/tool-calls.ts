import { contentText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Message, ToolCall } from '../../domain/message.ts'
import type { Pending } from '../../domain/pending.ts'
import type { StreamAbout } from '../../session/queries/projection.ts'
import { isControl } from '../../tools/control.ts'
import { type EventFrames, ofAgent } from './frames.ts'

/** Calls of tools with their results: ours as they are made, those of the caller's tools as they are handed out. */
export class ToolCalls {
  readonly #writer: EventFrames
  readonly #past: StreamAbout['past']
  /** Calls of ours and messages of results that the reader has, by their ids. */
  readonly #held: Readonly<Record<string, unknown>>
  /** Calls that replies in this stream make, by their ids: the message that holds each. */
  readonly #calls = new Map<string, { call: ToolCall; message: string }>()
  /** Calls that were told, by their ids, under those by which their reader knows them. */
  readonly #told = new Map<string, string>()

  constructor(writer: EventFrames, past: StreamAbout['past'], held: Readonly<Record<string, unknown>>) {
    this.#writer = writer
    this.#past = past
    this.#held = held
  }

  /** A reply that makes calls. */
  learn({ id, tool_calls: calls = [] }: Message): void {
    for (const call of calls) this.#calls.set(call.id, { call, message: id })
  }

  started({ client, call_id: id, arguments: args }: SessionEvent & { type: 'tool-start' }, agent: string | null): void {
    if (!client) this.#tell({ id, toldAs: id, args }, agent)
  }

  waits({ id, type, call_id: callId, arguments: args = {} }: Pending, agent: string | null): void {
    if (callId === undefined || type === 'question') return
    this.#tell({ id: callId, toldAs: type === 'tool_call' ? id : callId, args }, agent)
  }

  /** A call is told once, where its reply was: one that waited was told before. */
  #tell(
    { id, toldAs: toolCallId, args }: { id: string; toldAs: string; args: Record<string, unknown> },
    agent: string | null,
  ): void {
    const found = this.#calls.get(id)
    if (!found || isControl(found.call.name) || this.#told.has(id)) return
    this.#told.set(id, toolCallId)
    if (Object.hasOwn(this.#held, toolCallId)) return
    const { call, message: parentMessageId } = found
    const whose = { toolCallName: call.name, parentMessageId, ...ofAgent(agent) }
    this.#writer.put('TOOL_CALL_START', { toolCallId, ...whose })
    this.#writer.put('TOOL_CALL_ARGS', { toolCallId, delta: JSON.stringify(args) })
    this.#writer.put('TOOL_CALL_END', { toolCallId })
  }

  /** The result of a call of ours; results of the caller's tools are its own. */
  result({ id: messageId, tool_call_id: callId = '', content, kind }: Message, agent: string | null): void {
    const told = this.#told.get(callId)
    const isKnown = told === callId || (told === undefined && !this.#calls.has(callId) && this.#wasTold(callId))
    if (!isKnown || kind !== 'tool_result' || Object.hasOwn(this.#held, messageId)) return
    const text = contentText(content, null)
    const about = { messageId, toolCallId: callId, content: text, role: 'tool', ...ofAgent(agent) }
    this.#writer.put('TOOL_CALL_RESULT', about)
  }

  /** Whether a call was told before this stream: it waited for a human, or was being made. */
  #wasTold(callId: string): boolean {
    for (const event of this.#past(['pending', 'tool-start'])) {
      if (event.type === 'pending' && event.pending.call_id === callId) return event.pending.type === 'approval'
      if (event.type === 'tool-start' && event.call_id === callId) return !event.client && !isControl(event.tool)
    }
    return false
  }
}
