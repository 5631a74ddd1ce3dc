import { describe, type ExpectStatic, test } from 'vitest'
import { KeyRegistry } from '../../src/access/keys.ts'
import { LinkRegistry, linkToken, parseLinkToken } from '../../src/access/links.ts'
import { BudgetLedger } from '../../src/budget/budget-ledger.ts'
import type { Account, BudgetReservation } from '../../src/domain/budget.ts'
import type { MadeKey } from '../../src/domain/access.ts'
import type { Link } from '../../src/domain/link.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import { newId } from '../../src/lib/id.ts'
import type { Database } from '../../src/store/database.ts'
import { DIRECTORY_SCHEMA } from '../../src/store/directory.ts'
import { migrate } from '../../src/store/migrate.ts'
import { bookUsage } from '../../src/store/usage.ts'
import { forgetUser } from '../../src/store/user-usage.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const MINUTE = 60_000

const key = (n: number, more: Partial<MadeKey> = {}): MadeKey => ({
  id: `key_${n}`,
  name: `key ${n}`,
  prefix: `yaa_default_${n}`,
  scopes: ['read'],
  limits: {},
  createdTime: NOW,
  expiresTime: null,
  lastUsedTime: null,
  ...more,
})

const link = (n: number, more: Partial<Link> = {}): Link => ({
  id: `lnk_${n}`,
  scope: 'decide',
  sessionId: 'ses_1',
  pendingId: 'pnd_1',
  allowEdit: false,
  createdBy: 'key_1',
  createdTime: NOW,
  expiresTime: NOW + MINUTE,
  ...more,
})

/** Gives a new database, which lives as long as the work does. */
type WithDatabase = (work: (db: Database) => void | Promise<void>) => Promise<unknown>

/** What the keys and links of a tenant promise on any SQLite. */
export function accessSuite(withDatabase: WithDatabase): void {
  const claims = (name: string, body: (db: Database, expect: ExpectStatic) => void | Promise<void>) =>
    test(name, async ({ expect }) =>
      withDatabase((db) => {
        migrate(db, DIRECTORY_SCHEMA)
        return body(db, expect)
      }),
    )

  describe('the keys of a tenant', () => {
    claims('let in whoever shows one, until it is over or revoked', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1, { scopes: ['run', 'read'] }), 'h1')
      book.put(key(2, { expiresTime: NOW + MINUTE }), 'h2')
      expect(book.admit('h1', NOW)).toEqual({ id: 'key_1', scopes: ['run', 'read'], limits: {}, rate: null })
      expect(book.admit('h2', NOW + MINUTE - 1)?.id).toBe('key_2')
      expect(book.admit('h2', NOW + MINUTE)).toBe(null)
      expect(book.admit('h3', NOW)).toBe(null)
      expect([book.revoke('key_1', NOW), book.revoke('key_1', NOW)]).toEqual([true, false])
      expect([book.admit('h1', NOW), book.get('key_1'), book.list(undefined, 10).map(({ id }) => id)]).toEqual([
        null,
        null,
        ['key_2'],
      ])
    })

    claims('are as they were changed from the next request on', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1), 'h1')
      expect(book.admit('h1', NOW)?.limits).toEqual({})
      book.patch('key_1', { limits: { requests_per_minute: 60 } })
      expect(book.admit('h1', NOW + 1)).toMatchObject({ limits: { requests_per_minute: 60 }, rate: { remaining: 59 } })
      book.patch('key_1', { expires_time: new Date(NOW + 2).toISOString() })
      expect([book.admit('h1', NOW + 1)?.id, book.admit('h1', NOW + 2)]).toEqual(['key_1', null])
      book.patch('key_1', { expires_time: null })
      expect(book.admit('h1', NOW + 3)?.id).toBe('key_1')
      book.revoke('key_1', NOW + 3)
      expect(book.admit('h1', NOW + 3)).toBe(null)
    })

    claims('are known from memory while nothing of them is to be read or written', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1, { limits: { requests_per_minute: 20 } }), 'h1')
      expect(book.admitFromMemory('h1', NOW)).toBe(undefined)
      const taken = Array.from({ length: 21 }, () => book.admitFromMemory('h1', NOW) ?? book.admit('h1', NOW))
      expect(taken.map((one) => one?.rate?.remaining).slice(0, 20)).toEqual(
        Array.from({ length: 20 }, (_, n) => 19 - n),
      )
      expect(taken.at(-1)?.rate).toMatchObject({ remaining: 0, retryAfterMs: 3_000 })
      expect(new KeyRegistry(db).admit('h1', NOW)?.rate?.retryAfterMs).toBeGreaterThan(0)
      expect(book.admitFromMemory('h1', NOW)?.id).toBe('key_1')
      expect(book.admitFromMemory('h1', NOW + MINUTE)).toBe(undefined)
      book.revoke('key_1', NOW)
      expect([book.admitFromMemory('h1', NOW), book.admit('h1', NOW)]).toEqual([undefined, null])
    })

    claims('are written to have been used once a minute at most', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1), 'h1')
      const lastUsed = [0, 1, MINUTE - 1, MINUTE, MINUTE + 1].map((after) => {
        book.admit('h1', NOW + after)
        return book.get('key_1')?.lastUsedTime
      })
      expect(lastUsed).toEqual([NOW, NOW, NOW, NOW + MINUTE, NOW + MINUTE])
    })

    claims('are listed newest first, by pages', (db, expect) => {
      const book = new KeyRegistry(db)
      for (const n of [1, 2, 3]) book.put(key(n), `h${n}`)
      expect(book.list(undefined, 2).map(({ id }) => id)).toEqual(['key_3', 'key_2'])
      expect(book.list('key_2', 2).map(({ id }) => id)).toEqual(['key_1'])
    })

    claims('change their name, limits and expiry, and nothing else', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1, { limits: { requests_per_minute: 2 } }), 'h1')
      const later = '2027-01-01T00:00:00Z'
      expect(book.patch('key_1', { name: 'x', expires_time: later })).toEqual(
        key(1, { name: 'x', limits: { requests_per_minute: 2 }, expiresTime: Date.parse(later) }),
      )
      expect(book.patch('key_1', { limits: null, expires_time: null })).toEqual(key(1, { name: 'x' }))
      expect(book.patch('key_9', { name: 'x' })).toBe(null)
    })

    claims('are so many and no more; what is revoked makes room', (db, expect) => {
      const book = new KeyRegistry(db)
      const { keysMax } = LIMITS.access
      for (let n = 0; n < keysMax; n++) book.put(key(n), `h${n}`)
      expect(book.put(key(keysMax), 'more')).toBe('too_many')
      book.revoke('key_0', NOW)
      expect(book.put(key(keysMax), 'more')).toBe('made')
    })
  })

  describe('the requests of a key', () => {
    const limits = { requests_per_minute: 20 }
    const taken = (book: KeyRegistry, times: number, now = NOW) =>
      Array.from({ length: times }, () => book.take('key_1', limits, now)).filter((one) => one?.retryAfterMs === null)

    claims('are counted where it has a limit, and what is left is told', (db, expect) => {
      const book = new KeyRegistry(db)
      book.put(key(1, { limits }), 'h1')
      expect(book.admit('h1', NOW)?.rate).toMatchObject({ max: 20, remaining: 19, retryAfterMs: null })
      expect(taken(book, 30)).toHaveLength(19)
      expect(book.admit('h1', NOW)?.rate).toMatchObject({ remaining: 0, retryAfterMs: 3_000 })
      expect(book.remaining({ id: 'key_1', limits }, NOW)).toEqual({ requests_per_minute: 0 })
      expect(book.remaining({ id: 'key_1', limits }, NOW + 6_000)).toEqual({ requests_per_minute: 2 })
    })

    claims('are not given anew by a restart, however often there is one', (db, expect) => {
      let count = 0
      for (let restarts = 0; restarts < 40; restarts++) count += taken(new KeyRegistry(db), 1).length
      expect(count).toBeLessThanOrEqual(20)
      expect(taken(new KeyRegistry(db), 1)).toHaveLength(0)
      expect(taken(new KeyRegistry(db), 30, NOW + 2 * MINUTE)).toHaveLength(20)
    })
  })

  describe('the links of a tenant', () => {
    const minted = async (book: LinkRegistry, made: Link) => (await book.mint(made, null, NOW)) ?? ''

    claims('have tokens that no other text is', async (db, expect) => {
      const proof = await minted(new LinkRegistry(db), link(1))
      const token = linkToken({ tenant: 'default', id: newId('lnk', NOW), proof })
      const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const otherwise = base64url.split('').map((last) => parseLinkToken(token.slice(0, -1) + last)?.proof)
      const opened = await Promise.all(
        otherwise.map(async (one) => one !== undefined && (await new LinkRegistry(db).open('lnk_1', one, NOW)).outcome),
      )
      expect(opened.filter((outcome) => outcome === 'good')).toHaveLength(1)
    })

    claims('open for who has their proof, until they are over', async (db, expect) => {
      const book = new LinkRegistry(db)
      const proof = await minted(book, link(1))
      expect(await book.open('lnk_1', proof, NOW)).toEqual({ outcome: 'good', link: link(1) })
      expect(await book.open('lnk_1', proof, NOW + MINUTE)).toMatchObject({ outcome: 'expired' })
    })

    claims('open for nobody else', async (db, expect) => {
      const book = new LinkRegistry(db)
      const proof = await minted(book, link(1))
      const other = await minted(book, link(2, { sessionId: 'ses_2' }))
      expect(proof).toMatch(/^[A-Za-z0-9_-]{43}$/)
      const forged = `${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`
      for (const [id, shown] of [
        ['lnk_1', other],
        ['lnk_1', forged],
        ['lnk_1', ''],
        ['lnk_1', '*'],
        ['lnk_3', proof],
      ] as const) {
        expect([id, shown, await book.open(id, shown, NOW)]).toEqual([id, shown, { outcome: 'unknown' }])
      }
    })

    claims('open nothing once they, their key or their secret are gone', async (db, expect) => {
      const book = new LinkRegistry(db)
      const keys = new KeyRegistry(db)
      keys.put(key(1), 'h1')
      const proofs = [await minted(book, link(1)), await minted(book, link(2, { createdBy: 'key_2' }))]
      const outcomes = async () => [
        (await book.open('lnk_1', proofs[0] ?? '', NOW)).outcome,
        (await book.open('lnk_2', proofs[1] ?? '', NOW)).outcome,
      ]
      expect(await outcomes()).toEqual(['good', 'good'])
      keys.revoke('key_1', NOW)
      expect(await outcomes()).toEqual(['unknown', 'good'])
      book.rotate()
      expect(await outcomes()).toEqual(['unknown', 'unknown'])
      expect(book.list('ses_1', { now: NOW, limit: 10 })).toEqual([])
      proofs[1] = await minted(book, link(3))
      expect((await book.open('lnk_3', proofs[1], NOW)).outcome).toBe('good')
      expect([book.revoke('ses_2', 'lnk_3'), book.revoke('ses_1', 'lnk_3'), book.revoke('ses_1', 'lnk_3')]).toEqual([
        false,
        true,
        false,
      ])
      expect((await book.open('lnk_3', proofs[1], NOW)).outcome).toBe('unknown')
    })

    claims('are so many of a session and no more; those that are over make room', async (db, expect) => {
      const book = new LinkRegistry(db)
      const { linksPerSessionMax, linkOverMs } = LIMITS.access
      for (let n = 0; n < linksPerSessionMax; n++) await book.mint(link(1_000 + n), null, NOW)
      expect(await book.mint(link(1), null, NOW)).toBe(null)
      book.rotate()
      for (let n = 0; n < linksPerSessionMax; n++) expect(await book.mint(link(1_000 + n), null, NOW)).not.toBe(null)
      expect(await book.mint(link(1), null, NOW)).toBe(null)
      expect(await book.mint(link(1, { sessionId: 'ses_2' }), null, NOW)).not.toBe(null)
      expect(book.list('ses_1', { now: NOW, limit: 2 }).map(({ id }) => id)).toEqual(['lnk_1099', 'lnk_1098'])
      const later = NOW + MINUTE + linkOverMs + 1
      expect(await book.mint(link(2, { expiresTime: later + 1 }), null, later)).not.toBe(null)
      expect(book.list('ses_1', { now: 0, limit: 200 }).map(({ id }) => id)).toEqual(['lnk_2'])
    })
  })

  describe('the budgets of a tenant', () => {
    const DAY = 24 * 60 * MINUTE
    const CNY = (amount: number) => ({ amount, currency: 'CNY' })
    const tenant = (limits: Account['limits']): Account => ({ of: 'tenant', id: 'default', limits })
    const call = (id: string, accounts: Account[], more: Partial<BudgetReservation> = {}): BudgetReservation => ({
      id,
      accounts,
      tokens: 100,
      cost: CNY(1),
      currencies: ['CNY'],
      ...more,
    })

    claims('hold what calls may take, so that they fit together or are not made', (db, expect) => {
      const book = new BudgetLedger(db)
      const account = tenant({ day: { max_total_tokens: 250 } })
      expect(book.reserve(call('a', [account]), NOW)).toBe(null)
      expect(book.reserve(call('b', [account]), NOW)).toBe(null)
      expect(book.reserve(call('c', [account]), NOW)).toEqual({
        of: 'tenant',
        id: 'default',
        period: 'day',
        what: 'tokens',
        max: 250,
        spent: 200,
        resetTime: Date.parse('2026-11-22T00:00:00Z'),
      })
      book.settle('a', { tokens: 40, cost: CNY(0.4) })
      expect(book.remaining(account, NOW)).toEqual({ day: { max_total_tokens: 110 } })
      expect(book.reserve(call('c', [account]), NOW)).toBe(null)
    })

    claims('book each call once, however often it is told', (db, expect) => {
      const book = new BudgetLedger(db)
      const account = tenant({ day: { max_total_tokens: 1_000 } })
      for (let times = 0; times < 3; times++) book.reserve(call('a', [account]), NOW)
      expect(book.remaining(account, NOW)).toEqual({ day: { max_total_tokens: 900 } })
      for (let times = 0; times < 3; times++) book.settle('a', { tokens: 30, cost: null })
      book.settle('never-held', { tokens: 500, cost: null })
      expect(book.remaining(account, NOW)).toEqual({ day: { max_total_tokens: 970 } })
    })

    claims('keep what was held for a call whose end is never told, over restarts', (db, expect) => {
      const account = tenant({ day: { max_total_tokens: 150 } })
      new BudgetLedger(db).reserve(call('a', [account]), NOW)
      const book = new BudgetLedger(db)
      expect(book.reserve(call('b', [account]), NOW)).toMatchObject({ what: 'tokens', spent: 100 })
      book.settle('a', { tokens: 0, cost: null })
      expect(book.reserve(call('b', [account]), NOW)).toBe(null)
    })

    claims('are of the tenant, the user and the key, and each has to have room', (db, expect) => {
      const book = new BudgetLedger(db)
      const ana: Account = { of: 'user', id: 'ana', limits: { day: { max_total_tokens: 100 } } }
      const bo: Account = { of: 'user', id: 'bo', limits: { day: { max_total_tokens: 100 } } }
      const ofKey: Account = { of: 'key', id: 'key_1', limits: { month: { max_total_tokens: 200 } } }
      const all = tenant({ day: { max_total_tokens: 1_000 } })
      expect(book.reserve(call('a', [all, ana, ofKey]), NOW)).toBe(null)
      expect(book.reserve(call('b', [all, ana, ofKey]), NOW)).toMatchObject({ of: 'user', id: 'ana' })
      expect(book.reserve(call('c', [all, bo, ofKey]), NOW)).toBe(null)
      expect(book.reserve(call('d', [all, ofKey]), NOW)).toMatchObject({ of: 'key', id: 'key_1', period: 'month' })
      expect(book.remaining(all, NOW)).toEqual({ day: { max_total_tokens: 800 } })
    })

    claims(
      'of a user who is erased go with what it was topped up by, and a call under way leaves nothing behind',
      (db, expect) => {
        const book = new BudgetLedger(db)
        const limits = { day: { max_total_tokens: 1_000 } }
        const ana: Account = { of: 'user', id: 'ana', limits }
        const accounts = [tenant(limits), ana]
        book.credit(ana, ['day'], { tokens: 500, cost: null }, NOW, () => {})
        expect(book.reserve(call('a', accounts), NOW)).toBe(null)
        forgetUser(db, 'ana')
        book.settle('a', { tokens: 30, cost: null })
        expect(accounts.map((account) => book.remaining(account, NOW).day)).toEqual([
          { max_total_tokens: 970 },
          { max_total_tokens: 1_000 },
        ])
        expect(db.all("SELECT 1 FROM budget_sums WHERE account = 'user:ana'")).toEqual([])
      },
    )

    claims('of money hold in their currency, and take no model without a price in it', (db, expect) => {
      const book = new BudgetLedger(db)
      const account = tenant({ month: { max_cost: CNY(0.3) } })
      const cost = CNY(0.1)
      for (const id of ['a', 'b', 'c']) expect(book.reserve(call(id, [account], { cost }), NOW)).toBe(null)
      expect(book.reserve(call('d', [account], { cost }), NOW)).toMatchObject({
        what: 'cost',
        max: CNY(0.3),
        spent: 0.3,
      })
      expect(book.reserve(call('e', [account], { cost: null, currencies: [null] }), NOW)).toMatchObject({
        what: 'unpriced',
      })
      expect(book.reserve(call('f', [account], { currencies: ['CNY', 'USD'] }), NOW)).toMatchObject({
        what: 'unpriced',
      })
      book.settle('a', { tokens: 0, cost: CNY(0.05) })
      expect(book.remaining(account, NOW)).toEqual({ month: { max_cost: CNY(0.05) } })
    })

    claims('begin anew with the day and the month, and forget what is long over', (db, expect) => {
      const book = new BudgetLedger(db)
      const account = tenant({ day: { max_total_tokens: 100 }, month: { max_total_tokens: 200 } })
      expect(book.reserve(call('a', [account]), NOW)).toBe(null)
      expect(book.reserve(call('b', [account]), NOW)).toMatchObject({ period: 'day' })
      expect(book.reserve(call('b', [account]), NOW + DAY)).toBe(null)
      expect(book.reserve(call('c', [account]), NOW + 2 * DAY)).toMatchObject({ period: 'month' })
      expect(book.reserve(call('c', [account]), Date.parse('2026-12-01T00:00:00Z'))).toBe(null)
      book.reserve(call('z', [account]), Date.parse('2027-01-01T00:00:00Z'))
      const periods = db.all<{ period: string }>('SELECT DISTINCT period FROM budget_sums ORDER BY period')
      expect(periods.map(({ period }) => period)).toEqual(['2026-12', '2026-12-01', '2027-01', '2027-01-01'])
    })

    claims('that are new begin with what was spent before, of the tenant and of its users', (db, expect) => {
      const spend = (session: string, user: string | null, time: number) => {
        const usage = { ...NO_USAGE, total_tokens: 40, model_calls: 1, cost: CNY(0.1) }
        const day = new Date(time).toISOString().slice(0, 10)
        bookUsage(db, { session, user, skill: null, rows: [{ run: 'run', n: 0, day, time, model: 'm', usage }] }, NOW)
      }
      spend('ses_1', 'ana', NOW)
      spend('ses_2', null, NOW)
      spend('ses_3', 'ana', NOW - DAY)
      spend('ses_4', 'ana', NOW - 30 * DAY)
      const book = new BudgetLedger(db)
      const limits = { day: { max_total_tokens: 200 }, month: { max_total_tokens: 1_000, max_cost: CNY(2) } }
      const ana: Account = { of: 'user', id: 'ana', limits }
      const ofKey: Account = { of: 'key', id: 'ana', limits }
      const left = (account: Account) => book.remaining(account, NOW)
      const begun = (day: number, month: number, cost: number) => ({
        day: { max_total_tokens: day },
        month: { max_total_tokens: month, max_cost: CNY(cost) },
      })
      const before = [begun(120, 880, 1.7), begun(160, 920, 1.8), begun(200, 1_000, 2)]
      expect([tenant(limits), ana, ofKey].map(left)).toEqual(before)
      expect(book.reserve(call('a', [tenant(limits), ana, ofKey], { cost: CNY(0.5) }), NOW)).toBe(null)
      const held = [begun(20, 780, 1.2), begun(60, 820, 1.3), begun(100, 900, 1.5)]
      expect([tenant(limits), ana, ofKey].map(left)).toEqual(held)
      book.settle('a', { tokens: 10, cost: CNY(0.1) })
      spend('ses_5', 'ana', NOW)
      expect(left(ana)).toEqual(begun(150, 910, 1.7))
      expect(book.reserve(call('b', [tenant({ day: { max_total_tokens: 189 } })]), NOW)).toMatchObject({ spent: 90 })
    })

    claims('of nobody cost nothing', (db, expect) => {
      expect(new BudgetLedger(db).reserve(call('a', [tenant({})]), NOW)).toBe(null)
      expect(db.all('SELECT 1 FROM budget_holds')).toEqual([])
    })
  })
}
