import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { enterThread, leaveThread } from '../../../src/store/histories.ts'
import { nodeDatabase } from '../../support/node-database.ts'

const asked = { request: 'r1', history: null, session: 's1', isRetry: false }

describe('histories that were given out', () => {
  test('lead the request that continues one to its session and run, and any other to a new one', ({ expect }) => {
    const db = nodeDatabase()
    expect(enterThread(db, asked, 1)).toEqual({ session: 's1', after: null })
    leaveThread(db, { request: 'r1', history: 'h1', session: 's1', run: 'run1' }, 2)
    const next = { ...asked, request: 'r2', session: 's2' }
    expect(enterThread(db, { ...next, history: 'h1' }, 3)).toEqual({ session: 's1', after: 'run1' })
    const other = { session: 's2', after: null }
    expect(enterThread(db, { ...next, request: 'r3', history: 'other' }, 3)).toEqual(other)
  })

  test('take the same request to where it runs, and once that is over only on purpose', ({ expect }) => {
    const db = nodeDatabase()
    const again = { ...asked, session: 's2' }
    enterThread(db, asked, 1)
    const first = { session: 's1', after: null }
    expect(enterThread(db, again, 2)).toEqual(first)
    leaveThread(db, { request: 'r1', history: 'h1', session: 's1', run: 'run1' }, 3)
    expect(enterThread(db, { ...again, isRetry: true }, 4)).toEqual(first)
    expect(enterThread(db, again, 5)).toEqual({ session: 's2', after: null })
    const anew = { ...again, session: 's3', isNew: true }
    expect(enterThread(db, anew, 6)).toEqual({ session: 's3', after: null })
  })

  test('are forgotten when they are too old, and the oldest when there are too many', ({ expect }) => {
    const db = nodeDatabase()
    const leave = (n: number, now: number) =>
      leaveThread(db, { request: `r${n}`, history: `h${n}`, session: `s${n}`, run: 'run' }, now)
    leave(0, 1)
    for (let n = 1; n <= LIMITS.door.historiesMax; n++) leave(n, 2)
    const find = (n: number, now: number) =>
      enterThread(db, { request: `again${n}`, history: `h${n}`, session: 'new', isRetry: false }, now).session
    expect(find(0, 3)).toBe('new')
    expect(find(LIMITS.door.historiesMax, 3)).toBe(`s${LIMITS.door.historiesMax}`)
    expect(find(LIMITS.door.historiesMax, 3 + LIMITS.door.historyKeptMs)).toBe('new')
    const { count } = db.first<{ count: number }>('SELECT count(*) AS count FROM histories') ?? {}
    expect(count).toBe(1)
  })

  test('of a request that never rested are no history of that hash', ({ expect }) => {
    const db = nodeDatabase()
    enterThread(db, asked, 1)
    expect(enterThread(db, { ...asked, request: 'r2', history: 'r1', session: 's2' }, 2).session).toBe('s2')
  })
})
