import { afterAll, beforeAll, describe, test } from 'vitest'
import { callsOf, CountingServer, type RunCost } from '../bench/cost/run-cost.ts'

/** What a run costs: counts, which are the same on every machine. They may only fall, so whoever saves something writes the
 *  lower number here, and takes out what costs nothing any more. */
const BOUNDS: RunCost = {
  events: 40,
  'rows of SESSION.schema': 2,
  'rows of SESSION.events': 20,
  'rows of SESSION.facts': 2,
  'rows of SESSION.alarm': 1,
  'rows of DIRECTORY.sessions': 3,
  'rows of DIRECTORY.usage': 3,
  'rows of DIRECTORY.acts': 1,
  'transactions of SESSION': 5,
  'transactions of DIRECTORY': 1,
  'statements of SESSION': 9,
  'statements of DIRECTORY': 6,
  'calls of DIRECTORY.put': 1,
  'log lines': 2,
  'prompt tokens, first request': 1_198,
  'prompt tokens, first request in Chinese': 1_429,
  'prompt tokens, all requests': 5_252,
}

let server: CountingServer
let cost: RunCost

beforeAll(async () => {
  server = await CountingServer.start()
  cost = await server.runCost()
})
afterAll(() => server.stop())

describe('a run of three tool calls and an answer', () => {
  test('costs no more than its bounds', ({ expect }) => {
    const over = Object.entries(cost).filter(([name, count]) => count > (BOUNDS[name] ?? 0))
    expect(over).toEqual([])
  })

  test('costs as much as its bounds say: where it costs less, they are to be lowered', ({ expect }) => {
    const lower = Object.entries(BOUNDS).filter(([name, bound]) => (cost[name] ?? 0) < bound)
    expect(lower.map(([name]) => [name, cost[name] ?? 0])).toEqual([])
  })

  test('is answered without an answer to any call of an object of its tenant, also where it is keyed', async ({
    expect,
  }) => {
    const calls = callsOf(cost)
    expect(calls).not.toEqual([])
    await server.answerWithout([...calls, 'DIRECTORY.claim'])
  })
})

describe('a second task where the tenant has quotas', () => {
  const quotas = { sessions_max: 100, bytes_max: 1_000_000_000, streams_max: 10, sockets_max: 10 }
  const CALLS = ['put', 'takeSession', 'keptBytes', 'openConnection', 'renewConnection', 'closeConnection', 'claim']

  test.for(['application/json', 'text/event-stream'])(
    'is answered without an answer to any call of its tenant, as %s',
    async (accept, { expect }) => {
      const bounded = await CountingServer.start({ quotas })
      const text = await bounded.answerTaskWithout(
        CALLS.map((call) => `DIRECTORY.${call}`),
        accept,
      )
      expect(text).toContain('They are empty.')
      await bounded.stop()
    },
  )
})
