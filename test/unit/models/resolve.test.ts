import { describe, test } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { ModelSpec } from '../../../src/domain/model.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import { defaultAlias, listModels, type ModelEnv, resolveModel } from '../../../src/models/aliases.ts'

const SERVER = serverConfig.parse({
  models: {
    main: {
      api_url: 'https://llm.example/v1',
      api_key_env: 'LLM_KEY',
      model: 'big',
      protocol: 'native',
      temperature: 0.3,
      max_tokens: 1_000,
      timeout_ms: 5_000,
      retry: { times: 1, delay_ms: 20 },
      price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' },
      context_tokens: 64_000,
    },
    edge: { provider: 'workers-ai' },
  },
  default_model: 'main',
})
const ENV: ModelEnv = { secret: (name) => (name === 'LLM_KEY' ? 'server-key' : undefined), workersAi: false }

function specOf(session: SessionConfig, server = SERVER, env = ENV): ModelSpec {
  const choice = resolveModel(server, session, env)
  if (choice.ok) return choice.spec
  throw new Error(choice.issues.map((issue) => `${issue.path}: ${issue.message}`).join())
}

describe('resolveModel', () => {
  test('an alias is what its config says, its key from the environment', ({ expect }) => {
    expect(specOf({})).toMatchObject({
      alias: 'main',
      provider: 'openai',
      apiUrl: 'https://llm.example/v1',
      apiKey: 'server-key',
      model: 'big',
      protocol: 'native',
      temperature: 0.3,
      maxTokens: 1_000,
      timeoutMs: 5_000,
      stream: true,
      retry: { times: 1, delayMs: 20 },
      price: { currency: 'CNY' },
      contextTokens: 64_000,
      origin: 'server',
    })
  })

  test('an llm without address changes the fields given and no other', ({ expect }) => {
    const spec = specOf({ llm: { temperature: 1, retry: { times: 0 }, stream: false } })
    expect(spec).toEqual({ ...specOf({}), temperature: 1, retry: { times: 0, delayMs: 20 }, stream: false })
  })

  test("a client's own key replaces the server's for the alias' address", ({ expect }) => {
    expect(specOf({ llm: { api_key: 'mine' } })).toMatchObject({
      apiKey: 'mine',
      apiUrl: 'https://llm.example/v1',
      origin: 'server',
    })
  })

  test("a client's own address gets nothing of the server's: no key, no price, no model name", ({ expect }) => {
    const spec = specOf({ model: 'main', llm: { api_url: 'https://mine.example/v1' } })
    expect(spec).toMatchObject({
      alias: 'custom',
      apiUrl: 'https://mine.example/v1',
      apiKey: null,
      model: 'default',
      price: null,
      origin: 'client',
      protocol: 'auto',
      temperature: null,
      maxTokens: 4_096,
      timeoutMs: 60_000,
      retry: { times: 3, delayMs: 500 },
      contextTokens: 32_000,
    })
    expect(JSON.stringify(spec)).not.toContain('server-key')
    expect(specOf({ llm: { api_url: 'https://mine.example/v1', api_key: 'k', model: 'm' } })).toMatchObject({
      apiKey: 'k',
      model: 'm',
    })
  })

  test.for(['nope', 'constructor', '__proto__', 'workers-ai', 'ollama'])(
    'an alias that is not there, %s, is an issue at config.model',
    (model, { expect }) => {
      const choice = resolveModel(SERVER, { model }, ENV)
      expect(choice).toMatchObject({ ok: false, issues: [{ path: 'config.model' }] })
    },
  )

  test('a Workers AI alias without a name has a model that calls tools, and its context', ({ expect }) => {
    expect(specOf({ model: 'edge' })).toMatchObject({ provider: 'workers-ai', contextTokens: 131_072, apiKey: null })
    expect(specOf({ model: 'edge' }).model).toMatch(/^@cf\//)
  })
})

describe('the default model', () => {
  const bare = serverConfig.parse({})
  const CASES: [string, Partial<ModelEnv>, string, string][] = [
    ['built-in when nothing is there', {}, 'built-in', 'built-in'],
    ['workers-ai where its binding is', { workersAi: true, ollamaModel: 'qwen3' }, 'workers-ai', 'workers-ai'],
    ['ollama where one answers', { ollamaModel: 'qwen3' }, 'ollama', 'openai'],
  ]
  test.for(CASES)('is %s', ([, env, alias, provider], { expect }) => {
    expect(defaultAlias(bare, { ...ENV, ...env })).toBe(alias)
    expect(specOf({}, bare, { ...ENV, ...env })).toMatchObject({ alias, provider })
  })

  test('is the configured one before all others', ({ expect }) => {
    expect(defaultAlias(SERVER, { ...ENV, workersAi: true })).toBe('main')
  })
})

describe('listModels', () => {
  test('lists every alias with the built-in one, one default, and no secret or address', ({ expect }) => {
    const models = listModels(SERVER, { ...ENV, ollamaModel: 'qwen3' })
    expect(models.map((model) => model.id)).toEqual(['main', 'edge', 'ollama', 'built-in'])
    expect(models.filter((model) => model.default).map((model) => model.id)).toEqual(['main'])
    expect(models[0]).toEqual({
      id: 'main',
      object: 'model',
      provider: 'openai',
      model: 'big',
      protocol: 'native',
      price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' },
      price_source: 'config',
      context_window: null,
      context_tokens: 64_000,
      max_tokens: 1_000,
      default: true,
    })
    expect(JSON.stringify(models)).not.toMatch(/key|llm\.example|11434/)
  })
})
