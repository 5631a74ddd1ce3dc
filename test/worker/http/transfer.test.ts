import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { hear } from '../../support/sse.ts'
import { native, WORDS } from '../../support/words.ts'
import { env, stubOf, within } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, read, sent, stage } from './http.ts'
import { runInDurableObject } from 'cloudflare:test'

const words = WORDS['zh-CN']

async function ended(): Promise<SessionData> {
  const set = await stage([words.rethink('想'), words.finish('好'), words.finish('又')])
  const { id } = await newSession(set)
  await sent(id, words.task)
  return read(id)
}

describe('an export over HTTP', () => {
  test('is a download of JSON that an import takes as it is', async ({ expect }) => {
    const { id } = await ended()
    const answer = await call('GET', `/v1/sessions/${id}/export`)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`)
    const made = await call('POST', '/v1/sessions/import', { body: await answer.text() })
    const copy = await json<SessionData>(made.clone(), 201)
    expect(made.headers.get('location')).toBe(`/v1/sessions/${copy.id}`)
    expect(made.headers.get('etag')).toBe(copy.etag)
    expect(copy.id).not.toBe(id)
    expect(await read(copy.id)).toEqual(copy)
    expect(await sent(copy.id, '再来')).toMatchObject({ status: 'completed', result: '又' })
    await problem(call('GET', '/v1/sessions/ses_00000000000000000000000000/export'), 404)
  })
})

describe('what is nested as deep as each door takes it', () => {
  const nested = (levels: number, leaf: unknown = 1): unknown =>
    levels === 0 ? leaf : levels % 2 === 0 ? [nested(levels - 1, leaf)] : { a: nested(levels - 1, leaf) }

  /** The deepest of a value that a body takes in this place. */
  async function deepest(taken: (levels: number) => Promise<Response>): Promise<Response> {
    let refused = ''
    for (let levels = LIMITS.http.jsonDepthMax; levels > 0; levels--) {
      const answer = await taken(levels)
      if (answer.ok) return answer
      refused = await answer.text()
    }
    throw new Error(`nothing nested is taken: ${refused}`)
  }

  test('comes back with an own export, and with the export of that', async ({ expect }) => {
    const set = await stage([native('rethink', { reason: '想', more: nested(60) }), native('finish', { reason: '好' })])
    const name = `deep-${crypto.randomUUID().slice(0, 8)}`
    const skill = { name, version: '1', description: 'x', prompt: '想。', tools: ['web_access'] }
    await deepest((levels) => call('POST', '/v1/skills', { body: { ...skill, extra: { own: nested(levels) } } }))
    const config = (levels: number) => ({
      llm: { extra_body: { script: set.model.name, own: nested(levels) }, protocol: 'native' },
    })
    const made = await deepest((levels) =>
      call('POST', '/v1/sessions', { body: { skill: name, config: config(levels) } }),
    )
    const { id } = await json<SessionData>(made, 201)
    expect(await sent(id, '想想')).toMatchObject({ status: 'completed' })

    const first = await exported(id)
    expect(depthOf(first)).toBeGreaterThan(LIMITS.http.jsonDepthMax)
    const second = await exported(await imported(first))
    expect(contents(second)).toEqual(contents(first))
    const third = await exported(await imported(second))
    expect([contents(third), third['skill']]).toEqual([contents(first), first['skill']])
    expect(depthOf(third)).toBe(depthOf(first))
  })

  type Document = Record<string, unknown> & { events: { type: string; message?: Record<string, unknown> }[] }
  const exported = async (id: string) => json<Document>(call('GET', `/v1/sessions/${id}/export`))
  const imported = async (document: Document) =>
    (await json<SessionData>(call('POST', '/v1/sessions/import?keep_config=true', { body: document }), 201)).id
  const contents = ({ events }: Document) =>
    events.flatMap(({ message }) => (message ? [[message['content'], message['tool_calls']]] : []))
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
})

describe('an import over HTTP', () => {
  const post = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
    call('POST', '/v1/sessions/import', { body: typeof body === 'string' ? body : '', headers })

  test('is refused with its class: type, JSON, shape, size', async ({ expect }) => {
    await problem(post('{}', { 'content-type': 'text/plain' }), 415)
    expect(await problem(post('{'), 400)).toMatchObject({ code: 'invalid_input' })
    expect(await problem(post(''), 400)).toMatchObject({ code: 'invalid_input' })
    expect((await problem(post('{"version":2,"session":{}}'), 400)).errors?.map(({ path }) => path)).toEqual([
      'version',
    ])
    const keyed = { 'idempotency-key': crypto.randomUUID() }
    for (const headers of [{}, keyed]) {
      const long = `{"session":{"title":"${'x'.repeat(LIMITS.http.importBytesMax)}"}}`
      expect(await problem(post(long, headers), 413)).toMatchObject({ code: 'body_too_large' })
    }
  })

  test('drops what the document allows and the model that it names, unless it is asked to keep them', async ({
    expect,
  }) => {
    const set = await stage((page) => [words.visit(page('zh')), words.visit(page('zh')), words.finish('好')])
    const config = {
      ...set.config,
      limits: { max_iterations: 5 },
      tools: {
        网页访问: { auto_approve: true, trusted: true, rules: [{ host: '127.0.0.1', permission: 'allow' }] },
        http_request: { permission: 'allow', enabled: true },
        web_search: { permission: 'deny', auto_approve: false, rules: [{ path: 'x', permission: 'ask' }] },
      },
    }
    const { id } = await newSession(set, { config })
    const document = await json<{ session: SessionData }>(call('GET', `/v1/sessions/${id}/export`))
    const elsewhere = {
      ...document.session.config.llm,
      api_url: 'http://127.0.0.1:9/v1',
      api_key: 'sk-of-somebody',
      max_tokens: 9,
    }
    const led = { ...document, session: { ...document.session, config: { ...config, llm: elsewhere } } }
    const { config: kept } = await json<SessionData>(post(JSON.stringify(led)), 201)
    expect(kept).toEqual({
      limits: config.limits,
      llm: { max_tokens: 9 },
      tools: { 网页访问: { rules: [] }, http_request: { enabled: true }, web_search: config.tools.web_search },
    })
    const copy = await json<SessionData>(post(JSON.stringify(document)), 201)
    expect(await sent(copy.id, words.task)).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
    expect(await set.site.visits()).toEqual([])
    const body = JSON.stringify(document)
    const whole = await json<SessionData>(call('POST', '/v1/sessions/import?keep_config=true', { body }), 201)
    expect(whole.config).toEqual({ ...document.session.config })
    expect(await sent(whole.id, words.task)).toMatchObject({ status: 'completed' })
    expect(await set.site.visits()).toHaveLength(1)
    await problem(call('POST', '/v1/sessions/import?keep_config=1', { body }), 400)
  })

  test('under a key keeps its config or not as it was first asked', async ({ expect }) => {
    const { id } = await ended()
    const body = await (await call('GET', `/v1/sessions/${id}/export`)).text()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const keyed = (query: string) => call('POST', `/v1/sessions/import${query}`, { body, headers })
    const made = await json<SessionData>(keyed('?keep_config=true'), 201)
    for (const query of ['', '?keep_config=false']) {
      expect(await problem(keyed(query), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    }
    expect((await json<SessionData>(keyed('?keep_config=true'), 201)).id).toBe(made.id)
  })

  test('keeps and tells what only a later release knows, and refuses what is no event of a log', async ({ expect }) => {
    const { id } = await ended()
    const document = await json<{ events: Record<string, unknown>[] }>(call('GET', `/v1/sessions/${id}/export`))
    const { length } = document.events
    const { run_id, time } = document.events[length - 1] ?? {}
    const later = { type: 'later-thing', seq: length + 1, run_id, scope: null, time, more: { of: ['it'] } }
    const withLater = (more: object) =>
      JSON.stringify({ ...document, events: [...document.events, { ...later, ...more }] })
    const copy = await json<SessionData>(post(withLater({})), 201)
    expect(copy).toMatchObject({ status: 'completed', last_seq: length + 1 })
    const path = `/v1/sessions/${copy.id}/events?after=${length}`
    const list = await json<{ data: unknown[] }>(call('GET', path, { headers: { accept: 'application/json' } }))
    expect(list.data).toEqual([later])
    const [told] = await hear((await call('GET', path, { headers: { accept: 'text/event-stream' } })).body, 1)
    expect(told).toEqual({ id: `${length + 1}`, event: 'later-thing', data: later })
    const again = await json<{ events: unknown[] }>(call('GET', `/v1/sessions/${copy.id}/export`))
    expect(again.events.at(-1)).toEqual(later)
    expect(await sent(copy.id, '再来')).toMatchObject({ status: 'completed', result: '又' })
    for (const [wrong, field] of [
      [{ type: 'later\ndata: x' }, 'type'],
      [{ type: 'message-delta' }, 'type'],
      [{ type: 'problem' }, 'type'],
      [{ type: 'x'.repeat(65) }, 'type'],
      [{ time: 'soon' }, 'time'],
      [{ run_id: 7 }, 'run_id'],
      [{ seq: 1 }, 'seq'],
    ] as const) {
      const { errors } = await problem(post(withLater(wrong)), 400)
      expect(errors?.map((one) => one.path)).toEqual([`events.${length}.${field}`])
    }
  })

  test('keeps and tells parts of a message that only a later release knows', async ({ expect }) => {
    const content = [
      { type: 'text', text: 'See this' },
      { type: 'later-part', more: { of: ['it'] } },
    ]
    const copy = await json<SessionData>(
      post(JSON.stringify({ session: { messages: [{ role: 'user', content }] } })),
      201,
    )
    expect(copy.messages).toMatchObject([{ content }])
    const list = await json<List<unknown>>(call('GET', `/v1/sessions/${copy.id}/messages`))
    expect(list.data).toMatchObject([{ content }])
  })

  test('takes what is larger than any other body', async ({ expect }) => {
    const content = 'x'.repeat(500_000)
    const messages = Array.from({ length: 40 }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content }))
    const { id } = await json<SessionData>(post(JSON.stringify({ session: { messages } })), 201)
    const list = await json<{ data: unknown[] }>(call('GET', `/v1/sessions/${id}/messages?after=38&limit=5`))
    expect(list.data).toHaveLength(2)
  })
})

describe('a fork over HTTP', () => {
  test('is made up to a seq, and refused where there is none', async ({ expect }) => {
    const { id, last_seq: last } = await ended()
    const fork = (body: unknown) => call('POST', `/v1/sessions/${id}/fork`, { body })
    expect(await json(fork({ at_seq: 2 }), 201)).toMatchObject({ status: 'cancelled', messages: [{ kind: 'task' }] })
    expect(await json(fork({ at_seq: last }), 201)).toMatchObject({ status: 'completed', last_seq: last })
    expect(await json(call('POST', `/v1/sessions/${id}/fork`), 201)).toMatchObject({ last_seq: last })
    for (const at_seq of [0, -1, 1.5, last + 1, '1', null]) {
      expect((await problem(fork({ at_seq }), 400)).errors?.[0]?.path).toBe('at_seq')
    }
    await problem(fork({ seq: 1 }), 400)
    await problem(call('POST', '/v1/sessions/ses_00000000000000000000000000/fork', { body: {} }), 404)
  })
})

describe('seqs out of range', () => {
  test('are 4xx wherever a log is followed from, and change nothing', async ({ expect }) => {
    const { id, last_seq: last } = await ended()
    const get = (path: string, headers: Record<string, string> = {}) =>
      call('GET', `/v1/sessions/${id}${path}`, { headers })
    const list = { accept: 'application/json' }
    for (const after of [String(last + 1), '99999999999', '-1', 'x', '1.2.3', '1e3', '9999999999999999999']) {
      await problem(get(`/events?after=${after}`), 400)
      await problem(get(`/events?after=${after}`, list), 400)
      await problem(get('/events', { 'last-event-id': after }), 400)
      await problem(get(`/ws?after=${after}`, { upgrade: 'websocket' }), 400)
    }
    expect(await json(get(`/events?after=${last}`, list))).toMatchObject({ data: [] })
    const foreign = await get('/events', { accept: 'text/event-stream', 'last-event-id': `${last}.7` })
    expect(foreign.status).toBe(200)
    await foreign.body?.cancel()
    expect((await read(id)).last_seq).toBe(last)
  })
})

describe('a deleted session', () => {
  const rowsOf = (sql: SqlStorage) =>
    sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name)

  test('leaves no table, no alarm, no entry and no key', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    const key = crypto.randomUUID()
    const set = await stage((page) => [words.visit(page('long')), words.finish('好')])
    const config = { ...set.config, tools: { web_access: { auto_approve: true, output: { chars_max: 1_000 } } } }
    const { id } = await newSession(set, { user, config })
    const body = { content: words.task }
    await json(call('POST', `/v1/sessions/${id}/messages`, { body, headers: { 'idempotency-key': key } }))
    await within(id, (_object, { storage }) => expect(rowsOf(storage.sql).length).toBeGreaterThan(2))
    expect((await call('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    await runInDurableObject(stubOf(id), async (_object, { storage }) => {
      expect(rowsOf(storage.sql)).toEqual([])
      expect(await storage.getAlarm()).toBeNull()
      expect(await storage.list()).toEqual(new Map())
    })
    await runInDurableObject(env.DIRECTORY.getByName('default'), (_object, { storage }) => {
      const left = (table: string, column: string, value: string) =>
        storage.sql.exec(`SELECT * FROM ${table} WHERE ${column} = ?`, value).toArray()
      expect([
        ...left('sessions', 'id', id),
        ...left('claims', 'key', key),
        ...left('claims', 'session_id', id),
      ]).toEqual([])
    })
    await problem(call('GET', `/v1/sessions/${id}`), 404)
  })
})
