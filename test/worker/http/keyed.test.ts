import { createExecutionContext, evictDurableObject, waitOnExecutionContext } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import worker from '../../../src/index.ts'
import { sleep } from '../../../src/lib/wait.ts'
import { directoryObject } from '../../../src/objects/env.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import { own } from '../../support/own-document.ts'
import { hear } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, read, type Stage, stage } from './http.ts'

const words = WORDS['zh-CN']
const newKey = () => crypto.randomUUID()
const under = (key: string, more: Record<string, string> = {}) => ({ 'idempotency-key': key, ...more })
const isReplayed = (answer: Response) => answer.headers.get('idempotent-replayed')

describe('an Idempotency-Key', () => {
  test('has one effect and one answer, on every POST of a session', async ({ expect }) => {
    const set = await stage((page) => [words.visit(page('zh')), words.rethink('一'), words.finish('好')])
    const { id } = await newSession(set, { config: { ...set.config, limits: { max_iterations: 1 } } })
    const pending = async () => (await read(id)).pending[0]?.id ?? ''
    const steps: (() => Promise<[string, unknown]>)[] = [
      async () => ['messages', { content: words.task }],
      async () => [`pending/${await pending()}`, { decision: 'approve' }],
      async () => ['continue', {}],
      async () => ['fork', {}],
      async () => ['cancel', undefined],
    ]
    for (const step of steps) {
      const [path, body] = await step()
      const key = newKey()
      const post = () => call('POST', `/v1/sessions/${id}/${path}`, { body, headers: under(key) })
      const first = await post()
      const seq = (await read(id)).last_seq
      const second = await post()
      expect([first.status, isReplayed(first)], path).toEqual([path === 'fork' ? 201 : 200, null])
      expect([second.status, isReplayed(second)], path).toEqual([first.status, 'true'])
      expect(second.headers.get('location')).toBe(first.headers.get('location'))
      expect(await second.text()).toBe(await first.text())
      expect((await read(id)).last_seq).toBe(seq)
    }
    expect(await set.site.visits()).toEqual(['zh'])
  })

  test('of a creation answers to the letter again, ETag and Location too, whatever happened since', async ({
    expect,
  }) => {
    const { config } = await stage([words.finish('好'), words.finish('又')])
    const key = newKey()
    const post = () => call('POST', '/v1/sessions', { body: { task: words.task, config }, headers: under(key) })
    const first = await post()
    const text = await first.text()
    const { id } = JSON.parse(text) as SessionData
    await json(call('PATCH', `/v1/sessions/${id}`, { body: { title: '别的' } }))
    const second = await post()
    expect([second.status, await second.text(), isReplayed(second)]).toEqual([201, text, 'true'])
    for (const name of ['etag', 'location']) expect(second.headers.get(name)).toBe(first.headers.get(name))
    expect(second.headers.get('etag')).toBe((JSON.parse(text) as SessionData).etag)
  })

  test('with another body is 422, before the body is looked at', async ({ expect }) => {
    const { id } = await newSession(await stage([words.finish('好')]))
    const key = newKey()
    const post = (body: unknown) => call('POST', `/v1/sessions/${id}/messages`, { body, headers: under(key) })
    await json(post({ content: words.task }))
    for (const body of [{ content: '别的' }, { nonsense: 1 }, '{"content":', '']) {
      expect(await problem(post(body), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    }
    const elsewhere = call('POST', `/v1/sessions/${id}/continue`, {
      body: { content: words.task },
      headers: under(key),
    })
    await problem(elsewhere, 422)
  })

  test('of a creation is no other request of the session that it made', async ({ expect }) => {
    const { config } = await stage([words.finish('好'), words.finish('又')])
    for (const body of [{ config }, { config, task: words.task }]) {
      const key = newKey()
      const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body, headers: under(key) }), 201)
      const before = (await read(id)).last_seq
      const more = { body: { content: '别的' }, headers: under(key) }
      const others = [call('POST', `/v1/sessions/${id}/messages`, more)]
      others.push(call('POST', `/v1/sessions/${id}/cancel`, { headers: under(key) }))
      for (const other of others) expect(await problem(other, 422)).toMatchObject({ code: 'idempotency_key_reused' })
      expect((await read(id)).last_seq).toBe(before)
    }
  })

  test('of a refused call may be used again', async ({ expect }) => {
    const { id } = await newSession(await stage([words.finish('好')]))
    const key = newKey()
    const post = (body: unknown) => call('POST', `/v1/sessions/${id}/messages`, { body, headers: under(key) })
    await problem(post({ nonsense: 1 }), 400)
    await problem(post({ content: 'x', config: { model: 'nobody' } }), 400)
    expect(await json(post({ content: words.task }))).toMatchObject({ status: 'completed' })
    const created = (body: unknown) => call('POST', '/v1/sessions', { body, headers: under(`${key}-2`) })
    await problem(created({ skill: 'none' }), 400)
    expect((await created({})).status).toBe(201)
  })

  test('is quoted or bare, and has 1 to 255 characters', async ({ expect }) => {
    const key = newKey()
    const post = (header: string) => call('POST', '/v1/sessions', { body: {}, headers: under(header) })
    const { id } = await json<SessionData>(post(`"${key}"`), 201)
    expect((await json<SessionData>(post(key), 201)).id).toBe(id)
    const { schema } = own.document.components.parameters['Idempotency-Key'] as { schema: { pattern: string } }
    const told = new RegExp(schema.pattern)
    const longest = key.padEnd(255, 'x')
    const kept = await json<SessionData>(post(longest), 201)
    expect((await json<SessionData>(post(`"${longest}"`), 201)).id).toBe(kept.id)
    expect((await post(`${key} of a "client"`)).status).toBe(201)
    for (const good of [key, 'x', longest, `"${longest}"`, `${key} of a "client"`])
      expect([good, told.test(good)]).toEqual([good, true])
    for (const bad of ['', ' ', '"', '""', `"${key}`, key.padEnd(256, 'x'), `"${key.padEnd(256, 'x')}"`]) {
      const { errors } = await problem(post(bad), 400)
      expect(errors).toEqual([
        { path: 'Idempotency-Key', message: '1 to 255 characters, with or without quotes around them' },
      ])
      expect([bad, told.test(bad)]).toEqual([bad, false])
    }
  })

  test('is in progress while its call runs, and is not given back by the call that was told so', async ({ expect }) => {
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }])
    const { id } = await newSession(set)
    const key = newKey()
    const post = () =>
      call('POST', `/v1/sessions/${id}/messages`, { body: { content: words.task }, headers: under(key) })
    const running = post()
    await set.model.asked(1)
    expect(await problem(post(), 409)).toMatchObject({ code: 'idempotency_in_progress' })
    const other = call('POST', `/v1/sessions/${id}/messages`, { body: { content: '别的' }, headers: under(key) })
    expect(await problem(other, 422)).toMatchObject({ code: 'idempotency_key_reused' })
    await set.model.release()
    await json(running)
    expect(isReplayed(await post())).toBe('true')
  })

  test('of a message is one of its session: another session has it for itself', async ({ expect }) => {
    const set = await stage([{ content: words.finish('好'), repeat: true }])
    const sessions = [await newSession(set), await newSession(set)]
    const key = newKey()
    for (const { id } of sessions) {
      const post = () =>
        call('POST', `/v1/sessions/${id}/messages`, { body: { content: words.task }, headers: under(key) })
      expect([isReplayed(await post()), isReplayed(await post())]).toEqual([null, 'true'])
    }
  })

  test('goes with its session, whose next one starts anew', async ({ expect }) => {
    const key = newKey()
    const post = () =>
      json<SessionData>(call('POST', '/v1/sessions', { body: { title: 'x' }, headers: under(key) }), 201)
    const first = await post()
    await call('DELETE', `/v1/sessions/${first.id}`)
    expect((await post()).id).not.toBe(first.id)
    const other = call('POST', '/v1/sessions', { body: { title: 'y' }, headers: under(key) })
    await problem(other, 422)
  })

  test('of a creation makes one session after the other, each when the one before was deleted', async ({ expect }) => {
    const key = newKey()
    const post = () => call('POST', '/v1/sessions', { body: { title: 'x' }, headers: under(key) })
    const ids: string[] = []
    for (let count = 0; count < 4; count++) {
      const first = await post()
      const { id } = await json<SessionData>(first, 201)
      const second = await post()
      expect([isReplayed(first), isReplayed(second)]).toEqual([null, 'true'])
      expect((await json<SessionData>(second, 201)).id).toBe(id)
      ids.push(id)
      await call('DELETE', `/v1/sessions/${id}`)
      await problem(call('GET', `/v1/sessions/${id}`), 404)
    }
    expect(new Set(ids).size).toBe(4)
  })

  test('of a creation with another body is 422, before the body is looked at', async ({ expect }) => {
    const key = newKey()
    const post = (body: unknown, path = '') => call('POST', `/v1/sessions${path}`, { body, headers: under(key) })
    const { id } = await json<SessionData>(post({ title: 'x' }), 201)
    for (const body of [{ title: 'y' }, { nonsense: 1 }, '{"title":', ''])
      expect(await problem(post(body), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await problem(post({ title: 'x' }, '/import'), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await problem(post({}, `/${id}/fork`), 422)).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('of a creation that runs is in progress while it does; two at once make one session', async ({ expect }) => {
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }])
    const key = newKey()
    const body = { task: words.task, config: set.config }
    const post = () => call('POST', '/v1/sessions', { body, headers: under(key) })
    const both = [post(), post()]
    await set.model.asked(1)
    expect(await problem(post(), 409)).toMatchObject({ code: 'idempotency_in_progress' })
    await problem(call('POST', '/v1/sessions', { body: { ...body, title: 'y' }, headers: under(key) }), 422)
    await set.model.release()
    const statuses = await Promise.all(both.map(async (answer) => (await answer).status))
    expect(new Set(statuses)).toEqual(new Set([201, 409]))
    expect(isReplayed(await post())).toBe('true')
    expect(await set.model.asked()).toHaveLength(1)
  })

  test('does not move its session in the list, which is by the time of creation', async ({ expect }) => {
    const user = newKey()
    const ids: string[] = []
    for (let count = 0; count < 6; count++) {
      const headers = count % 2 ? under(newKey()) : {}
      const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body: { user }, headers }), 201)
      ids.unshift(id)
      const { data } = await json<List<SessionData>>(call('GET', `/v1/sessions?user=${user}&limit=1`))
      expect(data.map((one) => one.id)).toEqual([id])
    }
    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page: List<SessionData> = await json(call('GET', `/v1/sessions?user=${user}&limit=2${query}`))
      listed.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(listed).toEqual(ids)
    for (const id of ids) await call('DELETE', `/v1/sessions/${id}`)
    expect((await json<List<SessionData>>(call('GET', `/v1/sessions?user=${user}`))).data).toEqual([])
  })

  test('of a streamed answer tells the events of its run again', async ({ expect }) => {
    const { id } = await newSession(await stage([words.finish('好'), words.finish('又')]))
    const headers = under(newKey(), { accept: 'text/event-stream' })
    const post = async () => {
      const answer = await call('POST', `/v1/sessions/${id}/messages`, { body: { content: words.task }, headers })
      return { replayed: isReplayed(answer), heard: await hear(answer.body) }
    }
    const first = await post()
    await json(call('POST', `/v1/sessions/${id}/messages`, { body: { content: '再来' } }))
    const second = await post()
    const written = ({ heard }: typeof first) => heard.filter(({ id: event }) => !event?.includes('.'))
    expect([first.replayed, second.replayed]).toEqual([null, 'true'])
    expect(written(second)).toEqual(written(first))
  })

  test('of an import makes one session', async ({ expect }) => {
    const key = newKey()
    const body = { session: { messages: [{ role: 'user', content: '你好' }] } }
    const post = () => call('POST', '/v1/sessions/import', { body, headers: under(key) })
    const answers = [await post(), await post()]
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()))
    expect(second).toBe(first)
    expect(answers.map(isReplayed)).toEqual([null, 'true'])
  })
})

describe('an Idempotency-Key of the stateless call', () => {
  const bodyOf = ({ config }: Stage) => ({ config, messages: [{ role: 'user', content: words.task }] })

  for (const [path, accept] of [
    ['/v1/agent', 'application/json'],
    ['/', 'text/event-stream'],
  ] as const) {
    test(`has its answer kept, ${accept}`, async ({ expect }) => {
      const set = await stage([words.finish('好'), words.finish('又')])
      const headers = under(newKey(), { accept })
      const post = () => call('POST', path, { body: bodyOf(set), headers })
      const first = await post()
      const text = await first.text()
      const second = await post()
      expect([second.status, await second.text(), isReplayed(second)]).toEqual([200, text, 'true'])
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
      expect(await set.model.asked()).toHaveLength(1)
    })
  }

  test('is in progress while it runs, another body is 422, and a refusal gives it back', async ({ expect }) => {
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }])
    const headers = under(newKey())
    const post = (body: unknown) => call('POST', '/v1/agent', { body, headers })
    await problem(post({ messages: [] }), 400)
    const first = post(bodyOf(set))
    await set.model.asked(1)
    expect(await problem(post(bodyOf(set)), 409)).toMatchObject({ code: 'idempotency_in_progress' })
    await problem(post({ nonsense: 1 }), 422)
    await set.model.release()
    expect(await json(first)).toMatchObject({ status: 'completed', result: '好' })
    expect(isReplayed(await post(bodyOf(set)))).toBe('true')
  })

  test('is in progress although the object of the tenant has rested meanwhile', async ({ expect }) => {
    const set = await stage([{ content: words.finish('好'), hold_after: 0 }, words.finish('又')])
    const headers = under(newKey())
    const post = () => call('POST', '/v1/agent', { body: bodyOf(set), headers })
    const first = post()
    await set.model.asked(1)
    await evictDurableObject(env.DIRECTORY.getByName('default'))
    await sleep(LIMITS.idempotency.runningSignMs + 1_000)
    expect(await problem(post(), 409)).toMatchObject({ code: 'idempotency_in_progress' })
    await set.model.release()
    expect(await json(first)).toMatchObject({ status: 'completed', result: '好' })
    expect(isReplayed(await post())).toBe('true')
    expect(await set.model.asked()).toHaveLength(1)
  })

  test('whose reader left has its answer all the same', async ({ expect }) => {
    const set = await stage([{ content: null, chunks: ['我', '想', words.finish('好')], hold_after: 3 }])
    const headers = under(newKey(), {
      ...WITH_KEY,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      host: 'localhost',
    })
    const context = createExecutionContext()
    const body = JSON.stringify(bodyOf(set))
    const request = new Request('http://localhost/v1/agent', { method: 'POST', headers, body })
    const answer = await worker.fetch(request, env, context)
    await set.model.asked(1)
    await answer.body?.cancel()
    await set.model.release()
    await waitOnExecutionContext(context)
    const again = await call('POST', '/v1/agent', { body: bodyOf(set), headers })
    expect(isReplayed(again)).toBe('true')
    expect(await again.text()).toContain('"finish_reason":"completed"')
    expect(await set.model.asked()).toHaveLength(1)
  })

  test('that died with its process runs again', async ({ expect }) => {
    const set = await stage([words.finish('好')])
    const key = newKey()
    const directory = directoryObject(env, 'default')
    await directory.claim({ key, fingerprint: 'of a call that never came to its end', sessionId: null })
    await problem(call('POST', '/v1/agent', { body: bodyOf(set), headers: under(key) }), 422)
    await directory.release(key)
    expect(await json(call('POST', '/v1/agent', { body: bodyOf(set), headers: under(key) }))).toMatchObject({
      result: '好',
    })
  })
})
