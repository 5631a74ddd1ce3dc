import { describe, test } from 'vitest'
import * as z from 'zod'
import file from '../../../configs/models.json' with { type: 'json' }
import config from '../../../configs/config.example.json' with { type: 'json' }
import deepseek from '../../../configs/deepseek.json' with { type: 'json' }
import openai from '../../../configs/openai.json' with { type: 'json' }
import qwen from '../../../configs/qwen.json' with { type: 'json' }
import workersAi from '../../../configs/workers-ai.json' with { type: 'json' }
import { serverConfig } from '../../../src/models/providers.ts'
import { LISTED_PROVIDERS } from '../../../src/models/catalogue.ts'
import { listModels, resolveModel } from '../../../src/models/aliases.ts'

const perMtok = z.number().min(0).max(1_000)
const listed = z
  .strictObject({
    context_window: z.int().min(1_000).max(10_000_000),
    prompt_tokens_max: z.int().min(1_000).optional(),
    vision: z.boolean().optional(),
    prompt: perMtok,
    cached: perMtok.optional(),
    completion: perMtok,
    source: z.url({ protocol: /^https$/ }).optional(),
    date: z.iso.date().optional(),
  })
  .refine(({ prompt, cached = prompt }) => cached <= prompt, 'cached tokens are not dearer than others')
  .refine(({ context_window: all, prompt_tokens_max: some = all }) => some <= all, 'a part of the window')
const shape = z.strictObject({
  providers: z.array(
    z.strictObject({
      provider: z.string().min(1),
      hosts: z.array(z.string().regex(/^[a-z0-9.-]+$/)),
      protocol: z.enum(['auto', 'native', 'xml']),
      vision: z.boolean().optional(),
      currency: z.enum(['CNY', 'USD']),
      source: z.url({ protocol: /^https$/ }),
      date: z.iso.date(),
      models: z.record(z.string(), listed),
    }),
  ),
})

const NO_ENV = { secret: () => undefined, workersAi: false }

/** The one model of a config whose alias is `m`. */
function specOf(model: Record<string, unknown>, llm = {}) {
  const server = serverConfig.parse({ models: { m: model }, default_model: 'm' })
  const choice = resolveModel(server, { llm }, NO_ENV)
  if (!choice.ok) throw new Error(JSON.stringify(choice.issues))
  return choice.spec
}

const OPENAI = { api_url: 'https://api.openai.com/v1', model: 'gpt-5-mini' }

describe('the catalogue of models', () => {
  test('has for every model its window, its price, where that is from and of which day', ({ expect }) => {
    expect(shape.safeParse(file).error?.issues ?? []).toEqual([])
    expect(LISTED_PROVIDERS.flatMap(({ models }) => Object.keys(models)).length).toBeGreaterThan(80)
  })

  test.for([
    ['https://api.openai.com/v1', 'gpt-6-sol'],
    ['https://api.openai.com/v1', 'gpt-5.4-mini'],
    ['https://api.deepseek.com', 'deepseek-flash'],
    ['https://api.anthropic.com/v1', 'claude-sonnet-5-5'],
    ['https://api.moonshot.cn/v1', 'kimi-k3'],
    ['https://api.x.ai/v1', 'grok-4.7'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3.8-flash'],
    ['https://api.mistral.ai/v1', 'mistral-large-4'],
    ['https://open.bigmodel.cn/api/paas/v4', 'glm-5.3'],
    ['https://api.z.ai/api/paas/v4', 'glm-5.3'],
    ['https://api.minimax.io/v1', 'MiniMax-M3'],
  ] as const)('knows %s %s, of this year', ([api_url, model], { expect }) => {
    const { price, priceSource, contextWindow } = specOf({ api_url, model })
    expect([price !== null, (contextWindow ?? 0) >= 400_000]).toEqual([true, true])
    expect(priceSource).toMatchObject({ date: expect.stringMatching(/^2026-/) })
  })

  test.for([
    ['https://api.anthropic.com/v1', 'claude-opus-4-8'],
    ['https://api.anthropic.com/v1', 'claude-opus-4-7'],
    ['https://api.anthropic.com/v1', 'claude-haiku-4-5'],
    ['https://api.moonshot.ai/v1', 'kimi-k2.6'],
  ] as const)('knows %s %s, and what its cached tokens cost', ([api_url, model], { expect }) => {
    const { price, priceSource } = specOf({ api_url, model })
    expect(price?.cached_per_mtok ?? Infinity).toBeLessThan(price?.prompt_per_mtok ?? 0)
    expect(priceSource).toMatchObject({ date: expect.stringMatching(/^2026-/) })
  })

  test('knows which models are shown images; the config has the last word', ({ expect }) => {
    const sees = (model: Record<string, unknown>, llm = {}) => specOf(model, llm).vision
    expect(sees(OPENAI)).toBe(true)
    expect(sees({ api_url: 'https://api.minimax.io/v1', model: 'MiniMax-M3' })).toBe(true)
    expect(sees({ api_url: 'https://api.minimax.io/v1', model: 'MiniMax-M2.7' })).toBe(false)
    expect(sees({ api_url: 'https://api.deepseek.com', model: 'deepseek-flash' })).toBe(false)
    expect(sees({ api_url: 'https://elsewhere.example/v1', model: 'gpt-5-mini' })).toBe(false)
    expect(sees({ api_url: 'https://elsewhere.example/v1', model: 'own', vision: true })).toBe(true)
    expect(sees({ ...OPENAI, vision: false })).toBe(false)
    expect(sees({ ...OPENAI, vision: false }, { vision: true })).toBe(true)
    expect(sees({ ...OPENAI, vision: false }, { model: 'gpt-4o' })).toBe(true)
  })

  test('has one service for a host, with a model once', ({ expect }) => {
    const hosts = LISTED_PROVIDERS.flatMap(({ hosts: names }) => names)
    expect(new Set(hosts).size).toBe(hosts.length)
  })

  test('prices the models that the example configs name', ({ expect }) => {
    for (const example of [config, deepseek, openai, qwen, workersAi]) {
      const models = listModels(serverConfig.parse(example), NO_ENV).filter(({ provider }) => provider !== 'built-in')
      expect(models.map(({ id, price }) => [id, price !== null])).toEqual(models.map(({ id }) => [id, true]))
    }
  })
})

describe('an alias', () => {
  test('without a price has the one that is known, and says where from', ({ expect }) => {
    expect(specOf(OPENAI)).toMatchObject({
      price: { prompt_per_mtok: 0.25, cached_per_mtok: 0.025, completion_per_mtok: 2, currency: 'USD' },
      priceSource: {
        url: 'https://platform.openai.com/docs/pricing',
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      contextWindow: 400_000,
      contextTokens: 32_000,
      protocol: 'native',
    })
  })

  test('keeps its own price, window and protocol', ({ expect }) => {
    const price = { prompt_per_mtok: 1, completion_per_mtok: 1, currency: 'EUR' }
    expect(specOf({ ...OPENAI, price, context_tokens: 100_000, protocol: 'auto' })).toMatchObject({
      price,
      priceSource: 'config',
      contextTokens: 100_000,
      protocol: 'auto',
    })
  })

  test.for([
    ['the same name at another host', { api_url: 'https://proxy.example/v1' }],
    ['a host that only ends like it', { api_url: 'https://api.openai.com.example.org/v1' }],
    ['another port', { api_url: 'https://api.openai.com:8443/v1' }],
    ['another name', { model: 'gpt-5-mini-2099-01-01' }],
    ['a name of an object', { model: 'constructor' }],
  ] as const)('has none for %s', ([, other], { expect }) => {
    expect(specOf({ ...OPENAI, ...other })).toMatchObject({ price: null, priceSource: null, contextWindow: null })
  })

  test('has the price of the model that a session names in its place, or none', ({ expect }) => {
    expect(specOf(OPENAI, { model: 'gpt-5' }).price?.prompt_per_mtok).toBe(1.25)
    expect(specOf(OPENAI, { model: 'gpt-99' }).price).toBeNull()
  })

  test('has no price for prompts that are dearer than the one known', ({ expect }) => {
    const plus = { api_url: 'https://dashscope.aliyuncs.com/compatible-mode/v1', model: 'qwen-plus' }
    expect(specOf({ ...plus, context_tokens: 128_000 }).price).not.toBeNull()
    expect(specOf({ ...plus, context_tokens: 128_001 }).price).toBeNull()
  })

  test('keeps to a window that is smaller than the usual one', ({ expect }) => {
    expect(specOf({ api_url: 'https://api.moonshot.cn/v1', model: 'moonshot-v1-8k' }).contextTokens).toBe(8_192)
  })
})
