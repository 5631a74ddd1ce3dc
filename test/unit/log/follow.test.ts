import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { Journal } from '../../../src/log/journal.ts'
import { follow } from '../../../src/log/observe.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { RECORD } from '../../support/event-row-claims.ts'
import { nodeDatabase } from '../../support/node-database.ts'

function opened() {
  const log = sqliteLog(nodeDatabase(), reduce)
  const journal = new Journal(log, Date.now, { reduce })
  journal.append([], { record: RECORD })
  return { log, journal }
}

describe('a stream of a session', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('shows that it lives though the clock is set back', async ({ expect }) => {
    const { journal } = opened()
    const gone = new AbortController()
    let beats = 0
    const read = async () => {
      for await (const batch of follow(journal, { from: { seq: 0, n: 0 }, untilRestOf: null, signal: gone.signal }))
        if (batch === null) beats++
    }
    const reading = read()
    await vi.advanceTimersByTimeAsync(1_000)
    vi.setSystemTime(Date.now() - 3_600_000)
    await vi.advanceTimersByTimeAsync(6 * LIMITS.stream.heartbeatMs)
    gone.abort()
    await reading
    expect(beats).toBeGreaterThanOrEqual(5)
  })

  test('sets no timer for whoever is told when the run rests', async ({ expect }) => {
    const { journal } = opened()
    const { signal } = new AbortController()
    journal.append([{ type: 'run-start', orchestrator: 'agent', mode: 'request', resumed: false, run_id: 'run_1' }])
    const told = follow(journal, { from: { seq: 0, n: 0 }, untilRestOf: null, isAtRest: true, signal })
    const first = told.next()
    expect((await first).value).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
    await told.return()
  })
})

describe('events that were just written', () => {
  test('are the same to the byte as when they are read back', ({ expect }) => {
    const { journal, log } = opened()
    const stop = journal.listen(() => {}, true)
    journal.append([{ type: 'run-start', orchestrator: 'agent', mode: 'request', resumed: false, run_id: 'run_1' }])
    for (const content of ['one', 'two'])
      journal.append([
        journal.messageEvent({ role: 'user', content, kind: 'task' }),
        { type: 'error', code: 'x', detail: '二' },
        { type: 'file', scope: 'tsk_1', action: 'write', path: 'a.md', size: 3 },
      ])
    const { lastSeq } = journal.state
    for (let at = 0; at < lastSeq; at++)
      expect(JSON.stringify(journal.eventsAfter(at, 64))).toBe(JSON.stringify(log.events(at, 64)))
    stop()
  })

  test('stay in memory for whoever reads on alone, and not where they are long', ({ expect }) => {
    const { journal, log } = opened()
    const read = vi.spyOn(log, 'events')
    const write = (content: string) => journal.append([journal.messageEvent({ role: 'user', content, kind: 'task' })])
    const askedFor = (work: () => void) => {
      read.mockClear()
      work()
      journal.eventsAfter(journal.state.lastSeq - 1, 64)
      return read.mock.calls.length
    }
    expect(askedFor(() => write('nobody reads'))).toBe(1)
    const stop = journal.listen(() => {}, true)
    expect(askedFor(() => write('short'))).toBe(0)
    expect(askedFor(() => write('x'.repeat(LIMITS.stream.recentTextCharsMax)))).toBe(1)
    expect(askedFor(() => write('short again'))).toBe(0)
    expect(askedFor(stop)).toBe(1)
  })
})
