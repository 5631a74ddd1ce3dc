import { LIMITS } from '../domain/limits.ts'
import type { Settlement } from '../domain/budget.ts'
import type { Spent, UsageKey, UsageSum } from '../domain/usage.ts'
import type { Database, Value } from './database.ts'

const DAY_MS = 24 * 60 * 60_000

/** What is counted, a column each. */
export const COUNTS = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'model_calls',
  'tool_calls',
  'iterations',
  'estimated_calls',
] as const
type Counts = Record<(typeof COUNTS)[number], number>

/** What a tenant's sessions spent. A row: one model in one run on one UTC day (`n`: its number in the run); of days long gone,
 *  one model, user and skill, with no session. `currency` empty: without a price. `time`: of the last that is in it, Unix ms. `skill`: that of the session; null:
 *  none, or from before it was kept. (One more count is one more `ALTER TABLE`.) */
export const USAGE_SCHEMA = `
  CREATE TABLE IF NOT EXISTS usage (session TEXT NOT NULL, run TEXT NOT NULL, n INTEGER NOT NULL, day TEXT NOT NULL, time INTEGER NOT NULL,
    user TEXT, model TEXT NOT NULL, currency TEXT NOT NULL, amount REAL NOT NULL,
    ${COUNTS.map((count) => `${count} INTEGER NOT NULL`).join(', ')}, PRIMARY KEY (session, run, n)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS usage_by_time ON usage (time);
  CREATE INDEX IF NOT EXISTS usage_of_sessions ON usage (time) WHERE session <> '';
  ALTER TABLE usage ADD COLUMN skill TEXT;`

export const COLUMNS = ['session', 'run', 'n', 'day', 'time', 'user', 'skill', 'model', 'currency', 'amount', ...COUNTS]
const UPSERT = `INSERT INTO usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (session, run, n) DO UPDATE SET
    ${['time', 'skill', 'currency', 'amount', ...COUNTS].map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE excluded.model_calls + excluded.tool_calls + excluded.iterations
      > usage.model_calls + usage.tool_calls + usage.iterations`

/** Book what a session spent so far: sums, so that being told twice, or late, changes nothing. */
export function bookUsage(db: Database, { session, user, skill, rows }: Spent, now: number): void {
  const oldest = foldBefore(now)
  foldOld(db, oldest)
  for (const { run, n, day, time, model, usage } of rows) {
    if (time < oldest) continue
    const { cost } = usage
    const counts = COUNTS.map((count) => usage[count] ?? 0)
    db.all(UPSERT, session, run, n, day, time, user, skill, model, cost?.currency ?? '', cost?.amount ?? 0, ...counts)
  }
}

/** The start of the first UTC day whose rows are kept by session. */
function foldBefore(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS - LIMITS.usage.sessionDays * DAY_MS
}

/** Make one row of all sessions' rows of a long gone day, by model, user and skill. */
function foldOld(db: Database, before: number): void {
  const isDue = db.first("SELECT 1 FROM usage WHERE session <> '' AND time < ? LIMIT 1", before)
  if (!isDue) return
  const sums = ['amount', ...COUNTS].map((column) => `sum(${column})`).join(', ')
  db.all(
    `INSERT INTO usage (${COLUMNS.join(', ')})
     SELECT '', json_array(day, user, model, currency, skill), 0, day, max(time), user, skill, model, currency, ${sums}
     FROM usage WHERE session <> '' AND time < ? GROUP BY day, user, skill, model, currency`,
    before,
  )
  db.all("DELETE FROM usage WHERE session <> '' AND time < ?", before)
}

/** What a tenant, or one of its users, spent since a time (Unix ms), by currency. */
export function spentSince(db: Database, user: string | null, since: number): Settlement[] {
  const ofUser = user === null ? '' : 'AND user = ?'
  const rows = db.all<{ currency: string; amount: number; tokens: number }>(
    `SELECT currency, round(sum(amount), 9) AS amount, sum(total_tokens) AS tokens FROM usage WHERE time >= ? ${ofUser} GROUP BY currency`,
    since,
    ...(user === null ? [] : [user]),
  )
  return rows.map(({ tokens, currency, amount }) => ({ tokens, cost: currency === '' ? null : { amount, currency } }))
}

/** By what sums are made, as an SQL value, and how the list of them is ordered: times newest first, names from A. */
const KEYS = {
  day: { value: 'day', order: 'DESC' },
  session: { value: "nullif(session, '')", order: 'DESC' },
  model: { value: "nullif(model, '')", order: 'ASC' },
  user: { value: 'user', order: 'ASC' },
  skill: { value: 'skill', order: 'ASC' },
} as const

/** Whether a key stands before another one in its list; null is the last. */
export function isBefore(by: UsageKey, one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one !== null
  return KEYS[by].order === 'ASC' ? one < other : one > other
}

export interface UsageQuery {
  by: UsageKey
  /** Unix ms, inclusive and exclusive. */
  from?: number | undefined
  to?: number | undefined
  limit: number
  /** The last key of the page before. */
  cursor?: string | undefined
}

interface SumRow extends Counts {
  key: string | null
  currency: string
  amount: number
  unpriced: string
}

/** Sums of what was spent: at most `limit`, and the cursor behind them when there are more. */
export function sumUsage(db: Database, query: UsageQuery): { data: UsageSum[]; nextCursor: string | null } {
  const { value, order } = KEYS[query.by]
  const time: Value[] = [query.from ?? 0, query.to ?? Number.MAX_SAFE_INTEGER]
  const behind = query.cursor === undefined ? '' : `AND (key ${order === 'ASC' ? '>' : '<'} ? OR key IS NULL)`
  const sums = COUNTS.map((count) => `sum(${count}) AS ${count}`).join(', ')
  const rows = db.all<SumRow>(
    `WITH chosen AS (SELECT *, ${value} AS key FROM usage WHERE time >= ? AND time < ?),
       page AS (SELECT DISTINCT key FROM chosen WHERE true ${behind} ORDER BY key IS NULL, key ${order} LIMIT ?)
     SELECT chosen.key AS key, currency, round(sum(amount), 9) AS amount, ${sums},
       json_group_array(DISTINCT model) FILTER (WHERE currency = '' AND model_calls > 0) AS unpriced
     FROM chosen JOIN page ON chosen.key IS page.key
     GROUP BY chosen.key, currency ORDER BY chosen.key IS NULL, chosen.key ${order}, currency`,
    ...time,
    ...(query.cursor === undefined ? [] : [query.cursor]),
    query.limit + 1,
  )
  const all = Array.from(Map.groupBy(rows, ({ key }) => key).values(), sumOf)
  const data = all.slice(0, query.limit)
  return { data, nextCursor: all.length > query.limit ? (data.at(-1)?.key ?? null) : null }
}

/** The rows of one key, one a currency, as its sum. */
function sumOf(rows: readonly SumRow[]): UsageSum {
  const total = (count: keyof Counts) => rows.reduce((sum, row) => sum + row[count], 0)
  const costs = rows.flatMap(({ currency, amount }) => (currency === '' ? [] : [{ amount, currency }]))
  const unpriced = rows.flatMap((row) => JSON.parse(row.unpriced) as string[])
  const estimated = total('estimated_calls')
  return {
    key: rows[0]?.key ?? null,
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    total_tokens: total('total_tokens'),
    cached_tokens: total('cached_tokens'),
    reasoning_tokens: total('reasoning_tokens'),
    model_calls: total('model_calls'),
    tool_calls: total('tool_calls'),
    iterations: total('iterations'),
    cost: costs.length > 1 ? costs : (costs[0] ?? null),
    ...(unpriced.length > 0 ? { unpriced_models: unpriced } : {}),
    ...(estimated > 0 ? { estimated_calls: estimated } : {}),
  }
}
