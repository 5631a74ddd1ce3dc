import { test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { MessageQuery } from '../../../src/domain/ports.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { noted, RECORD, said, state } from '../../support/event-row-claims.ts'
import { nodeDatabase } from '../../support/node-database.ts'

/** Numbers below `below` that are the same each time (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let at = seed
  return (below) => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const TEXTS = [
  'message',
  '',
  '\u0001"x"\u00020;\u0003\u0004,',
  '长'.repeat(40),
  '\udc00\ud800'.repeat(12),
  '😀"\\'.repeat(15),
  `${'\\'.repeat(21)}"`,
  '[{"type":"feedback","act":1}]',
  '长\n'.repeat(9_000),
]
const SCOPES = [null, null, 'tsk_1', 'tsk_2'] as const
const NAMES = ['type', 'message', '__proto__', 'toJSON', 'events', 'length', '7', '\u0005']
const TYPES = ['error', 'feedback', 'message', 'team-message', 'run-end'] as const

const textOf = (random: (below: number) => number) => TEXTS[random(TEXTS.length)] ?? ''

/** An event with JSON of any kind in it, as an import or a model may bring. */
function anyEvent(seq: number, random: (below: number) => number): SessionEvent {
  const scope = SCOPES[random(SCOPES.length)] ?? null
  const time = `T${random(2)}`
  if (random(3) === 0) return { ...said(seq, textOf(random), scope), time }
  const name = JSON.stringify(NAMES[random(NAMES.length)])
  const depth = random(45)
  const inmost = JSON.stringify([textOf(random), random(9) / 7, null])
  const json: unknown = JSON.parse(`{${name}:`.repeat(depth) + inmost + '}'.repeat(depth))
  const event = {
    ...noted(seq),
    type: TYPES[random(2)],
    scope,
    time,
    run_id: random(4) === 0 ? null : 'run_1',
    more: json,
  }
  return JSON.parse(JSON.stringify(event))
}

const anyQuery = (last: number, random: (below: number) => number): MessageQuery => ({
  limit: [1, 2, 7, 100][random(4)] ?? 1,
  newestFirst: random(2) === 0,
  ...(random(2) === 0 ? { after: random(last + 2) } : {}),
  ...(random(2) === 0 ? { before: random(last + 3) } : {}),
  ...(random(2) === 0 ? { scope: SCOPES[random(4)] ?? null } : {}),
})

test.for([1, 2, 3])('a log of anything reads in SQLite as in memory, by any page: %i', (seed, { expect }) => {
  const random = numbers(seed)
  const db = nodeDatabase()
  const memory = memoryLog()
  const logs = [memory, sqliteLog(db, reduce)] as const
  for (const log of logs) log.append({ events: [], state: state(0), record: RECORD })
  for (let last = 0; last < 150;) {
    const events = Array.from({ length: 1 + random(40) }, (_, index) => anyEvent(last + 1 + index, random))
    const records = events.filter((_, index) => index === 0 || random(5) === 0).map(({ seq }) => ({ seq }))
    last += events.length
    for (const log of logs) log.append({ events, records, state: state(last) })
    for (let round = 0; round < 30; round++) {
      const [after, limit] = [random(last + 2), [1, 2, 16, 32, 100, 1_000][random(6)] ?? 1]
      const types = random(2) === 0 ? undefined : [TYPES[random(5)] ?? 'error', 'feedback' as const]
      const query = anyQuery(last, random)
      const [ours, theirs] = [logs[1], memory].map((log) => ({
        events: log.events(after, limit, types),
        messages: log.messages(query),
        records: log.records(after, limit),
      }))
      expect(ours, JSON.stringify({ after, limit, types, query })).toEqual(theirs)
    }
  }
  expect(sqliteLog(db, reduce).events(0, 999)).toEqual(memory.events(0, 999))
  db.close()
})
