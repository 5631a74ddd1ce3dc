import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** What is too long for a row, by key, in parts. */
export const TEXTS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS texts (key TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, part)) WITHOUT ROWID;',
])

/** Keep a text of any length under a key, in parts that fit a row. Replaces an earlier one. */
export function putText(db: Database, key: string, text: string): void {
  makeForUse(db, TEXTS_SCHEMA)
  deleteText(db, key)
  for (const [part, piece] of parts(text).entries()) {
    db.all('INSERT INTO texts (key, part, text) VALUES (?, ?, ?)', key, part, piece)
  }
}

/** The text under a key, or null. */
export function getText(db: Database, key: string): string | null {
  if (!isMade(db, TEXTS_SCHEMA)) return null
  const rows = db.all<{ text: string }>('SELECT text FROM texts WHERE key = ? ORDER BY part', key)
  return rows.length === 0 ? null : rows.map((row) => row.text).join('')
}

export function deleteText(db: Database, key: string): void {
  if (isMade(db, TEXTS_SCHEMA)) db.all('DELETE FROM texts WHERE key = ?', key)
}

/** Pieces of at most `partCharsMax` units, never parting a surrogate pair (SQLite stores UTF-8). */
function parts(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length || from === 0;) {
    const to = boundary(text, from + LIMITS.store.partCharsMax)
    pieces.push(text.slice(from, to))
    from = to
    if (text.length === 0) break
  }
  return pieces
}

function boundary(text: string, at: number): number {
  if (at >= text.length) return text.length
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
