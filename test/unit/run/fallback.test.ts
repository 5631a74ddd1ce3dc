import { afterEach, describe, test } from 'vitest'
import { startMockModel, type MockModel } from '../../../src/cli/mock-model/server.ts'
import type { ScriptInput } from '../../../src/cli/mock-model/script.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { runStateless } from '../../../src/session/stateless.ts'
import { TEST_SECRET } from '../../support/test-secret.ts'

const started: MockModel[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((model) => model.close()))
})

async function modelThat(script: ScriptInput): Promise<MockModel> {
  const model = await startMockModel({ script })
  started.push(model)
  return model
}

const finish = (reason: string) => ({
  tool_calls: [{ name: 'finish', arguments: { reason } }],
  usage: { prompt_tokens: 1_000, completion_tokens: 1_000 },
})
const price = (perMtok: number) => ({ prompt_per_mtok: perMtok, completion_per_mtok: perMtok, currency: 'CNY' })

/** One run on a chain of models, the first of them the default. */
async function runOn(
  models: NonNullable<ServerConfig['models']>,
  config: Record<string, unknown> = {},
): Promise<AgentResponseData> {
  const { engine } = createEngine(
    { models, default_model: Object.keys(models)[0] ?? '' },
    {
      publicFetch: fetch,
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: 'test',
    },
  )
  const secret = async () => TEST_SECRET
  const ports = { engine, secret, now: Date.now, keepAlive: () => {}, report: console.error }
  const answered = await runStateless(ports, { messages: [{ role: 'user', content: '你好' }], config }, 'wait')
  if (!answered.ok || answered.value.form !== 'wait') throw new Error(JSON.stringify(answered))
  return answered.value.response
}

const once = { times: 0 }

describe('a model with fallbacks', () => {
  test('is followed by the next when it fails for good, whose price then counts', async ({ expect }) => {
    const first = await modelThat([{ status: 503, repeat: true }])
    const second = await modelThat([finish('第二个')])
    const response = await runOn({
      a: { api_url: first.url, retry: once, fallback: ['b'], price: price(1) },
      b: { api_url: second.url, retry: once, price: price(10) },
    })
    expect(response).toMatchObject({
      status: 'completed',
      result: '第二个',
      usage: { model_calls: 1, cost: { amount: 0.02, currency: 'CNY' } },
    })
    expect(first.requests).toHaveLength(1)
  })

  test('is spoken to, and its fallback too, each in its own protocol', async ({ expect }) => {
    const first = await modelThat([{ status: 503, repeat: true }])
    const second = await modelThat(['<完成会话>\n<理由>写成标签</理由>\n</完成会话>'])
    const response = await runOn({
      a: { api_url: first.url, retry: once, fallback: ['b'], protocol: 'native' },
      b: { api_url: second.url, retry: once, protocol: 'xml' },
    })
    expect(response).toMatchObject({ status: 'completed', result: '写成标签' })
    expect(first.requests[0]?.body).toHaveProperty('tools')
    expect(second.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('is left at once when it asks for a longer wait than a run should take', async ({ expect }) => {
    const first = await modelThat([{ status: 429, headers: { 'retry-after': '31' }, repeat: true }])
    const second = await modelThat([finish('好')])
    const response = await runOn({ a: { api_url: first.url, fallback: ['b'] }, b: { api_url: second.url } })
    expect(response.result).toBe('好')
    expect(first.requests).toHaveLength(1)
  })

  test('is not followed when the request itself was refused', async ({ expect }) => {
    const first = await modelThat([{ status: 400, body: { error: { message: 'bad temperature' } }, repeat: true }])
    const second = await modelThat([finish('好')])
    const response = await runOn({
      a: { api_url: first.url, retry: once, fallback: ['b'], protocol: 'xml' },
      b: { api_url: second.url },
    })
    expect(response).toMatchObject({ status: 'failed', error: { code: 'model_rejected', status: 400 } })
    expect(second.requests).toHaveLength(0)
  })

  test('fails with the last failure when none of them answers', async ({ expect }) => {
    const first = await modelThat([{ status: 503, repeat: true }])
    const second = await modelThat([{ status: 500, repeat: true }])
    const response = await runOn({
      a: { api_url: first.url, retry: once, fallback: ['b'] },
      b: { api_url: second.url, retry: once },
    })
    expect(response).toMatchObject({ status: 'failed', error: { code: 'model_unavailable', status: 500 } })
  })

  test.for([401, 402, 403, 404])('is followed when its service does not serve it: %i', async (status, { expect }) => {
    const first = await modelThat([{ status, repeat: true }])
    const second = await modelThat([finish('好')])
    const response = await runOn({
      a: { api_url: first.url, fallback: ['b'], protocol: 'xml' },
      b: { api_url: second.url },
    })
    expect(response).toMatchObject({ status: 'completed', result: '好' })
    expect(first.requests).toHaveLength(1)
  })

  test('is not followed by one that the budget has no room for beside what the first may have cost', async ({
    expect,
  }) => {
    const models = async () => {
      const first = await modelThat([{ hang: true, repeat: true }])
      const second = await modelThat([finish('好')])
      const bound = { retry: once, max_tokens: 4_000, protocol: 'xml' as const }
      return {
        second,
        chain: {
          a: { ...bound, api_url: first.url, timeout_ms: 100, fallback: ['b'] },
          b: { ...bound, api_url: second.url },
        },
      }
    }
    const narrow = await models()
    const refused = await runOn(narrow.chain, { limits: { max_total_tokens: 8_000 } })
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'model_timeout' } })
    expect(narrow.second.requests).toHaveLength(0)
    const wide = await models()
    expect(await runOn(wide.chain, { limits: { max_total_tokens: 20_000 } })).toMatchObject({ status: 'completed' })
    expect(wide.second.requests).toHaveLength(1)
  })

  test('refuses a money limit when a fallback has no price in its currency', async ({ expect }) => {
    const first = await modelThat([finish('好')])
    const limits = { max_cost: { amount: 10, currency: 'CNY' } }
    for (const other of [undefined, { ...price(1), currency: 'USD' }]) {
      const b = { api_url: first.url, ...(other && { price: other }) }
      const run = runOn({ a: { api_url: first.url, fallback: ['b'], price: price(1) }, b }, { limits })
      await expect(run).rejects.toThrow('unpriced_model')
    }
    expect(first.requests).toHaveLength(0)
  })
})
