import { describe, inject, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { SettingsInfo } from '../../../src/domain/settings.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { receiverFor } from '../../support/receivers.ts'
import { native, WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, problem, stage } from './http.ts'

const words = WORDS.en

/** An administrator of a tenant of its own, on a server with this config beside that of the suite. */
async function adminOf(more: Partial<ServerConfig> = {}, tenant = `t-${crypto.randomUUID()}`) {
  const key = { id: `admin-of-${tenant}`, sha256: await sha256Hex(`k-${tenant}`), scopes: ['admin'], tenant }
  const config: ServerConfig = JSON.parse(env.YAA_CONFIG ?? '{}')
  const YAA_CONFIG = JSON.stringify({
    ...config,
    ...more,
    models: { ...config.models, ...more.models },
    auth: { keys: [key] },
  })
  const headers = { authorization: `Bearer k-${tenant}` }
  return (method: string, path: string, body?: unknown, others: Record<string, string> = {}) =>
    call(method, path, { env: { YAA_CONFIG }, body, headers: { ...headers, ...others } })
}
type Ask = Awaited<ReturnType<typeof adminOf>>

const versions = async (ask: Ask) =>
  (
    await json<List<{ version: number; by: string; changed: string[]; restores: number | null }>>(
      ask('GET', '/v1/settings/versions'),
    )
  ).data

describe('settings', () => {
  test('are empty at first, and show what the config file says', async ({ expect }) => {
    const ask = await adminOf({ limits: { max_iterations: 7 } })
    const answer = await ask('GET', '/v1/settings')
    expect(answer.headers.get('etag')).toBe('"0"')
    expect(await json<SettingsInfo>(answer)).toMatchObject({
      object: 'settings',
      version: 0,
      updated_by: null,
      settings: {},
      effective: { limits: { max_iterations: 7 } },
    })
  })

  test('are replaced, changed and had again by version, with who set them and what changed', async ({ expect }) => {
    const ask = await adminOf()
    const limits = { max_iterations: 3 }
    const put = await json<SettingsInfo>(
      ask('PUT', '/v1/settings', { limits, tools: { http_request: { permission: 'deny' } } }),
    )
    expect(put).toMatchObject({ version: 1, etag: '"1"', effective: { limits } })
    const patch = { limits: { max_iterations: null, deadline_ms: 1_000 }, tools: null }
    const patched = await json<SettingsInfo>(ask('PATCH', '/v1/settings', patch))
    expect(patched).toMatchObject({ version: 2, settings: { limits: { deadline_ms: 1_000 } } })
    expect(patched.settings).not.toHaveProperty('tools')
    const rolled = await json<SettingsInfo>(ask('POST', '/v1/settings/rollback', { version: 1 }))
    expect(rolled).toMatchObject({ version: 3, settings: put.settings })
    const all = await versions(ask)
    expect(all.map(({ version, restores }) => [version, restores])).toEqual([
      [3, 1],
      [2, null],
      [1, null],
    ])
    expect(all[1]?.changed).toEqual(['limits.deadline_ms', 'limits.max_iterations', 'tools.http_request.permission'])
    expect(all.every(({ by }) => by.startsWith('admin-of-'))).toBe(true)
    expect(await json(ask('GET', '/v1/settings/versions/2'))).toMatchObject({ settings: patched.settings })
    await problem(ask('GET', '/v1/settings/versions/9'), 404)
    await problem(ask('POST', '/v1/settings/rollback', { version: 9 }), 404)
    expect(await json(ask('POST', '/v1/settings/rollback', { version: 0 }))).toMatchObject({ version: 4, settings: {} })
    const { data } = await json<List<AuditEntry>>(ask('GET', '/v1/audit?limit=100'))
    const acts = data.filter(({ action, outcome }) => action.startsWith('settings.') && outcome === 'done')
    expect(acts.toReversed().map(({ action }) => action)).toEqual([
      'settings.put',
      'settings.update',
      'settings.rollback',
      'settings.rollback',
    ])
    expect(acts.at(-1)?.details).toMatchObject({
      version: 1,
      changed: ['limits.max_iterations', 'tools.http_request.permission'],
    })
  })

  test('that are set once more as they are make no version', async ({ expect }) => {
    const ask = await adminOf()
    const patch = { limits: { max_iterations: 3 } }
    for (const method of ['PATCH', 'PATCH', 'PUT'])
      expect(await json<SettingsInfo>(ask(method, '/v1/settings', patch))).toMatchObject({ version: 1, etag: '"1"' })
    expect(await versions(ask)).toHaveLength(1)
  })

  test('are changed under If-Match only if they are still what it names', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PUT', '/v1/settings', { limits: { max_iterations: 3 } }, { 'if-match': '"0"' }))
    for (const method of ['PUT', 'PATCH'])
      expect(await problem(ask(method, '/v1/settings', {}, { 'if-match': '"0"' }), 412)).toMatchObject({
        code: 'precondition_failed',
      })
    await problem(ask('POST', '/v1/settings/rollback', { version: 0 }, { 'if-match': '"7"' }), 412)
    expect(await versions(ask)).toHaveLength(1)
  })

  test('that many change at the same time lose nothing, and each change is a version', async ({ expect }) => {
    const ask = await adminOf()
    const names = Array.from({ length: 24 }, (_, n) => `tool_${n}`)
    const denied = { permission: 'deny' } as const
    const answers = await Promise.all(names.map((name) => ask('PATCH', '/v1/settings', { tools: { [name]: denied } })))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { settings } = await json<SettingsInfo>(ask('GET', '/v1/settings'))
    expect(settings).toEqual({ tools: Object.fromEntries(names.map((name) => [name, denied])) })
    expect(await json<List<unknown>>(ask('GET', '/v1/settings/versions?limit=100'))).toMatchObject({
      data: { length: names.length },
    })
  })

  test('under one Idempotency-Key are rolled back once', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PUT', '/v1/settings', { limits: { max_iterations: 3 } }))
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await json(ask('POST', '/v1/settings/rollback', { version: 0 }, key))
    expect(await json(ask('POST', '/v1/settings/rollback', { version: 0 }, key))).toEqual(first)
    expect(await versions(ask)).toHaveLength(2)
  })

  test('are checked like the config file: unknown fields, wrong values, aliases that are not there', async ({
    expect,
  }) => {
    const ask = await adminOf()
    const issuesOf = async (method: string, body: unknown) =>
      (await problem(ask(method, '/v1/settings', body), 400)).errors?.map(({ path, message }) => `${path}: ${message}`)
    expect(await issuesOf('PUT', { limit: {} })).toEqual(['limit: unknown field'])
    expect(await issuesOf('PUT', { default_model: 'nobody' })).toEqual(['default_model: an alias of models'])
    expect(await issuesOf('PATCH', { models: { one: { model: 'm' } } })).toEqual([
      'models.one.api_url: an absolute http or https address',
    ])
    expect(
      await issuesOf('PUT', { models: { one: { api_url: 'https://models.example/v1', fallback: ['two'] } } }),
    ).toEqual(['models.one.fallback.0: an alias of models'])
    expect(await issuesOf('PATCH', { web: { allow_private_hosts: ['nonsense'] } })).toEqual([
      'web.allow_private_hosts.0: a host with its port, such as 127.0.0.1:9002',
    ])
    expect(await versions(ask)).toEqual([])
  })

  test('name what finds pages, whose key is a connection, and its address goes through the guard', async ({
    expect,
  }) => {
    const ask = await adminOf()
    const receiver = receiverFor(inject('peers'))
    const { origin } = new URL(receiver.url)
    const mapping = { method: 'POST', query: 'q', results: 'found', title: 't', url: 'u', snippet: 's' } as const
    const search = { provider: 'custom', url: receiver.url, mapping, connection: 'finder' }
    const put = async (web: object) =>
      (await problem(ask('PUT', '/v1/settings', { web }), 400)).errors?.map(
        ({ path, message }) => `${path}: ${message}`,
      )
    const inFile = expect.stringContaining('web.search.api_key_env: nothing: keep the key as a connection')
    expect(await put({ search: { ...search, api_key_env: 'KEY' } })).toEqual([inFile])
    expect(await put({ search: { provider: 'searxng' } })).toEqual([
      'web.search.url: an absolute http or https address',
    ])
    const private_ = expect.stringMatching(/^web\.search\.url: .*name 10\.0\.0\.7:80 in web\.allow_private_hosts/)
    expect(await put({ search: { ...search, url: 'http://10.0.0.7/find' } })).toEqual([private_])
    expect(await put({ render: { provider: 'custom', url: 'http://127.0.0.1:9/{url}' } })).toMatchObject([
      expect.stringMatching(/^web\.render\.url: .*127\.0\.0\.1:9/),
    ])
    const finder = `web.search.connection: a connection for ${origin}`
    expect(await put({ search })).toEqual([`${finder}: keep it first (POST /v1/connections)`])
    const canary = 'canary-of-a-search-5e7c'
    await json(ask('POST', '/v1/connections', { name: 'finder', origin, secret: canary }), 201)
    const elsewhere = { name: 'elsewhere', origin: 'https://models.example', secret: canary }
    await json(ask('POST', '/v1/connections', elsewhere), 201)
    expect(await put({ search: { ...search, connection: 'elsewhere' } })).toEqual([
      `${finder}; elsewhere is for https://models.example`,
    ])
    const set = await json<SettingsInfo>(ask('PATCH', '/v1/settings', { web: { search } }))
    expect(set.effective).toMatchObject({ web: { search } })
    await receiver.answer([
      {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ found: [{ t: canary, u: 'https://yak.example/', s: 'About yaks' }] }),
      },
    ])
    const play = await stage([native('web_search', { query: 'yak' }), native('finish', { reason: 'found' })])
    const config = { llm: { extra_body: { script: play.model.name }, protocol: 'native' }, language: 'en' }
    const tools = { web_search: { permission: 'allow' } }
    const { id } = await json<SessionData>(
      ask('POST', '/v1/sessions', { task: 'Find', config: { ...config, tools } }),
      201,
    )
    const [asked] = await receiver.received(1)
    expect([asked?.headers['authorization'], asked?.text]).toEqual([`Bearer ${canary}`, '{"q":"yak"}'])
    const told = await (await ask('GET', `/v1/sessions/${id}/export`)).text()
    expect(told).toContain('About yaks')
    expect(told).not.toContain(canary)
  })

  test('hold no key of a model, and take none of the file along to another address', async ({ expect }) => {
    const canary = 'sk-canary-of-the-file'
    const main = { api_url: 'https://models.example/v1', api_key: canary, model: 'm' }
    const ask = await adminOf({ models: { main } })
    for (const field of ['api_key', 'api_key_env', 'extra_headers']) {
      const { errors } = await problem(
        ask('PATCH', '/v1/settings', { models: { main: { [field]: 'YAA_API_KEY' } } }),
        400,
      )
      expect(errors?.[0]?.path).toBe(`models.main.${field}`)
    }
    const answer = await ask('PATCH', '/v1/settings', { models: { main: { temperature: 0.1 } } })
    expect(await answer.text()).not.toContain(canary)
    expect(await (await ask('GET', '/v1/settings')).text()).not.toContain(canary)
  })

  test('name a private address for a model only where the web settings open it', async ({ expect }) => {
    const ask = await adminOf({}, 'default')
    const models = { ollama: { api_url: 'http://127.0.0.1:11434/v1', model: 'qwen3' } }
    const { errors } = await problem(ask('PATCH', '/v1/settings', { models }), 400)
    expect(errors).toEqual([
      {
        path: 'models.ollama.api_url',
        message: expect.stringContaining('name 127.0.0.1:11434 in web.allow_private_hosts'),
      },
    ])
    await json(ask('PATCH', '/v1/settings', { models, web: { allow_private_hosts: ['127.0.0.1:11434'] } }))
    await json(ask('POST', '/v1/settings/rollback', { version: 0 }))
  })

  test('leave alone what the file locks, and say its name', async ({ expect }) => {
    const ask = await adminOf({ locked: ['limits.max_iterations', 'models'], limits: { max_iterations: 4 } })
    const { detail, code } = await problem(ask('PATCH', '/v1/settings', { limits: { max_iterations: 9 } }), 403)
    expect([code, detail]).toEqual(['forbidden', expect.stringContaining('limits.max_iterations')])
    const models = { one: { api_url: 'https://models.example/v1' } }
    expect((await problem(ask('PUT', '/v1/settings', { models }), 403)).detail).toContain('models')
    const { locked, effective } = await json<SettingsInfo>(
      ask('PATCH', '/v1/settings', { limits: { deadline_ms: 5_000 } }),
    )
    expect(locked).toEqual(['limits.max_iterations', 'models', 'web.allow_private_hosts', 'budgets.tenant'])
    expect(effective['limits']).toEqual({ max_iterations: 4, deadline_ms: 5_000 })
  })

  test('say of a tool under any of its names what holds under its id, and no lock is passed by another name', async ({
    expect,
  }) => {
    for (const name of ['tools.web_access', 'tools.网页访问']) {
      const ask = await adminOf({ locked: [name] })
      for (const tool of ['web_access', '网页访问']) {
        const { code } = await problem(
          ask('PATCH', '/v1/settings', { tools: { [tool]: { permission: 'allow' } } }),
          403,
        )
        expect(code).toBe('forbidden')
      }
    }
    const ask = await adminOf()
    await json(ask('PUT', '/v1/settings', { tools: { 网页访问: { permission: 'allow' } } }))
    for (const [change, after] of [
      [{ web_access: { permission: 'deny' } }, { web_access: { permission: 'deny' } }],
      [
        { 网页访问: { permission: 'ask' }, a__do: {} },
        { web_access: { permission: 'ask' }, a__do: {} },
      ],
      [{ 网页访问: null }, { a__do: {} }],
    ]) {
      const { settings } = await json<SettingsInfo>(ask('PATCH', '/v1/settings', { tools: change }))
      expect(settings.tools).toEqual(after)
    }
  })

  test('of another tenant than the owner open no private host, and raise no budget of the tenant', async ({
    expect,
  }) => {
    const ask = await adminOf()
    const hosts = { web: { allow_private_hosts: ['127.0.0.1:9000'] } }
    expect((await problem(ask('PUT', '/v1/settings', hosts), 403)).detail).toContain('web.allow_private_hosts')
    const budgets = { tenant: { day: { max_total_tokens: 5 } } }
    expect((await problem(ask('PUT', '/v1/settings', { budgets }), 403)).detail).toContain('budgets.tenant')
  })

  test('need an administrator', async ({ expect }) => {
    const ask = await adminOf()
    const { key } = await json<{ key: string }>(
      ask('POST', '/v1/keys', { name: 'x', scopes: ['run', 'read', 'decide'] }),
      201,
    )
    const shown = { authorization: `Bearer ${key}` }
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['GET', '/versions'],
      ['POST', '/rollback'],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      expect(await problem(ask(method, `/v1/settings${path}`, body, shown), 403)).toMatchObject({ code: 'forbidden' })
    }
  })
})

describe('what a tenant has set', () => {
  test('holds for its next runs and those that go on, and for no other tenant', async ({ expect }) => {
    const [ask, other] = [await adminOf(), await adminOf()]
    const set = await stage([words.rethink('a'), words.rethink('b'), words.finish('done')])
    const body = { task: words.task, config: { ...set.config, language: 'en' } }
    await json(ask('PUT', '/v1/settings', { limits: { max_iterations: 1 } }))
    const { id, status } = await json<SessionData>(ask('POST', '/v1/sessions', body), 201)
    expect(status).toBe('in_progress')
    await json(ask('PATCH', '/v1/settings', { limits: null }))
    expect(await json<AgentResponseData>(ask('POST', `/v1/sessions/${id}/continue`, {}))).toMatchObject({
      status: 'completed',
    })
    const free = await stage([words.rethink('a'), words.finish('done')])
    expect(await json<SessionData>(other('POST', '/v1/sessions', { ...body, config: free.config }), 201)).toMatchObject(
      { status: 'completed' },
    )
  })

  test('is the ceiling of what sessions ask for, as a limit of the file is', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PUT', '/v1/settings', { limits: { max_iterations: 2 } }))
    const { errors } = await problem(ask('POST', '/v1/sessions', { config: { limits: { max_iterations: 3 } } }), 400)
    expect(errors).toEqual([{ path: 'config.limits.max_iterations', message: 'at most 2 on this server' }])
  })

  test('names models that sessions choose and that are listed', async ({ expect }) => {
    const ask = await adminOf()
    const models = { spare: { provider: 'built-in', model: 'built-in' } }
    await json(ask('PUT', '/v1/settings', { models, default_model: 'spare' }))
    const { data } = await json<List<{ id: string; default: boolean }>>(ask('GET', '/v1/models?kind=model&limit=100'))
    expect(data.find(({ id }) => id === 'spare')).toMatchObject({ default: true })
    const { status } = await json<SessionData>(
      ask('POST', '/v1/sessions', { task: 'Say hello', config: { language: 'en' } }),
      201,
    )
    expect(status).toBe('completed')
    await json(ask('PUT', '/v1/settings', {}))
    const { errors } = await problem(ask('POST', '/v1/sessions', { config: { model: 'spare' } }), 400)
    expect(errors?.[0]?.path).toBe('config.model')
  })

  test('denies a tool to the calls of a run that goes on, one that waited among them', async ({ expect }) => {
    const ask = await adminOf()
    const set = await stage((page) => [words.visit(page('zh')), words.visit(page('zh')), words.finish('done')])
    const body = { task: words.task, config: { ...set.config, language: 'en' } }
    const { id, pending } = await json<SessionData>(ask('POST', '/v1/sessions', body), 201)
    expect(pending).toHaveLength(1)
    await json(ask('PATCH', '/v1/settings', { tools: { web_access: { permission: 'deny' } } }))
    expect(JSON.stringify(await json(ask('GET', '/v1/tools?limit=100')))).toContain('"permission":"deny"')
    const decided = ask('POST', `/v1/sessions/${id}/pending/${pending[0]?.id}`, { decision: 'approve' })
    expect(await json<AgentResponseData>(decided)).toMatchObject({ status: 'completed', pending: [] })
    expect(await set.site.visits()).toEqual([])
  })

  test('bounds what users of the tenant spend', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PATCH', '/v1/settings', { budgets: { user: { day: { max_total_tokens: 1 } } } }))
    const { config } = await stage([words.finish('done')])
    const ana = await json<SessionData>(ask('POST', '/v1/sessions', { task: words.task, user: 'ana', config }), 201)
    expect(ana).toMatchObject({ finish_reason: 'budget_exhausted', usage: { model_calls: 0 } })
  })

  test('holds for stateless calls', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PUT', '/v1/settings', { limits: { max_iterations: 1 } }))
    const { config } = await stage([words.rethink('a'), words.finish('done')])
    const body = { messages: [{ role: 'user', content: words.task }], config }
    expect(await json<AgentResponseData>(ask('POST', '/v1/agent', body))).toMatchObject({ status: 'in_progress' })
  })
})

describe('a credit', () => {
  const budgets = { user: { day: { max_total_tokens: 5_000 }, month: { max_total_tokens: 9_000 } } }

  test('lets a user spend more in the periods that its budget bounds, and no other user', async ({ expect }) => {
    const ask = await adminOf()
    await json(ask('PATCH', '/v1/settings', { budgets: { user: { day: { max_total_tokens: 1 } } } }))
    const set = await stage([words.finish('done')])
    const run = { task: words.task, user: 'ana', config: { ...set.config, language: 'en' } }
    const { id } = await json<SessionData>(ask('POST', '/v1/sessions', run), 201)
    expect(await json(ask('GET', '/v1/budgets/ana'))).toMatchObject({
      credit: { day: { max_total_tokens: 0 } },
      remaining: { day: { max_total_tokens: 1 } },
    })
    const credit = await json(ask('POST', '/v1/budgets/ana/credit', { tokens: 50_000 }), 201)
    expect(credit).toMatchObject({ object: 'budget.credit', user: 'ana', tokens: 50_000, periods: ['day'] })
    const { status } = await json<AgentResponseData>(ask('POST', `/v1/sessions/${id}/continue`, {}))
    expect(status).toBe('completed')
    const bo = await json<SessionData>(ask('POST', '/v1/sessions', { ...run, user: 'bo' }), 201)
    expect(bo).toMatchObject({ finish_reason: 'budget_exhausted' })
  })

  test('is given once under one key, however many ask, and adds up exactly without', async ({ expect }) => {
    const ask = await adminOf({ budgets })
    const key = { 'idempotency-key': crypto.randomUUID() }
    const give = (headers = {}) => ask('POST', '/v1/budgets/ana/credit', { tokens: 700 }, headers)
    const first = await json(give(key), 201)
    expect(await json(give(key), 201)).toEqual(first)
    await Promise.all(Array.from({ length: 20 }, () => json(give(), 201)))
    expect(await json(ask('GET', '/v1/budgets/ana'))).toMatchObject({
      limits: budgets.user,
      credit: { day: { max_total_tokens: 14_700 }, month: { max_total_tokens: 14_700 } },
      remaining: { day: { max_total_tokens: 19_700 }, month: { max_total_tokens: 23_700 } },
    })
    const { data } = await json<List<AuditEntry>>(ask('GET', '/v1/audit?action=budget.credit&limit=100'))
    expect(data).toHaveLength(21)
    expect(data[0]).toMatchObject({ target: 'ana', details: { tokens: 700, periods: ['day', 'month'] } })
  })

  test('is refused where the budget bounds nothing of its kind, with what to do', async ({ expect }) => {
    const [ask, none] = [await adminOf({ budgets }), await adminOf({ budgets: {} })]
    const give = async (body: unknown) => (await problem(ask('POST', '/v1/budgets/ana/credit', body), 400)).errors
    expect(await give({ cost: { amount: 1, currency: 'CNY' } })).toMatchObject([
      { path: 'cost', message: expect.stringContaining('bounds no cost') },
    ])
    expect(await give({})).toMatchObject([{ message: 'tokens or cost, or both' }])
    expect(await give({ tokens: -1 })).toMatchObject([{ path: 'tokens' }])
    expect((await problem(none('POST', '/v1/budgets/ana/credit', { tokens: 1 }), 400)).errors).toMatchObject([
      { path: 'user', message: expect.stringContaining('budgets.user') },
    ])
  })
})
