import { LIMITS } from '../domain/limits.ts'
import type { Database } from '../store/database.ts'
import { keepSweepPlace, type ListedSession, sessionsInProgress, sessionsOverdue, sweepPlace } from '../store/sweep.ts'
import { type Env, sessionObject } from './env.ts'
import { report } from './report.ts'

export interface Swept {
  /** How many sessions had lost their alarm. */
  lost: number
  /** Whether some of the list wait for the next sweep. */
  hasMore: boolean
}

type Next = (after: string) => ListedSession[]

/** Ask the sessions of a tenant's list that should be at work, or should have gone on by now (Unix ms), whether they lost their alarm: those
 *  that did go on. A long list is asked in several sweeps, each from where the one before stopped. */
export async function sweep(db: Database, env: Env, tenant: string, now: number): Promise<Swept> {
  const { ageMsMax, overdueMs, batchMax } = LIMITS.sweep
  const since = new Date(now - ageMsMax).toISOString()
  const overdue = new Date(now - overdueMs).toISOString()
  const inProgress: Next = (after) => sessionsInProgress(db, after, since, batchMax)
  const resting: Next = (after) => sessionsOverdue(db, after, overdue, batchMax)
  const isLost = (id: string) => takeUpIfLost(env, tenant, id)
  const one = await sweepList(db, 'in_progress', inProgress, isLost)
  const other = await sweepList(db, 'overdue', resting, isLost)
  return { lost: one.lost + other.lost, hasMore: one.hasMore || other.hasMore }
}

/** One list, some sessions at a time. */
async function sweepList(
  db: Database,
  name: string,
  next: Next,
  isLost: (id: string) => Promise<boolean>,
): Promise<Swept> {
  const { batchMax, sessionsMax } = LIMITS.sweep
  let after = sweepPlace(db, name)
  let asked = 0
  let lost = 0
  while (asked < sessionsMax) {
    const listed = next(after)
    const found = await Promise.all(listed.map(({ id }) => isLost(id)))
    asked += listed.length
    lost += found.filter(Boolean).length
    after = listed.at(-1)?.entry ?? after
    if (listed.length < batchMax) {
      keepSweepPlace(db, name, null)
      return { lost, hasMore: false }
    }
  }
  keepSweepPlace(db, name, after)
  return { lost, hasMore: true }
}

async function takeUpIfLost(env: Env, tenant: string, id: string): Promise<boolean> {
  try {
    return await sessionObject(env, tenant, id).takeUpIfLost()
  } catch (error) {
    report(error)
    return false
  }
}
