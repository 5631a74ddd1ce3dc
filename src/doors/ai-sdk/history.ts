import { isDelta, type SessionEvent, type StreamedDelta } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { type Content, contentText } from '../../domain/content.ts'
import { inAddress } from '../../lib/addresses.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../session/queries/projection.ts'
import { type KeptMessage, KeptMessages, type KeptPart } from './messages.ts'
import { UiTelling, type UiView } from './project.ts'

/** A session as the messages that a page begins with. */
export const uiHistory: StreamProjection = (about) => new HistoryFrames(about, about.options as HistoryView)

export interface HistoryView extends Pick<UiView, 'model' | 'filesAt'> {
  chat: string
}

/** Kinds of messages that the user said. */
const SAID: readonly Message['kind'][] = ['task', 'steer', 'answer', 'approval']

/** One document, whose messages are sent run by run. What the agent says in a run that goes on, or waits, is left to its stream. */
class HistoryFrames implements Frames {
  readonly head: string
  readonly beat = ''
  isOver = false
  readonly #about: StreamAbout
  readonly #view: HistoryView
  readonly #filesAt: string
  #sent = 0
  #run: { telling: UiTelling; kept: KeptMessages } | null = null
  /** Messages of the run in their order; those of the agent are filled as it speaks. */
  #open: KeptMessage[] = []

  constructor(about: StreamAbout, view: HistoryView) {
    this.#about = about
    this.#view = view
    this.#filesAt = `${view.filesAt}${about.sessionId}/files/`
    this.head = `{"id":${JSON.stringify(view.chat)},"messages":[`
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    if (isDelta(event)) return []
    const before = event.type === 'run-start' ? this.#begin(event) : []
    if (event.type === 'message' && event.scope === null) this.#said(event.message)
    this.#tell(event)
    return event.type === 'run-end' ? [...before, ...this.#ended()] : before
  }

  caughtUp(): string {
    this.isOver = true
    const said = this.#open.filter(({ role }) => role === 'user')
    return `${said.map((message) => this.#json(message)).join('')}]}`
  }

  #begin({ run_id: runId }: SessionEvent): string[] {
    const given = this.#ended()
    const telling = new UiTelling({ ...this.#about, runId }, { ...this.#view, tells: 'run', goesOn: null })
    this.#run = { telling, kept: new KeptMessages() }
    return given
  }

  #tell(event: SessionEvent): void {
    const run = this.#run
    if (!run) return
    this.#keep(run.telling.tell(event))
    if (event.type === 'run-end') this.#keep(run.telling.finish())
  }

  #keep(chunks: ReturnType<UiTelling['tell']>): void {
    const kept = this.#run?.kept
    if (!kept) return
    for (const chunk of chunks) {
      kept.add(chunk)
      const last = kept.messages.at(-1)
      if (chunk.type === 'start' && last) this.#open.push(last)
    }
  }

  #ended(): string[] {
    const sent = this.#open.map((message) => this.#json(message))
    this.#open = []
    this.#run = null
    return sent
  }

  #json(message: KeptMessage): string {
    this.#sent += 1
    return `${this.#sent === 1 ? '' : ','}${JSON.stringify(message)}`
  }

  #said(message: Message): void {
    const { id, client_id: theirs = id, role, kind, content, given } = message
    if (role === 'user' && (given || SAID.includes(kind))) {
      // The message of the agent begins with the run, and the task stands behind that in the log.
      const first = kind === 'task' && !given ? this.#open.findIndex((one) => one.role === 'assistant') : -1
      const said = { id: theirs, role, parts: this.#partsOf(content) }
      this.#open.splice(first < 0 ? this.#open.length : first, 0, said)
    }
    if (given && role === 'assistant') this.#given(theirs, message)
    if (given && role === 'tool') this.#answered(message)
  }

  /** What a client says that the agent said, and called: one message of its own may be several here. */
  #given(theirs: string, { content, tool_calls: calls = [] }: Message): void {
    const text = contentText(content, null)
    const parts = [
      ...(text === '' ? [] : [{ type: 'text', text, state: 'done' }]),
      ...calls.map(({ id: toolCallId, name, arguments: input, client }) => ({
        ...(client ? { type: `tool-${name}` } : { type: 'dynamic-tool', toolName: name }),
        toolCallId,
        state: 'input-available',
        input,
      })),
    ]
    const last = this.#open.at(-1)
    if (last?.role === 'assistant' && last.id === theirs) last.parts.push(...parts)
    else if (parts.length > 0) this.#open.push({ id: theirs, role: 'assistant', parts })
  }

  #answered({ tool_call_id: callId, content, rejected }: Message): void {
    const part = this.#open.at(-1)?.parts.findLast(({ toolCallId }) => toolCallId === callId)
    const text = contentText(content, null)
    if (part && rejected) Object.assign(part, { state: 'output-error', errorText: text })
    else if (part) Object.assign(part, { state: 'output-available', output: parseJson(text) ?? text })
  }

  #partsOf(content: Content): KeptPart[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }]
    return content.flatMap((part): KeptPart[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }]
      if (part.type === 'data')
        return Object.entries(isObject(part.data) ? part.data : {}).map(([name, data]) => ({
          type: `data-${name}`,
          data,
        }))
      const { path, media_type: mediaType, name } = part
      const url = this.#filesAt + inAddress(path)
      return [{ type: 'file', mediaType, url, ...(name ? { filename: name } : {}) }]
    })
  }
}
