import { isUnseen } from '../../client/reply-filter.ts'
import { contentText } from '../../domain/content.ts'
import { isDelta, type SessionEvent, type StreamedDelta } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { Pending } from '../../domain/pending.ts'
import { errorSentences, type Status } from '../../domain/run.ts'
import { bytesOf } from '../../lib/bytes.ts'
import type { Frames, StreamAbout, StreamProjection } from '../../session/queries/projection.ts'
import { type ReplyReading, textsIn } from '../kernel/said-reply.ts'
import { CUT, EventFrames, frameOf, ToldSteps } from './frames.ts'
import { interruptOf } from './interrupts.ts'
import { SharedState, STATE_EVENTS } from './state.ts'
import { Subagents } from './subagents.ts'
import { answerId, resultId, Texts } from './texts.ts'
import { ToolCalls } from './tool-calls.ts'
import { hasFiles, transcriptBefore } from './transcript.ts'
import { RunUsage } from './usage.ts'

/** Events → events of AG-UI. Source: the AG-UI specification 1.0. A run of theirs is what one of ours did from one of its events on, until it
 *  rested. */

const PROTOCOL_VERSION = '1.0'

/** How a reader is told. */
export interface AgUiView {
  threadId: string
  runId: string
  /** The state as the client has it. */
  state: unknown
  /** Characters of texts that the client has, by the ids of their messages, and of arguments, by those of our calls. */
  held: Readonly<Record<string, number>>
  /** The client comes back: the conversation so far is told first. */
  restates: boolean
  /** Null: that of the session. */
  language: Language | null
}

/** Events that begin a part of a run: what was said before is told behind them. */
const OPENING: readonly string[] = ['session-update', 'run-start', 'run-resume', 'client-tools', 'pending-end', 'file']

export const agUiEvents: StreamProjection = (about) => new AgUiFrames(about, about.options as AgUiView)

class AgUiFrames implements Frames {
  readonly head: string
  readonly beat = ': keep-alive\n\n'
  readonly #about: StreamAbout
  readonly #view: AgUiView
  readonly #writer = new EventFrames()
  readonly #texts: Texts
  readonly #agents: Subagents
  readonly #calls: ToolCalls
  readonly #steps: ToldSteps
  readonly #usage = new RunUsage()
  readonly #unseen = new Set<string>()
  #state: SharedState | null = null
  #isRestated: boolean
  #isStructured: boolean
  /** The model call of the run itself that is under way, and whether a part of it was told. */
  #call: string | null = null
  /** What the run's own reply said last. */
  #last: { id: string; words: string; answer: string } | null = null
  #lastTold = ''
  #isCut = false
  #isOver = false

  constructor(about: StreamAbout, view: AgUiView) {
    this.#about = about
    this.#view = view
    const { threadId, runId, held, restates } = view
    const metadata = { yaa: { session: about.sessionId, run: about.runId } }
    this.head = frameOf('RUN_STARTED', { threadId, runId, protocolVersion: PROTOCOL_VERSION, metadata })
    this.#texts = new Texts(this.#writer, () => this.#reading, new Map(Object.entries(held)))
    this.#agents = new Subagents(this.#writer)
    this.#calls = new ToolCalls(this.#writer, about.past, held)
    this.#steps = new ToldSteps(this.#writer)
    this.#isRestated = !restates
    this.#isStructured = about.isStructured
  }

  get #reading(): ReplyReading {
    return this.#about.reply()
  }

  of({ event }: { event: SessionEvent | StreamedDelta }): readonly string[] {
    if (isDelta(event)) this.#delta(event)
    else this.#event(event)
    return this.#writer.take()
  }

  end(): string {
    if (this.#isOver) return ''
    const gone = { message: 'The session of this thread is gone.', code: 'not_found' }
    this.#writer.put('RUN_ERROR', gone)
    return this.#writer.take().join('')
  }

  #delta(event: StreamedDelta): void {
    this.#restateBefore(event.seq + 1)
    if (!this.#unseen.has(event.message_id)) this.#texts.delta(event, this.#isStructured && event.scope === null)
  }

  #event(event: SessionEvent): void {
    if (!this.#state) this.#begin(event)
    if (!isOpening(event)) this.#restateBefore(event.seq)
    this.#texts.endWhole({ isCut: isCut(event) })
    const ended = this.#agents.begin(event)
    const changes = this.#state?.follow(event) ?? []
    if (changes.length > 0) this.#writer.put('STATE_DELTA', { delta: changes })
    this.#tell(event)
    for (const one of ended) {
      this.#texts.endOfAgent(one.id)
      this.#agents.end(one, event)
    }
  }

  /** What stands in the log before this stream is where it starts from. */
  #begin({ seq }: SessionEvent): void {
    const { plan, team } = this.#about.head()
    const state = new SharedState(this.#view.state, team)
    this.#state = state
    if (plan || team)
      for (const event of this.#about.past(STATE_EVENTS)) {
        if (event.seq >= seq) break
        state.follow(event)
        this.#agents.note(event)
      }
    this.#agents.restart()
    if (state.isOwn || this.#view.restates) this.#writer.put('STATE_SNAPSHOT', { snapshot: state.snapshot })
  }

  #restateBefore(seq: number): void {
    if (this.#isRestated) return
    this.#isRestated = true
    this.#writer.put('MESSAGES_SNAPSHOT', { messages: transcriptBefore(this.#about, seq, this.#reading) })
  }

  #tell(event: SessionEvent): void {
    const agent = this.#agents.of(event.scope)
    switch (event.type) {
      case 'run-start':
        if (event.output_schema !== undefined) this.#isStructured = event.output_schema !== null
        return
      case 'iteration-start':
        return event.scope === null ? this.#steps.begin('iteration', event.iteration) : undefined
      case 'round-start':
        return event.scope === null ? this.#steps.begin('round', event.round) : undefined
      case 'model-start':
        return this.#called(event, agent)
      case 'model-end':
        if (!event.ok) return
        if (event.scope === null) this.#isCut = isCut(event)
        return this.#usage.add(event.model, event.spent)
      case 'message':
        return this.#message(event.message, agent)
      case 'tool-start':
        return this.#calls.started(event, agent)
      case 'pending':
        return this.#calls.waits(event.pending, agent)
      case 'run-pause':
      case 'run-end':
        return this.#rests(event)
      default:
    }
  }

  /** The next model call. What one that broke off told of its reply is void. */
  #called({ message_id: id, purpose, scope, seq }: SessionEvent & { type: 'model-start' }, agent: string | null): void {
    if (scope === null) this.#brokeOff(seq)
    if (scope === null) this.#call = id
    if (isUnseen(purpose)) this.#unseen.add(id)
    else this.#texts.begin(id, agent)
  }

  /** What the log has behind is told by itself. */
  #brokeOff(seq: number): void {
    const broken = this.#call
    if (broken === null) return
    const isTold = this.#texts.hasPart(broken)
    this.#texts.breakOff(broken)
    this.#call = null
    if (isTold) this.#restated(seq)
  }

  /** The conversation as it stands, where it can be told whole. */
  #restated(seq: number): void {
    const messages = transcriptBefore(this.#about, seq, this.#reading)
    if (hasFiles(messages) || bytesOf(JSON.stringify(messages)) > LIMITS.door.snapshotBytesMax) return
    this.#writer.put('MESSAGES_SNAPSHOT', { messages })
  }

  #message(message: Message, agent: string | null): void {
    const { id, role, scope, kind, client_id: theirs } = message
    if (role === 'tool') return this.#calls.result(message, agent)
    if (role === 'user' && scope === null && kind === 'steer' && theirs === undefined) return this.#heard(message)
    if (role !== 'assistant' || this.#unseen.has(id)) return
    const isStructured = this.#isStructured && scope === null
    this.#texts.whole(message, agent, isStructured)
    this.#calls.learn(message)
    if (scope !== null) return
    this.#call = null
    const { words, answer } = textsIn(message, this.#reading)
    this.#last = { id, words, answer }
    if (!isStructured) this.#lastTold = answer === '' ? words : answer
  }

  /** What somebody else said to the run. */
  #heard({ id: messageId, content }: Message): void {
    this.#writer.put('TEXT_MESSAGE_START', { messageId, role: 'user' })
    this.#writer.put('TEXT_MESSAGE_CONTENT', { messageId, delta: contentText(content, null) })
    this.#writer.put('TEXT_MESSAGE_END', { messageId })
  }

  #rests(event: SessionEvent & { type: 'run-end' | 'run-pause' }): void {
    this.#isOver = true
    if (event.type === 'run-end' && event.status === 'completed') this.#answers(event.result ?? '')
    this.#texts.endAll()
    this.#steps.endAll()
    const { threadId, runId } = this.#view
    const usage = this.#usage.told
    if (event.type === 'run-end' && event.status === 'failed')
      return this.#writer.put('RUN_ERROR', { ...failureOf(event), ...usage })
    const outcome = event.type === 'run-pause' ? this.#pauses(event.seq) : this.#ends(event.status)
    const isAnswered = event.type === 'run-end' && event.status === 'completed'
    const answer = isAnswered ? { ...this.#resultOf(event.result), ...(this.#isCut ? CUT : {}) } : {}
    this.#writer.put('RUN_FINISHED', { threadId, runId, ...answer, outcome, ...usage })
  }

  #resultOf(result: string | null): { result?: unknown } {
    if (result === null) return {}
    if (!this.#isStructured) return { result }
    try {
      return { result: JSON.parse(result) as unknown }
    } catch {
      return { result }
    }
  }

  /** The answer of the run is told as far as no reply said it. */
  #answers(result: string): void {
    const words = result.trim()
    if (words === '' || this.#lastTold.trim() === words) return
    const { id = '', words: said = '', answer = '' } = this.#last ?? {}
    const inReply = answer.trim() === words ? answerId(id) : said.trim() === words ? id : null
    this.#texts.tellWhole(inReply ?? resultId(this.#about.runId ?? ''), result)
  }

  #ends(status: Status): object {
    this.#agents.endAll(status)
    return { type: status === 'completed' ? 'success' : 'cancelled' }
  }

  /** The run waits: for a human, or for results of the caller's tools. */
  #pauses(seq: number): object {
    const waiting = this.#waitingAt(seq)
    const asks = waiting.filter(({ type }) => type !== 'tool_call')
    this.#agents.suspend(asks)
    // Calls that were told in a part before wait on: the client was told of the interrupt beside them, not to make them.
    const calls = waiting.map(({ id }) => id)
    if (asks.length === 0) return { type: 'success', ...(calls.length > 0 ? { pendingToolCallIds: calls } : {}) }
    this.#writer.put('STATE_SNAPSHOT', { snapshot: this.#state?.snapshot ?? {} })
    this.#restated(seq)
    const language = this.#view.language ?? this.#about.language()
    return {
      type: 'interrupt',
      interrupts: asks.map((item) => interruptOf(item, language, this.#agents.of(item.scope))),
    }
  }

  #waitingAt(seq: number): Pending[] {
    const waiting = new Map<string, Pending>()
    for (const event of this.#about.past(['pending', 'pending-end'])) {
      if (event.seq >= seq) break
      if (event.type === 'pending') waiting.set(event.pending.id, event.pending)
      if (event.type === 'pending-end') waiting.delete(event.id)
    }
    return [...waiting.values()]
  }
}

function isCut(event: SessionEvent): boolean {
  return event.type === 'model-end' && event.ok && isCutReason(event.finish_reason)
}

function isOpening(event: SessionEvent): boolean {
  return OPENING.includes(event.type) || (event.type === 'message' && event.message.role === 'user')
}

function failureOf({ error, finish_reason: reason }: SessionEvent & { type: 'run-end' }) {
  const code = error?.code ?? reason
  return { message: error ? errorSentences(error) : code, code }
}
