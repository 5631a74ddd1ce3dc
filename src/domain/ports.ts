import type { AuditAct } from './audit.ts'
import type { EventType, SessionEvent } from './event.ts'
import type { FileChange, Files } from './file.ts'
import type { LogRecord, NewRecord } from './log-record.ts'
import type { Message } from './message.ts'
import type { SessionRecord } from './session.ts'
import type { SessionState } from './state.ts'
import type { TeamMessage } from './team.ts'

/** Time as milliseconds since the Unix epoch. */
export type Now = () => number

/** A request with an Idempotency-Key. It is stored in the transaction of its effect. `answer`: JSON text; null until there is one. */
export interface StoredRequest {
  key: string
  /** Hash of what the request asks; absent: the tenant's object compares it, or the key was made for this request alone. */
  fingerprint?: string | undefined
  runId: string | null
  /** The last seq before its events. */
  fromSeq: number
  answer: string | null
  /** When it came, Unix ms. */
  time: number
  /** The key may have belonged to an earlier request, which is over: that one is overwritten. */
  replaces?: true
}

/** What one append writes, as one transaction. `state`: the state after `events`; a log may write it later. */
export interface Append {
  events: SessionEvent[]
  /** The record of the events; several if they come from another log. */
  records?: readonly NewRecord[]
  state: SessionState
  record?: SessionRecord
  /** Acts that the audit has not taken yet. Each stands in a record or is stored with the state. */
  acts?: readonly AuditAct[]
  /** The keyed request that caused the append; kept with it, or not at all. */
  request?: StoredRequest
  /** Long texts by key that events refer to, such as whole tool results. */
  texts?: { key: string; text: string }[]
  /** Changes of the workspace. The caller has checked each with `changeProblem`. */
  files?: FileChange[]
}

/** A part of a session that is being imported. No reader sees it before the append that brings the session's record. */
export interface StagedPart {
  events?: readonly SessionEvent[]
  /** The records of these events; absent: they are not known yet, so each event gets a row of its own, to which its record can be added. */
  records?: readonly LogRecord[]
  /** Records of events that were staged without them. */
  recordsOfBefore?: readonly LogRecord[]
  texts?: { key: string; text: string }[]
  /** Keys of texts that are not needed any more. */
  forgottenTexts?: readonly string[]
  files?: readonly FileChange[]
  /** Of the import, Unix ms. */
  time: number
}

/** A page of the messages of a team. */
export interface TeamMessageQuery {
  /** Seqs strictly greater. */
  after?: number
  limit: number
  newestFirst?: boolean
}

/** A message of a team's bus. `seq`: of its event. */
export interface PlacedTeamMessage {
  seq: number
  message: TeamMessage
}

/** A page of the messages of a session, or of one branch of it (`scope`; null: the run's own). */
export interface MessageQuery {
  /** Seqs strictly greater. */
  after?: number
  /** Seqs strictly smaller. */
  before?: number
  scope?: string | null
  limit: number
  newestFirst?: boolean
}

/** The session that took the place of another under the key that made both. */
export interface Successor {
  /** How many sessions the key made before it; the session's id is made of the key and this number. */
  generation: number
  /** Until when it has to be known, even if the session before it is deleted (Unix ms). */
  until: number
}

/** The log of one session. Two homes: SQLite in an object, an array in memory. All verbs are synchronous. */
export interface Log {
  /** Null: the session was never created. */
  load(): { record: SessionRecord; state: SessionState; acts: readonly AuditAct[] } | null
  append(append: Append): void
  /** From here on appends are held in memory. `flush` writes them as one transaction, and so does a read that has to see them. */
  hold(): void
  /** Write what is held. Throws if something that was held could not be written; then the log has what `load` gives. */
  flush(): void
  /** Write a part of a session that is being imported. */
  stage(part: StagedPart): void
  /** Whether parts are there of a session that never came to be. */
  hasLeftovers(): boolean
  /** Up to `limit` events with a greater seq, in order. `types`: only of these types. */
  events(after: number, limit: number, types?: readonly EventType[]): SessionEvent[]
  /** Up to `limit` records with a greater number, in order. Events that earlier releases wrote are in no record. */
  records(after: number, limit: number): LogRecord[]
  messages(query: MessageQuery): Message[]
  teamMessages(query: TeamMessageQuery): PlacedTeamMessage[]
  text(key: string): string | null
  readonly files: Files
  request(key: string): StoredRequest | null
  /** Store the answer of a request, for when the request is sent again. */
  keepAnswer(key: string, answer: string): void
  /** The session that took the place of this one under its key; null: none did. `clear` forgets it; it can be stored again after that. */
  successor(): Successor | null
  keepSuccessor(successor: Successor): void
  clear(): void
}

/** Wakes the session later, even in another process. */
export interface Alarm {
  set(time: number): void
  clear(): void
}

/** A `fetch` with plain arguments; which addresses it may reach is up to who made it. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** Waits `ms`, less if `signal` aborts (then it rejects with the signal's reason). */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** Uniform in [0, 1). */
export type Random = () => number
