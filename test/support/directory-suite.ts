import { newState } from '../../src/domain/state.ts'
import type { SessionRecord } from '../../src/domain/session.ts'
import type { Database } from '../../src/store/database.ts'
import {
  DIRECTORY_SCHEMA,
  hasSession,
  keptBytes,
  listSummaries,
  putSession,
  removeSession,
} from '../../src/store/directory.ts'
import { migrate, transact } from '../../src/store/migrate.ts'
import { WHOLE } from '../../src/orchestrators/all.ts'
import { sessionSummary } from '../../src/session/queries/session-data.ts'
import { RECORD } from './event-row-claims.ts'
import type { WithDatabase } from './log-suite.ts'
import { describe, type ExpectStatic, test } from 'vitest'

/** Claims about the list of a tenant's sessions. */
export function directorySuite(withDatabase: WithDatabase): void {
  const claim = (name: string, work: (db: Database, expect: ExpectStatic) => void) =>
    test(name, ({ expect }) => withDatabase((db) => work(db, expect)))

  describe('the directory', () => {
    const summary = (
      id: string,
      title: string,
      more: Partial<SessionRecord> = {},
      time = 0,
      status: 'idle' | 'failed' = 'idle',
    ) =>
      sessionSummary(
        { ...RECORD, id, title, ...more },
        { ...newState(time), status },
        { config: {}, orchestrators: WHOLE },
      )

    claim('lists newest first, by pages and filters, and forgets', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      for (const n of [3, 1, 5, 2, 4])
        putSession(db, summary(`ses_${n}`, `Nr ${n}`, { user: n % 2 ? 'odd' : 'even' }), `task ${n}`)
      const ids = (filter: Omit<Parameters<typeof listSummaries>[1], 'limit'>, limit = 10) =>
        listSummaries(db, { ...filter, limit }).data.map(({ id }) => id)
      expect(ids({})).toEqual(['ses_5', 'ses_4', 'ses_3', 'ses_2', 'ses_1'])
      expect(listSummaries(db, { limit: 2 }).nextCursor).toBe('ses_4')
      expect(ids({ cursor: 'ses_4' }, 2)).toEqual(['ses_3', 'ses_2'])
      expect(listSummaries(db, { limit: 5 }).nextCursor).toBeNull()
      expect(ids({ user: 'even' })).toEqual(['ses_4', 'ses_2'])
      expect(ids({ q: 'TASK 3' })).toEqual(['ses_3'])
      expect(ids({ q: 'nr 5', user: 'even' })).toEqual([])
      removeSession(db, 'ses_3', 0)
      expect(ids({ q: 'task 3' })).toEqual([])
    })

    claim('finds a session by each of its tasks, and by its title of today alone', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      const found = (q: string) => listSummaries(db, { q, limit: 10 }).data.length === 1
      const tell = (title: string, task: string, time: number) =>
        putSession(db, summary('ses_1', title, {}, time), task)
      tell('First\nname', '翻译第一章', 1_000)
      tell('First\nname', '翻译第一章', 2_000)
      tell('First\nname', 'Then the Second', 3_000)
      tell('Another', '', 4_000)
      expect(['第一章', 'then the second', 'another', 'first', 'name'].map(found)).toEqual([
        true,
        true,
        true,
        false,
        false,
      ])
      for (let n = 0; n < 10; n++) tell('Another', `${n} `.repeat(1_000), 5_000 + n)
      expect(['9 9', '7 7', '第一章'].map(found)).toEqual([true, true, false])
    })

    /** A database whose statements that read or write the list are noted. */
    const notedBy = (db: Database) => {
      const noted: string[] = []
      const note = (sql: string) => void (sql.includes('sessions') && noted.push(sql))
      const list: Database = {
        ...db,
        all: (sql, ...values) => (note(sql), db.all(sql, ...values)),
        first: (sql, ...values) => (note(sql), db.first(sql, ...values)),
        script: (sql) => (note(sql), db.script(sql)),
      }
      const isScan = (sql: string) =>
        !/^(UPDATE|CREATE|ALTER)/.test(sql) &&
        db
          .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\?\d*/g, "'x'")}`)
          .some(({ detail }) => detail.startsWith('SCAN'))
      return { list, scans: () => noted.splice(0).filter(isScan) }
    }

    claim('finds sessions of keys by an index, also those of a release that had none', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      const [keyed, later, unknown] = ['k', 'l', 'x'].map((letter) => `ses_7${letter.repeat(25)}`)
      const { list } = notedBy(db)
      putSession(list, summary('ses_1', 'Nr 1'), 'x')
      putSession(list, summary(keyed ?? '', 'Nr 2'), 'x')
      const has = (database: Database) => [keyed, later, unknown, 'ses_1'].map((id) => hasSession(database, id ?? ''))
      expect(has(list)).toEqual([true, false, false, true])
      putSession(list, summary(later ?? '', 'Nr 3'), 'x')
      expect(has(list)).toEqual([true, true, false, true])
      // Of another process.
      const { list: woken, scans } = notedBy(db)
      expect(has(woken)).toEqual([true, true, false, true])
      expect(scans()).toEqual([])
      removeSession(woken, keyed ?? '', 0)
      expect(has(woken)).toEqual([false, true, false, true])
    })

    claim(
      'knows what its sessions keep without reading all of them, whatever became of what was written',
      (db, expect) => {
        migrate(db, DIRECTORY_SCHEMA)
        const put = (list: Database, id: string, bytes?: number, time = 0) =>
          putSession(list, summary(id, 'x', {}, time), 'x', { bytes })
        put(db, 'ses_1', 100)
        put(db, 'ses_2')
        expect(keptBytes(db)).toBe(100)
        const { list, scans } = notedBy(db)
        put(list, 'ses_2', 30)
        put(list, 'ses_1', 120, 1_000)
        put(list, 'ses_1', 7, 500)
        put(list, `ses_7${'k'.repeat(25)}`, 1_000)
        expect(keptBytes(list)).toBe(1_150)
        expect(() =>
          list.transaction(() => {
            put(list, 'ses_2', 9_000, 2_000)
            expect(keptBytes(list)).toBe(10_120)
            throw new Error('it came to nothing')
          }),
        ).toThrow('nothing')
        expect(keptBytes(list)).toBe(1_150)
        removeSession(list, 'ses_1', 0)
        // As a release that keeps no sum does.
        db.all("DELETE FROM sessions WHERE id = 'ses_2'")
        expect(keptBytes(list)).toBe(1_000)
        expect(scans()).toEqual([])
      },
    )

    claim('has no sum that came to nothing', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      expect(() =>
        transact(db, () => {
          keptBytes(db)
          throw new Error('it came to nothing')
        }),
      ).toThrow('nothing')
      putSession(db, summary('ses_1', 'x'), 'x', { bytes: 8 })
      expect(keptBytes(db)).toBe(8)
    })

    claim('gives entries of before with all that an entry has', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      const entry = summary('ses_1', 'old', {}, 0, 'failed')
      putSession(db, entry, 'x')
      db.all("UPDATE sessions SET summary = json_remove(summary, '$.error', '$.ended_by')")
      expect(listSummaries(db, { limit: 1 }).data).toEqual([{ ...entry, error: null, ended_by: null }])
    })

    claim('is not set back by an entry that was overtaken', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      putSession(db, summary('ses_1', 'new', {}, 2_000, 'failed'), 'x')
      putSession(db, summary('ses_1', 'old', {}, 1_000), 'x')
      expect(listSummaries(db, { limit: 1 }).data[0]).toMatchObject({ title: 'new', status: 'failed' })
      expect(listSummaries(db, { limit: 1, status: 'idle' }).data).toEqual([])
    })
  })
}
