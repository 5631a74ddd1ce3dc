import type { Status } from '../domain/run.ts'
import type { ListedPending, Pending, ReportedPending } from '../domain/pending.ts'
import type { SessionSummary } from '../domain/session.ts'
import { LIMITS } from '../domain/limits.ts'
import { withinBytes } from '../lib/bytes.ts'
import { BUDGETS_SCHEMA } from './budgets.ts'
import type { Database, Value } from './database.ts'
import { KEYS_SCHEMA } from './keys.ts'
import { LINK_EDITS_SCHEMA, LINKS_SCHEMA, removeLinks } from './links.ts'
import { MCP_GRANTS_SCHEMA } from './mcp-grants.ts'
import { MCP_SERVERS_SCHEMA } from './mcp-servers.ts'
import { idBefore, isDerivedId } from '../lib/id.ts'
import { schemaOf, isMade, makeForUse, transact } from './migrate.ts'
import { RUN_LEASES_SCHEMA, reportRun } from './run-leases.ts'
import { SKILLS_SCHEMA } from './skills.ts'
import { USAGE_SCHEMA } from './usage.ts'
import { type AuditAct, AUDIT_LIMITS } from '../domain/audit.ts'

/** Tables of a tenant's directory: one row a session, enough to list and to search. `words`: title and, behind a line
 *  break, tasks, newest first, in lower case. `callbacks`: see `callbacksSince`. */
export const DIRECTORY_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, status TEXT NOT NULL, user TEXT, title TEXT NOT NULL, words TEXT NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS sessions_by_status ON sessions (status, id);
   CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions (user, id);
   CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, session_id TEXT, time INTEGER NOT NULL, answered INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS claims_by_time ON claims (time);
   CREATE INDEX IF NOT EXISTS claims_by_session ON claims (session_id);
   CREATE TABLE IF NOT EXISTS texts (key TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, part)) WITHOUT ROWID;`,
    USAGE_SCHEMA,
    SKILLS_SCHEMA,
    MCP_SERVERS_SCHEMA,
    MCP_GRANTS_SCHEMA,
    KEYS_SCHEMA,
    LINKS_SCHEMA,
    'CREATE TABLE IF NOT EXISTS callbacks (since INTEGER NOT NULL);',
    BUDGETS_SCHEMA,
    RUN_LEASES_SCHEMA,
    LINK_EDITS_SCHEMA,
  ],
  { countedSteps: 12 },
)

export interface SessionFilter {
  status?: Status | undefined
  user?: string | undefined
  /** Looked for in titles and tasks, letter case aside. */
  q?: string | undefined
  /** In progress, and told of last before this time (RFC 3339). */
  quietSince?: string | undefined
  /** Those whose metadata says `pinned: true`. */
  isPinned?: boolean
  limit: number
  /** Ids strictly older than this one. */
  cursor?: string | undefined
}

export interface WaitingFilter {
  user?: string | undefined
  type?: Pending['type'] | undefined
  /** Since this time (RFC 3339) or longer. */
  since?: string | undefined
  /** Those that wait for a delivery of this key. */
  webhookKey?: string | undefined
  /** Those that wait for the connection, or the MCP server, of this name. */
  connection?: string | undefined
  limit: number
  /** Entries strictly older than this one. */
  cursor?: string | undefined
}

/** Under which id a session stands in the list, whose order is that of ids: its own, but for one that was made under a key, whose id says
 *  nothing of when. */
export function listedAs(id: string, createdTime: number): string {
  const time = idBefore('ses', createdTime)
  return isDerivedId(id) ? time + id.slice(time.length) : id
}

/** The words of an entry whose title is parameter ?6 and newest task ?7: tasks of before stay, as many as fit into ?8 characters. */
const OLDER_TASKS = `substr(sessions.words, instr(sessions.words, char(10)) + 1)`
const MERGED_WORDS = `?6 || char(10) || CASE WHEN instr(${OLDER_TASKS}, ?7) > 0 THEN ${OLDER_TASKS}
  ELSE substr(?7 || char(10) || ${OLDER_TASKS}, 1, ?8) END`

/** Enter a session, or bring its entry up to date with its newest task. An update that was overtaken by a newer one changes nothing. */
export function putSession(
  db: Database,
  summary: SessionSummary,
  task: string,
  { pending = [], bytes }: { pending?: readonly ReportedPending[] | undefined; bytes?: number | undefined } = {},
): void {
  const listed = listedAs(summary.id, Date.parse(summary.start_time))
  if (listed !== summary.id) {
    // Releases before gave it an entry under its own id.
    db.all('DELETE FROM sessions WHERE id = ?', summary.id)
  }
  db.all(
    `INSERT INTO sessions (id, status, user, title, summary, words) VALUES (?1, ?2, ?3, ?4, ?5, ?6 || char(10) || ?7)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, user = excluded.user, title = excluded.title,
       words = ${MERGED_WORDS}, summary = excluded.summary
     WHERE excluded.summary ->> 'updated_time' >= sessions.summary ->> 'updated_time'`,
    listed,
    summary.status,
    summary.user,
    summary.title,
    JSON.stringify({
      ...summary,
      ...(pending.length > 0 ? { pending } : {}),
      ...(bytes === undefined ? {} : { bytes }),
    }),
    summary.title.replaceAll('\n', ' ').toLowerCase(),
    task.toLowerCase(),
    LIMITS.text.directoryTasksChars,
  )
}

/** Since when (Unix ms) the tenant has callbacks, which want to be told of runs; null: it has none. */
export function callbacksSince(db: Database): number | null {
  return db.first<{ since: number }>('SELECT since FROM callbacks')?.since ?? null
}

/** Note that the tenant has callbacks from `now` on, unless it had before, or that it has none any more. */
export function noteCallbacks(db: Database, are: boolean, now: number): void {
  if (!are) db.all('DELETE FROM callbacks')
  else if (callbacksSince(db) === null) db.all('INSERT INTO callbacks (since) VALUES (?)', now)
}

/** Forget a session, the keys of its requests and its links. */
export function removeSession(db: Database, id: string, createdTime: number): void {
  db.all('DELETE FROM sessions WHERE id IN (?, ?)', id, listedAs(id, createdTime))
  db.all('DELETE FROM claims WHERE session_id = ?', id)
  removeLinks(db, { sessionId: id })
  reportRun(db, id, false, 0)
}

/** Sessions that stand in the list under other ids than their own, by what an entry has of the id: few tenants have some, and few ask. It is made
 *  when one is asked for, which reads the list, once; whoever asks for ids that nobody was given has no more done for it. */
const OTHER_IDS_SCHEMA = schemaOf([
  `CREATE INDEX IF NOT EXISTS sessions_by_other_id ON sessions (substr(id, 15)) WHERE summary ->> 'id' <> id;`,
])

export function hasSession(db: Database, id: string): boolean {
  if (db.first('SELECT 1 FROM sessions WHERE id = ?', id) !== undefined) return true
  if (!isDerivedId(id)) return false
  makeForUse(db, OTHER_IDS_SCHEMA)
  const ending = id.slice(idBefore('ses', 0).length)
  const found = `SELECT 1 FROM sessions WHERE substr(id, 15) = ? AND summary ->> 'id' <> id AND summary ->> 'id' = ?`
  return db.first(found, ending, id) !== undefined
}

/** What the sessions of the list keep, in bytes, as they said last. The sum is made when it is asked for first; from then on whatever writes the list
 *  changes it, a release that knows nothing of it too. */
const KEPT_BYTES_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS kept_bytes (bytes INTEGER NOT NULL);'])
const KEPT_BYTES_TRIGGERS = Object.entries({ INSERT: ['NEW'], UPDATE: ['NEW', 'OLD'], DELETE: ['OLD'] }).map(
  ([change, rows]) => {
    const terms = rows.map((row) => `${row === 'NEW' ? '+' : '-'} coalesce(${row}.summary ->> 'bytes', 0)`)
    return `CREATE TRIGGER IF NOT EXISTS kept_bytes_${change.toLowerCase()} AFTER ${change} ON sessions
     BEGIN UPDATE kept_bytes SET bytes = bytes ${terms.join(' ')}; END`
  },
)

export function keptBytes(db: Database): number {
  if (!isMade(db, KEPT_BYTES_SCHEMA)) {
    transact(db, () => {
      makeForUse(db, KEPT_BYTES_SCHEMA)
      db.all(`INSERT INTO kept_bytes (bytes) SELECT total(summary ->> 'bytes') FROM sessions`)
      KEPT_BYTES_TRIGGERS.forEach((trigger) => db.script(trigger))
    })
  }
  return db.first<{ bytes: number }>('SELECT bytes FROM kept_bytes')?.bytes ?? 0
}

export function countAllSessions(db: Database): number {
  return db.first<{ n: number }>('SELECT count(*) AS n FROM sessions')?.n ?? 0
}

/** How many sessions there are of each status. */
export function countSessions(db: Database): { status: string; count: number }[] {
  return db.all('SELECT status, count(*) AS count FROM sessions GROUP BY status')
}

/** Sessions, newest first: at most `limit`, and the cursor behind them when there are more. */
export function listSummaries(
  db: Database,
  filter: SessionFilter,
): { data: SessionSummary[]; nextCursor: string | null } {
  if (filter.isPinned) makeForUse(db, PINNED_SCHEMA)
  const { sql, values } = conditionsOf(filter)
  const rows = db.all<{ id: string; summary: string }>(
    `SELECT id, summary FROM sessions ${sql} ORDER BY id DESC LIMIT ?`,
    ...values,
    filter.limit + 1,
  )
  const listed = withinBytes(rows.slice(0, filter.limit), LIMITS.http.pageBytesMax, ({ summary }) => summary)
  const data = listed.map((row) => shownSummary(JSON.parse(row.summary)))
  return { data, nextCursor: rows.length > listed.length ? (listed.at(-1)?.id ?? null) : null }
}

/** What waits has a list of its own, and what is kept is for the tenant's quota. */
function shownSummary({ pending: _pending, bytes: _bytes, ...summary }: Entry): SessionSummary {
  return { ...NOT_TOLD, ...summary }
}

/** What waits for a human in all sessions, newest first: at most `limit`. */
export function listWaiting(
  db: Database,
  { user, type, since, webhookKey, connection, limit, cursor }: WaitingFilter,
): ListedPending[] {
  const { sql, values } = whereAll([
    ["item.value ->> 'id' < ?", cursor],
    ['user = ?', user],
    ["item.value ->> 'type' = ?", type],
    ["item.value ->> 'created_time' <= ?", since],
    ["item.value ->> '$.wait.webhook_key' = ?", webhookKey],
    ["item.value ->> '$.connection.name' = ?", connection],
  ])
  const rows = db.all<{ id: string; title: string; user: string | null; item: string }>(
    `SELECT summary ->> 'id' AS id, title, user, item.value AS item FROM sessions, json_each(summary, '$.pending') item
     WHERE status IN ('interrupted', 'in_progress') ${sql === '' ? '' : `AND ${sql}`} ORDER BY item.value ->> 'id' DESC LIMIT ?`,
    ...values,
    limit,
  )
  return rows.map(({ id, title, item, user: of }) => ({
    ...(JSON.parse(item) as ReportedPending),
    object: 'pending',
    session_id: id,
    session_title: title,
    user: of,
  }))
}

type Entry = SessionSummary & { pending?: unknown; bytes?: unknown }

/** What entries of before do not say. */
const NOT_TOLD: Pick<SessionSummary, 'error' | 'ended_by'> = { error: null, ended_by: null }

/** Few sessions are pinned, and consoles ask for them again and again. It is made when somebody asks first. */
const PINNED = "summary ->> '$.metadata.pinned' = 1"
const PINNED_SCHEMA = schemaOf([`CREATE INDEX IF NOT EXISTS pinned_sessions ON sessions (id) WHERE ${PINNED};`])

function conditionsOf({ status, user, q, cursor, quietSince, isPinned }: SessionFilter): {
  sql: string
  values: Value[]
} {
  const { sql, values } = whereAll([
    ['id < ?', cursor],
    ['status = ?', quietSince === undefined ? status : 'in_progress'],
    ['user = ?', user],
    ['instr(words, ?) > 0', q?.toLowerCase()],
    ["summary ->> 'updated_time' <= ?", quietSince],
  ])
  const all = [sql, isPinned ? PINNED : ''].filter((condition) => condition !== '').join(' AND ')
  return { sql: all === '' ? '' : `WHERE ${all}`, values }
}

/** Conditions of which each has one value, joined; those without are left out. */
function whereAll(conditions: readonly [condition: string, value: Value | undefined][]): {
  sql: string
  values: Value[]
} {
  const asked = conditions.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return { sql: asked.map(({ condition }) => condition).join(' AND '), values: asked.map(({ value }) => value) }
}

/** Acts that sessions told and that are to be brought to the audit: a row a report, in the order in which they came. `acts`: JSON list.
 *  The table is made when it is first used. */
const ACTS_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS acts (n INTEGER PRIMARY KEY, acts TEXT NOT NULL);'])

export function keepActs(db: Database, acts: readonly AuditAct[]): void {
  makeForUse(db, ACTS_SCHEMA)
  db.all('INSERT INTO acts (acts) VALUES (?)', JSON.stringify(acts))
}

/** The oldest acts, and up to where they stand; null: none are left. */
export function leftActs(db: Database): { acts: AuditAct[]; upTo: number } | null {
  if (!isMade(db, ACTS_SCHEMA)) return null
  const limit = AUDIT_LIMITS.reportsPerStepMax
  const rows = db.all<{ n: number; acts: string }>('SELECT n, acts FROM acts ORDER BY n LIMIT ?', limit)
  const upTo = rows.at(-1)?.n
  return upTo === undefined ? null : { acts: rows.flatMap((row) => JSON.parse(row.acts) as AuditAct[]), upTo }
}

/** They have arrived. */
export function forgetActs(db: Database, upTo: number): void {
  db.all('DELETE FROM acts WHERE n <= ?', upTo)
}

/** Over how many directories the lists of a tenant are spread. The table is made where somebody says. */
const SHARDS_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS directory_shards (shards INTEGER NOT NULL);'])

/** Null: nobody said. */
export function readShards(db: Database): number | null {
  if (!isMade(db, SHARDS_SCHEMA)) return null
  return db.first<{ shards: number }>('SELECT shards FROM directory_shards')?.shards ?? null
}

/** As many as are wanted; one where there are sessions already. What was said once stays; one need not be said. */
export function fixShards(db: Database, wanted: number): number {
  const known = readShards(db)
  if (known !== null || wanted === 1) return known ?? 1
  const shards = db.first('SELECT 1 FROM sessions LIMIT 1') === undefined ? wanted : 1
  return db.transaction(() => {
    makeForUse(db, SHARDS_SCHEMA)
    db.all('INSERT INTO directory_shards (shards) VALUES (?)', shards)
    return shards
  })
}
