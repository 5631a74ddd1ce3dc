import { LIMITS } from '../domain/limits.ts'
import type { StoredRequest } from '../domain/ports.ts'
import type { Database } from './database.ts'
import { deleteText, getText, putText } from './texts.ts'

interface RequestRow {
  key: string
  run_id: string | null
  from_seq: number
  answered: number
}

/** Keep a keyed request; what is older than a key is kept goes. */
export function writeRequest(db: Database, request: StoredRequest, time: Date): void {
  const oldest = new Date(time.getTime() - LIMITS.idempotency.keptMs).toISOString()
  for (const { key } of db.all<{ key: string }>('DELETE FROM requests WHERE time < ? RETURNING key', oldest))
    deleteText(db, answerOf(key))
  db.all(
    'INSERT INTO requests (key, run_id, from_seq, time, answered) VALUES (?, ?, ?, ?, 0)',
    request.key,
    request.runId,
    request.fromSeq,
    time.toISOString(),
  )
  if (request.answer !== null) writeAnswer(db, request.key, request.answer)
}

export function readRequest(db: Database, key: string): StoredRequest | null {
  const row = db.first<RequestRow>('SELECT key, run_id, from_seq, answered FROM requests WHERE key = ?', key)
  if (!row) return null
  return { key, runId: row.run_id, fromSeq: row.from_seq, answer: row.answered ? getText(db, answerOf(key)) : null }
}

export function writeAnswer(db: Database, key: string, answer: string): void {
  const known = db.all('UPDATE requests SET answered = 1 WHERE key = ? RETURNING key', key).length > 0
  if (known) putText(db, answerOf(key), answer)
}

function answerOf(key: string): string {
  return `answer:${key}`
}
