import type { AuditAct } from '../domain/audit.ts'
import type { Link } from '../domain/link.ts'
import { type UsageRow, USER_JOB_LIMITS, type UserCounts, type UserJob } from '../domain/user-job.ts'
import type { Database } from '../store/database.ts'
import { forgetMemory, forgetSessionMemory, MEMORY_SCHEMA } from '../store/memory.ts'
import { listRounds, listTasks, type MemoryPage } from '../store/memory-rows.ts'
import { isMigrated } from '../store/migrate.ts'
import { listPreferences } from '../store/preferences.ts'
import {
  putExportPart,
  removeExportParts,
  type StoredUserJob,
  type UserJobStage,
  type UserWork,
  userJobs,
} from '../store/user-jobs.ts'

/** What the tenant has of a user. Everything may be done twice: the second time finds less, or the same. */
export interface UserData {
  /** Sessions, newest first: those older than the cursor. */
  sessions(user: string, cursor: string | null): Promise<SessionPage>
  /** The document of a session; null: it is gone. */
  exportSession(id: string): Promise<ReadableStream<Uint8Array> | null>
  links(sessionId: string): Promise<Link[]>
  /** False: it was gone. */
  removeSession(id: string): Promise<boolean>
  usage(user: string, cursor: string | null): Promise<{ data: UsageRow[]; nextCursor: string | null }>
  /** Take the name from what was spent, with the links that the user made; how many rows and links that were. */
  forgetUser(user: string): Promise<Pick<UserCounts, 'links' | 'usage_rows'>>
  /** Tell the audit, which takes an id once. */
  tell(act: AuditAct): Promise<void>
}

export interface SessionPage {
  data: { id: string; start_time: string }[]
  nextCursor: string | null
}

export interface UserJobPorts {
  db: Database
  now: () => number
  /** Have `wake` called at a time (Unix ms). */
  alarm: (time: number) => Promise<void>
  of: (tenant: string) => UserData
  report: (error: unknown) => void
}

/** One step of an erasure: sessions first, as they write into memory and usage. */
export async function eraseStep(ports: UserJobPorts, stored: StoredUserJob): Promise<StoredUserJob> {
  const { job, work } = stored
  const data = ports.of(work.tenant)
  const [id, ...ids] = work.ids
  if (id !== undefined) {
    const links = (await data.links(id)).length
    await data.removeSession(id)
    const were = { sessions: 1, links, ...forgetSessionMemory(ports.db, id) }
    return { ...stored, job: counted(job, were), work: { ...work, ids } }
  }
  switch (work.stage) {
    case 'sessions':
      return nextSessions(data, stored, 'memory')
    case 'memory':
      for (const other of userJobs(ports.db)) if (other.job.id !== job.id) removeExportParts(ports.db, other.job.id)
      return {
        ...stored,
        job: counted(job, work.again ? {} : forgetMemory(ports.db)),
        work: { ...work, stage: 'usage' },
      }
    case 'usage': {
      const forgotten = await Promise.all(formsOf(job.user).map((user) => data.forgetUser(user)))
      return { ...stored, job: forgotten.reduce(counted, job), work: { ...work, stage: 'tell' } }
    }
    default:
      return erased(ports, stored)
  }
}

/** It is done, and looks once more after a while. */
async function erased(ports: UserJobPorts, stored: StoredUserJob): Promise<StoredUserJob> {
  const { job, work } = stored
  const now = ports.now()
  if (work.again) return { due: now, job, work: { ...work, stage: 'over' } }
  const done = { ...job, status: 'completed', ended_time: timeOf(now) } as const
  await tell(ports, done, work, 'user.erased')
  const again = { ...work, stage: 'sessions', again: true, form: 0, cursor: null } as const
  return { due: now + USER_JOB_LIMITS.lookAgainMs, job: done, work: again }
}

/** One step of an export. What a step before it that died had written is written over. */
export async function exportStep(ports: UserJobPorts, stored: StoredUserJob): Promise<StoredUserJob> {
  const { db } = ports
  const { job, work } = stored
  const data = ports.of(work.tenant)
  const page = { limit: USER_JOB_LIMITS.rowsPerStep, ...(work.cursor === null ? {} : { cursor: work.cursor }) }
  const rows = (kind: keyof UserCounts, type: string, found: MemoryPage<object>, next: UserJobStage) =>
    rowsStep(ports, stored, { kind, type, found, next })
  removeExportParts(db, job.id, work.parts)
  if (work.ids.length > 0) return sessionStep(ports, stored)
  switch (work.stage) {
    case 'preferences':
      return rows(
        'preferences',
        'preference',
        ifMade(db, () => listPreferences(db, page)),
        'rounds',
      )
    case 'rounds':
      return rows(
        'conversations',
        'conversation',
        ifMade(db, () => listRounds(db, page)),
        'tasks',
      )
    case 'tasks':
      return rows(
        'tasks',
        'task',
        ifMade(db, () => listTasks(db, page)),
        'sessions',
      )
    case 'sessions':
      return nextSessions(data, stored, 'usage')
    case 'usage': {
      const user = formsOf(job.user)[work.form] ?? job.user
      return rows('usage_rows', 'usage', await data.usage(user, work.cursor), 'tell')
    }
    default:
      return exported(ports, stored)
  }
}

/** Rows of one kind as lines; behind the last page the next stage comes, after the other forms of the name where it is looked for by it. */
function rowsStep(ports: UserJobPorts, stored: StoredUserJob, step: RowsStep): StoredUserJob {
  const { data, nextCursor } = step.found
  const lines = data.map((row) => lineOf({ type: step.type, ...row })).join('')
  const writer = new PartWriter(ports.db, stored)
  writer.write(encoder.encode(lines))
  const written = writer.end()
  const job = counted(written.job, { [step.kind]: data.length })
  const at = nextCursor === null && step.kind === 'usage_rows' ? nextForm(written, step.next) : null
  const moved = at ?? (nextCursor === null ? { stage: step.next, cursor: null } : { cursor: nextCursor })
  return { ...written, job, work: { ...written.work, ...moved } }
}

interface RowsStep {
  kind: keyof UserCounts
  type: string
  found: MemoryPage<object>
  next: UserJobStage
}

/** A memory that was never used has no tables. */
function ifMade<T>(db: Database, look: () => MemoryPage<T>): MemoryPage<T> {
  return isMigrated(db, MEMORY_SCHEMA) ? look() : { data: [], nextCursor: null }
}

/** One session: its document, with its links. */
async function sessionStep(ports: UserJobPorts, stored: StoredUserJob): Promise<StoredUserJob> {
  const { work } = stored
  const data = ports.of(work.tenant)
  const [id = '', ...ids] = work.ids
  const [document, links] = await Promise.all([data.exportSession(id), data.links(id)])
  const writer = new PartWriter(ports.db, stored)
  if (document) {
    writer.write(encoder.encode('{"type":"session","document":'))
    for await (const chunk of document) writer.write(chunk)
    writer.write(encoder.encode('}\n'))
  }
  for (const link of links) writer.write(encoder.encode(lineOf({ type: 'link', ...link })))
  const written = writer.end()
  const job = counted(written.job, { sessions: document ? 1 : 0, links: links.length })
  const left = { ...written, job, work: { ...written.work, ids } }
  return job.bytes <= USER_JOB_LIMITS.exportBytesMax ? left : tooLarge(ports, left)
}

function tooLarge(ports: UserJobPorts, stored: StoredUserJob): StoredUserJob {
  removeExportParts(ports.db, stored.job.id)
  return failedJob(
    stored,
    `it has more than ${USER_JOB_LIMITS.exportBytesMax} bytes: export session by session`,
    ports.now(),
  )
}

async function exported(ports: UserJobPorts, { job, work }: StoredUserJob): Promise<StoredUserJob> {
  const now = ports.now()
  const due = now + USER_JOB_LIMITS.exportKeptMs
  const done = { ...job, status: 'completed', ended_time: timeOf(now), expires_time: timeOf(due) } as const
  await tell(ports, done, work, 'user.export')
  return { due, job: done, work: { ...work, stage: 'over' } }
}

/** The next sessions that began before the job was asked for; behind the last of them the next stage comes. */
async function nextSessions(data: UserData, stored: StoredUserJob, next: UserJobStage): Promise<StoredUserJob> {
  const { job, work } = stored
  const user = formsOf(job.user)[work.form] ?? job.user
  const { data: found, nextCursor: cursor } = await data.sessions(user, work.cursor)
  const ids = found.filter(({ start_time: time }) => time <= job.created_time).map(({ id }) => id)
  // The list is not ordered by ids: that of a session which was made under a key says nothing of when.
  const moved = cursor === null ? nextForm(stored, next) : { cursor }
  return { ...stored, work: { ...work, ids, ...moved } }
}

/** The user's name as it may also have been written; behind the last form the next stage comes. */
function nextForm({ job, work }: StoredUserJob, next: UserJobStage): Pick<UserWork, 'stage' | 'form' | 'cursor'> {
  const isLast = work.form + 1 >= formsOf(job.user).length
  return isLast ? { stage: next, form: 0, cursor: null } : { stage: work.stage, form: work.form + 1, cursor: null }
}

/** What was done, and for whom. */
function tell({ of }: UserJobPorts, job: UserJob, { tenant, actor, auditId }: UserWork, action: string): Promise<void> {
  const details = { job: job.id, ...job.counts }
  const about = { actor, action, target: job.user, outcome: 'done', status: null, request_id: null, details } as const
  return of(tenant).tell({ id: auditId, time: job.ended_time ?? job.created_time, ...about })
}

const encoder = new TextEncoder()

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}

/** Writes bytes behind the parts of an export that are whole. */
class PartWriter {
  readonly #db: Database
  readonly #stored: StoredUserJob
  #pieces: Uint8Array[] = []
  #parts: number
  #filled = 0
  #bytes = 0

  constructor(db: Database, stored: StoredUserJob) {
    this.#db = db
    this.#stored = stored
    this.#parts = stored.work.parts
  }

  write(bytes: Uint8Array): void {
    const { partBytesMax } = USER_JOB_LIMITS
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + partBytesMax - this.#filled)
      this.#pieces.push(piece)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === partBytesMax) this.#put()
    }
  }

  end(): StoredUserJob {
    if (this.#filled > 0) this.#put()
    const { job, work } = this.#stored
    return { ...this.#stored, job: { ...job, bytes: job.bytes + this.#bytes }, work: { ...work, parts: this.#parts } }
  }

  #put(): void {
    putExportPart(this.#db, this.#stored.job.id, this.#parts, joined(this.#pieces, this.#filled))
    this.#parts++
    this.#bytes += this.#filled
    this.#pieces = []
    this.#filled = 0
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** What is over. An erasure that was told of as done stays so when its second look fails. */
export function failedJob({ job, work }: StoredUserJob, error: string, now: number): StoredUserJob {
  const failed = work.again ? job : ({ ...job, status: 'failed', error, ended_time: timeOf(now) } as const)
  return { due: now, job: failed, work: { ...work, stage: 'over' } }
}

export function timeOf(now: number): string {
  return new Date(now).toISOString()
}

/** The same letters are the same user, however they are encoded; lists know a user as it was written. */
function formsOf(user: string): string[] {
  return [...new Set([user, user.normalize('NFC'), user.normalize('NFD')])]
}

export function counted(job: UserJob, more: Partial<UserCounts>): UserJob {
  const counts = { ...job.counts }
  for (const [name, value] of Object.entries(more)) counts[name as keyof UserCounts] += value
  return { ...job, counts }
}
