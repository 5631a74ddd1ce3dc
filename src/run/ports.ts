import type { AuditAct } from '../domain/audit.ts'
import type { AwaitedAnswer, AwaitedEnd, Awaiter } from '../domain/awaited.ts'
import type { News } from '../domain/callback.ts'
import type { AppError } from '../domain/errors.ts'
import type { Alarm, Log, Now } from '../domain/ports.ts'
import type { ReportedPending } from '../domain/pending.ts'
import type { SessionSummary } from '../domain/session.ts'
import type { ThreadRest } from '../domain/thread.ts'
import type { ReportedTask } from '../domain/task-id.ts'
import type { Spent } from '../domain/usage.ts'
import type { Watch } from '../log/journal.ts'
import type { Engine } from '../engine/engine.ts'
import type { HeldSettings } from '../domain/settings.ts'

/** What a tenant hears of a session that stays. `words` is the text that a search looks in beside the title. */
export interface SessionReport {
  summary: SessionSummary
  words: string
  /** What waits for a human; absent: nothing does. */
  pending?: readonly ReportedPending[]
  spent: Spent
  /** What it keeps, in bytes. */
  bytes?: number
  /** Its newest run, where a door gave it out as a task. */
  task?: ReportedTask
  /** For the audit: those that were not heard of. The same again change nothing. */
  acts: readonly AuditAct[]
}

/** What it hears of one that goes. */
export interface LastReport extends Pick<SessionReport, 'spent' | 'acts'> {
  createdTime: number
}

/** What a tenant answers to a report. */
export interface ReportAnswer {
  /** Since when (Unix ms) somebody wants to be told of its runs; null: nobody does. */
  since: number | null
  /** Its sessions keep as much as they may. */
  isFull: boolean
}

/** The lists of sessions, of what they spent and of what was done to them, one a tenant. */
interface Directory {
  /** A number or null: `since`, of a tenant whose sessions may keep what they like. */
  put(tenant: string, report: SessionReport): Promise<number | null | ReportAnswer>
  remove(tenant: string, id: string, left: LastReport): Promise<number | null>
}

/** Where what callbacks are to be told is kept until they are, one a tenant. */
interface OutboxOfTenants {
  /** The same news again change nothing. */
  put(tenant: string, news: readonly News[]): Promise<void>
  /** A session is deleted. */
  forget(tenant: string, sessionId: string): Promise<void>
}

/** The other sessions of a tenant. */
interface OtherSessions {
  /** Have one tell when its run is over. The same again changes nothing. */
  await(tenant: string, session: string, awaiter: Awaiter): Promise<AwaitedAnswer>
  /** Tell one that waits by this item. One that does not wait any more hears nothing. */
  tell(tenant: string, awaiter: Pick<Awaiter, 'session' | 'item'>, end: AwaitedEnd): Promise<void>
}

/** What a session knows of the room that its tenant has left, where that is bounded. */
interface Room {
  /** What it keeps itself, in bytes. */
  bytes(): number
  /** Told with the last report. */
  heard(isFull: boolean): void
  /** Why it takes no new task; null: it does. Asks nobody unless it heard last that there is no room. */
  refusal(tenant: string): Promise<AppError | null> | null
}

/** What a session knew last of its tenant's settings: it holds where the tenant cannot be asked. */
export interface SettingsCopy {
  read(): HeldSettings | null
  write(settings: HeldSettings): void
}

/** All that a session needs of its home. */
export interface SessionPorts {
  log: Log
  now: Now
  engine: Engine
  alarm: Alarm
  /** Whether the server's next start takes up whatever was open when its process ended, however that was: then a run that is soon over needs no
   *  alarm to guard it. */
  isTakenUp?: boolean
  directory: Directory
  /** Null: nobody is told of runs. */
  outbox: OutboxOfTenants | null
  /** Absent: there are none. */
  others?: OtherSessions
  /** Whether older messages may be summarised; a history that its caller keeps is not. */
  compacts: boolean
  /** Do `work` as one invocation of the platform. `isSpent`: it has made so many requests that it is to start nothing new. Absent: it may make
   *  as many as it likes. */
  asInvocation?: <T>(work: (isSpent: () => boolean) => T) => T
  /** Absent: there is room. */
  room?: Room
  /** Told what a client will continue that was given the whole of a run. Absent: nobody asks. */
  threads?: { leave(tenant: string, rest: ThreadRest): Promise<void> }
  /** What it knew last of its tenant's settings. Absent: it keeps none. */
  settings?: SettingsCopy
  /** Keeps the process alive for work that nobody awaits. */
  keepAlive(work: Promise<unknown>): void
  /** Forgets all of the session's storage. */
  destroy(): Promise<void>
  /** Tells the operator of a bug. */
  report(error: unknown): void
  /** Watches what happens, for the operator. */
  watch?: Watch
}
