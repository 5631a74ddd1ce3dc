import type { AuditActor } from '../domain/audit.ts'
import { NOTHING_COUNTED, USER_JOB_LIMITS, type UserJob, type UserJobType } from '../domain/user-job.ts'
import { newId } from '../lib/id.ts'
import { byteStream } from '../lib/streams.ts'
import type { Database } from '../store/database.ts'
import {
  exportPart,
  putUserJob,
  removeExportParts,
  removeUserJob,
  type StoredUserJob,
  userJobs,
} from '../store/user-jobs.ts'
import { eraseStep, exportStep, failedJob, type UserJobPorts } from './user-job-steps.ts'

/** What is asked for, and by whom. */
export interface JobOrder {
  type: UserJobType
  tenant: string
  user: string
  actor: AuditActor
}

/** What came of asking for a job: it goes on (it may have gone on before), it is done, or one of the other type is under way. */
export type AskedJob = { outcome: 'in_progress' | 'completed' | 'other'; job: UserJob }

/** Erases or exports all that there is of one user, step by step. A step is written down when it is done, so that a process which dies
 *  repeats one at most. */
export class UserJobs {
  readonly #ports: UserJobPorts
  #isAwake = false

  constructor(ports: UserJobPorts) {
    this.#ports = ports
  }

  /** Newest first. Whoever looks wakes what died with its process. */
  async list(): Promise<UserJob[]> {
    if (!this.#isAwake && this.#due()) await this.#ports.alarm(this.#ports.now())
    return userJobs(this.#ports.db).map(({ job }) => job)
  }

  /** An export that can still be had is what is asked for; an erasure is begun anew. */
  async ask({ type, tenant, user, actor }: JobOrder): Promise<AskedJob> {
    const { db, now } = this.#ports
    const [newest] = userJobs(db)
    if (newest?.job.status === 'in_progress')
      return { outcome: newest.job.type === type ? 'in_progress' : 'other', job: newest.job }
    if (type === 'export' && newest && isThere(newest.job, now())) return { outcome: 'completed', job: newest.job }
    const stored = newJob({ type, tenant, user, actor }, now())
    putUserJob(db, stored)
    await this.#ports.alarm(stored.due)
    return { outcome: 'in_progress', job: stored.job }
  }

  /** The bytes of an export; null: there is none, any more or yet. */
  read(id: string): ReadableStream<Uint8Array> | null {
    const { db, now } = this.#ports
    const found = userJobs(db).find(({ job }) => job.id === id && isThere(job, now()))
    return found ? byteStream(partsOf(db, id, found.work.parts)) : null
  }

  /** What the alarm does: steps of what is due. Another alarm stands meanwhile, in case that the process dies. */
  async wake(): Promise<void> {
    if (this.#isAwake || !this.#due()) return this.#sleep()
    this.#isAwake = true
    try {
      await this.#ports.alarm(this.#ports.now() + USER_JOB_LIMITS.guardMs)
      await this.#steps()
    } finally {
      this.#isAwake = false
    }
    await this.#sleep()
  }

  async #steps(): Promise<void> {
    const { now } = this.#ports
    const until = now() + USER_JOB_LIMITS.batchMs
    for (let due = this.#due(); due; due = this.#due()) {
      if (now() >= until) break
      await this.#step(due)
    }
  }

  /** Until something is due; while steps are under way, the alarm that they set stands. */
  async #sleep(): Promise<void> {
    const { db, now, alarm } = this.#ports
    const times = userJobs(db).map((stored) => stored.due)
    if (times.length > 0 && !this.#isAwake) await alarm(Math.max(Math.min(...times), now()))
  }

  #due(): StoredUserJob | undefined {
    return userJobs(this.#ports.db).find(({ due }) => due <= this.#ports.now())
  }

  async #step(stored: StoredUserJob): Promise<void> {
    const { db, now } = this.#ports
    const { job, work } = stored
    if (work.stage === 'over') return this.#expire(stored)
    try {
      const next = await (job.type === 'erase' ? eraseStep(this.#ports, stored) : exportStep(this.#ports, stored))
      putUserJob(db, { ...next, work: { ...next.work, attempts: 0 } })
    } catch (error) {
      this.#ports.report(error)
      putUserJob(db, failedStep(stored, now()))
    }
  }

  /** An export goes first, then the job itself. */
  #expire({ job, work }: StoredUserJob): void {
    const { db, now } = this.#ports
    const gone = Date.parse(job.ended_time ?? job.created_time) + USER_JOB_LIMITS.jobKeptMs
    if (gone <= now()) return removeUserJob(db, job.id)
    removeExportParts(db, job.id)
    putUserJob(db, { due: gone, job: { ...job, expires_time: null }, work })
  }
}

function newJob({ type, tenant, user, actor }: JobOrder, now: number): StoredUserJob {
  const created = new Date(now).toISOString()
  const about = { counts: NOTHING_COUNTED, bytes: 0, error: null, ended_time: null, expires_time: null }
  const id = newId('job', now)
  const stage = type === 'erase' ? 'sessions' : 'preferences'
  const nothing = { form: 0, cursor: null, ids: [], again: false, parts: 0, attempts: 0 }
  return {
    due: now,
    job: { id, object: 'user.job', type, user, status: 'in_progress', created_time: created, ...about },
    work: { tenant, actor, stage, ...nothing, auditId: newId('aud', now) },
  }
}

function isThere({ type, status, expires_time: until }: UserJob, now: number): boolean {
  return type === 'export' && status === 'completed' && until !== null && Date.parse(until) > now
}

function* partsOf(db: Database, id: string, count: number): Generator<Uint8Array, void, void> {
  for (let part = 0; part < count; part++) {
    const bytes = exportPart(db, id, part)
    if (!bytes) throw new Error('the export expired while it was read')
    yield bytes
  }
}

/** Tried again later; in the end the job failed, and can be asked for again. */
function failedStep({ job, work }: StoredUserJob, now: number): StoredUserJob {
  const attempts = work.attempts + 1
  const { attemptsMax, retryMs, retryMsMax } = USER_JOB_LIMITS
  const waiting = { ...work, attempts }
  if (attempts < attemptsMax)
    return { due: now + Math.min(retryMs * 2 ** (attempts - 1), retryMsMax), job, work: waiting }
  return failedJob({ due: now, job, work: waiting }, `its step "${work.stage}" failed ${attempts} times`, now)
}
