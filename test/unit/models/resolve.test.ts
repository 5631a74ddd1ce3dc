import { describe, test } from 'vitest'
import { llmConfig, type SessionConfig } from '../../../src/domain/config.ts'
import type { ModelSpec } from '../../../src/domain/model.ts'
import { reservationFor } from '../../../src/budget/reserve.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import { listModels, modelChooser, type ModelEnv, resolveModel } from '../../../src/models/aliases.ts'
import { defaultAlias } from '../../../src/models/default-alias.ts'

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
      timeouts: { callMs: 5_000, firstByteMs: null, idleMs: null },
      stream: true,
      retry: { times: 1, delayMs: 20 },
      price: { currency: 'CNY' },
      contextTokens: 64_000,
      origin: 'server',
    })
  })

  test('an llm without address changes the fields given and no other', ({ expect }) => {
    const spec = specOf({ llm: { temperature: 1, retry: { times: 0 }, stream: false } })
    expect(spec).toEqual({
      ...specOf({}),
      temperature: 1,
      retry: { times: 0, delayMs: 20 },
      stream: false,
      base: specOf({}),
    })
  })

  test('the other model that a session names has no price of the alias, nor more than its own window', ({ expect }) => {
    const spec = specOf({ llm: { model: 'bigger' } })
    expect(spec).toMatchObject({ model: 'bigger', price: null, priceSource: null, contextTokens: 64_000 })
    expect(specOf({ llm: { model: 'big' } })).toEqual(specOf({}))
  })

  test('a session changes what the alias lets it change, and is told of the rest', ({ expect }) => {
    const models = { m: { api_url: 'https://llm.example/v1', allow_override: ['temperature', 'extra_body'] } }
    const server = serverConfig.parse({ models, default_model: 'm' })
    const llm = { temperature: 1, model: 'other', api_key: 'mine', extra_body: { top_k: 1 } }
    const spec = specOf({ llm }, server)
    expect(spec).toMatchObject({ temperature: 1, model: 'm', apiKey: null, extraBody: { top_k: 1 } })
    expect(spec.refused.toSorted()).toEqual(['api_key', 'model'])
    const extras = { extra_body: { service_tier: 'priority' }, extra_headers: { 'x-team': 'mine' } }
    expect(specOf({ llm: extras })).toMatchObject({
      extraBody: {},
      extraHeaders: {},
      refused: ['extra_body', 'extra_headers'],
    })
  })

  test("a client's own address gets its own extras and none of the server's", ({ expect }) => {
    const extras = { reasoning_effort: 'high', extra_body: { a: 1 }, extra_headers: { 'x-key': 'server' } }
    const models = { m: { api_url: 'https://llm.example/v1', ...extras } }
    const server = serverConfig.parse({ models, default_model: 'm' })
    expect(specOf({}, server)).toMatchObject({ reasoningEffort: 'high', extraBody: { a: 1 } })
    const own = { api_url: 'https://mine.example/v1', extra_body: { b: 2 }, extra_headers: { 'x-key': 'mine' } }
    expect(specOf({ llm: own }, server)).toMatchObject({
      reasoningEffort: null,
      extraBody: { b: 2 },
      extraHeaders: { 'x-key': 'mine' },
      refused: [],
    })
  })

  test.for(['authorization', 'Host', 'content-length', 'Proxy-Authorization', 'cf-connecting-ip'])(
    'no header that is the server’s own may be named: %s',
    (name, { expect }) => {
      const models = { m: { api_url: 'https://llm.example/v1', extra_headers: { [name]: 'x' } } }
      expect(serverConfig.safeParse({ models }).success).toBe(false)
      expect(llmConfig.safeParse({ extra_headers: { [name]: 'x' } }).success).toBe(false)
    },
  )

  test.for(['model', 'messages', 'n', 'max_tokens'])('nor a field of the body: %s', (name, { expect }) => {
    expect(llmConfig.safeParse({ extra_body: { [name]: 1 } }).success).toBe(false)
  })

  test('what a skill says of its work holds for fallbacks too, what a session says for its own alias', ({ expect }) => {
    const api_url = 'https://llm.example/v1'
    const server = serverConfig.parse({
      models: { a: { api_url, fallback: ['b'] }, b: { api_url } },
      default_model: 'a',
    })
    const choice = resolveModel(server, { llm: { max_tokens: 9 }, work: { temperature: 0.1, max_tokens: 70 } }, ENV)
    expect(choice).toMatchObject({
      spec: { temperature: 0.1, maxTokens: 9, fallbacks: [{ temperature: 0.1, maxTokens: 70 }] },
    })
  })

  test('a call that is cut soon has no more tokens than can come till then', ({ expect }) => {
    const most = (llm: NonNullable<SessionConfig['llm']>) => specOf({ llm }).maxTokens
    expect(most({ timeout_ms: 10, max_tokens: 4_000 })).toBe(100)
    expect(most({ timeout_ms: 1 })).toBe(10)
    expect(most({ timeout_ms: 60_000, max_tokens: 4_000 })).toBe(4_000)
    expect(reservationFor([specOf({ llm: { timeout_ms: 10, max_tokens: 4_000 } })], 5).tokens).toBe(105)
  })

  test('timeout_ms bounds a call alone; without it silence does, longer on this machine', ({ expect }) => {
    const at = (api_url: string, more = {}) =>
      specOf({}, serverConfig.parse({ models: { m: { api_url, ...more } }, default_model: 'm' })).timeouts
    expect(at('https://llm.example/v1')).toEqual({ callMs: null, firstByteMs: 60_000, idleMs: 60_000 })
    for (const here of ['http://127.0.0.1:1/v1', 'http://localhost:1/v1', 'http://[::1]:1/v1'])
      expect(at(here)).toEqual({ callMs: null, firstByteMs: 300_000, idleMs: 60_000 })
    expect(at('http://127.0.0.1:1/v1', { timeout_ms: 9 })).toEqual({ callMs: 9, firstByteMs: null, idleMs: null })
    expect(at('https://llm.example/v1', { idle_timeout_ms: 9 })).toMatchObject({ firstByteMs: 60_000, idleMs: 9 })
    expect(specOf({ llm: { idle_timeout_ms: 7 } }).timeouts).toEqual({ callMs: 5_000, firstByteMs: null, idleMs: 7 })
  })

  test('one tenant leaves a place of a service to others, where there may be others', ({ expect }) => {
    const model = { api_url: 'https://llm.example/v1', max_concurrency: 4 }
    const key = (tenant: string) => ({ id: tenant, sha256: 'a'.repeat(64), scopes: ['run'], tenant })
    const of = (auth: unknown, more = {}) =>
      specOf({}, serverConfig.parse({ models: { m: { ...model, ...more } }, default_model: 'm', auth }))
        .tenantConcurrency
    expect(of({ keys: [key('a')] })).toBeNull()
    expect(of({ keys: [key('a'), key('b')] })).toBe(3)
    expect(of({ keys: [key('a')] }, { max_concurrency_per_tenant: 2 })).toBe(2)
    const access = { team_domain: 't.cloudflareaccess.com', audience: 'x', scopes: ['run'], tenant_claim: 'org' }
    expect(of({ access })).toBe(3)
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
      timeouts: { callMs: null, firstByteMs: 60_000, idleMs: 60_000 },
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
      created: 0,
      owned_by: 'openai',
      kind: 'model',
      provider: 'openai',
      model: 'big',
      protocol: 'native',
      price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' },
      price_source: 'config',
      context_window: null,
      context_tokens: 64_000,
      max_tokens: 1_000,
      vision: false,
      default: true,
    })
    expect(JSON.stringify(models)).not.toMatch(/key|llm\.example|11434/)
  })
})

describe('the chooser of a server', () => {
  const choose = modelChooser(SERVER, ENV)

  test('resolves once for all sessions that wish for an alias alone, and for none', ({ expect }) => {
    const choice = choose({})
    expect(choose({})).toBe(choice)
    expect(choice).toEqual(resolveModel(SERVER, {}, ENV))
    expect(choose({ model: 'main' })).toBe(choose({ model: 'main' }))
    expect(choose({ model: 'main' })).toEqual(choice)
  })

  test('resolves anew what a session says of its model, and aliases that are not there', ({ expect }) => {
    expect(choose({ llm: { temperature: 1 } })).toMatchObject({ ok: true, spec: { temperature: 1 } })
    expect(choose({ work: { temperature: 0.5 } })).toMatchObject({ ok: true, spec: { temperature: 0.5 } })
    expect(choose({})).toMatchObject({ ok: true, spec: { temperature: 0.3 } })
    expect(choose({ model: 'none' })).toMatchObject({ ok: false })
  })
})
