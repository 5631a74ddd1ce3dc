import { contentText } from '../../src/domain/content.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import type { Database } from '../../src/store/database.ts'
import { DIRECTORY_SCHEMA } from '../../src/store/directory.ts'
import { isMigrated, migrate, migrateIfThere, schemaOf } from '../../src/store/migrate.ts'
import { memoryLog } from '../../src/store/memory-log.ts'
import { withRecentMessages } from '../../src/store/recent-messages.ts'
import { reduce } from '../../src/orchestrators/all.ts'
import { SESSION_SCHEMA, sqliteLog } from '../../src/store/session-log.ts'
import { eventRowClaims, noted, RECORD, said, state } from './event-row-claims.ts'
import { describe, type ExpectStatic, test } from 'vitest'

/** Runs `work` with a database that nobody has used. */
export type WithDatabase = (work: (db: Database) => void) => Promise<void>

const tablesIn = (db: Database) =>
  db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf%'")

/** Unix ms at which the requests of these claims come. */
const NOON = 1_700_000_000_000

/** What the store promises on any SQLite. */
export function logSuite(withDatabase: WithDatabase): void {
  const claim = (name: string, body: (db: Database, expect: ExpectStatic) => void) =>
    test(name, async ({ expect }) => withDatabase((db) => body(db, expect)))

  describe('the log of a session', () => {
    claim('asked for an id that was never made, writes nothing', (db, expect) => {
      const log = withRecentMessages(sqliteLog(db, reduce))
      expect([log.load(), log.events(0, 10), log.messages({ limit: 10 }), log.text('x'), log.request('k')]).toEqual([
        null,
        [],
        [],
        null,
        null,
      ])
      expect(isMigrated(db, SESSION_SCHEMA)).toBe(false)
      expect(tablesIn(db)).toEqual([])
    })

    claim('refuses a row over 2 MB, whoever writes it, and takes longer texts and logs in parts', (db, expect) => {
      migrate(db, DIRECTORY_SCHEMA)
      const put = (...values: string[]) =>
        db.all(
          `INSERT INTO skills (name, description, definition) VALUES ${values.map(() => "(?, 'd', ?)").join(', ')}`,
          ...values.flatMap((value, index) => [`s${index}`, value]),
        )
      for (const value of ['x'.repeat(2_000_000), '字'.repeat(700_000)])
        expect(() => put('small', value)).toThrow(
          /^a row has at most 2000000 bytes, got 2\d{6}: long texts are kept in parts$/,
        )
      expect(db.first('SELECT count(*) AS n FROM skills')).toEqual({ n: 0 })
      put('x'.repeat(1_000_000), 'y'.repeat(1_500_000))
      for (const log of [sqliteLog(db, reduce), memoryLog()]) {
        const [event, text] = [said(1, '字'.repeat(1_500_000)), 'z'.repeat(5_000_000)]
        log.append({ events: [event], state: state(1), record: RECORD, texts: [{ key: 'long', text }] })
        expect([log.events(0, 1), log.text('long')]).toEqual([[event], text])
      }
    })

    claim('gives back what was written, in order, after another opening too', (db, expect) => {
      const events = [said(1, '一'), noted(2), said(3, '二')]
      const after = reduce(state(0), events)
      sqliteLog(db, reduce).append({ events: [], state: state(0), record: RECORD })
      sqliteLog(db, reduce).append({ events, state: after })
      const log = sqliteLog(db, reduce)
      expect(log.load()).toEqual({ record: RECORD, state: after, acts: [] })
      expect(log.events(0, 10)).toEqual(events)
      expect(log.events(1, 1)).toEqual([events[1]])
      expect(log.events(3, 10)).toEqual([])
      expect(log.messages({ limit: 10 }).map(({ content }) => content)).toEqual(['一', '二'])
    })

    claim('gives events of some types alone, by pages as any', (db, expect) => {
      const events = [said(1, '一'), noted(2), said(3, '二'), noted(4)]
      for (const log of [sqliteLog(db, reduce), memoryLog()]) {
        log.append({ events, state: state(4), record: RECORD })
        expect(log.events(0, 10, ['message'])).toEqual([events[0], events[2]])
        expect(log.events(1, 1, ['message', 'run-end'])).toEqual([events[2]])
        expect(log.events(0, 10, ['run-end'])).toEqual([])
      }
    })

    eventRowClaims(claim)

    claim('refuses a seq that is taken, and keeps nothing of that append', (db, expect) => {
      const log = sqliteLog(db, reduce)
      log.append({ events: [said(1, '一')], state: state(1), record: RECORD })
      const taken = { events: [said(2, '二'), said(1, '三')], state: state(9), texts: [{ key: 'k', text: 't' }] }
      expect(() => log.append(taken)).toThrow()
      expect(log.events(0, 10).map(({ seq }) => seq)).toEqual([1])
      expect([log.load()?.state.lastSeq, log.text('k')]).toEqual([1, null])
    })

    claim('keeps texts over 1 MiB in parts that fit a row, and gives them back whole', (db, expect) => {
      const long = `${'长😀x'.repeat(400_000)}!`
      expect(long.length).toBeGreaterThan(1_048_576)
      const log = sqliteLog(db, reduce)
      log.append({ events: [said(1, long)], state: state(1), record: RECORD, texts: [{ key: 'result:c', text: long }] })
      expect(log.text('result:c') === long).toBe(true)
      expect(log.messages({ limit: 1 })[0]?.content === long).toBe(true)
      const longest =
        db.first<{ bytes: number }>('SELECT max(length(CAST(text AS BLOB))) AS bytes FROM texts')?.bytes ?? 0
      expect(longest).toBeLessThan(1_048_576)
      const rows =
        db.first<{ bytes: number }>('SELECT max(length(CAST(data AS BLOB))) AS bytes FROM events')?.bytes ?? 0
      expect(rows).toBeLessThan(1_048_576)
      log.append({ events: [], state: state(1), texts: [{ key: 'result:c', text: 'short' }] })
      expect(log.text('result:c')).toBe('short')
    })

    claim('keeps a record that is long, and the short one that follows it', (db, expect) => {
      const log = sqliteLog(db, reduce)
      const instructions = 'x'.repeat(LIMITS.store.partCharsMax + 1)
      log.append({ events: [], state: state(0), record: { ...RECORD, config: { instructions } } })
      expect(sqliteLog(db, reduce).load()?.record.config.instructions?.length).toBe(instructions.length)
      log.append({ events: [], state: state(0), record: RECORD })
      expect(sqliteLog(db, reduce).load()?.record).toEqual(RECORD)
    })

    claim('finds messages by seq, scope and end', (db, expect) => {
      const log = sqliteLog(db, reduce)
      const events = [said(1, 'a'), said(2, 'b', 'tsk_1'), said(3, 'c'), said(4, 'd', 'tsk_1'), said(5, 'e')]
      log.append({ events, state: state(5), record: RECORD })
      const found = (query: Parameters<typeof log.messages>[0]) =>
        log
          .messages(query)
          .map(({ content }) => contentText(content, null))
          .join('')
      for (const home of [log, withRecentMessages(log)]) {
        expect(home.messages({ limit: 9 }).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
      }
      expect(found({ scope: null, limit: 9 })).toBe('ace')
      expect(found({ scope: 'tsk_1', limit: 9 })).toBe('bd')
      expect(found({ after: 1, before: 5, limit: 9 })).toBe('bcd')
      expect(found({ limit: 2, newestFirst: true })).toBe('ed')
      expect(found({ scope: null, after: 1, limit: 1 })).toBe('c')
    })

    claim('makes an index of branches when the first one says something', (db, expect) => {
      const log = sqliteLog(db, reduce)
      const indexes = () => db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name = 'messages_by_scope'")
      log.append({ events: [said(1, 'a'), said(2, 'b')], state: state(2), record: RECORD })
      expect(log.messages({ scope: null, limit: 9 }).map(({ seq }) => seq)).toEqual([1, 2])
      expect(log.messages({ scope: 'tsk_1', limit: 9 })).toEqual([])
      expect(indexes()).toEqual([])
      log.append({ events: [said(3, 'c', 'tsk_1')], state: state(3) })
      expect(indexes()).toHaveLength(1)
      expect(log.messages({ scope: 'tsk_1', limit: 9 }).map(({ seq }) => seq)).toEqual([3])
      expect(log.messages({ scope: null, limit: 9 }).map(({ seq }) => seq)).toEqual([1, 2])
    })

    claim('gives from memory what the table gives, however long the log', (db, expect) => {
      const log = sqliteLog(db, reduce)
      const cached = withRecentMessages(log)
      cached.append({ events: [], state: state(0), record: RECORD })
      cached.messages({ limit: 1 })
      for (let seq = 1; seq <= 1_400; seq += 7) {
        const events = Array.from({ length: 7 }, (_, index) =>
          said(seq + index, `m${seq + index}`, index % 3 ? null : 't'),
        )
        cached.append({ events, state: state(seq + 6) })
      }
      for (const query of [
        { limit: 5 },
        { limit: 5, newestFirst: true },
        { limit: 400, newestFirst: true, scope: null },
        { after: 1_390, limit: 100 },
        { after: 500, before: 520, limit: 100 },
        { after: 3, limit: 3, scope: 't' },
        { before: 1_000, limit: 3, newestFirst: true, scope: 't' },
        { limit: 2_000, newestFirst: true },
      ]) {
        expect([query, cached.messages(query)]).toEqual([query, log.messages(query)])
      }
    })

    claim('keeps a keyed request with its effect, and its answer', (db, expect) => {
      const log = sqliteLog(db, reduce)
      log.append({ events: [], state: state(0), record: RECORD })
      log.append({
        events: [said(1, 'a')],
        state: state(1),
        request: { key: 'k', runId: 'run_1', fromSeq: 0, time: NOON, answer: null },
      })
      expect(log.request('k')).toEqual({ key: 'k', runId: 'run_1', fromSeq: 0, time: NOON, answer: null })
      log.keepAnswer('k', '{"a":1}')
      log.keepAnswer('unknown', 'x')
      expect([log.request('k')?.answer, log.request('unknown')]).toEqual(['{"a":1}', null])
      const again = {
        events: [said(2, 'b')],
        state: state(2),
        request: { key: 'k', runId: 'run_2', fromSeq: 1, time: NOON, answer: null },
      }
      expect(() => log.append(again)).toThrow()
      expect(log.events(0, 10)).toHaveLength(1)
    })

    claim('takes away requests that are too old, and gives their keys anew', (db, expect) => {
      const { keptMs, tidyMs } = LIMITS.idempotency
      const log = sqliteLog(db, reduce)
      let seq = 0
      const asked = (key: string, time: number) => {
        seq++
        const request = { key, runId: `run_${seq}`, fromSeq: seq, time, answer: null }
        log.append({ events: [said(seq, 'a')], state: state(seq), request })
      }
      const kept = () => ['a', 'b', 'c'].map((key) => log.request(key)?.runId)
      log.append({ events: [], state: state(0), record: RECORD })
      asked('a', NOON)
      asked('b', NOON + tidyMs)
      asked('c', NOON + keptMs - 1)
      log.keepAnswer('a', 'x')
      // Nobody looks for what is too old.
      asked('a', NOON + keptMs)
      expect([kept(), log.request('a')?.answer]).toEqual([['run_4', 'run_2', 'run_3'], null])
      asked('c', NOON + 2 * keptMs)
      expect(kept()).toEqual([undefined, undefined, 'run_5'])
    })
  })

  describe('migrations', () => {
    const one = schemaOf(['CREATE TABLE IF NOT EXISTS a (x INTEGER);'])
    const two = schemaOf([
      'CREATE TABLE IF NOT EXISTS a (x INTEGER);',
      `CREATE INDEX IF NOT EXISTS a_by_x ON a (x) WHERE x > 0;
       ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT 'none';`,
      'CREATE TABLE IF NOT EXISTS b (z INTEGER);',
    ])
    const rows = (db: Database) => db.all('SELECT * FROM a ORDER BY x')

    claim('add what is missing and keep what is there, whichever release comes', (db, expect) => {
      migrate(db, one)
      db.all('INSERT INTO a (x) VALUES (1)')
      migrate(db, two)
      db.all('INSERT INTO a (x, y) VALUES (2, ?)', 'new')
      migrate(db, one)
      db.all('INSERT INTO a (x) VALUES (3)')
      migrate(db, two)
      expect(rows(db)).toEqual([
        { x: 1, y: 'none' },
        { x: 2, y: 'new' },
        { x: 3, y: 'none' },
      ])
      expect(tablesIn(db)).toEqual([{ name: 'a' }, { name: 'b' }])
    })

    claim('write nothing where nothing is missing, and look once', (db, expect) => {
      migrate(db, two)
      const asked: string[] = []
      const silent: Database = {
        ...db,
        first: (sql) => expect.unreachable(sql),
        all: (sql, ...values) => {
          asked.push(sql)
          return db.all(sql, ...values)
        },
        script: (sql) => expect.unreachable(sql),
        transaction: () => expect.unreachable(),
      }
      migrate(silent, two)
      expect(migrateIfThere(silent, two)).toBe(true)
      expect(asked).toHaveLength(2)
    })

    claim('leave an unknown database as it is, where they are to', (db, expect) => {
      expect([migrateIfThere(db, two), isMigrated(db, two)]).toEqual([false, false])
      expect(tablesIn(db)).toEqual([])
      migrate(db, one)
      expect([migrateIfThere(db, two), isMigrated(db, two)]).toEqual([true, true])
      expect(tablesIn(db)).toEqual([{ name: 'a' }, { name: 'b' }])
    })

    claim('that fail leave everything as it was', (db, expect) => {
      const broken = schemaOf(['CREATE TABLE IF NOT EXISTS a (x INTEGER)', 'CREATE TABLE IF NOT EXISTS nonsense ()'])
      expect(() => migrate(db, broken)).toThrow()
      expect(isMigrated(db, broken)).toBe(false)
      expect(tablesIn(db)).toEqual([])
    })

    test.for([
      'CREATE TABLE a (x INTEGER)',
      'DROP TABLE IF EXISTS a',
      'ALTER TABLE a DROP COLUMN x',
      'ALTER TABLE a RENAME TO b',
      "UPDATE a SET x = 'CREATE TABLE IF NOT EXISTS b'",
    ])('take no statement but one that adds and may come again: %s', (sql, { expect }) => {
      expect(() => schemaOf([sql])).toThrow(sql)
    })
  })

  describe('the database', () => {
    claim('refuses what one of the two backends would take and the other not', (db, expect) => {
      const many = Array.from({ length: 101 }, () => 1)
      expect(() => db.all(`SELECT ${many.map(() => '?').join()}`, ...many)).toThrow(TypeError)
      for (const value of [true, undefined, 1n, {}]) {
        expect(() => db.all('SELECT ? AS x', value as unknown as string)).toThrow(TypeError)
      }
      expect(() => db.transaction(async () => {})).toThrow(TypeError)
    })

    claim('takes a nested transaction back alone', (db, expect) => {
      db.script('CREATE TABLE a (x INTEGER)')
      db.transaction(() => {
        db.all('INSERT INTO a VALUES (1)')
        expect(() =>
          db.transaction(() => {
            db.all('INSERT INTO a VALUES (2)')
            throw new Error('no')
          }),
        ).toThrow('no')
      })
      expect(db.all('SELECT x FROM a')).toEqual([{ x: 1 }])
    })
  })
}
