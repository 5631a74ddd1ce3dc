import { batch, signal } from '@preact/signals'
import { ApiProblem, isDelta, type StreamedDelta, type StreamEvent, Unreachable } from '../../client/client.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SessionData } from '../../domain/session.ts'
import { client, errorText, retryAfterMs } from '../api.ts'
import { language, texts } from '../language.ts'
import { noteSession, readSessions } from './session-store.ts'
import { Timeline } from '../timeline/timeline.ts'

/** Events that are read when a session is opened, and with each step back; the server gives at most 100 at once. */
const STEP_EVENTS = 300
const PAGE_EVENTS = 100
const AGAIN_MS = 1_000
const HEAD_MS = 120
/** Where the model names the session, beside its work. */
const TITLE_BRANCH = 'title'
/** Between two readings of the head while much happens and nothing is asked of a human. */
const HEAD_REST_MS = 3_000
/** After these the session's head is another. */
const HEAD_EVENTS = /^(run|pending|plan|task|round|role|team|step|rollback|workflow|session|route|usage|file)/
/** What a human waits for. */
const URGENT_EVENTS = /^(run-(pause|end)|pending)/

/** A session that is looked at: its head and its timeline, kept up to date over broken connections. */
export class Followed {
  readonly id: string
  readonly head = signal<SessionData | null>(null)
  readonly timeline: Timeline
  /** Of the timeline: what is shown is looked at again when it changes. */
  readonly version = signal(0)
  /** What is wrong, in words; null: all is well. */
  readonly problem = signal<string | null>(null)
  readonly isGone = signal(false)
  /** What the run does just now. */
  readonly activity = signal<string | null>(null)
  /** The run rests between batches: it goes on when it is told to. */
  readonly isResting = signal(false)
  readonly #stop = new AbortController()
  /** The model that was asked last, of whose reply nothing has come yet. */
  #reading: { messageId: string; model: string } | null = null
  #firstSeq = 0
  #lastSeq = 0
  /** The newest event when it was opened. */
  #openedSeq = 0
  #isReadingBack = false
  #frame = 0
  #headTimer = 0
  /** When the head was read last, and when it is read next; 0: it is not to be. */
  #headAt = 0
  #headDue = 0

  constructor(id: string, toolNames: readonly string[]) {
    this.id = id
    this.timeline = new Timeline(toolNames, language.value)
    void this.#follow()
  }

  close(): void {
    this.#stop.abort(new Error('closed'))
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#headTimer)
  }

  /** Whether all is read that there was when it was opened. Until then what seems to be written just now may be told once more. */
  get isCaughtUp(): boolean {
    return this.#lastSeq >= this.#openedSeq
  }

  get hasOlder(): boolean {
    return this.#firstSeq > 0
  }

  /** Reads what comes before the first event that is known. */
  async readBack(): Promise<void> {
    if (this.#isReadingBack || this.#firstSeq === 0) return
    this.#isReadingBack = true
    try {
      const from = Math.max(0, this.#firstSeq - STEP_EVENTS)
      const events = await this.#eventsBetween(from, this.#firstSeq)
      this.#firstSeq = from
      this.timeline.prepend(events)
      this.problem.value = null
      this.#show()
    } catch (error) {
      this.problem.value = errorText(error)
    } finally {
      this.#isReadingBack = false
    }
  }

  /** Reads back so far, or to the start if that is nearer. */
  async readBackTo(events: number): Promise<void> {
    const steps = Math.ceil(events / STEP_EVENTS)
    for (let step = 0; step < steps && this.hasOlder && !this.#stop.signal.aborted; step++) await this.readBack()
  }

  /** Reads the head anew: after an act of one's own. */
  async refresh(): Promise<void> {
    this.#headAt = Date.now()
    try {
      const before = this.head.value?.status
      this.head.value = await client.value.sessions.get(this.id, { messages: 'none' })
      this.problem.value = null
      if (this.head.value.status === before) return
      noteSession(this.head.value)
      void readSessions()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#fail(error)
      // No event may come any more that would have it read again.
      if (!this.isGone.value) this.#readHeadIn(Math.max(HEAD_REST_MS, retryAfterMs(error)))
    }
  }

  async #eventsBetween(after: number, until: number): Promise<SessionEvent[]> {
    const found: SessionEvent[] = []
    for (let at = after; at < until; at += PAGE_EVENTS) {
      const limit = Math.min(PAGE_EVENTS, until - at)
      const { data } = await client.value.sessions.eventList(this.id, { after: at, limit })
      for (const event of data) if (!isDelta(event)) found.push(event)
    }
    return found
  }

  async #follow(): Promise<void> {
    const { signal: stopped } = this.#stop
    while (!stopped.aborted && !this.isGone.value) {
      let again = AGAIN_MS
      try {
        await this.#open()
        for await (const event of client.value.sessions.events(this.id, { after: this.#lastSeq, signal: stopped }))
          this.#take(event)
      } catch (error) {
        if (!stopped.aborted) this.#fail(error)
        again = Math.max(AGAIN_MS, retryAfterMs(error))
      }
      // What was only told is told again when the stream is taken up behind the last event.
      this.timeline.dropLive()
      if (!stopped.aborted) await new Promise((done) => setTimeout(done, again))
    }
  }

  async #open(): Promise<void> {
    const head = await client.value.sessions.get(this.id, { messages: 'none' })
    batch(() => {
      this.head.value = head
      this.problem.value = null
    })
    noteSession(head)
    if (this.#lastSeq > 0) return
    this.#openedSeq = head.last_seq
    this.#firstSeq = Math.max(0, head.last_seq - STEP_EVENTS)
    this.#lastSeq = this.#firstSeq
  }

  #take(event: StreamEvent): void {
    const before = this.timeline.version
    this.timeline.push(event)
    if (this.problem.value !== null) this.problem.value = null
    if (isDelta(event)) this.#writes(event)
    else {
      this.#lastSeq = event.seq
      this.#follows(event)
    }
    if (this.timeline.version !== before) this.#show()
  }

  /** Whose thoughts come has read, and whose words come has thought. */
  #writes({ type, message_id: id }: StreamedDelta): void {
    if (this.#reading?.messageId !== id) return
    const { model } = this.#reading
    const isThought = type === 'reasoning-delta'
    this.activity.value = isThought ? texts().chat.thinks(model) : texts().chat.writing(model)
    if (!isThought) this.#reading = null
  }

  #follows(event: SessionEvent): void {
    if (event.type === 'model-start' && event.scope !== TITLE_BRANCH) {
      this.#reading = { messageId: event.message_id, model: event.model }
      this.activity.value = texts().chat.reading(event.model)
    }
    if (event.type === 'tool-start') this.activity.value = texts().chat.workingOn(event.tool)
    if (event.type === 'run-end' || event.type === 'run-pause') this.activity.value = null
    if (event.type === 'run-pause') this.isResting.value = event.status === 'in_progress'
    else if (event.type === 'run-start' || event.type === 'run-resume') this.isResting.value = false
    if (!HEAD_EVENTS.test(event.type)) return
    const rest = URGENT_EVENTS.test(event.type) ? 0 : this.#headAt + HEAD_REST_MS - Date.now()
    this.#readHeadIn(Math.max(HEAD_MS, rest))
  }

  /** Once for a whole batch of events. */
  #readHeadIn(ms: number): void {
    const due = Date.now() + ms
    if (this.#headDue > Date.now() && this.#headDue <= due) return
    this.#headDue = due
    clearTimeout(this.#headTimer)
    this.#headTimer = setTimeout(() => void this.refresh(), ms)
  }

  #show(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.version.value = this.timeline.version
    })
  }

  #fail(error: unknown): void {
    if (error instanceof ApiProblem && error.status === 404) this.isGone.value = true
    else this.problem.value = error instanceof Unreachable ? texts().problem.broken : errorText(error)
  }
}

/** The session that is looked at; one at a time. */
export const openSession = signal<Followed | null>(null)

let names: Promise<string[]> | null = null

/** What is to be looked at; the tools' names may still be on their way. */
let wanted: string | null = null

/** Looks at a session; the one before is let go. */
export async function showSession(id: string): Promise<void> {
  if (wanted === id) return
  leave()
  wanted = id
  const toolNames = await knownToolNames()
  if (wanted === id) openSession.value = new Followed(id, toolNames)
}

export function leave(): void {
  wanted = null
  openSession.peek()?.close()
  openSession.value = null
}

/** Every name by which a text may call a tool. Without them calls are shown as text, which is no reason to show nothing. */
async function knownToolNames(): Promise<string[]> {
  names ??= client
    .peek()
    .tools()
    .then(({ data }) => data.flatMap((tool) => [tool.id, ...Object.values(tool.names ?? {})]))
  try {
    return await names
  } catch {
    names = null
    return []
  }
}
