import type { AuditAct } from '../domain/audit.ts'
import type { News } from '../domain/callback.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Alarm, Log, Now } from '../domain/ports.ts'
import type { ReportedPending } from '../domain/pending.ts'
import type { SessionSummary } from '../domain/session.ts'
import type { Spent } from '../domain/usage.ts'
import type { Journal } from '../log/journal.ts'
import type { Engine } from '../engine/engine.ts'

/** What a tenant hears of a session that stays. `words` is the text that a search looks in beside the title. */
export interface SessionReport {
  summary: SessionSummary
  words: string
  /** What waits for a human; absent: nothing does. */
  pending?: readonly ReportedPending[]
  spent: Spent
  /** For the audit: those that were not heard of. The same again change nothing. */
  acts: readonly AuditAct[]
}

/** What it hears of one that goes. */
export interface LastReport extends Pick<SessionReport, 'spent' | 'acts'> {
  createdTime: number
}

/** The lists of sessions, of what they spent and of what was done to them, one a tenant. */
interface Directory {
  /** Since when (Unix ms) somebody wants to be told of the tenant's runs; null: nobody does. */
  put(tenant: string, report: SessionReport): Promise<number | null>
  remove(tenant: string, id: string, left: LastReport): Promise<number | null>
}

/** Where what callbacks are to be told is kept until they are, one a tenant. */
interface OutboxOfTenants {
  /** The same news again change nothing. */
  put(tenant: string, news: readonly News[]): Promise<void>
  /** A session is deleted. */
  forget(tenant: string, sessionId: string): Promise<void>
}

/** All that a session needs of its home. */
export interface SessionPorts {
  log: Log
  now: Now
  engine: Engine
  alarm: Alarm
  directory: Directory
  /** Null: nobody is told of runs. */
  outbox: OutboxOfTenants | null
  /** Whether older messages may be summarised; a history that its caller keeps is not. */
  compacts: boolean
  /** Do `work` as one invocation of the platform. `isSpent`: it has made so many requests that it is to start nothing new. Absent: it may make
   *  as many as it likes. */
  asInvocation?: <T>(work: (isSpent: () => boolean) => T) => T
  /** Keeps the process alive for work that nobody awaits. */
  keepAlive(work: Promise<unknown>): void
  /** Forgets all of the session's storage. */
  destroy(): Promise<void>
  /** Tells the operator of a bug. */
  report(error: unknown): void
  /** Watches what happens, for the operator; must neither wait nor throw. */
  watch?: (events: readonly SessionEvent[], journal: Journal) => void
}
