import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { memorySuite } from '../../support/memory-suite.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { sqliteMemory } from '../../../src/memory/sqlite-memory.ts'
import { endedRun } from '../../support/ended-run.ts'
import { forgetMemory } from '../../../src/store/memory.ts'

memorySuite((look) => look(sqliteMemory(nodeDatabase(), Date.now)))

describe('a memory that is not used', () => {
  test('has no table, whatever it is asked', ({ expect }) => {
    const db = nodeDatabase()
    const memory = sqliteMemory(db, Date.now)
    expect(memory.load('ses_1')).toEqual({ rounds: [], preferences: [], tasks: [] })
    expect([memory.search('x', 5), memory.preference('x'), memory.remove('x')]).toEqual([[], null, false])
    expect(memory.rounds({ limit: 5 })).toEqual({ data: [], nextCursor: null })
    expect(db.all('SELECT name FROM sqlite_master')).toEqual([])
  })
})

describe('a memory that is full', () => {
  test('lets the oldest rounds and tasks go, from its search too', ({ expect }) => {
    const db = nodeDatabase()
    const memory = sqliteMemory(db, Date.now)
    const { roundsMax } = LIMITS.memory
    memory.save('u', [endedRun(0, { task: 'unique beginning' })])
    for (let from = 1; from <= roundsMax; from += 1_000) {
      memory.save(
        'u',
        Array.from({ length: 1_000 }, (_, index) => endedRun(from + index)),
      )
    }
    const count = (table: string) => db.first<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n
    expect([count('conversations'), count('tasks')]).toEqual([roundsMax, roundsMax])
    expect(memory.rounds({ q: 'unique', limit: 5 }).data).toEqual([])
    expect(memory.search('unique beginning', 5)).toEqual([])
    expect(memory.rounds({ limit: 1 }).data[0]?.run_id).toBe(`run_${roundsMax}`)
  })

  test('lets the oldest preference go', ({ expect }) => {
    const memory = sqliteMemory(nodeDatabase(), Date.now)
    const { preferencesMax } = LIMITS.memory
    for (let n = 0; n < preferencesMax; n++) memory.put('u', { key: `k${n}`, value: 'v' })
    memory.put('u', { key: 'k0', value: 'again' })
    memory.put('u', { key: 'new', value: 'v' })
    expect(memory.preference('k0')).toEqual({ key: 'k0', value: 'again' })
    expect(memory.preference('k1')).toBeNull()
    expect(memory.preferences({ limit: 100 }).data).toHaveLength(preferencesMax)
  })
})

test('what is forgotten leaves no word in the index', ({ expect }) => {
  const db = nodeDatabase()
  const memory = sqliteMemory(db, Date.now)
  memory.save('u', [endedRun(1, { task: 'What does Zanzibar owe?' })])
  const indexed = () =>
    ['conversation_words', 'task_words'].flatMap((table) =>
      db
        .all<{ block: Uint8Array }>(`SELECT block FROM ${table}_data`)
        .map(({ block }) => new TextDecoder().decode(block)),
    )
  expect(indexed().join('')).toContain('zanzibar')
  expect(forgetMemory(db)).toEqual({ conversations: 1, tasks: 1, preferences: 0 })
  expect(indexed().join('')).not.toContain('zanzibar')
  memory.save('u', [endedRun(2, { task: 'And Tonga?' })])
  expect(memory.rounds({ limit: 5, q: 'tonga' }).data).toHaveLength(1)
})
