import type { AuditAct } from '../../../src/domain/audit.ts'
import { newState, STATE_VERSION } from '../../../src/domain/state.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SessionRecord } from '../../../src/domain/session.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { Journal } from '../../../src/log/journal.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import type { Log } from '../../../src/domain/ports.ts'
import { describe, test } from 'vitest'

const RECORD: SessionRecord = {
  id: 'ses_1',
  tenant: 'default',
  title: '',
  character: null,
  orchestrator: 'agent',
  skill: null,
  user: null,
  metadata: {},
  config: {},
  createdTime: 0,
}

const ACT: AuditAct = {
  id: 'aud_1',
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'key', id: 'k' },
  action: 'session.message',
  target: 'ses_1',
  outcome: 'done',
  status: 200,
  request_id: null,
  details: {},
}

const at = (seq: number) => ({ seq, run_id: 'run_1', time: '2026-01-01T00:00:00.000Z', scope: null })
const started = (seq: number): SessionEvent => ({
  type: 'run-start',
  orchestrator: 'agent',
  mode: 'request',
  resumed: false,
  ...at(seq),
})
const iteration = (seq: number): SessionEvent => ({ type: 'iteration-start', iteration: seq, ...at(seq) })
const rested = (seq: number, usage = newState(0).usage): SessionEvent => ({
  type: 'run-pause',
  status: 'in_progress',
  finish_reason: null,
  usage,
  ...at(seq),
})

/** A log that `count` events of an active run were written to, one an append. */
function activeLog(count: number) {
  const db = nodeDatabase()
  const log = sqliteLog(db, reduce)
  let state = newState(0)
  log.append({ events: [], state, record: RECORD })
  const append = (event: SessionEvent) => {
    state = reduce(state, [event])
    log.append({ events: [event], state })
  }
  for (let seq = 1; seq <= count; seq++) append(seq === 1 ? started(seq) : iteration(seq))
  const storedSeq = () => {
    const row = db.first<{ value: string }>("SELECT value FROM facts WHERE key = 'state'")
    return (JSON.parse(row?.value ?? '{}') as { lastSeq: number }).lastSeq
  }
  return { db, append, storedSeq, state: () => state }
}

test.for([
  1,
  2,
  LIMITS.store.snapshotEventsMax - 1,
  LIMITS.store.snapshotEventsMax,
  3 * LIMITS.store.snapshotEventsMax + 5,
])('a log that was cut after %i events of an active run opens with the state that it had', (count, { expect }) => {
  const { db, state, storedSeq } = activeLog(count)
  expect(sqliteLog(db, reduce).load()).toEqual({ record: RECORD, state: state(), acts: [] })
  expect(count - storedSeq()).toBeLessThan(LIMITS.store.snapshotEventsMax)
})

test('the state is not written at every append, nor when the run rests', ({ expect }) => {
  const { db, append, storedSeq, state } = activeLog(10)
  append(rested(11))
  expect(storedSeq()).toBe(0)
  expect(sqliteLog(db, reduce).load()?.state).toEqual(state())
})

test('the state is written after so many events, whatever becomes of the run', ({ expect }) => {
  const { append, storedSeq } = activeLog(LIMITS.store.snapshotEventsMax - 1)
  append(rested(LIMITS.store.snapshotEventsMax))
  expect(storedSeq()).toBe(LIMITS.store.snapshotEventsMax)
})

test('a log that was cut and opened goes on without a gap', ({ expect }) => {
  const { db, state } = activeLog(LIMITS.store.snapshotEventsMax - 1)
  const again = sqliteLog(db, reduce)
  let expected = again.load()?.state ?? newState(0)
  expect(expected).toEqual(state())
  for (let seq = expected.lastSeq + 1; seq <= 2 * LIMITS.store.snapshotEventsMax; seq++) {
    expected = reduce(expected, [iteration(seq)])
    again.append({ events: [iteration(seq)], state: expected })
  }
  expect(sqliteLog(db, reduce).load()?.state).toEqual(expected)
})

test('a state of an earlier version is folded anew', ({ expect }) => {
  const { db, state } = activeLog(LIMITS.store.eventsPerFold + 10)
  const { version: _, ...old } = state()
  db.all("UPDATE facts SET value = ? WHERE key = 'state'", JSON.stringify({ ...old, lastSeq: 5 }))
  const loaded = sqliteLog(db, reduce).load()
  expect(loaded?.state).toEqual({ ...state(), updatedTime: loaded?.state.updatedTime })
})

test('a state of another version is folded anew, and what was done since is not lost', ({ expect }) => {
  const { db, state } = activeLog(5)
  const act = { ...ACT, id: 'aud_2' }
  const next = reduce(state(), [iteration(6)])
  sqliteLog(db, reduce).append({ events: [iteration(6)], state: next, records: [{ seq: 6, act }] })
  const stored = { ...newState(0), version: STATE_VERSION - 1, acts: [ACT] }
  db.all("UPDATE facts SET value = ? WHERE key = 'state'", JSON.stringify(stored))
  expect(sqliteLog(db, reduce).load()?.acts).toEqual([ACT, act])
})

test('a state of a later version is folded anew, and gives way to ours', ({ expect }) => {
  const { db, append, state } = activeLog(10)
  append(rested(11))
  const later = { ...state(), version: STATE_VERSION + 1, status: 'dreaming', pending: 'elsewhere', dreams: [1] }
  db.all("UPDATE facts SET value = ? WHERE key = 'state'", JSON.stringify(later))
  const log = sqliteLog(db, reduce)
  const loaded = log.load()?.state ?? newState(0)
  expect(loaded).toEqual({ ...state(), updatedTime: loaded.updatedTime })
  const next = reduce(loaded, [iteration(12)])
  log.append({ events: [iteration(12)], state: reduce(next, []), record: RECORD })
  expect(sqliteLog(db, reduce).load()?.state).toEqual(next)
})

test('events that a later release wrote are kept as they are, and move the state on', ({ expect }) => {
  const { db, append, state } = activeLog(3)
  const unknown = { type: 'dream', of: { sheep: [1, '二'] }, ...at(4), scope: 'tsk_1' } as unknown as SessionEvent
  append(unknown)
  append(iteration(5))
  const log = sqliteLog(db, reduce)
  expect(log.events(3, 1)).toEqual([unknown])
  expect(log.load()?.state).toEqual(state())
  expect(state()).toMatchObject({ lastSeq: 5, run: { iterations: 5 } })
  const without = [started(1), iteration(2), iteration(3), iteration(5)].reduce(
    (known, event) => reduce(known, [event]),
    newState(0),
  )
  expect(state()).toEqual(without)
})

test.for(['toString', '__proto__', 'constructor', 'hasOwnProperty'])(
  'no type is taken for a handler: %s',
  (type, { expect }) => {
    const before = reduce(newState(0), [started(1)])
    const event = { type, ...at(2) } as unknown as SessionEvent
    expect(reduce(before, [event])).toEqual({ ...before, lastSeq: 2 })
  },
)

describe('a session opens as it was left', () => {
  const noted = (n: number) => ({ type: 'error', code: 'x', detail: String(n) }) as const
  const journalOf = (log: Log) => new Journal(log, () => 1_000, { reduce })

  /** Make the session in a journal, with so many events. */
  function fill(journal: Journal, count: number): void {
    journal.append([noted(0)], { record: { ...RECORD } })
    for (let n = 1; n < count; n++) journal.append([noted(n)])
  }

  test('where it was made again in the object of one with more events', ({ expect }) => {
    const db = nodeDatabase()
    const log = sqliteLog(db, reduce)
    const journal = journalOf(log)
    fill(journal, 5 * LIMITS.store.snapshotEventsMax)
    journal.forget()
    log.clear()
    for (const { name } of db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'"))
      db.script(`DROP TABLE ${name}`)
    fill(journal, 2 * LIMITS.store.snapshotEventsMax)
    const again = journalOf(sqliteLog(db, reduce))
    expect(again.state).toEqual(journal.state)
    expect(() => again.append([noted(0)])).not.toThrow()
  })

  test('where its tables were made before it', ({ expect }) => {
    for (const before of [
      (log: Log) => log.keepSuccessor({ generation: 1, until: 5 }),
      (log: Log) => log.stage({ texts: [{ key: 'import:messages:0', text: 'x' }], time: 1 }),
    ]) {
      const db = nodeDatabase()
      const log = sqliteLog(db, reduce)
      before(log)
      const journal = journalOf(log)
      fill(journal, 1)
      expect(journalOf(sqliteLog(db, reduce)).state).toEqual(journal.state)
    }
  })

  test('where more events than a snapshot is put off for were lost to it', ({ expect }) => {
    const { db, state } = activeLog(3 * LIMITS.store.snapshotEventsMax)
    db.all("UPDATE facts SET value = ? WHERE key = 'state'", JSON.stringify(newState(0)))
    expect(sqliteLog(db, reduce).load()?.state).toEqual(state())
  })
})
