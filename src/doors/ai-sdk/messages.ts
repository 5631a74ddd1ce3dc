import { isObject } from '../../lib/json.ts'
import type { Chunk } from './chunks.ts'

/** A message as `useChat` keeps it. Source: AI SDK, `UIMessage`. */
export interface KeptMessage {
  id: string
  role: 'user' | 'assistant'
  metadata?: Readonly<Record<string, unknown>>
  parts: KeptPart[]
}

export interface KeptPart {
  type: string
  [field: string]: unknown
}

/** Makes messages of chunks, as the client of the AI SDK does. */
export class KeptMessages {
  readonly messages: KeptMessage[] = []
  /** The message that is told, and its texts that have not ended, by their ids. */
  #message: KeptMessage = { id: '', role: 'assistant', parts: [] }
  readonly #texts = new Map<unknown, KeptPart & { text: string }>()

  add(chunk: Chunk): void {
    const { type, id } = chunk
    if (type === 'start') this.#begin(chunk)
    this.#describe(chunk['messageMetadata'])
    if (type === 'text-start') this.#beginText(id, { type: 'text', text: '', state: 'streaming' })
    if (type === 'reasoning-start') this.#beginText(id, { type: 'reasoning', id, text: '', state: 'streaming' })
    if (type.endsWith('-delta')) this.#goOn(chunk)
    if (type.endsWith('-end')) this.#endText(id)
    if (type === 'start-step') this.#message.parts.push({ type: 'step-start' })
    if (type === 'reset-step') this.#resetStep()
    if (type === 'file' || type === 'source-url') this.#message.parts.push({ ...chunk })
    if (type.startsWith('data-')) this.#data(chunk)
    if (type.startsWith('tool-')) this.#tool(chunk)
  }

  #begin({ messageId }: Chunk): void {
    this.#message = { id: String(messageId), role: 'assistant', parts: [] }
    this.#texts.clear()
    this.messages.push(this.#message)
  }

  #describe(metadata: unknown): void {
    if (isObject(metadata)) this.#message.metadata = { ...this.#message.metadata, ...metadata }
  }

  #beginText(id: unknown, part: KeptPart & { text: string }): void {
    this.#texts.set(id, part)
    this.#message.parts.push(part)
  }

  #goOn({ id, delta }: Chunk): void {
    const part = this.#texts.get(id)
    if (part && typeof delta === 'string') part.text += delta
  }

  #endText(id: unknown): void {
    const part = this.#texts.get(id)
    if (part) part['state'] = 'done'
    this.#texts.delete(id)
  }

  #resetStep(): void {
    const { parts } = this.#message
    parts.splice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
    this.#texts.clear()
  }

  #data(chunk: Chunk): void {
    const known = this.#message.parts.find(({ type, id }) => type === chunk.type && id === chunk['id'])
    if (known) known['data'] = chunk['data']
    else this.#message.parts.push({ ...chunk })
  }

  #tool(chunk: Chunk): void {
    if (chunk.type === 'tool-input-available') return this.#called(chunk)
    const { parts } = this.#message
    const { approvalId, toolCallId, approved, reason, output, errorText } = chunk
    const isMeant = (part: KeptPart) => {
      const { approval } = part
      return toolCallId === undefined
        ? isObject(approval) && approval['id'] === approvalId
        : part['toolCallId'] === toolCallId
    }
    const part = parts.findLast(isMeant)
    const state = STATES[chunk.type]
    if (!part || state === undefined) return
    part['state'] = state
    const said = reason === undefined ? {} : { reason }
    if (chunk.type === 'tool-approval-request')
      part['approval'] = { id: approvalId, ...(reason === undefined ? {} : { requestReason: reason }) }
    if (chunk.type === 'tool-approval-response') {
      const { approval } = part
      part['approval'] = { ...(isObject(approval) ? approval : {}), id: approvalId, approved, ...said }
    }
    if (chunk.type === 'tool-output-available') part['output'] = output
    if (chunk.type === 'tool-output-error') part['errorText'] = errorText
  }

  /** A call that the message has is told with other arguments. */
  #called({ toolName, toolCallId, input, dynamic, providerExecuted, toolMetadata }: Chunk): void {
    const { parts } = this.#message
    const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
    const known = step.find((part) => part['toolCallId'] === toolCallId)
    const call = {
      ...(dynamic === true ? { type: 'dynamic-tool', toolName } : { type: `tool-${String(toolName)}` }),
      toolCallId,
      state: 'input-available',
      input,
      ...(providerExecuted === undefined ? {} : { providerExecuted }),
      ...(toolMetadata === undefined ? {} : { toolMetadata }),
    }
    if (known) Object.assign(known, call)
    else parts.push(call)
  }
}

const STATES: Readonly<Record<string, string>> = {
  'tool-approval-request': 'approval-requested',
  'tool-approval-response': 'approval-responded',
  'tool-output-available': 'output-available',
  'tool-output-error': 'output-error',
  'tool-output-denied': 'output-denied',
}
