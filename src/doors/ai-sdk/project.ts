import { isDelta, type SessionEvent, type StreamedDelta } from '../../domain/event.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../session/queries/projection.ts'
import { ReplyTeller } from '../kernel/reply.ts'
import { type Chunk, ChunkWriter, type HeldParts } from './chunks.ts'
import { DATA_EVENTS, DataParts } from './data-parts.ts'
import { replyId } from './ids.ts'
import { type UiRest, type RestEvent, restOf } from './rest.ts'
import { ToolParts } from './tool-parts.ts'

/** Events → chunks of UI message streams. Source: AI SDK, "Stream protocols", data stream protocol, and the schemas of the package `ai` 7. A message of
 *  the agent is what one run does from a message of the user on to the next. */

/** How a reader is told. */
export interface UiView {
  /** `message`: the one that begins with the stream. `run`: all of a run, one message after the other, for who comes back. */
  tells: 'message' | 'run'
  /** The message that goes on, with what its client has of it; null: one begins. */
  goesOn: ({ id: string } & HeldParts) | null
  model: string
  /** Where files are read, up to the id of the session. */
  filesAt: string
}

const DONE = 'data: [DONE]\n\n'
const GONE = 'The session of this chat is gone.'
/** Kinds of messages of the user behind the task of a run. */
const FOLLOWING: readonly string[] = ['steer', 'answer', 'approval']

export const uiChunks: StreamProjection = (about) => new UiFrames(about, about.options as UiView)

class UiFrames implements Frames {
  readonly beat = ': keep-alive\n\n'
  readonly #telling: UiTelling

  constructor(about: StreamAbout, view: UiView) {
    this.#telling = new UiTelling(about, view)
  }

  /** A message that the user's next one ended: who asked for that one is told the rest. */
  get isOver(): boolean {
    return this.#telling.isOver
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    return this.#telling.tell(event).map(frameOf)
  }

  end(): string {
    return [...this.#telling.finish().map(frameOf), DONE].join('')
  }
}

const frameOf = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`

/** What a run does, event by event. */
export class UiTelling {
  readonly #about: StreamAbout
  readonly #view: UiView
  readonly #writer: ChunkWriter
  readonly #reply: ReplyTeller
  readonly #tools: ToolParts
  readonly #data = new DataParts()
  #phase: 'before' | 'told' | 'over' = 'before'
  /** The user said something, which the next model call is the first to hear: with that the next message begins. */
  #isHeard = false
  #isCut = false
  #rest: UiRest | null = null

  constructor(about: StreamAbout, view: UiView) {
    this.#about = about
    this.#view = view
    this.#writer = new ChunkWriter(view.goesOn ?? { calls: [], approvals: [] })
    this.#reply = new ReplyTeller(about)
    this.#tools = new ToolParts(this.#writer, {
      filesAt: `${view.filesAt}${about.sessionId}/files/`,
      approvals: view.goesOn?.approvals ?? [],
    })
  }

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  tell(event: SessionEvent | StreamedDelta): Chunk[] {
    if (this.#phase === 'over') return []
    if (isDelta(event)) this.#delta(event)
    else this.#event(event)
    return this.#writer.take()
  }

  /** The run rests, or its session is gone. */
  finish(): Chunk[] {
    if (this.#rest) this.#finish(this.#rest)
    else if (this.#phase !== 'over') this.#writer.put({ type: 'error', errorText: GONE })
    return this.#writer.take()
  }

  #delta(event: StreamedDelta): void {
    const pieces = this.#reply.delta(event)
    if (this.#phase === 'told') for (const piece of pieces) this.#writer.text(piece)
  }

  #event(event: SessionEvent): void {
    if (this.#phase === 'before' && this.#view.goesOn) this.#goOn(event, this.#view.goesOn)
    this.#rest = null
    switch (event.type) {
      case 'run-start':
        this.#reply.begins(event)
        if (this.#phase === 'before') this.#begin(event)
        break
      case 'model-start':
        if (event.scope === null) this.#called(event)
        break
      case 'round-start':
        this.#next(event)
        break
      case 'model-end':
        if (event.ok && event.scope === null) this.#isCut = isCutReason(event.finish_reason)
        break
      case 'message':
        this.#message(event)
        break
      case 'run-pause':
      case 'run-end':
        return this.#rests(event)
      default:
    }
    this.#tools.note(event)
    const part = this.#data.follow(event)
    if (this.#phase !== 'told') return
    this.#tools.tell(event)
    if (part) this.#writer.put(part)
  }

  /** A message that its client has in part: what stands in the log before is known, and told no more. */
  #goOn(event: SessionEvent, { id }: NonNullable<UiView['goesOn']>): void {
    const { plan, team } = this.#about.head()
    if (plan || team)
      for (const before of this.#about.past(DATA_EVENTS)) {
        if (before.seq >= event.seq) break
        if (before.run_id === event.run_id) this.#data.follow(before)
      }
    this.#begin(event, id)
  }

  #begin({ run_id: run, seq, time }: SessionEvent, id = replyId({ run: run ?? '', seq })): void {
    this.#phase = 'told'
    const about = { session_id: this.#about.sessionId, run_id: run }
    const messageMetadata = { ...about, model: this.#view.model, created_time: time }
    if (this.#view.goesOn?.id === id) this.#writer.put({ type: 'start', messageId: id, messageMetadata })
    else this.#writer.begin({ messageId: id, messageMetadata })
    this.#writer.put({ type: 'data-session', id: 'session', data: { ...about, status: 'in_progress' } })
  }

  /** A model call of the run itself: a step of the message, or another try of the step. */
  #called(event: SessionEvent & { type: 'model-start' }): void {
    const { isSeen, isVoid, isTold } = this.#reply.calls(event)
    if (isVoid && isTold && this.#phase === 'told') this.#writer.resetStep()
    this.#next(event)
    if (this.#phase === 'told' && isSeen && !(isVoid && this.#writer.inStep)) this.#writer.beginStep()
  }

  /** Behind a message of the user: the one that was told is whole, and another begins. */
  #next(event: SessionEvent): void {
    if (!this.#isHeard) return
    this.#isHeard = false
    const wasTold = this.#phase === 'told'
    if (wasTold) {
      this.#writer.endStep()
      this.#writer.put({ type: 'finish', finishReason: 'stop' })
    }
    if (wasTold && this.#view.tells === 'message') this.#phase = 'over'
    else this.#begin(event)
  }

  #message({ message }: SessionEvent & { type: 'message' }): void {
    const { role, scope, kind } = message
    if (role === 'user' && scope === null && FOLLOWING.includes(kind)) this.#isHeard = true
    const pieces = this.#reply.whole(message)
    if (this.#phase !== 'told') return
    for (const piece of pieces) this.#writer.text(piece)
    if (role === 'assistant' && scope === null) this.#writer.endText()
  }

  #rests(event: RestEvent): void {
    if (this.#phase === 'before') this.#begin(event)
    const answer = event.type === 'run-end' && event.result !== null ? this.#reply.rest(event.result) : []
    if (answer.length > 0 && !this.#writer.inStep) this.#writer.beginStep()
    for (const piece of answer) this.#writer.text(piece)
    if (event.type === 'run-end') {
      this.#tools.close(event.status)
      for (const part of this.#data.close(event.status)) this.#writer.put(part)
    }
    this.#writer.endStep()
    this.#rest = restOf(event, { isCut: this.#isCut, asksOnly: this.#tools.asksOnly })
  }

  #finish({ status, usage, run, error, finishReason, ...rest }: UiRest): void {
    const about = { status, finish_reason: rest.reason }
    const failed = error ? { error: error.code } : {}
    this.#writer.put({ type: 'data-usage', id: 'usage', data: usage })
    const session = { session_id: this.#about.sessionId, run_id: run, ...about, ...failed }
    this.#writer.put({ type: 'data-session', id: 'session', data: session })
    const messageMetadata = { ...about, ...failed, usage }
    if (error) {
      this.#writer.put({ type: 'message-metadata', messageMetadata })
      return this.#writer.put({ type: 'error', errorText: error.text })
    }
    if (status === 'cancelled') this.#writer.put({ type: 'abort', reason: 'cancelled' })
    this.#writer.put({ type: 'finish', finishReason, messageMetadata })
  }
}
