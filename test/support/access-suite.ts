import { describe, type ExpectStatic, test } from 'vitest'
import { KeyBook } from '../../src/access/key-book.ts'
import type { MadeKey } from '../../src/domain/access.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import type { Database } from '../../src/store/database.ts'
import { DIRECTORY_SCHEMA } from '../../src/store/directory.ts'
import { migrate } from '../../src/store/migrate.ts'
import type { WithDatabase } from './log-suite.ts'

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

/** What the keys of a tenant promise on any SQLite. */
export function accessSuite(withDatabase: WithDatabase): void {
  const claims = (name: string, body: (db: Database, expect: ExpectStatic) => void) =>
    test(name, async ({ expect }) =>
      withDatabase((db) => {
        migrate(db, DIRECTORY_SCHEMA)
        body(db, expect)
      }),
    )

  describe('the keys of a tenant', () => {
    claims('let in whoever shows one, until it is over or revoked', (db, expect) => {
      const book = new KeyBook(db)
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

    claims('are written to have been used once a minute at most', (db, expect) => {
      const book = new KeyBook(db)
      book.put(key(1), 'h1')
      const lastUsed = [0, 1, MINUTE - 1, MINUTE, MINUTE + 1].map((after) => {
        book.admit('h1', NOW + after)
        return book.get('key_1')?.lastUsedTime
      })
      expect(lastUsed).toEqual([NOW, NOW, NOW, NOW + MINUTE, NOW + MINUTE])
    })

    claims('are listed newest first, by pages', (db, expect) => {
      const book = new KeyBook(db)
      for (const n of [1, 2, 3]) book.put(key(n), `h${n}`)
      expect(book.list(undefined, 2).map(({ id }) => id)).toEqual(['key_3', 'key_2'])
      expect(book.list('key_2', 2).map(({ id }) => id)).toEqual(['key_1'])
    })

    claims('change their name, limits and expiry, and nothing else', (db, expect) => {
      const book = new KeyBook(db)
      book.put(key(1, { limits: { requests_per_minute: 2 } }), 'h1')
      const later = '2027-01-01T00:00:00Z'
      expect(book.patch('key_1', { name: 'x', expires_time: later })).toEqual(
        key(1, { name: 'x', limits: { requests_per_minute: 2 }, expiresTime: Date.parse(later) }),
      )
      expect(book.patch('key_1', { limits: null, expires_time: null })).toEqual(key(1, { name: 'x' }))
      expect(book.patch('key_9', { name: 'x' })).toBe(null)
    })

    claims('are so many and no more; what is revoked makes room', (db, expect) => {
      const book = new KeyBook(db)
      const { keysMax } = LIMITS.access
      for (let n = 0; n < keysMax; n++) book.put(key(n), `h${n}`)
      expect(book.put(key(keysMax), 'more')).toBe('too_many')
      book.revoke('key_0', NOW)
      expect(book.put(key(keysMax), 'more')).toBe('made')
    })
  })

  describe('the requests of a key', () => {
    const limits = { requests_per_minute: 20 }
    const taken = (book: KeyBook, times: number, now = NOW) =>
      Array.from({ length: times }, () => book.take('key_1', limits, now)).filter((one) => one?.retryAfterMs === null)

    claims('are counted where it has a limit, and what is left is told', (db, expect) => {
      const book = new KeyBook(db)
      book.put(key(1, { limits }), 'h1')
      expect(book.admit('h1', NOW)?.rate).toMatchObject({ max: 20, remaining: 19, retryAfterMs: null })
      expect(taken(book, 30)).toHaveLength(19)
      expect(book.admit('h1', NOW)?.rate).toMatchObject({ remaining: 0, retryAfterMs: 3_000 })
      expect(book.remaining({ id: 'key_1', limits }, NOW)).toEqual({ requests_per_minute: 0 })
      expect(book.remaining({ id: 'key_1', limits }, NOW + 6_000)).toEqual({ requests_per_minute: 2 })
    })

    claims('are not given anew by a restart, however often there is one', (db, expect) => {
      let count = 0
      for (let restarts = 0; restarts < 40; restarts++) count += taken(new KeyBook(db), 1).length
      expect(count).toBeLessThanOrEqual(20)
      expect(taken(new KeyBook(db), 1)).toHaveLength(0)
      expect(taken(new KeyBook(db), 30, NOW + 2 * MINUTE)).toHaveLength(20)
    })
  })
}
