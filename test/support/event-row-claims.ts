import type { ExpectStatic } from 'vitest'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { SessionRecord } from '../../src/domain/session.ts'
import { newState } from '../../src/domain/state.ts'
import { reduce } from '../../src/orchestrators/all.ts'
import type { Database } from '../../src/store/database.ts'
import { memoryLog } from '../../src/store/memory-log.ts'
import { rowWriter } from '../../src/store/row-text.ts'
import { sqliteLog } from '../../src/store/session-log.ts'

export const RECORD: SessionRecord = {
  id: 'ses_1',
  tenant: 'default',
  title: '标题',
  character: null,
  orchestrator: 'agent',
  skill: null,
  user: null,
  metadata: {},
  config: {},
  createdTime: 0,
}

export const said = (seq: number, content: string, scope: string | null = null): SessionEvent => ({
  type: 'message',
  message: { id: `msg_${seq}`, seq, run_id: 'run_1', role: 'user', content, kind: 'task', created_time: '', scope },
  seq,
  run_id: 'run_1',
  time: '2026-01-01T00:00:00.000Z',
  scope,
})

export const noted = (seq: number): SessionEvent => ({
  type: 'error',
  code: 'x',
  detail: 'y',
  seq,
  run_id: null,
  time: '2026-01-01T00:00:00.000Z',
  scope: null,
})

/** What only a later release knows; its name is that of nothing else. */
const unknown = (seq: number): SessionEvent => {
  const later = {
    type: 'record',
    of: { sheep: [1, '二'] },
    events: [],
    seq,
    run_id: 'run_2',
    time: LATER,
    scope: 'tsk_1',
  }
  return JSON.parse(JSON.stringify(later))
}

const LATER = '2026-01-01T00:00:01.000Z'

/** A transaction of events of any kind, as logs have them. */
const mixed = (from: number): SessionEvent[] => [
  noted(from),
  unknown(from + 1),
  { ...noted(from + 2), scope: 'tsk_1', time: LATER },
  said(from + 3, `m${from}`),
  noted(from + 4),
  said(from + 5, `n${from}`, 'tsk_1'),
  noted(from + 6),
  noted(from + 7),
]

const rowsIn = (db: Database) =>
  db.all<{ seq: number; type: string; data: string | null }>('SELECT * FROM events ORDER BY seq')

/** How the release before wrote events, and read them, to the letter. */
const writeAsBefore = (db: Database, events: readonly SessionEvent[]) => {
  for (const { seq, type, run_id, scope, time, ...rest } of events)
    db.all(
      'INSERT INTO events (seq, type, run_id, scope, time, data) VALUES (?, ?, ?, ?, ?, ?)',
      seq,
      type,
      run_id,
      scope,
      time,
      JSON.stringify(rest),
    )
}
const readAsBefore = (db: Database): SessionEvent[] =>
  rowsIn(db).map(({ data, ...envelope }) => ({ ...envelope, ...JSON.parse(data ?? '{}') }))

export const state = (lastSeq: number) => ({ ...newState(0), lastSeq })
/** What a claim is made with: a database that nobody has used. */
type Claim = (name: string, body: (db: Database, expect: ExpectStatic) => void) => void

/** How events are kept in rows, and records with them. */
export function eventRowClaims(claim: Claim): void {
  claim('keeps what one record wrote in few rows, messages with others of their branch', (db, expect) => {
    const log = sqliteLog(db, reduce)
    log.append({ events: mixed(1), records: [{ seq: 1 }], state: state(8), record: RECORD })
    log.append({ events: [noted(9)], records: [{ seq: 9 }], state: state(9) })
    expect(rowsIn(db).map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '3 Events',
      '5 message',
      '6 message',
      '8 Events',
      '9 error',
    ])
    expect(log.events(0, 99)).toEqual([...mixed(1), noted(9)])
    expect(log.messages({ limit: 9 }).map(({ seq }) => seq)).toEqual([4, 6])
  })

  claim('gives events by pages of any length, from any place, whatever rows they stand in', (db, expect) => {
    const events = [1, 9, 17, 25].flatMap((from) => mixed(from))
    const logs = [sqliteLog(db, reduce), memoryLog()]
    for (const log of logs) {
      log.append({ events: [], state: state(0), record: RECORD })
      for (let from = 0; from < events.length; from += 8)
        log.append({ events: events.slice(from, from + 8), records: [{ seq: from + 1 }], state: state(from + 8) })
    }
    for (let after = 0; after <= events.length; after++)
      for (const limit of [1, 2, 3, 7, 8, 9, 99])
        for (const log of logs) {
          const behind = events.filter(({ seq }) => seq > after)
          expect(log.events(after, limit), `${after} ${limit}`).toEqual(behind.slice(0, limit))
          expect(log.events(after, limit, ['error', 'run-end']), `errors ${after} ${limit}`).toEqual(
            behind.filter(({ type }) => type === 'error').slice(0, limit),
          )
          expect(log.records(after, limit)).toEqual(
            [1, 9, 17, 25]
              .filter((seq) => seq > after)
              .slice(0, limit)
              .map((seq) => ({ seq })),
          )
        }
  })

  claim('keeps what a record says beside its events, however long', (db, expect) => {
    const move = { type: 'warn', scope: null, problem: { code: 'x', errors: ['长'.repeat(400_000)] } }
    const records = [{ seq: 1, move, in_flight: ['model:'], must_compact: true as const }, { seq: 9 }]
    const log = sqliteLog(db, reduce)
    log.append({ events: [...mixed(1), ...mixed(9)], records, state: state(16), record: RECORD })
    expect(sqliteLog(db, reduce).records(0, 9)).toEqual(records)
  })

  claim('keeps long events of one record apart, and many in rows that each fit', (db, expect) => {
    const events = Array.from({ length: 200 }, (_, index) => ({
      ...noted(index + 1),
      detail: index === 50 ? '长'.repeat(1_000_000) : 'y'.repeat(20_000),
    }))
    const log = sqliteLog(db, reduce)
    log.append({ events, records: [{ seq: 1 }], state: state(200), record: RECORD })
    expect(log.events(0, 999)).toEqual(events)
    expect(log.events(50, 1)).toEqual([events[50]])
    for (const table of ['events', 'texts']) {
      const column = table === 'events' ? 'data' : 'text'
      const longest = db.first<{ n: number }>(`SELECT max(length(CAST(${column} AS BLOB))) AS n FROM ${table}`)
      expect(longest?.n).toBeLessThan(1_048_576)
    }
  })

  claim('goes on with what a release before records wrote, which stops at what it reads of this one', (db, expect) => {
    const log = sqliteLog(db, reduce)
    log.append({ events: [], state: state(0), record: RECORD })
    writeAsBefore(db, mixed(1))
    log.append({ events: mixed(9), records: [{ seq: 9 }], state: state(16) })
    expect(() => readAsBefore(db)).toThrow('JSON')
    writeAsBefore(db, mixed(17))
    log.append({ events: mixed(25), records: [{ seq: 25 }], state: state(32) })
    expect(log.events(0, 99)).toEqual([1, 9, 17, 25].flatMap((from) => mixed(from)))
    expect(log.records(0, 9)).toEqual([{ seq: 9 }, { seq: 25 }])
  })

  claim('reads rows of several events of each release before', (db, expect) => {
    const log = sqliteLog(db, reduce)
    log.append({ events: [], state: state(0), record: RECORD })
    const events = [1, 2, 3, 4, 5, 6].map((seq) => (seq % 3 === 2 ? { ...noted(seq), scope: 'tsk_1' } : noted(seq)))
    // The first release of such rows said nothing beside the events.
    for (const [last, beside] of [
      [3, {}],
      [6, { type: 'message' }],
    ] as const) {
      const [{ run_id, time }] = [noted(last)]
      const kept = events.slice(last - 3, last).map(({ seq: _seq, run_id: _run, time: _time, scope, ...rest }) => ({
        ...rest,
        ...(scope === null ? {} : { scope }),
      }))
      db.all(
        'INSERT INTO events (seq, type, run_id, scope, time, data) VALUES (?, ?, ?, ?, ?, ?)',
        last,
        'Events',
        run_id,
        null,
        time,
        JSON.stringify({ events: kept, ...beside }),
      )
    }
    expect(log.events(0, 99)).toEqual(events)
    expect(log.events(1, 99, ['error'])).toEqual(events.slice(1))
  })

  claim('reads messages that share a row with others, by pages of any length and branch', (db, expect) => {
    const log = sqliteLog(db, reduce)
    log.append({ events: [said(1, 'a', 'tsk_1')], records: [{ seq: 1 }], state: state(1), record: RECORD })
    const behind = [2, 3, 4, 5, 6, 7, 8].map((seq) => (seq % 3 === 0 ? noted(seq) : said(seq, `m${seq}`)))
    const kept = behind.map(({ seq: _seq, scope: _scope, run_id: _run, time: _time, ...rest }) => rest)
    for (const [from, to] of [
      [0, 3],
      [3, 7],
    ] as const)
      db.all(
        'INSERT INTO events (seq, type, run_id, scope, time, data, record) VALUES (?, ?, ?, ?, ?, ?, ?)',
        behind[to - 1]?.seq ?? 0,
        'message',
        'run_1',
        null,
        '2026-01-01T00:00:00.000Z',
        rowWriter()(kept.slice(from, to)),
        rowWriter()([{ seq: from + 2, move: { type: 'call-model', scope: null, key: 'model:', attempt: 1 } }]),
      )
    const all = [said(1, 'a', 'tsk_1'), ...behind]
    const messages = all.flatMap((event) => (event.type === 'message' ? [event.message] : []))
    const again = sqliteLog(db, reduce)
    expect(again.events(0, 99).map(({ seq, type }) => `${seq} ${type}`)).toEqual(
      all.map(({ seq, type }) => `${seq} ${type}`),
    )
    expect(again.events(0, 99, ['error']).map(({ seq }) => seq)).toEqual([3, 6])
    expect(again.records(0, 9).map(({ seq }) => seq)).toEqual([1, 2, 5])
    for (const scope of [undefined, null, 'tsk_1'])
      for (const after of [0, 1, 3, 4, 8])
        for (const before of [2, 5, 6, 9, undefined])
          for (const limit of [1, 2, 99])
            for (const newestFirst of [false, true]) {
              const found = messages.filter(
                (one) =>
                  one.seq > after && one.seq < (before ?? Infinity) && (scope === undefined || one.scope === scope),
              )
              const query = {
                after,
                limit,
                newestFirst,
                ...(before ? { before } : {}),
                ...(scope === undefined ? {} : { scope }),
              }
              expect(again.messages(query), JSON.stringify(query)).toEqual(
                (newestFirst ? found.toReversed() : found).slice(0, limit),
              )
            }
  })
}
