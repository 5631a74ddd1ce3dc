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

/** A request that came with an Idempotency-Key, kept with its effect. `answer`: JSON text, null until there is one. */
export interface StoredRequest {
  key: string
  /** Of what it asks; absent: the tenant keeps it, or whoever made the key gives it to one request only. */
  fingerprint?: string | undefined
  runId: string | null
  /** Seq behind which its events are. */
  fromSeq: number
  answer: string | null
  /** When it came, Unix ms. */
  time: number
  /** Its key may have been given to another request before, which is over. */
  replaces?: true
}

/** What one append writes, as one transaction. `state` is the fold with `events` in it; a log may write it later. */
export interface Append {
  events: SessionEvent[]
  /** Of its events; several where they are taken from another log. */
  records?: readonly NewRecord[]
  state: SessionState
  record?: SessionRecord
  /** What the audit was not told yet: each act stands in a record, or the state that is stored has it. */
  acts?: readonly AuditAct[]
  /** The keyed request that caused the append; kept with it, or not at all. */
  request?: StoredRequest
  /** Long texts by key that events refer to, such as whole tool results. */
  texts?: { key: string; text: string }[]
  /** Changes of the workspace; each was found possible just before. */
  files?: FileChange[]
}

/** A part of a session that is taken in piece by piece. No reader sees it before the append that brings the record. */
export interface StagedPart {
  events?: readonly SessionEvent[]
  /** What is known of their records; absent: nothing yet, so that each event has a row to which its record can be added. */
  records?: readonly LogRecord[]
  /** Records of events that came without. */
  recordsOfBefore?: readonly LogRecord[]
  texts?: { key: string; text: string }[]
  /** Keys of texts that are not needed any more. */
  forgottenTexts?: readonly string[]
  files?: readonly FileChange[]
  /** When, Unix ms. */
  time: number
}

/** A place in the log and a page of it. */
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

export interface MessageQuery {
  /** Seqs strictly greater. */
  after?: number
  /** Seqs strictly smaller. */
  before?: number
  scope?: string | null
  limit: number
  newestFirst?: boolean
}

/** The session that the key of another one makes by now, or would. */
export interface Successor {
  /** As in the id that the key gives. */
  generation: number
  /** Unix ms until which it has to be known where the session itself is gone. */
  until: number
}

/** The log of one session. Two homes: SQLite in an object, an array in memory. All verbs are synchronous. */
export interface Log {
  /** Null: the session was never created. */
  load(): { record: SessionRecord; state: SessionState; acts: readonly AuditAct[] } | null
  append(append: Append): void
  /** Keep what is appended from here on, to be written as one transaction: by `flush`, or by a read that has to see it. */
  hold(): void
  /** Throws when something that was held could not be written; then the log is as `load` says. */
  flush(): void
  /** Write a part of a session that does not exist yet. */
  stage(part: StagedPart): void
  /** Whether parts are there of a session that never came to be. */
  hasLeftovers(): boolean
  /** By seq; `types`: of these only. */
  events(after: number, limit: number, types?: readonly EventType[]): SessionEvent[]
  /** By number. What releases before wrote is of none. */
  records(after: number, limit: number): LogRecord[]
  messages(query: MessageQuery): Message[]
  teamMessages(query: TeamMessageQuery): PlacedTeamMessage[]
  text(key: string): string | null
  readonly files: Files
  request(key: string): StoredRequest | null
  /** Keep the answer that a request got, for whoever sends it again. */
  keepAnswer(key: string, answer: string): void
  /** What takes the place of this session under the key that made it; null: nothing does. Stays where it is written once more after `clear`. */
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
