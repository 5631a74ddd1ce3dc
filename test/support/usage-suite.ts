import { describe, type ExpectStatic, test } from 'vitest'
import { LIMITS } from '../../src/domain/limits.ts'
import { type Money, NO_USAGE, type Spending, type Usage, type UsageKey } from '../../src/domain/usage.ts'
import type { Database } from '../../src/store/database.ts'
import { DIRECTORY_SCHEMA, removeSession } from '../../src/store/directory.ts'
import { migrate, schemaOf } from '../../src/store/migrate.ts'
import { bookUsage, sumUsage, USAGE_SCHEMA, type UsageQuery } from '../../src/store/usage.ts'
import { forgetUser, usageOfUser } from '../../src/store/user-usage.ts'
import type { WithDatabase } from './log-suite.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const CNY = (amount: number): Money => ({ amount, currency: 'CNY' })
const USD = (amount: number): Money => ({ amount, currency: 'USD' })

/** A row of what was spent: so many calls of ten tokens and with a tool each. */
function row(run: string, n: number, time: string, model: string, calls: number, cost: Money | null): Spending {
  const usage: Usage = {
    ...NO_USAGE,
    prompt_tokens: 8 * calls,
    completion_tokens: 2 * calls,
    total_tokens: 10 * calls,
    model_calls: calls,
    tool_calls: calls,
    iterations: calls,
    cost,
  }
  return { run, n, day: time.slice(0, 10), time: Date.parse(time), model, usage }
}

const ROWS = {
  ses_1: [
    row('run_1', 0, '2026-03-08T23:00:00Z', 'a', 1, CNY(1)),
    row('run_1', 1, '2026-03-09T01:00:00Z', 'a', 2, CNY(2)),
  ],
  ses_2: [
    row('run_2', 0, '2026-03-09T02:00:00Z', 'b', 1, USD(5)),
    row('run_2', 1, '2026-03-09T03:00:00Z', 'c', 3, null),
  ],
}

/** What a tenant's sums promise on any SQLite. */
export function usageSuite(withDatabase: WithDatabase): void {
  const claim = (name: string, body: (db: Database, expect: ExpectStatic) => void) =>
    test(name, async ({ expect }) =>
      withDatabase((db) => {
        migrate(db, DIRECTORY_SCHEMA)
        bookUsage(db, { session: 'ses_1', user: 'li', skill: 'read', rows: ROWS.ses_1 }, NOW)
        bookUsage(db, { session: 'ses_2', user: null, skill: null, rows: ROWS.ses_2 }, NOW)
        body(db, expect)
      }),
    )
  const sums = (db: Database, by: UsageKey, more: Partial<UsageQuery> = {}) =>
    sumUsage(db, { by, limit: 20, ...more }).data.map(({ key, model_calls: calls, cost }) => [key, calls, cost])

  describe('the sums of a tenant', () => {
    claim('have no noise of fractions', (db, expect) => {
      const rows = [0.1, 0.2].map((amount, n) => row('run_3', n, '2026-03-10T01:00:00Z', `m${n}`, 1, CNY(amount)))
      bookUsage(db, { session: 'ses_3', user: null, skill: null, rows }, NOW)
      expect(sums(db, 'session').find(([key]) => key === 'ses_3')).toEqual(['ses_3', 2, CNY(0.3)])
    })

    claim('are made by day, model, user, skill and session, an amount a currency', (db, expect) => {
      expect(sums(db, 'day')).toEqual([
        ['2026-03-09', 6, [CNY(2), USD(5)]],
        ['2026-03-08', 1, CNY(1)],
      ])
      expect(sums(db, 'model')).toEqual([
        ['a', 3, CNY(3)],
        ['b', 1, USD(5)],
        ['c', 3, null],
      ])
      expect(sums(db, 'user')).toEqual([
        ['li', 3, CNY(3)],
        [null, 4, USD(5)],
      ])
      expect(sums(db, 'skill')).toEqual([
        ['read', 3, CNY(3)],
        [null, 4, USD(5)],
      ])
      expect(sums(db, 'session')).toEqual([
        ['ses_2', 4, USD(5)],
        ['ses_1', 3, CNY(3)],
      ])
    })

    claim('hold every field of usage, and name what has no price', (db, expect) => {
      const [newest] = sumUsage(db, { by: 'session', limit: 1 }).data
      expect(newest).toEqual({
        key: 'ses_2',
        prompt_tokens: 32,
        completion_tokens: 8,
        total_tokens: 40,
        cached_tokens: 0,
        reasoning_tokens: 0,
        model_calls: 4,
        tool_calls: 4,
        iterations: 4,
        cost: USD(5),
        unpriced_models: ['c'],
      })
    })

    claim('begin with `from` and end before `to`', (db, expect) => {
      const [start, end] = [Date.parse('2026-03-09T01:00:00Z'), Date.parse('2026-03-09T03:00:00Z')]
      expect(sums(db, 'model', { from: start, to: end })).toEqual([
        ['a', 2, CNY(2)],
        ['b', 1, USD(5)],
      ])
      expect(sums(db, 'model', { from: end + 1 })).toEqual([])
      expect(sums(db, 'day', { to: Date.parse('2026-03-09') })).toEqual([['2026-03-08', 1, CNY(1)]])
    })

    claim('come by pages, what has no name last', (db, expect) => {
      for (const [by, keys] of [
        ['user', ['li', null]],
        ['skill', ['read', null]],
        ['model', ['a', 'b', 'c']],
        ['session', ['ses_2', 'ses_1']],
      ] as const) {
        const seen: (string | null)[] = []
        let cursor: string | undefined
        do {
          const page = sumUsage(db, { by, limit: 1, cursor })
          seen.push(...page.data.map(({ key }) => key))
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        expect(seen).toEqual(keys)
      }
    })

    claim('do not change by being told the same again, or what was overtaken', (db, expect) => {
      const before = sums(db, 'model')
      bookUsage(db, { session: 'ses_1', user: 'li', skill: 'read', rows: ROWS.ses_1 }, NOW)
      expect(sums(db, 'model')).toEqual(before)
      const later = row('run_1', 1, '2026-03-09T01:30:00Z', 'a', 5, CNY(5))
      bookUsage(db, { session: 'ses_1', user: 'li', skill: 'read', rows: [later] }, NOW)
      bookUsage(db, { session: 'ses_1', user: 'li', skill: 'read', rows: ROWS.ses_1 }, NOW)
      expect(sums(db, 'model')[0]).toEqual(['a', 6, CNY(6)])
    })

    claim('stay when a session is deleted', (db, expect) => {
      removeSession(db, 'ses_1', 0)
      expect(sums(db, 'session')).toHaveLength(2)
    })

    claim('of days long gone are kept without their sessions, and are not booked again', (db, expect) => {
      const later = NOW + LIMITS.usage.sessionDays * 24 * 60 * 60_000
      const kept = (['user', 'model', 'skill'] as const).map((by) => [by, sums(db, by)])
      bookUsage(db, { session: 'ses_2', user: null, skill: null, rows: ROWS.ses_2 }, later)
      bookUsage(db, { session: 'ses_2', user: null, skill: null, rows: ROWS.ses_2 }, later)
      expect(sums(db, 'session')).toEqual([[null, 7, [CNY(3), USD(5)]]])
      expect((['user', 'model', 'skill'] as const).map((by) => [by, sums(db, by)])).toEqual(kept)
    })

    for (const age of ['of this year', 'of days long gone'])
      claim(`${age} stay without the name of a user who is erased`, (db, expect) => {
        const later = NOW + LIMITS.usage.sessionDays * 24 * 60 * 60_000
        if (age !== 'of this year') bookUsage(db, { session: 'ses_3', user: null, skill: null, rows: [] }, later)
        const kept = (['day', 'model', 'skill'] as const).map((by) => [by, sums(db, by)])
        expect(usageOfUser(db, 'li', null, 100).data.length).toBeGreaterThan(0)
        forgetUser(db, 'li')
        forgetUser(db, 'li')
        expect((['day', 'model', 'skill'] as const).map((by) => [by, sums(db, by)])).toEqual(kept)
        expect(db.all("SELECT * FROM usage WHERE user = 'li' OR run LIKE '%\"li\"%'")).toEqual([])
      })
  })

  test('a table from before there were skills in it keeps its rows, and takes new ones', async ({ expect }) =>
    withDatabase((db) => {
      migrate(db, schemaOf([USAGE_SCHEMA.slice(0, USAGE_SCHEMA.indexOf('ALTER TABLE'))]))
      const columns = 'session, run, n, day, time, user, model, currency, amount'
      const old = db.all<{ name: string }>("SELECT name FROM pragma_table_info('usage')").map(({ name }) => name)
      db.all(
        `INSERT INTO usage (${old.join()}) VALUES ('ses_0', 'run_0', 0, '2026-03-08', ?, 'li', 'a', 'CNY', 7, ${old
          .slice(columns.split(',').length)
          .map(() => 1)
          .join()})`,
        Date.parse('2026-03-08'),
      )
      migrate(db, DIRECTORY_SCHEMA)
      bookUsage(db, { session: 'ses_1', user: 'li', skill: 'read', rows: ROWS.ses_1 }, NOW)
      expect(sums(db, 'user')).toEqual([['li', 4, CNY(10)]])
      expect(sums(db, 'skill')).toEqual([
        ['read', 3, CNY(3)],
        [null, 1, CNY(7)],
      ])
    }))
}
