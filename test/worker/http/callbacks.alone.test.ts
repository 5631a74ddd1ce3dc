import { afterEach, describe, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { native } from '../../support/words.ts'
import { own } from '../../support/own-document.ts'
import { receiverFor, type Receiver } from '../../support/receivers.ts'
import { untoldOfDelivery } from '../../support/told.ts'
import { call, json, newSession, problem, sent, stage, type List } from './http.ts'
import { workerHome } from '../session/worker-home.ts'

interface Shown {
  id: string
  url: string
  secret: string
  enabled: boolean
  status: string
  previous_secret_until: string | null
  [more: string]: unknown
}

interface ShownDelivery {
  id: string
  event: string
  status: string
  attempts: number
  attempt_log?: { status: number | null; answer: string | null; error: { code: string } | null }[]
  [more: string]: unknown
}

const ALL = [
  'run.completed',
  'run.failed',
  'run.budget_exhausted',
  'run.interrupted',
  'run.cancelled',
  'approval.requested',
]

/** Takes what the OpenAPI document says that a callback is told, and nothing else. */
function receiver(): Receiver {
  const all = receiverFor(workerHome.peers())
  const received = async (count: number) => {
    const came = await all.received(count)
    const untold = came.flatMap((one) => untoldOfDelivery(own, one))
    if (untold.length > 0) throw new Error(`/openapi.json does not tell this delivery:\n${untold.join('\n')}`)
    return came
  }
  return { ...all, received }
}
const add = (body: Record<string, unknown>, status = 201) =>
  json<Shown>(call('POST', '/v1/callbacks', { body }), status)
const added = (url: string, more: Record<string, unknown> = {}) => add({ url, events: ALL, ...more })
const path = (id: string, rest = '') => `/v1/callbacks/${id}${rest}`
const deliveries = async (id: string, query = '') =>
  (await json<List<ShownDelivery>>(call('GET', path(id, `/deliveries${query}`)))).data

afterEach(async () => {
  const { data } = await json<List<Shown>>(call('GET', '/v1/callbacks?limit=100'))
  for (const { id } of data) await call('DELETE', path(id))
})

describe('a callback', () => {
  test('is made with a secret that is shown once, and never again', async ({ expect }) => {
    const { url } = receiver()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const asked = { body: { name: 'mine', url, events: ['run.completed'] }, headers }
    const first = await call('POST', '/v1/callbacks', asked)
    const made = await json<Shown>(first.clone(), 201)
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(first.headers.get('location')).toBe(path(made.id))
    expect(made).toMatchObject({ object: 'callback', name: 'mine', url, events: ['run.completed'], enabled: true })
    const again = await call('POST', '/v1/callbacks', asked)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await json<Shown>(again, 201)).toEqual({ ...made, secret: '***' })
    const everywhere = [
      await (await call('GET', path(made.id))).text(),
      await (await call('GET', '/v1/callbacks')).text(),
      await (await call('PATCH', path(made.id), { body: { name: 'other' } })).text(),
    ].join()
    expect(everywhere).not.toContain(made.secret)
    expect((await json<List<Shown>>(call('GET', '/v1/callbacks'))).data).toHaveLength(1)
  })

  test('is refused with the path of what is wrong', async ({ expect }) => {
    const url = 'https://receiver.example/in'
    const pathsOf = async (body: Record<string, unknown>) =>
      (await problem(call('POST', '/v1/callbacks', { body }), 400)).errors?.map((one) => one.path)
    expect(await pathsOf({ url, events: ['run.completed', 'run.exploded'] })).toEqual(['events.1'])
    expect(await pathsOf({ url, events: [] })).toEqual(['events'])
    expect(await pathsOf({ events: ALL })).toEqual(['url'])
    expect(await pathsOf({ url: 'ftp://receiver.example/', events: ALL })).toEqual(['url'])
    expect(await pathsOf({ url, events: ALL, secret: 'whsec_c2hvcnQ=' })).toEqual(['secret'])
    expect(await pathsOf({ url, events: ALL, retry: { times: -1, delay_ms: 1 } })).toEqual(['retry.times'])
    expect(await pathsOf({ url, events: ALL, template: 'pigeon' })).toEqual(['template'])
    expect(await pathsOf({ url, events: ALL, surprise: 1 })).toEqual(['surprise'])
    const hidden = ['127.0.0.1:1', '10.1.2.3', '[::1]', 'localhost', '2130706433', 'printer.local']
    for (const host of hidden) expect(await pathsOf({ url: `http://${host}/`, events: ALL })).toEqual(['url'])
  })

  test('is not moved to a private address either', async ({ expect }) => {
    const { id } = await added(receiver().url)
    const refused = await problem(call('PATCH', path(id), { body: { url: 'http://169.254.169.254/' } }), 400)
    expect(refused.errors).toMatchObject([{ path: 'url' }])
  })

  test('that nobody made is not found', async () => {
    await problem(call('GET', '/v1/callbacks/cbk_01m7zsp6yhew7www39pp5p6kvk'), 404)
    await problem(call('GET', '/v1/callbacks/cbk_nonsense/deliveries'), 404)
    await problem(call('DELETE', '/v1/callbacks/cbk_01m7zsp6yhew7www39pp5p6kvk'), 404)
    await problem(call('POST', '/v1/callbacks/cbk_01m7zsp6yhew7www39pp5p6kvk/test'), 404)
  })

  test('is an administrator’s alone', async ({ expect }) => {
    const keys = { YAA_LOCAL: '', YAA_API_KEY: 'the-admin-key-of-callbacks' }
    const admin = { env: keys, headers: { authorization: 'Bearer the-admin-key-of-callbacks' } }
    const { key } = await json<{ key: string }>(
      call('POST', '/v1/keys', { ...admin, body: { name: 'reader', scopes: ['run', 'read', 'decide'] } }),
      201,
    )
    const asked = { env: keys, headers: { authorization: `Bearer ${key}` } }
    expect((await problem(call('GET', '/v1/callbacks', asked), 403)).code).toBe('forbidden')
    await problem(call('POST', '/v1/callbacks', { ...asked, body: { url: 'https://a.example/', events: ALL } }), 403)
  })

  test('comes by pages, newest first', async ({ expect }) => {
    const { url } = receiver()
    const made = [await added(url), await added(url), await added(url)].map(({ id }) => id)
    const first = await json<List<Shown>>(call('GET', '/v1/callbacks?limit=2'))
    const second = await json<List<Shown>>(call('GET', `/v1/callbacks?limit=2&cursor=${first.next_cursor}`))
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made.toReversed())
    expect(second.next_cursor).toBeNull()
  })
})

describe('a run', () => {
  const finish = (reason: string) => native('finish', { reason })
  const nativeConfig = (model: string) => ({ language: 'en', llm: { model, protocol: 'native' as const } })

  test('is told to its receiver when it ends, signed, under the id of its delivery', async ({ expect }) => {
    const to = receiver()
    const { id, secret } = await added(to.url)
    const play = await stage([finish('It is done.')])
    const session = await newSession(play, { config: nativeConfig(play.model.name) })
    const answer = await sent(session.id, 'Do it')
    const [got] = await to.received(1)
    expect(got?.body).toEqual({
      type: 'run.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        session_id: session.id,
        run_id: answer.run_id,
        title: 'Do it',
        user: null,
        status: 'completed',
        finish_reason: 'completed',
        result: 'It is done.',
      },
    })
    expect(got?.verifies(secret)).toBe(true)
    expect(got?.verifies('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe(false)
    const [delivery] = await deliveries(id)
    expect(delivery).toMatchObject({ id: got?.headers['webhook-id'], event: 'run.completed', run_id: answer.run_id })
  })

  test('that waits for an approval is told with the call, what it touches, and a link by which it is decided', async ({
    expect,
  }) => {
    const to = receiver()
    await added(to.url, { events: ['approval.requested', 'run.completed'] })
    const play = await stage([native('web_access', { url: 'https://example.com/a' }), finish('refused')])
    const { id } = await newSession(play, { config: nativeConfig(play.model.name) })
    const asked = await sent(id, 'Read it')
    const [got] = await to.received(1)
    const [item] = got?.body.data.pending ?? []
    expect(got?.body.type).toBe('approval.requested')
    expect(item).toMatchObject({
      id: asked.pending[0]?.id,
      type: 'approval',
      tool: 'web_access',
      arguments: { url: 'https://example.com/a' },
      arguments_hash: asked.pending[0]?.arguments_hash,
      risk: 'network',
      touches: { addresses: ['https://example.com/a'], paths: [] },
      decide_url: expect.stringMatching(/^http:\/\/localhost\/links\/default\./),
    })
    const link = new URL(item?.decide_url ?? '').pathname
    expect(await json(call('GET', link))).toMatchObject({ pending: [{ id: item?.id, tool: 'web_access' }] })
    const decision = { decision: 'reject', arguments_hash: item?.arguments_hash }
    await json(call('POST', link, { body: decision }))
    const all = await to.received(2)
    expect(all[1]?.body).toMatchObject({ type: 'run.completed', data: { result: 'refused' } })
    await problem(call('POST', link, { body: decision }), 409)
  })

  test('that fails or is cancelled is told so', async ({ expect }) => {
    const to = receiver()
    await added(to.url, { events: ['run.failed', 'run.cancelled'] })
    const play = await stage([{ status: 500 }, native('web_access', { url: 'https://example.com/a' })])
    const { id } = await newSession(play, { config: nativeConfig(play.model.name) })
    await sent(id, 'Fail')
    await sent(id, 'Wait')
    await call('POST', `/v1/sessions/${id}/cancel`)
    const got = await to.received(2)
    expect(got.map(({ body }) => [body.type, body.data.status])).toEqual([
      ['run.failed', 'failed'],
      ['run.cancelled', 'cancelled'],
    ])
    expect(got[0]?.body.data.error).toMatchObject({ code: expect.any(String) })
  })

  test('that its budget ended is told as failed and as out of budget, each to who asked for it', async ({ expect }) => {
    const [one, other] = [receiver(), receiver()]
    await added(one.url, { events: ['run.budget_exhausted'] })
    await added(other.url, { events: ['run.failed'] })
    const play = await stage([finish('never')])
    const config = { ...nativeConfig(play.model.name), limits: { max_total_tokens: 10 } }
    const { id } = await newSession(play, { config })
    await sent(id, 'Spend')
    expect((await one.received(1))[0]?.body).toMatchObject({ type: 'run.budget_exhausted', data: { status: 'failed' } })
    expect((await other.received(1))[0]?.body).toMatchObject({
      type: 'run.failed',
      data: { finish_reason: 'budget_exhausted' },
    })
  })

  test('of a session that was imported is not told again', async ({ expect }) => {
    const to = receiver()
    const { id } = await added(to.url)
    const play = await stage([finish('one'), finish('two')])
    const session = await newSession(play, { config: nativeConfig(play.model.name) })
    await sent(session.id, 'Do it')
    await to.received(1)
    const fork = await json<{ id: string }>(call('POST', `/v1/sessions/${session.id}/fork`, { body: {} }), 201)
    await sent(fork.id, 'Again')
    const got = await to.received(2)
    expect(got.map(({ body }) => [body.data.session_id, body.data.result])).toEqual([
      [session.id, 'one'],
      [fork.id, 'two'],
    ])
    expect(await deliveries(id)).toHaveLength(2)
  })
})

describe('deliveries', () => {
  const run = async (...reasons: string[]) => {
    const play = await stage(reasons.map((reason) => native('finish', { reason })))
    const { id } = await newSession(play, { config: { llm: { model: play.model.name, protocol: 'native' } } })
    for (const reason of reasons) await sent(id, `Do it: ${reason}`)
    return id
  }

  test('that failed for good can be sent again by hand, under the same id', async ({ expect }) => {
    const to = receiver()
    await to.answer([{ status: 500 }, { status: 503 }])
    const { id } = await added(to.url, { retry: { times: 1, delay_ms: 1 } })
    await run('one', 'two')
    const tries = (await to.received(3)).slice(0, 2)
    const [dead] = await deliveries(id, '?status=dead')
    expect(dead).toMatchObject({ status: 'dead', attempts: 2, event: 'run.completed' })
    const delivered = await deliveries(id, '?status=delivered')
    expect(delivered.map((one) => one.id)).not.toContain(dead?.id)
    const whole = await json<ShownDelivery>(call('GET', path(id, `/deliveries/${dead?.id}`)))
    expect(whole.attempt_log?.map(({ status, error }) => [status, error?.code])).toEqual([
      [500, 'http_status'],
      [503, 'http_status'],
    ])
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const retry = () => call('POST', path(id, `/deliveries/${dead?.id}/retry`), { headers })
    expect(await json<ShownDelivery>(retry(), 202)).toMatchObject({ id: dead?.id, status: 'pending' })
    const again = (await to.received(4)).slice(3)
    expect((await retry()).headers.get('idempotent-replayed')).toBe('true')
    expect(new Set([...tries, ...again].map(({ headers: { 'webhook-id': one } }) => one))).toEqual(new Set([dead?.id]))
    await problem(call('POST', path(id, '/deliveries/dlv_01m7zsp6yhew7www39pp5p6kvk/retry')), 404)
    await problem(call('GET', path(id, '/deliveries?status=lost')), 400)
  })

  test('of a test are marked, and show what came back', async ({ expect }) => {
    const to = receiver()
    await to.answer([
      { status: 200, body: 'hello back' },
      { status: 302, headers: { location: 'https://a.example/' } },
    ])
    const { id } = await added(to.url, { enabled: false })
    const good = await json<ShownDelivery>(call('POST', path(id, '/test')))
    expect(good).toMatchObject({
      event: 'callback.test',
      status: 'delivered',
      attempt_log: [{ status: 200, answer: 'hello back', error: null }],
    })
    const moved = await json<ShownDelivery>(call('POST', path(id, '/test')))
    expect(moved).toMatchObject({ status: 'dead', attempt_log: [{ status: 302, error: { code: 'redirect' } }] })
    const got = await to.received(2)
    expect(got[0]?.body).toMatchObject({ type: 'callback.test', data: { test: true } })
    expect((await deliveries(id)).map(({ id: one }) => one)).toEqual([moved.id, good.id])
  })

  test('whose answer never ends are cut, and say so', async ({ expect }) => {
    const to = receiver()
    await to.answer([{ status: 200, body: 'x'.repeat(LIMITS.callback.answerBytesMax + 1) }])
    const { id } = await added(to.url)
    const tested = await json<ShownDelivery>(call('POST', path(id, '/test')))
    expect(tested).toMatchObject({
      status: 'dead',
      attempt_log: [{ status: 200, error: { code: 'answer_too_large' } }],
    })
    expect(tested.attempt_log?.[0]?.answer).toHaveLength(LIMITS.callback.answerShownBytes)
  })

  test('are signed with both secrets for a while after a rotation', async ({ expect }) => {
    const to = receiver()
    const { id, secret: before } = await added(to.url)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const rotated = await json<Shown>(call('POST', path(id, '/rotate'), { headers, body: {} }))
    expect(rotated.previous_secret_until).not.toBeNull()
    expect(await json<Shown>(call('POST', path(id, '/rotate'), { headers, body: {} }))).toMatchObject({ secret: '***' })
    await call('POST', path(id, '/test'))
    const [got] = await to.received(1)
    expect([got?.verifies(before), got?.verifies(rotated.secret)]).toEqual([true, true])
    expect(String(got?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  })

  test('say nothing of a session that was deleted', async ({ expect }) => {
    const to = receiver()
    const { id } = await added(to.url)
    const session = await run('the secret of the pyramids')
    await to.received(1)
    await call('DELETE', `/v1/sessions/${session}`)
    const left = await deliveries(id)
    const whole = left.map(async (one) => (await call('GET', path(id, `/deliveries/${one.id}`))).text())
    expect((await Promise.all(whole)).join()).not.toContain('pyramids')
  })
})

test('a callback whose receiver is gone is switched off, and the audit is told once', async ({ expect }) => {
  const to = receiver()
  await to.answer([{ status: 410 }])
  const made = await added(to.url)
  await sent((await newSession(await stage([{ status: 500 }]))).id, 'Fail')
  await to.received(1)
  const told = async () =>
    (await json<List<AuditEntry>>(call('GET', `/v1/audit?target=${made.id}&action=callback.disable`))).data
  await expect.poll(told).toMatchObject([
    {
      actor: { kind: 'server', id: 'outbox' },
      outcome: 'done',
      details: { reason: 'gone', delivery: expect.stringMatching(/^dlv_/) },
    },
  ])
  expect(await json(call('GET', path(made.id)))).toMatchObject({ enabled: false })
})
