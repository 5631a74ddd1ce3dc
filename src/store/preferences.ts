import type { Preference } from '../domain/memory.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import { type MemoryPage, type MemoryQuery, pageOfRows } from './memory-rows.ts'

interface PreferenceRow extends Preference {
  id: number
}

const shape = ({ key, value }: PreferenceRow): Preference => ({ key, value })

/** Keep a preference; it is the newest then, and the oldest goes when they are too many. */
export function putPreference(db: Database, user: string, { key, value }: Preference, now: number): void {
  db.transaction(() => {
    db.all(
      'INSERT OR REPLACE INTO preferences (user_id, key, value, timestamp) VALUES (?, ?, ?, ?)',
      user,
      key,
      value,
      now,
    )
    db.all(
      'DELETE FROM preferences WHERE id NOT IN (SELECT id FROM preferences ORDER BY id DESC LIMIT ?)',
      LIMITS.memory.preferencesMax,
    )
  })
}

export function getPreference(db: Database, key: string): Preference | null {
  const row = db.first<PreferenceRow>('SELECT id, key, value FROM preferences WHERE key = ?', key)
  return row ? shape(row) : null
}

/** False: there was none. */
export function deletePreference(db: Database, key: string): boolean {
  return db.first('DELETE FROM preferences WHERE key = ? RETURNING id', key) !== undefined
}

/** Preferences, newest first. */
export function listPreferences(db: Database, { limit, cursor }: Omit<MemoryQuery, 'q'>): MemoryPage<Preference> {
  const rows = db.all<PreferenceRow>(
    'SELECT id, key, value FROM preferences WHERE id < ? ORDER BY id DESC LIMIT ?',
    cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
    limit + 1,
  )
  return pageOfRows(rows, limit, shape)
}
