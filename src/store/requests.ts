import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import type { StoredRequest } from '../domain/ports.ts'
import type { Database } from './database.ts'
import { deleteText, getText, putText } from './texts.ts'

/** A keyed request among the facts of a session: few have one, so there is no table for them. `time`: Unix ms. */
const requestFact = z.object({
  fingerprint: z.string().optional(),
  runId: z.string().nullable(),
  fromSeq: z.number(),
  time: z.number(),
  answered: z.boolean(),
})

const PREFIX = 'request:'
const factOf = (key: string) => `${PREFIX}${key}`
const answerOf = (key: string) => `answer:${key}`

/** The keyed requests of a session. */
export class KeyedRequests {
  readonly #db: Database
  /** What was asked for last: a command looks more than once. */
  #looked: { key: string; request: StoredRequest | null } | null = null
  /** When this process last took old ones away, Unix ms; null: never. */
  #tidiedTime: number | null = null
  /** None was kept since the session was made, which was here. */
  #areNone = false

  constructor(db: Database) {
    this.#db = db
  }

  /** There are none yet. */
  begin(time: number): void {
    this.#tidiedTime = time
    this.#areNone = true
    this.#looked = null
  }

  read(key: string): StoredRequest | null {
    if (this.#areNone) return null
    if (this.#looked?.key !== key) this.#looked = { key, request: readRequest(this.#db, key) }
    return this.#looked.request
  }

  /** Keep one. Throws when the key is there and not too old, unless the request replaces it: its effect was done. */
  write(request: StoredRequest): void {
    const { keptMs, tidyMs } = LIMITS.idempotency
    const isTidy = this.#tidiedTime !== null && request.time - this.#tidiedTime < tidyMs
    if (!isTidy) forgetOld(this.#db, request.time - keptMs)
    if (!isTidy) this.#tidiedTime = request.time
    const before = this.read(request.key)
    const isOld = before !== null && before.time <= request.time - keptMs
    this.#areNone = false
    this.#looked = null
    writeRequest(this.#db, isOld ? { ...request, replaces: true } : request)
  }

  keepAnswer(key: string, answer: string): void {
    this.#looked = null
    writeAnswer(this.#db, key, answer)
  }

  clear(): void {
    this.#looked = null
  }
}

function writeRequest(db: Database, request: StoredRequest): void {
  const { key, fingerprint, runId, fromSeq, time, replaces } = request
  const fact = JSON.stringify({ fingerprint, runId, fromSeq, time, answered: false })
  if (replaces) deleteText(db, answerOf(key))
  db.all(`INSERT ${replaces ? 'OR REPLACE ' : ''}INTO facts (key, value) VALUES (?, ?)`, factOf(key), fact)
  if (request.answer !== null) writeAnswer(db, key, request.answer)
}

function readRequest(db: Database, key: string): StoredRequest | null {
  const fact = getFact(db, key)
  if (!fact) return null
  const { fingerprint, runId, fromSeq, time, answered } = fact
  return { key, fingerprint, runId, fromSeq, time, answer: answered ? getText(db, answerOf(key)) : null }
}

function writeAnswer(db: Database, key: string, answer: string): void {
  const fact = getFact(db, key)
  if (!fact) return
  db.all('UPDATE facts SET value = ? WHERE key = ?', JSON.stringify({ ...fact, answered: true }), factOf(key))
  putText(db, answerOf(key), answer)
}

function getFact(db: Database, key: string): z.infer<typeof requestFact> | null {
  const row = db.first<{ value: string }>('SELECT value FROM facts WHERE key = ?', factOf(key))
  return row ? requestFact.parse(JSON.parse(row.value)) : null
}

function forgetOld(db: Database, oldest: number): void {
  const old = db.all<{ key: string }>(
    "DELETE FROM facts WHERE key >= ? AND key < ? AND value ->> 'time' <= ? RETURNING key",
    PREFIX,
    `${PREFIX}\u{10ffff}`,
    oldest,
  )
  for (const { key } of old) deleteText(db, answerOf(key.slice(PREFIX.length)))
}
