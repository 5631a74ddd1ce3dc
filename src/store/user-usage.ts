import { forgetAccount } from './budgets.ts'
import { removeConnectionsOf } from './kept-connections.ts'
import { removeMcpGrantsOfUser } from './mcp-grants.ts'
import type { UsageRow, UserCounts } from '../domain/user-job.ts'
import type { Database } from './database.ts'
import { removeLinks } from './links.ts'
import { COLUMNS, COUNTS } from './usage.ts'

/** What was spent in a user's name, row by row. */
export function usageOfUser(
  db: Database,
  user: string,
  cursor: string | null,
  limit: number,
): { data: UsageRow[]; nextCursor: string | null } {
  const from = cursor === null ? 0 : Number(cursor)
  const rows = db.all<UsageRow>(
    `SELECT session, run, day, model, skill, currency, amount, ${COUNTS.join(', ')} FROM usage WHERE user = ?
     ORDER BY session, run, n LIMIT ? OFFSET ?`,
    user,
    limit + 1,
    from,
  )
  const data = rows.slice(0, limit).map(({ run, ...row }) => (row['session'] === '' ? row : { run: run ?? '', ...row }))
  return { data, nextCursor: rows.length > limit ? String(from + limit) : null }
}

/** Take a name from what was spent; gives of how many rows. Those of days long gone, which say it in their key too, join what nobody's
 *  name is on. */
function forgetUsageOf(db: Database, user: string): number {
  const count = db.first<{ n: number }>('SELECT count(*) AS n FROM usage WHERE user = ?', user)?.n ?? 0
  const sums = ['amount', ...COUNTS].map((column) => `sum(${column})`).join(', ')
  const more = ['amount', ...COUNTS].map((column) => `${column} = usage.${column} + excluded.${column}`).join(', ')
  db.transaction(() => {
    db.all("UPDATE usage SET user = NULL WHERE user = ? AND session <> ''", user)
    db.all(
      `INSERT INTO usage (${COLUMNS.join(', ')})
       SELECT '', json_array(day, NULL, model, currency, skill), 0, day, max(time), NULL, skill, model, currency, ${sums}
       FROM usage WHERE user = ? GROUP BY day, skill, model, currency
       ON CONFLICT (session, run, n) DO UPDATE SET time = max(usage.time, excluded.time), ${more}`,
      user,
    )
    db.all('DELETE FROM usage WHERE user = ?', user)
  })
  return count
}

/** The name goes from what was spent and from budgets, with the links that it made. */
export function forgetUser(db: Database, user: string): Pick<UserCounts, 'links' | 'usage_rows'> {
  return db.transaction(() => {
    forgetAccount(db, `user:${user}`)
    removeMcpGrantsOfUser(db, user)
    removeConnectionsOf(db, user)
    return { usage_rows: forgetUsageOf(db, user), links: removeLinks(db, { createdBy: user }) }
  })
}
