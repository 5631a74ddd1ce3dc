import { describe, test } from 'vitest'
import { hear, hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, newSession, problem, read, send, stage } from './http.ts'

const words = WORDS['zh-CN']
const SSE = { accept: 'text/event-stream' }
const ASYNC = { prefer: 'respond-async' }
const WRITING = { content: null, chunks: ['我', '想', '想', words.finish('好')] }

describe('an answer as an event stream', () => {
  test('begins with retry, numbers its events, and ends with run-end', async ({ expect }) => {
    const { id } = await newSession(await stage([WRITING]))
    const answer = await send(id, words.task, SSE)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(answer.headers.get('cache-control')).toMatch(/no-(store|cache)/)
    const text = await answer.text()
    expect(text).toMatch(/^retry: 1000\nid: 1\n/)
    const heard = await hear(new Response(text).body)
    expect(heard.at(-1)).toMatchObject({
      event: 'run-end',
      data: { status: 'completed', finish_reason: 'completed', result: '好' },
    })
    for (const { id: eventId, event, data } of heard) {
      expect(data['type']).toBe(event)
      expect(eventId?.split('.')[0]).toBe(String(data['seq']))
      expect(Object.keys(data)).toEqual(expect.arrayContaining(['seq', 'type', 'run_id', 'time', 'scope']))
    }
    expect(heard.filter(({ event }) => event === 'message-delta')).toHaveLength(4)
  })

  test('of a new session is 201 with its Location', async ({ expect }) => {
    const { config } = await stage([WRITING])
    const answer = await call('POST', '/v1/sessions', { body: { task: '你好', config }, headers: SSE })
    expect(answer.status).toBe(201)
    const heard = await hear(answer.body)
    expect(heard.at(-1)?.event).toBe('run-end')
    expect((await call('GET', answer.headers.get('location') ?? '')).status).toBe(200)
  })

  test('without a task a new session is JSON, whatever is accepted', async ({ expect }) => {
    for (const headers of [SSE, ASYNC]) {
      const answer = await call('POST', '/v1/sessions', { body: {}, headers })
      expect(await json(answer, 201)).toMatchObject({ object: 'session', status: 'idle' })
    }
  })

  test('ends with run-pause at a pending item and at the bound; continue and decisions stream as well', async ({
    expect,
  }) => {
    const set = await stage((page) => [
      words.visit(page('article')),
      words.rethink('…'),
      words.rethink('。'),
      words.finish('好'),
    ])
    const { id } = await newSession(set, { config: { ...set.config, limits: { max_iterations: 1 } } })
    const first = await hear((await send(id, words.task, SSE)).body)
    expect(first.at(-1)).toMatchObject({ event: 'run-pause', data: { status: 'interrupted' } })
    const [item] = (await read(id)).pending
    const post = async (path: string, body: unknown) =>
      hear((await call('POST', `/v1/sessions/${id}/${path}`, { body, headers: SSE })).body)
    const second = await post(`pending/${item?.id}`, { decision: 'approve' })
    expect(second.at(-1)).toMatchObject({ event: 'run-pause', data: { status: 'in_progress', finish_reason: null } })
    const third = await post('continue', {})
    expect(third.at(-1)).toMatchObject({ event: 'run-pause', data: { status: 'in_progress' } })
    const fourth = await post('continue', {})
    expect(fourth.at(-1)).toMatchObject({ event: 'run-end' })
    const seqs = [first, second, third, fourth]
      .flat()
      .flatMap(({ id: one }) => (one?.includes('.') ? [] : [Number(one)]))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })

  test('an error is a problem, not a stream', async ({ expect }) => {
    const { id } = await newSession(await stage())
    const refused = call('POST', `/v1/sessions/${id}/continue`, { body: {}, headers: SSE })
    expect((await problem(refused, 409)).code).toBe('nothing_to_continue')
  })

  test('is whole although its reader left: the run ends its batch', async ({ expect }) => {
    const set = await stage([words.rethink('…'), { content: words.finish('好'), hold_after: 0 }])
    const { id } = await newSession(set)
    const answer = await send(id, words.task, SSE)
    await hearUntil(answer.body, ({ event }) => event === 'tool-end')
    await set.model.asked(2)
    await set.model.release()
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
    const heard = await hearUntil(events.body, ({ event }) => event === 'run-end')
    expect(heard.at(-1)?.data).toMatchObject({ status: 'completed', result: '好' })
  })
})

describe('the events of a session', () => {
  test('are taken up behind Last-Event-ID or ?after=, nothing lost and nothing twice', async ({ expect }) => {
    const { id } = await newSession(await stage([WRITING]))
    const all = await hear((await send(id, words.task, SSE)).body)
    const path = `/v1/sessions/${id}/events`
    for (const [index, { id: eventId = '' }] of all.slice(0, -1).entries()) {
      const rest = all.slice(index + 1).map((one) => one.id)
      const byHeader = await call('GET', path, { headers: { ...SSE, 'last-event-id': eventId } })
      const byQuery = await call('GET', `${path}?after=${eventId}`, { headers: SSE })
      for (const answer of [byHeader, byQuery]) {
        const heard = await hearUntil(answer.body, ({ event }) => event === 'run-end')
        expect(heard.map((one) => one.id)).toEqual(rest)
      }
    }
    const both = await call('GET', `${path}?after=0`, { headers: { ...SSE, 'last-event-id': all.at(-2)?.id ?? '' } })
    expect((await hearUntil(both.body, ({ event }) => event === 'run-end')).map((one) => one.id)).toEqual([
      all.at(-1)?.id,
    ])
  })

  test('are followed while they happen, by as many as like, each at its own pace', async ({ expect }) => {
    const set = await stage([{ ...WRITING, hold_after: 3 }])
    const { id } = await newSession(set)
    const isDelta = ({ event }: { event: string | undefined }) => event === 'message-delta'
    const follow = async (reached: () => void) => {
      const { body } = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
      return hearUntil(body, (heard) => {
        if (isDelta(heard)) reached()
        return heard.event === 'run-end'
      })
    }
    const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const watchers = reached.map(({ resolve }) => follow(resolve))
    const { body } = await send(id, words.task, SSE)
    await Promise.all(reached.map(({ promise }) => promise))
    await set.model.release()
    const own = await hear(body)
    for (const heard of await Promise.all(watchers)) expect(heard).toEqual(own)
  })

  test('are a list unless a stream is asked for, without deltas', async ({ expect }) => {
    const { id } = await newSession(await stage([WRITING]))
    const told = (await hear((await send(id, words.task, SSE)).body)).filter(({ id: one }) => !one?.includes('.'))
    const path = `/v1/sessions/${id}/events?limit=100`
    const accepted = [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/event-stream;q=0.9',
      'text/event-stream;q=0',
    ]
    for (const accept of accepted) {
      const list = await json(call('GET', path, { headers: accept === undefined ? {} : { accept } }))
      expect(list).toEqual({ object: 'list', data: told.map(({ data }) => data), next_cursor: null })
    }
    const behind = await json<{ data: unknown[] }>(
      call('GET', path, { headers: { 'last-event-id': told[1]?.id ?? '' } }),
    )
    expect(behind.data).toEqual(told.slice(2).map(({ data }) => data))
    for (const accept of [
      'text/event-stream',
      'text/event-stream, */*;q=0.1',
      'application/json;q=0.5, Text/Event-Stream',
    ]) {
      const stream = await call('GET', path, { headers: { accept } })
      await stream.body?.cancel()
      expect([accept, stream.headers.get('content-type'), stream.headers.get('vary')]).toEqual([
        accept,
        'text/event-stream; charset=utf-8',
        'Accept',
      ])
    }
  })

  test('stay open behind the end of a run, for the next one', async ({ expect }) => {
    const { id } = await newSession(await stage([words.finish('一'), words.finish('二')]))
    await (await send(id, '甲')).text()
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
    const heard = hearUntil(events.body, ({ event, data }) => event === 'run-end' && data['result'] === '二')
    await (await send(id, '乙')).text()
    expect((await heard).filter(({ event }) => event === 'run-end')).toHaveLength(2)
  })

  test('an id that is none is 400', async ({ expect }) => {
    const { id } = await newSession(await stage())
    for (const wrong of ['x', '-1', '1.x', '1.2.3']) {
      await problem(call('GET', `/v1/sessions/${id}/events?after=${wrong}`), 400)
      const refused = call('GET', `/v1/sessions/${id}/events`, { headers: { 'last-event-id': wrong } })
      expect((await problem(refused, 400)).errors?.[0]?.path).toBe('Last-Event-ID')
    }
  })
})

describe('Prefer: respond-async', () => {
  test('is 202 at once, and the run goes on to its end, batch by batch, with nobody there', async ({ expect }) => {
    const set = await stage([words.rethink('…'), words.rethink('。'), words.rethink('！'), words.finish('好')])
    const { id } = await newSession(set, { config: { ...set.config, limits: { max_iterations: 1 } } })
    const answer = await send(id, words.task, ASYNC)
    expect(answer.headers.get('location')).toBe(`/v1/sessions/${id}`)
    const accepted = await json<{ session_id: string; run_id: string }>(answer, 202)
    expect(accepted).toEqual({ id, session_id: id, run_id: expect.stringMatching(/^run_/) })
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
    const heard = await hearUntil(events.body, ({ event }) => event === 'run-end')
    expect(heard.at(-1)?.data).toMatchObject({ run_id: accepted.run_id, status: 'completed', result: '好' })
    expect(await read(id)).toMatchObject({ status: 'completed', usage: { iterations: 4 } })
  })

  test('of a new session is 202 too', async ({ expect }) => {
    const { config } = await stage([words.finish('好')])
    const answer = await call('POST', '/v1/sessions', { body: { task: '你好', config }, headers: ASYNC })
    const { session_id: id } = await json<{ session_id: string }>(answer.clone(), 202)
    expect(answer.headers.get('location')).toBe(`/v1/sessions/${id}`)
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
    const heard = await hearUntil(events.body, ({ event }) => event === 'run-end')
    expect(heard.at(-1)?.data).toMatchObject({ result: '好' })
  })

  test('stops at a pending item, and goes on in the background after the decision', async ({ expect }) => {
    const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
    const { id } = await newSession(set)
    await json(send(id, words.task, ASYNC), 202)
    const first = await call('GET', `/v1/sessions/${id}/events`, { headers: SSE })
    const heard = await hearUntil(first.body, ({ event }) => event === 'run-pause')
    const item = heard.find(({ event }) => event === 'pending')?.data['pending'] as { id: string }
    const path = `/v1/sessions/${id}/pending/${item.id}`
    await json(call('POST', path, { body: { decision: 'approve' }, headers: ASYNC }), 202)
    const second = await call('GET', `/v1/sessions/${id}/events?after=${heard.at(-1)?.id}`, { headers: SSE })
    expect((await hearUntil(second.body, ({ event }) => event === 'run-end')).at(-1)?.data).toMatchObject({
      result: '好',
    })
  })
})
