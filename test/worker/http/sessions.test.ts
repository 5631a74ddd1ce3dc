import { describe, inject, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import type { RawReceived } from '../../support/receivers.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, newSession, problem, read, send, sent, stage } from './http.ts'

const words = WORDS['zh-CN']

describe('a session', () => {
  test('is made with 201, Location and an ETag that is its own', async ({ expect }) => {
    const answer = await call('POST', '/v1/sessions', { body: { title: '标题' } })
    const session = await json<SessionData>(answer.clone(), 201)
    expect(answer.headers.get('location')).toBe(`/v1/sessions/${session.id}`)
    expect(answer.headers.get('etag')).toBe(session.etag)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(session).toMatchObject({
      id: expect.stringMatching(/^ses_/),
      object: 'session',
      title: '标题',
      status: 'idle',
    })
    expect(await read(session.id)).toEqual(session)
  })

  test('with a task runs its first batch and is answered whole, with 201', async ({ expect }) => {
    const { config } = await stage([words.finish('好')])
    const answer = await call('POST', '/v1/sessions', { body: { task: '你好吗？', config } })
    const session = await json<SessionData>(answer.clone(), 201)
    expect(session).toMatchObject({
      object: 'session',
      status: 'completed',
      finish_reason: 'completed',
      title: '你好吗？',
    })
    expect(session.messages.map(({ kind }) => kind)).toEqual(['task', 'prompt', 'reply', 'tool_result'])
    expect(answer.headers.get('etag')).toBe(session.etag)
  })

  test('says how its run ended in every answer that gives it, and in the list but for the result', async ({
    expect,
  }) => {
    const user = `u-${crypto.randomUUID()}`
    const { config } = await stage(['巴黎', { status: 401 }, words.finish('好')])
    const native = { ...config, llm: { ...config.llm, protocol: 'native' } }
    const body = { task: '法国的首都是哪里？', user, config: native }
    const made = await json<SessionData>(call('POST', '/v1/sessions', { body }), 201)
    const end = { result: '巴黎', error: null, finish_reason: 'completed', ended_by: 'reply' }
    expect(made).toMatchObject(end)
    const { id } = made
    for (const part of ['all', 'last_run', 'none'])
      expect(await json(call('GET', `/v1/sessions/${id}?messages=${part}`))).toMatchObject(end)
    expect(await json(call('PATCH', `/v1/sessions/${id}`, { body: { title: '首都' } }))).toMatchObject(end)
    expect(await json(call('POST', `/v1/sessions/${id}/fork`, { body: {} }), 201)).toMatchObject(end)
    const listed = async () => (await json<List<SessionData>>(call('GET', `/v1/sessions?user=${user}`))).data.at(-1)
    const { result: _, ...entry } = end
    expect(await listed()).toMatchObject(entry)
    expect(await listed()).not.toHaveProperty('result')
    const failed = await sent(id, '再来')
    expect(await read(id)).toMatchObject({ status: 'failed', result: null, ended_by: null, error: failed.error })
    expect(await listed()).toMatchObject({ error: { code: 'model_unauthorized', hint: expect.stringMatching(/./) } })
  })

  test('created to run in the background shows how that ended, once it did', async ({ expect }) => {
    const { config } = await stage([words.finish('好')])
    const answer = await call('POST', '/v1/sessions', {
      body: { task: '你好吗？', config },
      headers: { prefer: 'respond-async' },
    })
    const { session_id: id } = await json<{ session_id: string }>(answer, 202)
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } })
    await hearUntil(events.body ?? new ReadableStream(), ({ event }) => event === 'run-end')
    expect(await read(id)).toMatchObject({ status: 'completed', result: '好', error: null, ended_by: 'finish' })
  })

  test('takes ends_by_reply in the words that there are, else 400 with the path', async ({ expect }) => {
    const body = (word: unknown) => ({ body: { config: { ends_by_reply: word } } })
    for (const word of ['sometimes', true, ''])
      expect((await problem(call('POST', '/v1/sessions', body(word)), 400)).errors).toMatchObject([
        { path: 'config.ends_by_reply' },
      ])
    const { id } = await json<SessionData>(call('POST', '/v1/sessions', body('never')), 201)
    const patch = (word: unknown) => call('PATCH', `/v1/sessions/${id}`, body(word))
    expect((await problem(patch('ever'), 400)).errors).toMatchObject([{ path: 'config.ends_by_reply' }])
    expect(await json(patch('after_warning'))).toMatchObject({ config: { ends_by_reply: 'after_warning' } })
    expect((await json<SessionData>(patch(null))).config).toEqual({})
  })

  test('that is long is whole all the same', async ({ expect }) => {
    const messages = Array.from({ length: 450 }, (_, index) => ({
      role: index % 2 ? 'assistant' : 'user',
      content: `${index} ${'长'.repeat(700)}`,
    }))
    const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body: { messages } }), 201)
    const { messages: stored } = await read(id)
    expect(stored.map(({ content }) => content)).toEqual(messages.map(({ content }) => content))
    const none = await json<SessionData>(call('GET', `/v1/sessions/${id}?messages=none`))
    expect(none.messages).toEqual([])
  })

  test('is changed under If-Match, else 412', async ({ expect }) => {
    const { id, etag } = await newSession(await stage())
    const patch = (title: string, ifMatch: string) =>
      call('PATCH', `/v1/sessions/${id}`, { body: { title }, headers: { 'if-match': ifMatch } })
    const changed = await json<SessionData>(patch('一', etag))
    expect(changed.title).toBe('一')
    expect(changed.etag).not.toBe(etag)
    expect(await problem(patch('二', etag), 412)).toMatchObject({ code: 'precondition_failed' })
    expect(await problem(patch('二', `W/${changed.etag}`), 412)).toMatchObject({ code: 'precondition_failed' })
    expect((await json<SessionData>(patch('二', `"x", ${changed.etag}`))).title).toBe('二')
    expect((await json<SessionData>(patch('三', '*'))).title).toBe('三')
    await problem(call('PATCH', `/v1/sessions/${id}`, { body: { status: 'completed' } }), 400)
  })

  test('is deleted under If-Match, else 412 and still there', async ({ expect }) => {
    const { id, etag } = await newSession(await stage())
    await json(call('PATCH', `/v1/sessions/${id}`, { body: { title: '一' } }))
    const remove = (ifMatch: string) => call('DELETE', `/v1/sessions/${id}`, { headers: { 'if-match': ifMatch } })
    expect(await problem(remove(etag), 412)).toMatchObject({ code: 'precondition_failed' })
    const kept = await read(id)
    expect(kept.title).toBe('一')
    expect((await remove(kept.etag)).status).toBe(204)
    await problem(remove('*'), 404)
  })

  test('shows no secret, and keeps it when *** comes back', async ({ expect }) => {
    const { model, config } = await stage([words.finish('好')])
    const secret = { ...config, llm: { ...config.llm, api_key: 'sk-very-secret' } }
    const made = await json<SessionData>(call('POST', '/v1/sessions', { body: { config: secret } }), 201)
    expect(made.config.llm?.api_key).toBe('***')
    const body = { config: { ...made.config, language: 'zh-CN' } }
    const patched = await call('PATCH', `/v1/sessions/${made.id}`, { body })
    expect(await patched.text()).not.toContain('very-secret')
    await sent(made.id, '你好')
    expect((await model.asked())[0]?.headers['authorization']).toBe('Bearer sk-very-secret')
    const listed = await (await call('GET', '/v1/sessions?limit=100')).text()
    expect(listed).not.toContain('very-secret')
  })

  test('tells the secrets of its model to no other address that it is given', async ({ expect }) => {
    const { config } = await stage([words.finish('好')])
    const llm = { ...config.llm, api_key: 'sk-very-secret', extra_headers: { 'x-key': 'header-secret', 'x-team': 't' } }
    const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body: { config: { ...config, llm } } }), 201)
    const other = `${inject('peers').receiversUrl}/${crypto.randomUUID()}`
    const headers = { 'x-key': '***', 'x-own': 'new' }
    const moved = { llm: { api_url: other, extra_headers: headers, retry: { times: 0 } } }
    const patched = await json<SessionData>(call('PATCH', `/v1/sessions/${id}`, { body: { config: moved } }))
    expect(patched.config.llm).toMatchObject({ api_url: other, extra_headers: { 'x-own': '***' } })
    await sent(id, '你好')
    const [asked] = await json<RawReceived[]>(fetch(`${other}/chat/completions?count=1`))
    expect(asked?.headers).toMatchObject({ 'x-own': 'new' })
    expect(JSON.stringify(asked)).not.toMatch(/very-secret|header-secret|x-team/)
  })

  test('is deleted with 204, is gone from everywhere, and ends its streams', async ({ expect }) => {
    const set = await stage([{ hang: true }])
    const user = `u-${crypto.randomUUID()}`
    const { id } = await newSession(set, { user })
    const running = send(id, words.task)
    await set.model.asked(1)
    const watching = call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } }).then(
      (answer) => answer.text(),
    )
    const deleted = await call('DELETE', `/v1/sessions/${id}`)
    expect([deleted.status, await deleted.text()]).toEqual([204, ''])
    expect(await json(running)).toMatchObject({ status: 'cancelled' })
    expect(await watching).toMatch(/event: run-start/)
    for (const path of ['', '/messages', '/events']) await problem(call('GET', `/v1/sessions/${id}${path}`), 404)
    await problem(call('DELETE', `/v1/sessions/${id}`), 404)
    await problem(send(id, 'x'), 404)
    expect((await json<List<unknown>>(call('GET', `/v1/sessions?user=${user}`))).data).toEqual([])
  })
})

test('a session that is deleted twice at once is deleted once, and then there is none', async ({ expect }) => {
  const set = await stage([{ hang: true }])
  const { id } = await newSession(set)
  const running = send(id, words.task)
  await set.model.asked(1)
  const both = await Promise.all([0, 1].map(() => call('DELETE', `/v1/sessions/${id}`)))
  const [first, second] = both.toSorted((a, b) => a.status - b.status)
  expect([first?.status, await first?.text()]).toEqual([204, ''])
  expect(second && (await problem(second, 404))).toMatchObject({ code: 'not_found' })
  expect(await json(running)).toMatchObject({ status: 'cancelled' })
})

describe('the list of sessions', () => {
  test('is newest first, pages, and filters by status and user', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    const set = await stage([words.finish('好')])
    const made: string[] = []
    for (const _ of Array(5)) made.unshift((await newSession(set, { user })).id)
    await sent(made[2] ?? '', '做完')
    const list = (query: string) => json<List<SessionData>>(call('GET', `/v1/sessions?user=${user}&${query}`))
    const whole = await list('')
    expect(whole).toMatchObject({ object: 'list', next_cursor: null })
    expect(whole.data.map(({ id }) => id)).toEqual(made)
    expect(whole.data[0]).not.toHaveProperty('messages')
    expect(whole.data[2]).toMatchObject({ object: 'session', status: 'completed', title: '做完', user })
    const first = await list('limit=2')
    const second = await list(`limit=2&cursor=${first.next_cursor}`)
    const third = await list(`limit=2&cursor=${second.next_cursor}`)
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(made)
    expect(third.next_cursor).toBeNull()
    expect((await list('status=completed')).data.map(({ id }) => id)).toEqual([made[2]])
    expect((await list('status=failed')).data).toEqual([])
  })

  test('q looks in titles and tasks, in any case, and takes its words literally', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    const set = await stage([words.finish('好')])
    const { id: titled } = await newSession(set, { user, title: 'Über 100% of Lighthouses_' })
    const { id: tasked } = await newSession(set, { user, title: 'x', task: '第一行\n第二行说灯塔' })
    const find = async (q: string) => {
      const query = new URLSearchParams({ user, q })
      return (await json<List<SessionData>>(call('GET', `/v1/sessions?${query.toString()}`))).data.map(({ id }) => id)
    }
    expect(await find('LIGHTHOUSE')).toEqual([titled])
    expect(await find('灯塔')).toEqual([tasked])
    expect(await find('100%')).toEqual([titled])
    expect(await find('100_')).toEqual([])
    expect(await find('%')).toEqual([titled])
    expect(await find("' OR 1=1 --")).toEqual([])
  })

  test('q finds letters beyond ASCII in any case too', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    const { id } = await newSession(await stage(), { user, title: 'Über Ärzte' })
    const query = new URLSearchParams({ user, q: 'ÜBER äRZTE' })
    const { data } = await json<List<SessionData>>(call('GET', `/v1/sessions?${query.toString()}`))
    expect(data.map((session) => session.id)).toEqual([id])
  })
})

describe('runs over HTTP', () => {
  test('conflicts are 409 with their codes', async ({ expect }) => {
    const set = await stage([{ hang: true }, words.finish('好')])
    const { id } = await newSession(set)
    const post = (path: string, body: unknown = {}) => call('POST', `/v1/sessions/${id}/${path}`, { body })
    expect(await problem(post('continue'), 409)).toMatchObject({ code: 'nothing_to_continue' })
    const running = send(id, words.task)
    await set.model.asked(1)
    expect(await problem(post('messages', { content: 'x' }), 409)).toMatchObject({ code: 'run_in_progress' })
    expect(await problem(post('continue'), 409)).toMatchObject({ code: 'run_in_progress' })
    expect(await json(post('cancel'))).toMatchObject({ object: 'agent.response', status: 'cancelled' })
    expect(await json(running)).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled' })
    expect(await json(post('cancel'))).toMatchObject({ status: 'cancelled' })
    expect(await problem(post('continue'), 409)).toMatchObject({ code: 'nothing_to_continue' })
  })

  test('an approval is decided by its id, and only once', async ({ expect }) => {
    const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
    const { id } = await newSession(set)
    const { pending } = await sent(id, words.task)
    const [item] = pending
    const decide = (body: unknown) => call('POST', `/v1/sessions/${id}/pending/${item?.id}`, { body })
    await problem(decide({ decision: 'approve', arguments: { url: 7 } }), 400)
    const wrong = await problem(decide({ decision: 'approve', arguments_hash: 'x' }), 409)
    expect(wrong.code).toBe('stale_decision')
    expect(await set.site.visits()).toEqual([])
    expect(await json(decide({ decision: 'approve', arguments_hash: item?.arguments_hash }))).toMatchObject({
      status: 'completed',
    })
    expect((await problem(decide({ decision: 'approve' }), 409)).code).toBe('stale_decision')
    expect(await set.site.visits()).toEqual(['article'])
  })

  test('a failed model call is 200 with its error, and the session goes on', async ({ expect }) => {
    const { id } = await newSession(await stage([{ body: '<html>Bad gateway</html>' }, words.finish('好')]))
    expect(await sent(id, '一')).toMatchObject({ status: 'failed', error: { code: 'model_bad_answer', status: 200 } })
    expect(await sent(id, '二')).toMatchObject({ status: 'completed', result: '好' })
  })

  test('the whole of a result that was cut is read as text', async ({ expect }) => {
    const set = await stage((page) => [words.visit(page('long')), words.finish('好')])
    const tools = { web_access: { auto_approve: true, output: { chars_max: 1_000 } } }
    const { id } = await newSession(set, { config: { ...set.config, tools } })
    const { messages } = await sent(id, words.task)
    expect(messages).toContainEqual(expect.objectContaining({ truncated: expect.anything() }))
    const truncated = messages.find((message) => message.truncated)?.truncated
    const rest = await call('GET', truncated?.rest ?? '')
    expect(rest.headers.get('content-type')).toMatch(/^text\/plain/)
    expect((await rest.text()).length).toBe(truncated?.original_length)
    await problem(call('GET', `/v1/sessions/${id}/results/call_x`), 404)
  })
})
