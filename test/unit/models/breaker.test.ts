import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { ModelFailure, ModelOutcome, ModelSpec } from '../../../src/domain/model.ts'
import type { ModelProvider } from '../../../src/models/provider.ts'
import { silenceMsMax } from '../../../src/models/services.ts'
import { createModels } from '../../../src/models/try.ts'
import { outcomeOf, specFor } from './call.ts'

const OK: ModelOutcome = {
  ok: true,
  reply: {
    content: '好',
    reasoning: '',
    toolCalls: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    stopReason: 'stop',
  },
}
const failed = (code: ModelFailure['code']): ModelOutcome => ({
  ok: false,
  failure: { code, status: null, detail: '', retryable: true, retryAfterMs: null, toolsRefused: false },
})

/** A model that answers as it is told to, with a clock in hand. */
function breakered() {
  const state = { now: 1_000, asked: 0, answer: failed('model_unavailable') as ModelOutcome | Promise<ModelOutcome> }
  const provider: ModelProvider = {
    ask: async () => {
      state.asked++
      return state.answer
    },
  }
  const models = createModels({
    providers: { openai: provider },
    fetchFor: () => fetch,
    sleep: async () => {},
    random: () => 0,
    now: () => state.now,
  })
  const call = (alias = 'a', tenant = 'one', more: Partial<ModelSpec> = {}): Promise<ModelOutcome> =>
    outcomeOf(models, { ...specOf(alias), ...more }, { tenant })
  return { state, call }
}

const specOf = (alias: string) => specFor('http://127.0.0.1:1/v1', { timeout_ms: 1_000 }, { alias })

async function fail(call: () => Promise<ModelOutcome>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await call()
}

describe('a circuit breaker', () => {
  test('keeps nobody out for longer where the clock is set back', async ({ expect }) => {
    const { state, call } = breakered()
    state.now = 10_000_000
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now -= 3_600_000
    state.answer = OK
    expect(await call()).toMatchObject({ ok: true })
  })

  test('leaves a model alone after five failures in a row, and says for how long', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now += 1_000
    expect(await call()).toMatchObject({
      ok: false,
      failure: { code: 'model_unavailable', retryable: true, retryAfterMs: LIMITS.model.breakerOpenMs - 1_000 },
    })
    expect(state.asked).toBe(LIMITS.model.breakerFailuresMax)
  })

  test('asks once when the time is over: a good probe closes it, a bad one opens it again', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now += LIMITS.model.breakerOpenMs
    await call()
    expect((await call()).ok).toBe(false)
    expect(state.asked).toBe(LIMITS.model.breakerFailuresMax + 1)
    state.now += LIMITS.model.breakerOpenMs
    state.answer = OK
    expect((await call()).ok).toBe(true)
    expect((await call()).ok).toBe(true)
  })

  test('lets one probe through at a time', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now += LIMITS.model.breakerOpenMs
    const { promise, resolve } = Promise.withResolvers<ModelOutcome>()
    state.answer = promise
    const probe = call()
    expect((await call()).ok).toBe(false)
    resolve(OK)
    expect((await probe).ok).toBe(true)
    expect(state.asked).toBe(LIMITS.model.breakerFailuresMax + 1)
  })

  test('lets another probe through when the first one never ends', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now += LIMITS.model.breakerOpenMs
    state.answer = new Promise(() => {})
    void call()
    state.answer = OK
    expect((await call()).ok).toBe(false)
    state.now += silenceMsMax(specOf('a'))
    expect((await call()).ok).toBe(true)
  })

  test('remembers a bounded number of addresses, the newest', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    for (let other = 0; other < LIMITS.model.circuitsMax; other++) await call(`other-${other}`)
    const { asked } = state
    await call()
    expect(state.asked).toBe(asked + 1)
  })

  test('counts each alias alone, and starts again after a success', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax - 1)
    state.answer = OK
    await call()
    state.answer = failed('model_timeout')
    await fail(call, LIMITS.model.breakerFailuresMax - 1)
    await fail(() => call('b'), LIMITS.model.breakerFailuresMax)
    state.answer = OK
    expect((await call()).ok).toBe(true)
    expect((await call('b')).ok).toBe(false)
  })

  test('is open for a tenant alone, and for all once it is for two', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.answer = OK
    expect([(await call()).ok, (await call('a', 'two')).ok]).toEqual([false, true])
    state.answer = failed('model_unavailable')
    await fail(() => call('a', 'two'), LIMITS.model.breakerFailuresMax)
    state.answer = OK
    expect((await call('a', 'three')).ok).toBe(false)
    expect((await call('b', 'three')).ok).toBe(true)
    state.now += LIMITS.model.breakerOpenMs
    expect((await call('a', 'three')).ok).toBe(true)
  })

  test("counts calls with the alias' own settings alone", async ({ expect }) => {
    const { state, call } = breakered()
    const base = specOf('a')
    const hasty = { base, timeouts: { ...base.timeouts, callMs: 1 } }
    await fail(() => call('a', 'one', hasty), 20)
    state.answer = OK
    expect((await call()).ok).toBe(true)
  })

  test('is no matter of another model or key behind the same alias', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.answer = OK
    const base = specOf('a')
    const asked = (more: Partial<ModelSpec>) => call('a', 'one', { base, ...more })
    expect((await asked({ temperature: 1 })).ok).toBe(false)
    expect((await asked({ model: 'other' })).ok).toBe(true)
    expect((await asked({ apiKey: 'mine' })).ok).toBe(true)
    expect((await call()).ok).toBe(false)
  })

  test('is probed by the settings of the config alone', async ({ expect }) => {
    const { state, call } = breakered()
    await fail(call, LIMITS.model.breakerFailuresMax)
    state.now += LIMITS.model.breakerOpenMs
    state.answer = new Promise(() => {})
    const base = specOf('a')
    void call('a', 'one', { base, timeouts: { ...base.timeouts, callMs: LIMITS.model.timeoutMsMax } })
    state.answer = OK
    expect((await call()).ok).toBe(true)
  })

  test('does not count what was wrong with the request', async ({ expect }) => {
    const { state, call } = breakered()
    state.answer = failed('model_rejected')
    await fail(call, 20)
    state.answer = OK
    expect((await call()).ok).toBe(true)
  })
})
