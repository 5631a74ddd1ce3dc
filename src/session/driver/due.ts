import { LIMITS } from '../../domain/limits.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { isActive, mayDequeue } from '../../log/branches.ts'

const DAY_MS = 24 * 60 * 60_000

/** When a session has to wake (Unix ms): as the guard of an open or queued run, else when something pending expires or the session
 *  is old enough to go; null: never. */
export function dueTime(journal: Journal, { engine, now }: Pick<SessionPorts, 'engine' | 'now'>): number | null {
  if (isActive(journal.state) || mayDequeue(journal.state)) return now() + LIMITS.run.guardMs
  const expiries = journal.state.pending.map((item) => Date.parse(item.expires_time))
  const times = [...expiries, retentionEnd(journal, engine) ?? Infinity]
  const next = Math.min(...times)
  return next === Infinity ? null : next
}

/** When a session that nobody touches is deleted; null: never. */
export function retentionEnd({ record, state }: Journal, engine: Engine): number | null {
  const days = engine.config.retention_days
  return days === undefined ? null : Math.max(record.createdTime, state.updatedTime) + days * DAY_MS
}
