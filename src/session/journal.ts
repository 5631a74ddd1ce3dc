import type { DeltaKind } from '../domain/model.ts'
import type { NewEvent, SessionEvent } from '../domain/event.ts'
import type { Message } from '../domain/message.ts'
import type { Log, Now, StoredRequest } from '../domain/ports.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { SessionState } from '../domain/state.ts'
import { newId } from '../lib/id.ts'
import { Deltas } from './deltas.ts'
import { reduce } from './reduce.ts'
import { isBounded, newState } from './state.ts'

/** Events of another log that are folded before what is open in it is counted. */
const EVENTS_PER_FOLD = 1_000

/** A message before it has its place: what is not given is null, made or derived. */
export type NewMessage = Pick<Message, 'role' | 'content' | 'kind'> & Partial<Message>

export interface AppendExtras {
  record?: SessionRecord
  texts?: { key: string; text: string }[]
  request?: StoredRequest
}

/** The log of one session with its fold at hand: the only place that writes, and the one that tells. */
export class Journal {
  readonly log: Log
  readonly deltas: Deltas
  readonly #now: Now
  readonly #listeners = new Set<() => void>()
  #record: SessionRecord | null
  #state: SessionState

  constructor(log: Log, now: Now) {
    this.log = log
    this.deltas = new Deltas(now)
    this.#now = now
    const known = log.load()
    this.#record = known?.record ?? null
    this.#state = known?.state ?? newState(now())
  }

  get exists(): boolean {
    return this.#record !== null
  }

  get record(): SessionRecord {
    if (!this.#record) throw new Error('this session was never created')
    return this.#record
  }

  get state(): SessionState {
    return this.#state
  }

  now(): number {
    return this.#now()
  }

  /** Write events in one transaction, then tell everybody who listens. */
  append(events: readonly NewEvent[], extras: AppendExtras = {}): void {
    const placed = this.#place(events)
    this.#write(placed, reduce(this.#state, placed), extras)
  }

  /** Take events of another log as they are: numbered from 1, with their own times. Throws, and keeps nothing, when they
   *  cannot be folded. The log is empty before. */
  adopt(events: readonly SessionEvent[], extras: AppendExtras): void {
    let state = this.#state
    for (let from = 0; from < events.length; from += EVENTS_PER_FOLD) {
      state = reduce(state, events.slice(from, from + EVENTS_PER_FOLD))
      if (!isBounded(state)) throw new Error('more is open in this log than may be')
    }
    this.#write([...events], state, extras)
  }

  /** Tell text of a message that is being written. */
  delta(kind: DeltaKind, messageId: string, text: string, scope: string | null): void {
    const type = kind === 'content' ? 'message-delta' : 'reasoning-delta'
    this.deltas.add({
      seq: this.#state.lastSeq,
      type,
      message_id: messageId,
      delta: text,
      run_id: this.#state.run?.id ?? '',
      scope,
    })
    this.tell()
  }

  /** Hear of every append and delta until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  forget(): void {
    this.#record = null
    this.#state = newState(this.#now())
    this.tell()
  }

  messageEvent(
    message: NewMessage,
    extra: {
      counts_as_error?: boolean
      tells_of_circles?: boolean
      covers?: { seq: number; kept_tokens: number }
    } = {},
  ): NewEvent {
    const scope = message.scope ?? null
    const id = message.id ?? newId('msg', this.#now())
    return {
      type: 'message',
      scope,
      message: { seq: 0, run_id: null, created_time: '', ...message, id, scope },
      ...extra,
    }
  }

  #write(events: SessionEvent[], state: SessionState, extras: AppendExtras): void {
    const { record, ...others } = extras
    const isNew = record !== undefined && record !== this.#record
    this.log.append({ events, state, ...others, ...(isNew ? { record } : {}) })
    this.#state = state
    if (isNew) this.#record = record
    this.tell()
  }

  #place(events: readonly NewEvent[]): SessionEvent[] {
    const time = new Date(this.#now()).toISOString()
    let run = this.#state.run?.id ?? null
    return events.map((event, index) => {
      run = event.run_id ?? run
      const seq = this.#state.lastSeq + 1 + index
      const envelope = { seq, run_id: run, time, scope: event.scope ?? null }
      if (event.type !== 'message') return { ...event, ...envelope }
      const created = event.message.created_time || time
      return { ...event, ...envelope, message: { ...event.message, seq, run_id: run, created_time: created } }
    })
  }
}
