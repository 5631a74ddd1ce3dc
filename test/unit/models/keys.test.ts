import { afterEach, describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { ModelOutcome, ModelSpec } from '../../../src/domain/model.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import { createModels } from '../../../src/models/try.ts'
import { resolveModel } from '../../../src/models/aliases.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { outcomeOf, replyOf, specFor, tryCall, WEB_ACCESS } from './call.ts'

const open: MockModel[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A service that answers each key as it is told to, and models with a clock in hand. */
async function service(answers: Record<string, StepInput>) {
  const model = await startScriptedModel({
    script: (request) => answers[request.headers['authorization']?.replace('Bearer ', '') ?? ''] ?? null,
  })
  open.push(model)
  const clock = { now: 1_000_000, slept: 0 }
  const models = createModels({
    fetchFor: () => fetch,
    sleep: async (ms) => void (clock.slept += ms),
    random: () => 0,
    now: () => clock.now,
  })
  const call = (spec: ModelSpec): Promise<ModelOutcome> => outcomeOf(models, spec)
  const used = () => model.requests.splice(0).map(({ headers }) => headers['authorization']?.replace('Bearer ', ''))
  return { url: model.url, clock, call, used }
}

function specWith(config: Record<string, unknown>, llm = {}, secrets: Record<string, string> = {}): ModelSpec {
  const server = serverConfig.parse({ models: { m: { retry: { times: 0 }, ...config } }, default_model: 'm' })
  const choice = resolveModel(server, { llm }, { secret: (name) => secrets[name], workersAi: false })
  if (!choice.ok) throw new Error(JSON.stringify(choice.issues))
  return choice.spec
}

const REFUSED: StepInput = { status: 401, body: { error: { message: 'bad key key-number-1, not key-number-2' } } }
const BUSY: StepInput = { status: 429 }

describe('the keys of an alias', () => {
  test('are those of the config and those of the environment, each once', ({ expect }) => {
    const config = {
      api_url: 'http://127.0.0.1:1/v1',
      api_key: 'key-number-1',
      api_keys: ['key-number-2', 'key-number-1'],
      api_key_env: 'A',
      api_keys_env: ['B', 'MISSING', 'C'],
    }
    const spec = specWith(config, {}, { A: 'key-number-3', B: 'key-number-4', C: 'key-number-2' })
    expect([spec.apiKey, ...spec.spareKeys]).toEqual(['key-number-1', 'key-number-2', 'key-number-3', 'key-number-4'])
    expect(specWith(config, { api_key: 'mine' })).toMatchObject({ apiKey: 'mine', spareKeys: [] })
  })

  test.for([
    ['refused', REFUSED],
    ['without money', { status: 402 }],
    ['over its rate', BUSY],
  ] as const)(
    'are used in turn: one that is %s rests, and the next answers at once',
    async ([, answer], { expect }) => {
      const { url, clock, call, used } = await service({ 'key-number-1': answer, 'key-number-2': '好' })
      const spec = specWith({ api_url: url, api_keys: ['key-number-1', 'key-number-2'] })
      expect((await call(spec)).ok).toBe(true)
      expect(used()).toEqual(['key-number-1', 'key-number-2'])
      expect((await call(spec)).ok).toBe(true)
      expect(used()).toEqual(['key-number-2'])
      expect(clock.slept).toBe(0)
    },
  )

  test('come back when they have rested, as long as the service asked for', async ({ expect }) => {
    const { url, clock, call, used } = await service({
      'key-number-1': { status: 429, headers: { 'retry-after': '7' } },
      'key-number-2': '好',
    })
    const spec = specWith({ api_url: url, api_keys: ['key-number-1', 'key-number-2'] })
    await call(spec)
    clock.now += 6_999
    await call(spec)
    clock.now += 1
    await call(spec)
    expect(used()).toEqual(['key-number-1', 'key-number-2', 'key-number-2', 'key-number-1', 'key-number-2'])
  })

  test('rest long when they were refused', async ({ expect }) => {
    const { url, clock, call, used } = await service({ 'key-number-1': REFUSED, 'key-number-2': '好' })
    const spec = specWith({ api_url: url, api_keys: ['key-number-1', 'key-number-2'] })
    await call(spec)
    clock.now += LIMITS.model.keyRefusedMs - 1
    await call(spec)
    clock.now += 1
    await call(spec)
    expect(used()).toEqual([1, 2, 2, 1, 2].map((n) => `key-number-${n}`))
  })

  test('are each tried once when none is good, and the failure shows none of them', async ({ expect }) => {
    const { url, call, used } = await service({
      'key-number-1': REFUSED,
      'key-number-2': REFUSED,
      'key-number-3': REFUSED,
    })
    const outcome = await call(specWith({ api_url: url, api_keys: ['key-number-1', 'key-number-2', 'key-number-3'] }))
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_unauthorized', status: 401 } })
    expect(used()).toEqual(['key-number-1', 'key-number-2', 'key-number-3'])
    expect(JSON.stringify(outcome)).not.toMatch(/key-number-1|key-number-2/)
  })

  test('are not changed for what no key is to blame for', async ({ expect }) => {
    const { url, call, used } = await service({ 'key-number-1': { status: 500 }, 'key-number-2': '好' })
    expect((await call(specWith({ api_url: url, api_keys: ['key-number-1', 'key-number-2'] }))).ok).toBe(false)
    expect(used()).toEqual(['key-number-1'])
  })

  test('of which there is one only are tried as often as any', async ({ expect }) => {
    const { url, call, used } = await service({ 'key-number-1': BUSY })
    const spec = specWith({ api_url: url, api_key: 'key-number-1', retry: { times: 2 } })
    await call(spec)
    await call(spec)
    expect(used()).toHaveLength(6)
  })
})

describe('a reply of a service', () => {
  test('a good reply that repeats its key, or a secret header, is masked wherever that stands, and in its deltas', async ({
    expect,
  }) => {
    const [key, token] = ['sk-canary-7f3a91', 'tok-canary-5512']
    const config = { api_key: key, extra_headers: { 'x-auth': `Bearer ${token}`, 'x-title': 'A name of the app' } }
    const content = `Is it ${key} of A name of the app? This is`
    const step: StepInput = {
      content,
      reasoning: `they sent ${token}`,
      tool_calls: [
        { name: 'web_access', arguments: JSON.stringify({ url: `http://a.example/?k=${key}` }), chunks: 40 },
      ],
    }
    for (const way of [
      { ...step, chunks: 30, repeat: true },
      { ...step, chunks: 1, repeat: true },
    ]) {
      const { url } = await play(way)
      for (const stream of [true, false]) {
        const trial = await tryCall(specFor(url, { ...config, stream }), { tools: [WEB_ACCESS] })
        const { content: said, reasoning, toolCalls } = replyOf(trial)
        expect({ said, reasoning, url: toolCalls[0]?.arguments }).toEqual({
          said: content.replace(key, '***'),
          reasoning: 'they sent ***',
          url: '{"url":"http://a.example/?k=***"}',
        })
        expect(trial.told).toMatchObject({ content: said, reasoning })
      }
    }
  })

  test('a reply may say what stands for no key', async ({ expect }) => {
    const { url } = await play('Run ollama serve.')
    const trial = await tryCall(specFor(url, { api_key: 'ollama' }))
    expect(replyOf(trial).content).toBe('Run ollama serve.')
  })
})

async function play(step: StepInput): Promise<MockModel> {
  const model = await startScriptedModel({ script: [step] })
  open.push(model)
  return model
}
