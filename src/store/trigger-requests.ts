import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'

/** What a request with an Idempotency-Key did to a trigger, written in the transaction that does it. Null: it did nothing yet. */
export function triggerOfRequest(db: Database, key: string): string | null {
  return db.first<{ id: string }>('SELECT id FROM requests WHERE key = ?', key)?.id ?? null
}

/** Keep what a request did; those that are older than keys are kept go. */
export function keepTriggerRequest(db: Database, key: string, id: string, now: number): void {
  db.all('DELETE FROM requests WHERE time < ?', now - LIMITS.idempotency.keptMs)
  db.all('INSERT INTO requests (key, id, time) VALUES (?, ?, ?)', key, id, now)
}
