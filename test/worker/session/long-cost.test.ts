import { evictDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import { longDocument } from '../../support/long-document.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, sent, stage } from '../http/http.ts'
import { stubOf, within } from './worker-home.ts'

const words = WORDS.en
const TURNS = 12

interface Cost {
  rowsRead: number
  rowsWritten: number
  /** Bytes of the longest request to the model. */
  bytes: number
}

/** What a run costs in a session of so many earlier messages whose object has just woken. */
async function costOfRun(messages: number): Promise<Cost> {
  const thoughts = Array.from({ length: TURNS }, (_, index) => words.rethink(`Thought ${index}`))
  const set = await stage([...thoughts, words.finish('done')])
  const config = { ...set.config, limits: { max_iterations: TURNS + 1 } }
  const { id } = await json<SessionData>(
    call('POST', '/v1/sessions/import', { body: longDocument(messages, config) }),
    201,
  )
  await evictDurableObject(stubOf(id))
  const rows = await within(id, (_object, { storage: { sql } }) => counted(sql))
  const { status } = await sent(id, 'What was it that I asked?')
  if (status !== 'completed') throw new Error(`a run that completes was expected, not ${status}`)
  const bytes = (await set.model.asked()).map(({ body }) => new Blob([JSON.stringify(body)]).size)
  return { ...rows, bytes: Math.max(...bytes) }
}

/** Counts the rows of every statement from here on. */
function counted(sql: SqlStorage): { rowsRead: number; rowsWritten: number } {
  const rows = { rowsRead: 0, rowsWritten: 0 }
  const exec = sql.exec.bind(sql)
  const counting = (...args: Parameters<typeof exec>) => {
    const cursor = exec(...args)
    const read = cursor.toArray()
    rows.rowsRead += cursor.rowsRead
    rows.rowsWritten += cursor.rowsWritten
    return { toArray: () => read }
  }
  Object.defineProperty(sql, 'exec', { value: counting, configurable: true })
  return rows
}

describe('a run in a session of 3,000 earlier messages', () => {
  test('reads and writes no more rows, and sends no more to the model, than 1.3 times one of 10', async ({
    expect,
  }) => {
    const [short, long] = [await costOfRun(10), await costOfRun(3_000)]
    expect(short.rowsWritten).toBeGreaterThan(TURNS)
    for (const what of ['rowsRead', 'rowsWritten', 'bytes'] as const) {
      expect(long[what], `${what}: ${JSON.stringify({ short, long })}`).toBeLessThanOrEqual(short[what] * 1.3)
    }
  })
})
