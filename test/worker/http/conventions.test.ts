import { createExecutionContext } from 'cloudflare:test'
import { describe, test } from 'vitest'
import worker from '../../../src/index.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import { env } from '../session/worker-home.ts'
import { call, json, newSession, problem, send, stage } from './http.ts'

const UNKNOWN = '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav'
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('headers', () => {
  test('If-None-Match of what a client has is 304, of anything else the whole', async ({ expect }) => {
    const { id, etag } = await newSession(await stage())
    const get = (known: string, method = 'GET') =>
      call(method, `/v1/sessions/${id}?messages=none`, { headers: { 'if-none-match': known } })
    for (const known of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
      const answer = await get(known)
      expect([known, answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([known, 304, etag, ''])
      expect((await get(known, 'HEAD')).status).toBe(304)
    }
    await json(call('PATCH', `/v1/sessions/${id}`, { body: { title: 'other' }, headers: { 'if-none-match': etag } }))
    for (const known of [etag, '"0"', '']) expect(await json(get(known))).toMatchObject({ id, title: 'other' })
  })

  test('WWW-Authenticate says what is wrong with a key, or which scope it lacks', async ({ expect }) => {
    const keyed = { YAA_API_KEY: 'admin-key-of-this-test' }
    const asked = (key: string | null, method = 'GET') =>
      call(method, '/v1/keys', { env: keyed, headers: key === null ? {} : { authorization: `Bearer ${key}` } })
    const [without, wrong] = [await asked(null), await asked('another-key-of-this-test')]
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="yaa"'])
    const basic = await call('GET', '/v1/keys', { env: keyed, headers: { authorization: 'Basic dTpw' } })
    expect([basic.status, basic.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="yaa"'])
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer realm="yaa", error="invalid_token", error_description="[^"]+"$/),
    ])
    const made = await call('POST', '/v1/keys', {
      env: keyed,
      headers: { authorization: 'Bearer admin-key-of-this-test' },
      body: { name: 'reader', scopes: ['read'] },
    })
    const narrow = await asked((await json<{ key: string }>(made, 201)).key)
    expect([narrow.status, narrow.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="yaa", error="insufficient_scope", scope="admin"',
    ])
  })

  test('of HEAD are those of GET, without a body', async ({ expect }) => {
    const { id } = await newSession(await stage())
    const events = { accept: 'text/event-stream' }
    const paths: [path: string, headers?: Record<string, string>][] = [
      ['/healthz'],
      ['/openapi.json'],
      ['/docs/errors'],
      [`/v1/sessions/${id}`],
      [`/v1/sessions/${id}/events`, events],
      [`/v1/sessions/${id}/export`],
      ['/v1/tools'],
      [UNKNOWN],
    ]
    for (const [path, headers = {}] of paths) {
      const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => call(method, path, { headers })))
      await get?.body?.cancel()
      const told = (answer: Response | undefined) =>
        [...(answer?.headers ?? [])].filter(
          ([name]) => !/^(x-request-id|content-length|content-disposition)$/.test(name),
        )
      expect([path, head?.status, told(head), head?.body]).toEqual([path, get?.status, told(get), null])
    }
  })

  test('name in Vary what an answer depends on, each once', async ({ expect }) => {
    const { id } = await newSession(await stage([{ content: 'Hello.', repeat: true }]))
    const body = { model: 'yaa', messages: [{ role: 'user', content: 'Hello' }], metadata: { session_id: id } }
    const chat = await call('POST', '/v1/chat/completions', { body })
    expect([chat.status, chat.headers.get('vary')]).toEqual([200, 'Accept-Language'])
    const skill = await call('GET', '/v1/skills/translate')
    expect([skill.status, skill.headers.get('vary')]).toEqual([200, 'Accept-Language, Accept'])
  })

  test('tell browsers to run, frame and remember nothing', async ({ expect }) => {
    const safe = {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'permissions-policy': expect.stringContaining('camera=()'),
    }
    const { id } = await newSession(await stage())
    for (const path of [
      '/healthz',
      '/v1/tools',
      `/v1/sessions/${id}`,
      UNKNOWN,
      '/nowhere',
      '/openapi.json',
      '/%761/tools',
    ]) {
      const answer = await call('GET', path)
      await answer.body?.cancel()
      expect([path, Object.fromEntries(answer.headers)]).toEqual([path, expect.objectContaining(safe)])
      expect([path, answer.headers.get('cache-control')]).toEqual([path, /^\/(v1|%761)/.test(path) ? 'no-store' : null])
      expect(answer.headers.has('strict-transport-security')).toBe(false)
    }
  })
})

describe('bodies', () => {
  const post = (body: string, headers: Record<string, string> = {}) => call('POST', '/v1/sessions', { body, headers })

  test.for(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx'])(
    'of another type are 415: %s',
    async (type, { expect }) => {
      expect(await problem(post('{}', { 'content-type': type }), 415)).toMatchObject({ code: 'unsupported_media_type' })
    },
  )

  test('of JSON with a charset or a suffix are taken', async ({ expect }) => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.yaa+json']) {
      expect((await post('{}', { 'content-type': type })).status).toBe(201)
    }
  })

  test('over 1 MiB are 413, told or not', async ({ expect }) => {
    const body = JSON.stringify({ metadata: { a: 'x'.repeat(1_048_576) } })
    expect(await problem(post(body), 413)).toMatchObject({ code: 'body_too_large' })
    expect(await problem(call('POST', '/v1/agent', { body }), 413)).toMatchObject({ code: 'body_too_large' })
    expect(await problem(post('x'.repeat(1_048_577)), 413)).toMatchObject({ code: 'body_too_large' })
    const fits = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] })
    expect((await post(fits)).status).toBe(201)
  })

  test.for(['{', '', 'nothing', '{"task": "x"', '{"task": \'x\'}', '\u0000'])(
    'of broken JSON are 400: %j',
    async (body, { expect }) => {
      const answer = await post(body)
      if (body === '') return expect(answer.status).toBe(201)
      expect(await problem(answer, 400)).toMatchObject({ code: 'invalid_input' })
    },
  )

  test.for(['[]', '"x"', '1', 'null', 'true'])('that are no object are 400: %s', async (body, { expect }) => {
    expect(await problem(post(body), 400)).toMatchObject({ code: 'invalid_input' })
  })

  test.for<[string, string]>([
    ['{"task":"a","task":"b"}', 'task'],
    ['{"metadata":{"a":[{"b":1,"b":2}]}}', 'metadata.a.0.b'],
    [String.raw`{"metadata":{"a":"\ud800"}}`, 'metadata.a'],
  ])('that two readers read in two ways are 400 with the path: %s', async ([body, path], { expect }) => {
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { body: {} }), 201)
    for (const address of ['/v1/sessions', '/v1/agent', `/v1/sessions/${id}/messages`]) {
      const answer = await problem(call('POST', address, { body }), 400)
      expect(answer).toMatchObject({ code: 'invalid_input', errors: [{ path }] })
    }
  })

  test('of a skill have no name twice, and no half of a character', async ({ expect }) => {
    const name = `skill-${crypto.randomUUID()}`
    const bodies = [
      [`{"name":"${name}","version":"1","description":"a","description":"b"}`, 'description'],
      [String.raw`{"name":"${name}","version":"1","description":"a","prompt":"\ud800"}`, 'prompt'],
    ] as const
    for (const [body, path] of bodies)
      for (const [method, address] of [
        ['POST', '/v1/skills'],
        ['PUT', `/v1/skills/${name}`],
      ] as const)
        expect(await problem(call(method, address, { body }), 400)).toMatchObject({ errors: [{ path }] })
    await problem(call('GET', `/v1/skills/${name}`), 404)
  })

  test('of an import have no name twice, and the path says where', async ({ expect }) => {
    const pathOf = async (body: string) =>
      (await problem(call('POST', '/v1/sessions/import', { body }), 400)).errors?.map(({ path }) => path)
    expect(await pathOf('{"session":{"messages":[],"config":{"llm":{"model":"a","model":"b"}}}}')).toEqual([
      'session.config.llm.model',
    ])
    const message = '{"role":"user","content":"a"}'
    const twice = '{"role":"user","role":"assistant","content":"a"}'
    for (const messages of [[message, twice], [twice], [message, message, message, twice]])
      expect(await pathOf(`{"session":{"messages":[${messages.join()}]}}`)).toEqual([
        `session.messages.${messages.length - 1}.role`,
      ])
  })

  test('of a POST whose path says all are empty', async ({ expect }) => {
    const { id } = await json<{ id: string }>(post('{}'), 201)
    for (const path of [
      `/v1/sessions/${id}/cancel`,
      `/v1/sessions/${id}/tasks/a/cancel`,
      `/v1/sessions/${id}/tasks/a/retry`,
      `/v1/sessions/${id}/workflow/steps/a/retry`,
      '/v1/links/rotate',
      '/v1/mcp-servers/a/refresh',
      '/v1/openapi-tools/a/refresh',
      '/v1/connections/a/authorize',
    ]) {
      const unfit = await problem(call('POST', path, { body: { reason: 'x' } }), 400)
      expect([path, unfit.errors]).toEqual([path, [{ path: 'reason', message: 'unknown field' }]])
      for (const body of ['{', '[]', 'null']) await problem(call('POST', path, { body }), 400)
    }
    for (const body of [undefined, '', {}])
      for (const path of [`/v1/sessions/${id}/cancel`, '/v1/links/rotate'])
        expect((await call('POST', path, { body })).status).toBe(200)
  })

  test('that do not come whole are 400', async ({ expect }) => {
    const broken = () =>
      new ReadableStream({ pull: (controller) => controller.error(new Error('Network connection lost.')) })
    const headers = { host: 'localhost', ...WITH_KEY, 'content-type': 'application/json' }
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { body: {} }), 201)
    for (const path of ['/v1/sessions', '/v1/agent', `/v1/sessions/${id}/messages`]) {
      const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: broken() })
      const answer = await worker.fetch(request, env, createExecutionContext())
      expect(await problem(answer, 400)).toMatchObject({ code: 'invalid_input' })
    }
  })

  test('in a content encoding are 415', async ({ expect }) => {
    for (const encoding of ['gzip', 'br', 'identity, gzip'])
      expect(await problem(post('{}', { 'content-encoding': encoding }), 415)).toMatchObject({
        code: 'unsupported_media_type',
      })
    expect((await post('{}', { 'content-encoding': 'identity' })).status).toBe(201)
  })

  test('in a content encoding are 415 also where they are no JSON, and nothing is kept', async ({ expect }) => {
    const headers = { 'content-encoding': 'gzip' }
    const { id } = await json<{ id: string }>(post('{}'), 201)
    await problem(call('PUT', `/v1/sessions/${id}/files/a.txt`, { body: 'x', headers }), 415)
    expect((await call('GET', `/v1/sessions/${id}/files/a.txt`)).status).toBe(404)
    const document = { session: { messages: [] } }
    await problem(call('POST', '/v1/sessions/import', { body: document, headers }), 415)
    await problem(
      call('POST', '/v1/skills', { body: '# x', headers: { ...headers, 'content-type': 'text/markdown' } }),
      415,
    )
  })

  test('of an import are JSON by any of its names, and by no other', async ({ expect }) => {
    const sent = (type: string) =>
      call('POST', '/v1/sessions/import', { body: { session: { messages: [] } }, headers: { 'content-type': type } })
    expect((await sent('application/vnd.yaa+json; charset=utf-8')).status).toBe(201)
    await problem(sent('application/json-x'), 415)
  })

  test('nested too deep are 400', async ({ expect }) => {
    expect(await problem(post(`{"metadata":${nested(40)}}`), 400)).toMatchObject({ code: 'invalid_input' })
    expect(await problem(post(nested(100_000)), 400)).toMatchObject({ code: 'invalid_input' })
    expect((await post(`{"metadata":${nested(20)}}`)).status).toBe(201)
  })

  test.for<[string, unknown, string]>([
    ['an unknown field', { taks: 'x' }, 'taks'],
    ['an unknown field of the config', { config: { modell: 'x' } }, 'config.modell'],
    ['an unknown limit', { config: { limits: { max_iteration: 1 } } }, 'config.limits.max_iteration'],
    [
      'an unknown field of a tool',
      { config: { tools: { web_access: { auto: true } } } },
      'config.tools.web_access.auto',
    ],
    ['a wrong type', { task: 7 }, 'task'],
    ['an empty task', { task: '' }, 'task'],
    ['a wrong type deep inside', { config: { llm: { temperature: 'hot' } } }, 'config.llm.temperature'],
    ['a number out of range', { config: { limits: { max_iterations: 0 } } }, 'config.limits.max_iterations'],
    ['a fraction', { config: { limits: { max_iterations: 1.5 } } }, 'config.limits.max_iterations'],
    ['an unknown time zone', { config: { timezone: 'Mars/Olympus' } }, 'config.timezone'],
    ['an unknown model', { config: { model: 'nobody' } }, 'config.model'],
    ['an unknown orchestrator', { orchestrator: 'chaos' }, 'orchestrator'],
    [
      'a wrong message',
      {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'robot', content: 'x' },
        ],
      },
      'messages.1.role',
    ],
    ['an unknown field of a message', { messages: [{ role: 'user', content: 'x', colour: 1 }] }, 'messages.0.colour'],
    ['a limit over the ceiling', { config: { limits: { max_plan_rounds: 21 } } }, 'config.limits.max_plan_rounds'],
    ['a private address of a model', { config: { llm: { api_url: 'http://10.0.0.1/v1' } } }, 'config.llm.api_url'],
    ['localhost as a model', { config: { llm: { api_url: 'http://localhost:1/v1' } } }, 'config.llm.api_url'],
    ['no address of a model', { config: { llm: { api_url: 'file:///etc/passwd' } } }, 'config.llm.api_url'],
    ['an unknown skill', { skill: 'nothing-of-that-name' }, 'skill'],
  ])('%s is 400 with its path', async ([, body, path], { expect }) => {
    const { errors = [], code } = await problem(call('POST', '/v1/sessions', { body }), 400)
    expect({ code, paths: errors.map((error) => error.path) }).toEqual({ code: 'invalid_input', paths: [path] })
  })

  test('several mistakes are all named', async ({ expect }) => {
    const { errors = [] } = await problem(call('POST', '/v1/sessions', { body: { a: 1, b: 2, title: 3 } }), 400)
    expect(errors.map(({ path }) => path).toSorted()).toEqual(['a', 'b', 'title'])
  })

  test('a refused body leaves no session', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    await problem(call('POST', '/v1/sessions', { body: { user, task: 'x', config: { model: 'nobody' } } }), 400)
    expect(await json(call('GET', `/v1/sessions?user=${user}`))).toEqual({
      object: 'list',
      data: [],
      next_cursor: null,
    })
  })

  test('messages and decisions are checked too', async ({ expect }) => {
    const { id } = await newSession(await stage())
    const pathsOf = async (path: string, body: unknown) =>
      (await problem(call('POST', `/v1/sessions/${id}/${path}`, { body }), 400)).errors?.map((error) => error.path)
    expect(await pathsOf('messages', {})).toEqual(['content'])
    expect(await pathsOf('messages', { content: '' })).toEqual(['content'])
    expect(await pathsOf('messages', { content: 'x', config: { limits: { max_plan_rounds: 21 } } })).toEqual([
      'config.limits.max_plan_rounds',
    ])
    expect(await pathsOf('messages?when_busy=never', { content: 'x' })).toEqual(['when_busy'])
    expect(await pathsOf('continue', { rounds: 1 })).toEqual(['rounds'])
    expect(await pathsOf('pending/pnd_x', { decision: 'maybe' })).toEqual(['decision'])
    expect(await pathsOf('pending/pnd_x', { decision: 'answer' })).toEqual(['answer'])
    expect(await pathsOf('pending/pnd_x', { decision: 'reject', arguments: {} })).toEqual(['decision'])
    expect(
      await problem(call('POST', `/v1/sessions/${id}/pending/pnd_x`, { body: { decision: 'reject' } }), 409),
    ).toMatchObject({ code: 'stale_decision' })
  })

  test('a prototype is no field', async ({ expect }) => {
    const body = '{"metadata":{"__proto__":{"polluted":1}},"constructor":1}'
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('lists', () => {
  test.for(['0', '101', '-1', '1.5', 'x', ''])('limit %j is 400', async (limit, { expect }) => {
    const { errors = [] } = await problem(call('GET', `/v1/sessions?limit=${limit}`), 400)
    expect(errors.map(({ path }) => path)).toEqual(['limit'])
  })

  test('unknown parameters are 400', async ({ expect }) => {
    const { errors = [] } = await problem(call('GET', '/v1/sessions?statuss=idle'), 400)
    expect(errors.map(({ path }) => path)).toEqual(['statuss'])
    await problem(call('GET', '/v1/sessions?status=asleep'), 400)
  })

  test.for(['idle', 'Idle', '空闲'])('a status is taken in any spelling: %s', async (status, { expect }) => {
    const { id } = await newSession(await stage())
    const query = new URLSearchParams({ status }).toString()
    const { data } = await json<{ data: unknown[] }>(call('GET', `/v1/sessions?${query}`))
    expect(data).toContainEqual(expect.objectContaining({ id, status: 'idle' }))
  })

  test('messages and events page by their seq', async ({ expect }) => {
    const set = await stage(['<完成会话><理由>好</理由></完成会话>'])
    const { id } = await newSession(set)
    await (await send(id, '好吗？')).text()
    for (const name of ['messages', 'events']) {
      const path = `/v1/sessions/${id}/${name}`
      const get = (query: string) =>
        json<{ data: { seq: number }[]; next_cursor: string | null }>(
          call('GET', `${path}?${query}`, { headers: { accept: 'application/json' } }),
        )
      const all = await get('limit=100')
      expect(all.next_cursor).toBeNull()
      const paged: { seq: number }[] = []
      let query = 'limit=2'
      for (;;) {
        const page = await get(query)
        expect(page.data.length).toBeLessThanOrEqual(2)
        paged.push(...page.data)
        if (page.next_cursor === null) break
        query = `limit=2&cursor=${page.next_cursor}`
      }
      expect(paged).toEqual(all.data)
      expect((await get(`after=${all.data[0]?.seq}`)).data).toEqual(all.data.slice(1))
      await problem(call('GET', `${path}?limit=0`, { headers: { accept: 'application/json' } }), 400)
      await problem(call('GET', `${path}?after=x`, { headers: { accept: 'application/json' } }), 400)
    }
  })
})

test('a field whose length is nothing to compare is a field of a wrong type', async ({ expect }) => {
  const { errors } = await problem(
    call('POST', '/v1/sessions', { body: { user: { length: { toString: null } } } }),
    400,
  )
  expect(errors).toEqual([{ path: '', message: 'a field has a wrong type' }])
})
