import { afterAll, beforeAll, describe, test } from 'vitest'
import { callsOf, CountingServer, type RunCost } from '../bench/cost/run-cost.ts'

/** What a run costs: counts, which are the same on every machine. They may only fall, so whoever saves something writes the
 *  lower number here, and takes out what costs nothing any more. */
const BOUNDS: RunCost = {
  events: 40,
  'rows of SESSION.schema': 2,
  'rows of SESSION.events': 5,
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

describe('one more step of a workflow', () => {
  /** What takes no time is written with what comes before it. */
  const OF_TOOL: RunCost = { 'rows of SESSION.events': 3, 'statements of SESSION': 0.1 }
  /** The end of a step, the start of the next and its call of a model are one transaction. */
  const OF_AGENT: RunCost = {
    'rows of SESSION.events': 5,
    'rows of SESSION.facts': 0.2,
    'statements of SESSION': 1.2,
    'transactions of SESSION': 1,
  }

  test.for([
    ['tool', OF_TOOL],
    ['agent', OF_AGENT],
  ] as const)('that is of type %s costs as much as its bounds say', async ([kind, bounds], { expect }) => {
    expect(await server.stepCost(kind)).toEqual(bounds)
  })
})

describe('a door adds to a run', () => {
  /** The mark of whom ids are given to, and the key by which the same request joins its run. */
  const KEYED: RunCost = { 'rows of SESSION.facts': 1, 'statements of SESSION': 1, hashes: 1 }
  const OWNED: RunCost = { ...KEYED, macs: 1 }
  /** Whose a task is, of A2A, stands in the list of the tenant. */
  const LISTED: RunCost = { ...OWNED, 'rows of DIRECTORY.door_tasks': 3, 'statements of DIRECTORY': 1 }

  test.for([
    ['chat', false, KEYED],
    ['chat', true, KEYED],
    ['responses', false, OWNED],
    ['responses', true, OWNED],
    ['aiSdk', true, KEYED],
    ['agUi', true, KEYED],
    ['mcp', false, KEYED],
    ['a2a', false, LISTED],
    ['a2a', true, LISTED],
  ] as const)('%s, streamed: %s', async ([door, streamed, added], { expect }) => {
    expect(await server.doorCost(door, streamed)).toEqual(added)
  })
})

describe('an ordinary run', () => {
  const messages = [{ role: 'user', content: 'Look into three folders' }]
  const task = { task: 'Look into three folders' }
  const json = 'application/json'
  const sse = 'text/event-stream'

  test.for([
    ['/v1/sessions', json, task],
    ['/v1/sessions', sse, task],
    ['/v1/chat/completions', json, { model: 'yaa', messages }],
    ['/v1/chat/completions', sse, { model: 'yaa', messages, stream: true }],
    ['/v1/responses', json, { model: 'yaa', input: 'Look into three folders' }],
    ['/v1/responses', sse, { model: 'yaa', input: 'Look into three folders', stream: true }],
  ] as const)(
    'is begun and driven by its request, not by an alarm: %s as %s',
    async ([path, accept, body], { expect }) => {
      expect(await server.beginsRun(path, body, accept)).toBe('request')
    },
  )

  test('of the background is left to an alarm', async ({ expect }) => {
    expect(await server.beginsRun('/v1/sessions', task, json, { prefer: 'respond-async' })).toBe('alarm')
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
