import type { AuditAct } from '../domain/audit.ts'
import { type AppError, fail } from '../domain/errors.ts'
import type { DeltaBody, NewEvent, SessionEvent } from '../domain/event.ts'
import type { FileChange } from '../domain/file.ts'
import type { NewRecord, RecordHead } from '../domain/log-record.ts'
import type { Message } from '../domain/message.ts'
import type { ModelRequest } from '../domain/model.ts'
import type { Log, Now, StoredRequest } from '../domain/ports.ts'
import type { SessionRecord } from '../domain/session.ts'
import { LIMITS } from '../domain/limits.ts'
import { newState, type SessionState } from '../domain/state.ts'
import { newId } from '../lib/id.ts'
import { hasCharsWithin } from '../lib/json.ts'
import { Deltas } from './deltas.ts'
import type { Reduce } from './reduce/reducer.ts'
import { isBounded } from './branches.ts'

type RunStart = Extract<SessionEvent, { type: 'run-start' }>
type RunEnd = Extract<SessionEvent, { type: 'run-end' }>

/** A message that is not in the log yet. The journal makes the members that are left out. */
export type NewMessage = Pick<Message, 'role' | 'content' | 'kind'> & Partial<Message>

export interface AppendExtras {
  record?: SessionRecord
  texts?: { key: string; text: string }[]
  files?: FileChange[]
  request?: StoredRequest
  /** The act of a command, which the audit is told of. */
  act?: AuditAct | undefined
}

export interface JournalOptions {
  reduce: Reduce
  isLasting?: boolean
  watch?: Watch | undefined
}

/** Watches a session for the operator, as telemetry does. It must neither wait nor throw. */
export interface Watch {
  /** Is given the events of each append; not those of an import. */
  events(events: readonly SessionEvent[], journal: Journal): void
  /** Is given each request to a model, with the id of the message that the model will write; absent: requests are not watched. */
  request?(messageId: string, request: ModelRequest, journal: Journal): void
}

/** An event with its members in the order that the log gives back, so that a stream has the same bytes whether its events were just written or
 *  are read from the log. */
function asReadBack({ seq, type, run_id, scope, time, ...rest }: SessionEvent): SessionEvent {
  return { seq, type, run_id, scope, time, ...rest } as SessionEvent
}

/** The log of one session with its state in memory. Nothing else writes to the log, or notifies those who listen to it. */
export class Journal {
  readonly log: Log
  readonly deltas: Deltas
  /** Whether later requests can read what is written; false for the log of a stateless call. */
  readonly isLasting: boolean
  /** Whether there is a `Watch`. */
  readonly isWatched: boolean
  readonly #now: Now
  readonly #reduce: Reduce
  readonly #listeners = new Set<() => void>()
  readonly #readers = new Set<() => void>()
  readonly #watch: Watch | null
  #record: SessionRecord | null
  #state: SessionState
  #acts: readonly AuditAct[]
  /** Ids of the acts that the audit has taken since the last record. */
  readonly #told: string[] = []
  #runStart: RunStart | null = null
  #runEnd: RunEnd | null = null
  /** The newest events, in order and without a gap, so that readers who follow the log need not read them back. Empty while nobody follows it. */
  #recent: SessionEvent[] = []
  /** Appends of the `together` that is going on, of which nobody was notified yet; null: none is going on. */
  #unnotified: (readonly SessionEvent[])[] | null = null

  constructor(log: Log, now: Now, { reduce, isLasting = true, watch }: JournalOptions) {
    this.#reduce = reduce
    this.#watch = watch ?? null
    this.isWatched = watch !== undefined
    this.log = log
    this.isLasting = isLasting
    this.deltas = new Deltas(now)
    this.#now = now
    const known = log.load()
    this.#record = known?.record ?? null
    this.#state = known?.state ?? newState(now())
    this.#acts = known?.acts ?? []
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

  /** Acts that the audit has not taken yet, oldest first. An act is written together with its effect, and sent to the audit until it arrives. */
  get acts(): readonly AuditAct[] {
    return this.#acts
  }

  /** The audit has taken these acts. The next record says so. */
  actsArrived(acts: readonly AuditAct[]): void {
    this.#acts = this.#acts.filter((act) => !acts.includes(act))
    this.#told.push(...acts.map(({ id }) => id))
  }

  /** The event that began the newest run; null: there is none. It is read from the log once per run. */
  get runStart(): RunStart | null {
    const seq = this.#state.run?.firstSeq
    if (seq === undefined) return null
    if (this.#runStart?.seq !== seq) {
      const event = this.log.events(seq - 1, 1)[0]
      this.#runStart = event?.type === 'run-start' ? event : null
    }
    return this.#runStart
  }

  /** The event that ended the newest run; null: the run has not ended. It is read from the log once per run. */
  get runEnd(): RunEnd | null {
    const seq = this.#state.run?.endSeq ?? 0
    if (seq === 0) return null
    if (this.#runEnd?.seq !== seq) {
      const event = this.log.events(seq - 1, 1)[0]
      this.#runEnd = event?.type === 'run-end' ? event : null
    }
    return this.#runEnd
  }

  now(): number {
    return this.#now()
  }

  /** Events with a greater seq, in order. Those that were just written are given from memory. */
  eventsAfter(seq: number, limit: number): SessionEvent[] {
    // A session that is being deleted has no state any more: its last events are read from the log.
    if (this.exists && seq >= this.#state.lastSeq) return []
    const [oldest] = this.#recent
    if (!oldest || oldest.seq > seq + 1) return this.log.events(seq, limit)
    const from = seq + 1 - oldest.seq
    return this.#recent.slice(from, from + limit)
  }

  /** Write events in one transaction, as one record, then notify everybody who listens. `made`: the move that made them; empty for a command. */
  append(events: readonly NewEvent[], extras: AppendExtras = {}, made: RecordHead = {}): void {
    const placed = this.#place(events)
    const { act } = extras
    const told = placed.length > 0 ? this.#told.splice(0) : []
    const records = placed
      .slice(0, 1)
      .map(({ seq }) => ({ seq, ...made, ...(act ? { act } : {}), ...(told.length > 0 ? { told } : {}) }))
    this.#write(placed, this.#reduce(this.#state, placed), extras, records)
    if (this.#unnotified) this.#unnotified.push(placed)
    else {
      this.#notify(placed)
      this.#notifyListeners()
    }
  }

  /** Give a request to a model to the `Watch`. */
  tellRequest(messageId: string, request: ModelRequest): void {
    this.#watch?.request?.(messageId, request, this)
  }

  #notify(events: readonly SessionEvent[]): void {
    for (const event of events) this.#endDeltas(event)
    if (this.#readers.size > 0) this.#keepRecent(events)
    this.#watch?.events(events, this)
  }

  /** Keeps events for readers who follow the log. After a long one nothing before it is kept, so that the memory for it is bounded. */
  #keepRecent(events: readonly SessionEvent[]): void {
    const { recentEventsMax, recentTextCharsMax } = LIMITS.stream
    const isShort = events.every((event) => hasCharsWithin(event, recentTextCharsMax))
    this.#recent = isShort ? [...this.#recent, ...events.map(asReadBack)].slice(-recentEventsMax) : []
  }

  /** Write everything that `work` appends in one transaction, then notify. `work` must append before its first await. */
  together<T>(work: () => T): T {
    if (this.#unnotified) return work()
    this.#unnotified = []
    this.log.hold()
    try {
      return work()
    } finally {
      this.#flush()
    }
  }

  #flush(): void {
    const unnotified = this.#unnotified ?? []
    this.#unnotified = null
    try {
      this.log.flush()
    } catch (error) {
      this.#open()
      throw error
    }
    for (const events of unnotified) this.#notify(events)
    this.#notifyListeners()
  }

  /** Forget what a lost transaction left in memory: read record and state from the log again. */
  #open(): void {
    const known = this.log.load()
    this.#recent = []
    this.#runStart = null
    this.#runEnd = null
    this.#record = known?.record ?? null
    this.#state = known?.state ?? newState(this.#now())
    this.#acts = known?.acts ?? []
  }

  /** Make the session of the parts of an import that were staged. `state`: that of their events, which keep their numbers and times. */
  adopt(state: SessionState, extras: AppendExtras & { record: SessionRecord }): void {
    const { record } = extras
    this.#recent = []
    this.#write([], state, { ...extras, record: { ...record, copiedSpending: state.spending ?? [] } }, [])
    this.#notifyListeners()
  }

  /** The state after events of another log; null: they cannot be reduced, or leave more open than any log of ours. */
  reduced(state: SessionState, events: readonly SessionEvent[]): SessionState | null {
    try {
      const after = this.#reduce(state, events)
      return isBounded(after) ? after : null
    } catch {
      return null
    }
  }

  /** Give listeners a piece of a message that a model is writing. Pieces are kept in memory only. */
  delta(body: DeltaBody & { message_id: string; delta: string }, scope: string | null): void {
    this.deltas.add({
      ...body,
      seq: this.#state.lastSeq,
      run_id: this.#state.run?.id ?? '',
      scope,
    })
    this.#notifyListeners()
  }

  /** Have `listener` called after every append and delta, until the returned function is called. `readsOn`: the listener reads all events, so the
   *  newest are kept in memory. */
  listen(listener: () => void, readsOn = false): () => void {
    this.#listeners.add(listener)
    if (readsOn) this.#readers.add(listener)
    return () => {
      this.#listeners.delete(listener)
      this.#readers.delete(listener)
      if (this.#readers.size === 0) this.#recent = []
    }
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener()
  }

  /** The session is deleted: it has no record and no state any more. */
  forget(): void {
    this.#record = null
    this.#recent = []
    this.#runStart = null
    this.#runEnd = null
    this.#state = newState(this.#now())
    this.#notifyListeners()
  }

  /** An event with a message. `extra`: what the reducer is told of the message. */
  messageEvent(
    message: NewMessage,
    extra: {
      counts_as_error?: boolean
      untrusted?: boolean
      tells_of_circles?: boolean
      is_output?: true
      words?: 'reply' | 'beside'
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

  #write(events: SessionEvent[], state: SessionState, extras: AppendExtras, records: readonly NewRecord[]): void {
    const { record, act, ...others } = extras
    const isNew = record !== undefined && record !== this.#record
    const acts = act ? [...this.#acts, act] : this.#acts
    this.log.append({ events, records, state, acts, ...others, ...(isNew ? { record } : {}) })
    for (const event of events) {
      if (event.type === 'run-start') this.#runStart = event
      if (event.type === 'run-end') this.#runEnd = event
    }
    this.#state = state
    this.#acts = acts
    if (isNew) this.#record = record
  }

  #endDeltas(event: SessionEvent): void {
    if (event.type === 'model-end') this.deltas.end(event.message_id)
    if (event.type === 'run-end') this.deltas.endAll()
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

/** The answer for a command to a session that cannot go on here: it is not there, or a later release has to; null: it can. */
export function unfit({ exists, state }: Pick<Journal, 'exists' | 'state'>): { ok: false; error: AppError } | null {
  return missing({ exists }) ?? (state.needsNewer ? fail({ code: 'needs_newer' }) : null)
}

/** The answer for a session that was never made, or is deleted; null: it is there. */
export function missing({ exists }: Pick<Journal, 'exists'>): { ok: false; error: AppError } | null {
  return exists ? null : fail({ code: 'not_found', what: 'session' })
}
