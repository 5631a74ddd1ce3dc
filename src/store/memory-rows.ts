import * as z from 'zod'
import type { RememberedTask, Round } from '../domain/memory.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database, Value } from './database.ts'
import { STATUSES } from '../domain/run.ts'

export interface RoundRow {
  id: number
  run_id: string
  session_id: string
  user_message: string
  ai_response: string
  timestamp: number
  untrusted: number
}

export interface TaskRow {
  id: number
  run_id: string
  session_id: string
  user_id: string
  task_data: string
  timestamp: number
  untrusted: number
}

export interface MemoryQuery {
  /** Every word of it is in what is found; without one, everything is. */
  q?: string | undefined
  limit: number
  /** As the page before gave it. */
  cursor?: string | undefined
}

export interface MemoryPage<T> {
  data: T[]
  /** Null: there is no more. */
  nextCursor: string | null
}

const taskData = z.object({
  task: z.string(),
  result: z.string().nullable(),
  status: z.enum(STATUSES),
})

export function roundOf({ run_id, session_id, user_message, ai_response, timestamp, untrusted }: RoundRow): Round {
  const said = { session_id, run_id, user_message, ai_response }
  return { ...said, timestamp: new Date(timestamp).toISOString(), untrusted: untrusted === 1 }
}

export function storedTask({ user_id, run_id, session_id, task_data, timestamp, untrusted }: TaskRow): RememberedTask {
  const data = taskData.parse(JSON.parse(task_data))
  const time = new Date(timestamp).toISOString()
  return { user_id, session_id, run_id, task_data: data, timestamp: time, untrusted: untrusted === 1 }
}

/** Rounds, newest first. */
export function listRounds(db: Database, query: MemoryQuery): MemoryPage<Round> {
  return pageOfRows(rowsOf<RoundRow>(db, 'conversations', 'conversation_words', query), query.limit, roundOf)
}

/** Tasks, newest first. */
export function listTasks(db: Database, query: MemoryQuery): MemoryPage<RememberedTask> {
  return pageOfRows(rowsOf<TaskRow>(db, 'tasks', 'task_words', query), query.limit, storedTask)
}

/** Rounds that hold every word of a query, newest first; else, of the newest rounds, those that hold any, best first. */
export function searchRounds(db: Database, query: string, count: number): Round[] {
  const limit = Math.min(count, LIMITS.memory.recallMax)
  const found = rowsOf<RoundRow>(db, 'conversations', 'conversation_words', { q: query, limit }).slice(0, limit)
  return (found.length > 0 ? found : ranked(db, matchAny(query), limit)).map(roundOf)
}

/** To rank takes time with every row that fits, so only so many of the newest are looked at. */
function ranked(db: Database, match: string | null, limit: number): RoundRow[] {
  if (match === null) return []
  return db.all<RoundRow>(
    `SELECT conversations.* FROM conversation_words JOIN conversations ON conversations.id = conversation_words.rowid
     WHERE conversation_words MATCH ? AND conversation_words.rowid >
       (SELECT CAST(max(id) - ? AS INTEGER) FROM conversations) ORDER BY rank, conversations.id DESC LIMIT ?`,
    match,
    LIMITS.memory.rankedMax,
    limit,
  )
}

/** One row more than the limit, which tells whether there is another page. */
function rowsOf<Row>(
  db: Database,
  table: 'conversations' | 'tasks',
  words: 'conversation_words' | 'task_words',
  { q = '', limit, cursor }: MemoryQuery,
): Row[] {
  const before: Value = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const match = matchAll(q)
  if (q.trim() === '')
    return db.all<Row>(`SELECT * FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ?`, before, limit + 1)
  if (match === null) return []
  return db.all<Row>(
    `SELECT ${table}.* FROM ${words} JOIN ${table} ON ${table}.id = ${words}.rowid
     WHERE ${words} MATCH ? AND ${words}.rowid < CAST(? AS INTEGER) ORDER BY ${words}.rowid DESC LIMIT ?`,
    match,
    before,
    limit + 1,
  )
}

export function pageOfRows<Row extends { id: number }, T>(
  rows: readonly Row[],
  limit: number,
  shape: (row: Row) => T,
): MemoryPage<T> {
  const page = rows.slice(0, limit)
  return { data: page.map(shape), nextCursor: rows.length > limit ? String(page.at(-1)?.id) : null }
}

/** Scripts that put no spaces between words; Korean too, whose words end in many ways. */
const DENSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const PIECE = new RegExp(`[${DENSE}]+|(?:(?![${DENSE}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const IS_DENSE = new RegExp(`^[${DENSE}]`, 'u')

/** What the index holds of a text: its words as they are spaced; of text without spaces every two characters that are side
 *  by side, and the last one, so that a search finds any part of it. */
export function indexedWords(text: string): string {
  return piecesOf(text).flatMap(tokensOf).join(' ')
}

/** The FTS5 query for rows that hold every word (or its beginning) of a text; null: there is no word in it. */
function matchAll(query: string): string | null {
  const phrases = piecesOf(query).slice(0, LIMITS.memory.queryWordsMax).map(phraseOf)
  return phrases.length === 0 ? null : phrases.join(' AND ')
}

/** The FTS5 query for rows that hold any word of a text, single characters aside where there is more; null: as above. */
function matchAny(query: string): string | null {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  const words = Array.from(segmenter.segment(query), ({ segment }) => segment).filter(
    (word) => Array.from(word).length > 1,
  )
  const matches = words.slice(0, LIMITS.memory.queryWordsMax).flatMap((word) => matchAll(word) ?? [])
  return matches.length === 0 ? matchAll(query) : matches.map((match) => `(${match})`).join(' OR ')
}

let segmenter: Intl.Segmenter | undefined

function piecesOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(PIECE) ?? []
}

function tokensOf(piece: string): string[] {
  if (!IS_DENSE.test(piece)) return [piece]
  const characters = Array.from(piece)
  return characters.map((character, index) => `${character}${characters[index + 1] ?? ''}`)
}

/** A piece holds letters and digits alone, so nothing in it has to be escaped. */
function phraseOf(piece: string): string {
  const tokens = tokensOf(piece)
  return tokens.length === 1 ? `"${piece}"*` : `"${tokens.slice(0, -1).join(' ')}"`
}
