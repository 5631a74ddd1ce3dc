import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import type { Kept } from './skills.ts'
import { deleteText, getText, putText } from './texts.ts'

/** A request that comes with an Idempotency-Key. `fingerprint`: a hash of what it asks; `sessionId`: the session that it is for. */
export interface Claim {
  key: string
  fingerprint: string
  sessionId: string | null
}

/** An answer that was kept for a key without a session. */
export interface KeptAnswer {
  status: number
  contentType: string
  body: string
  location?: string
}

/** What a request with a key is answered when it comes again, to be written in the transaction of its effect. */
export interface StoredResponse {
  key: string
  answer: KeptAnswer
}

export type Claimed =
  | { outcome: 'first'; sessionId: string | null }
  /** The same request again; `answer`: the kept one, where the tenant keeps it. */
  | { outcome: 'again'; sessionId: string | null; answer: KeptAnswer | null }
  | { outcome: 'other_request' }

interface ClaimRow {
  fingerprint: string
  session_id: string | null
  answered: number
}

/** Take a key for a request; keys are kept for a day. */
export function claim(db: Database, { key, fingerprint, sessionId }: Claim, now: number): Claimed {
  forgetOld(db, now)
  const known = db.first<ClaimRow>('SELECT fingerprint, session_id, answered FROM claims WHERE key = ?', key)
  if (!known) {
    db.all(
      'INSERT INTO claims (key, fingerprint, session_id, time, answered) VALUES (?, ?, ?, ?, 0)',
      key,
      fingerprint,
      sessionId,
      now,
    )
    return { outcome: 'first', sessionId }
  }
  if (known.fingerprint !== fingerprint) return { outcome: 'other_request' }
  return { outcome: 'again', sessionId: known.session_id, answer: known.answered ? readAnswer(db, key) : null }
}

/** Give a key back whose request was refused. One that is answered stays taken. */
export function releaseClaim(db: Database, key: string): void {
  db.all('DELETE FROM claims WHERE key = ? AND answered = 0', key)
}

export function keepClaimAnswer(db: Database, { key, answer }: StoredResponse): void {
  const known = db.all('UPDATE claims SET answered = 1 WHERE key = ? RETURNING key', key).length > 0
  if (known) putText(db, answerOf(key), JSON.stringify(answer))
}

/** Makes something together with the answer that its request gets when it comes again: both are there, or neither. */
export function makeWithAnswer(db: Database, done: StoredResponse | null, make: () => Kept): Kept {
  return db.transaction(() => {
    const kept = make()
    if (done && (kept === 'made' || kept === 'replaced')) keepClaimAnswer(db, done)
    return kept
  })
}

function readAnswer(db: Database, key: string): KeptAnswer | null {
  const text = getText(db, answerOf(key))
  return text === null ? null : (JSON.parse(text) as KeptAnswer)
}

function forgetOld(db: Database, now: number): void {
  const gone = db.all<{ key: string }>(
    'DELETE FROM claims WHERE time < ? RETURNING key',
    now - LIMITS.idempotency.keptMs,
  )
  for (const { key } of gone) deleteText(db, answerOf(key))
}

function answerOf(key: string): string {
  return `answer:${key}`
}
