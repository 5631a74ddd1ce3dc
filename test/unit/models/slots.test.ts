import { afterEach, describe, test } from 'vitest'
import type { ModelOutcome, ModelSpec, ModelTimeouts } from '../../../src/domain/model.ts'
import { createModels } from '../../../src/models/try.ts'
import { silenceMsMax } from '../../../src/models/services.ts'
import { sleep } from '../../../src/lib/wait.ts'
import type { ModelProvider } from '../../../src/models/provider.ts'
import { type ByHand, serveByHand } from './by-hand.ts'
import { outcomeOf, specFor } from './call.ts'

const open: ByHand[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function service(): Promise<ByHand> {
  const server = await serveByHand()
  open.push(server)
  return server
}

const clock = { now: Date.now, sleep }
const models = () => createModels({ fetchFor: () => fetch, random: () => 0, ...clock })
const narrow = (url: string, max: number, more: Partial<ModelSpec> = {}) => specFor(url, { max_concurrency: max }, more)

const within = (callMs: number): ModelTimeouts => ({ callMs, firstByteMs: null, idleMs: null })

const GOOD: ModelOutcome = {
  ok: true,
  reply: {
    content: '好',
    reasoning: '',
    toolCalls: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    stopReason: 'stop',
  },
}

function caller(door = models()) {
  return (spec: ModelSpec, signal?: AbortSignal, tenant = 'one'): Promise<ModelOutcome> =>
    outcomeOf(door, spec, { signal, tenant })
}

describe('max_concurrency', () => {
  test('lets so many calls through at a time, and the others in the order in which they came', async ({ expect }) => {
    const server = await service()
    const call = caller()
    const outcomes = Array.from({ length: 5 }, () => call(narrow(server.url, 2)))
    for (let answered = 0; answered < 5; answered++) {
      await server.asked(Math.min(answered + 2, 5))
      expect(server.open).toBe(Math.min(2, 5 - answered))
      server.answer()
      await outcomes[answered]
    }
    expect((await Promise.all(outcomes)).map(({ ok }) => ok)).toEqual([true, true, true, true, true])
    expect(server.openMax).toBe(2)
  })

  test('holds for a service over all of its aliases, each within its own number', async ({ expect }) => {
    const server = await service()
    const call = caller()
    const first = call(narrow(server.url, 2, { alias: 'a' }))
    await server.asked(1)
    const second = call(narrow(server.url, 1, { alias: 'b', timeouts: within(50) }))
    expect(await second).toMatchObject({ ok: false, failure: { code: 'model_unavailable', retryable: true } })
    const third = call(narrow(server.url, 2, { alias: 'c' }))
    await server.asked(2)
    server.answer()
    server.answer()
    expect([(await first).ok, (await third).ok]).toEqual([true, true])
  })

  test('leaves a place to other tenants, and the next goes to who has fewest', async ({ expect }) => {
    const server = await service()
    const call = caller()
    const spec = narrow(server.url, 3, { tenantConcurrency: 2 })
    const order: string[] = []
    const asks = async (tenant: string) => {
      const outcome = await call(spec, undefined, tenant)
      order.push(tenant)
      return outcome.ok
    }
    const greedy = Array.from({ length: 4 }, () => asks('greedy'))
    await server.asked(2)
    const other = asks('other')
    await server.asked(3)
    expect(server.open).toBe(3)
    const late = asks('late')
    for (let answered = 0; answered < 3; answered++) server.answer()
    await server.asked(6)
    for (let answered = 0; answered < 3; answered++) server.answer()
    expect(await Promise.all([...greedy, other, late])).toEqual([true, true, true, true, true, true])
    expect(server.openMax).toBe(3)
    expect(order.indexOf('late')).toBeGreaterThan(2)
  })

  test('does not hold for another service, nor for models without it', async ({ expect }) => {
    const [server, other] = [await service(), await service()]
    const call = caller()
    const outcomes = [call(narrow(server.url, 1)), call(narrow(other.url, 1)), call(specFor(server.url))]
    await Promise.all([server.asked(2), other.asked(1)])
    for (const each of [server, server, other]) each.answer()
    expect((await Promise.all(outcomes)).map(({ ok }) => ok)).toEqual([true, true, true])
  })

  test('gives the place back of who failed, was cancelled, or waited too long', async ({ expect }) => {
    const server = await service()
    const call = caller()
    const [running, waiting] = [new AbortController(), new AbortController()]
    const outcomes = [
      call(narrow(server.url, 1), running.signal),
      call(narrow(server.url, 1), waiting.signal),
      call(narrow(server.url, 1, { timeouts: within(30) })),
    ]
    await server.asked(1)
    expect(await outcomes[2]).toMatchObject({ failure: { detail: expect.stringContaining('30 ms') } })
    waiting.abort()
    running.abort()
    for (const outcome of outcomes.slice(0, 2))
      expect(await outcome).toMatchObject({ ok: false, failure: { code: 'model_cancelled' } })
    const next = call(narrow(server.url, 1))
    await server.asked(2)
    server.answer(500)
    expect((await next).ok).toBe(false)
    const last = call(narrow(server.url, 1))
    await server.asked(3)
    server.answer()
    expect((await last).ok).toBe(true)
  })

  test('takes the place back of a call whose object was taken away', async ({ expect }) => {
    const spec = narrow('http://127.0.0.1:1/v1', 1, { timeouts: within(1_000) })
    const time = { now: 0 }
    const ticking = { now: () => time.now, sleep: async (ms: number) => void (time.now += ms) }
    let asked = 0
    const openai: ModelProvider = { ask: () => (asked++ === 0 ? new Promise(() => {}) : Promise.resolve(GOOD)) }
    const door = createModels({ providers: { openai }, fetchFor: () => fetch, random: () => 0, ...ticking })
    void caller(door)(spec)
    expect(await caller(door)(spec)).toMatchObject({ ok: false, failure: { code: 'model_unavailable' } })
    expect(time.now).toBe(1_000)
    time.now = silenceMsMax(spec)
    expect(await caller(door)(spec)).toBe(GOOD)
  })
})
