import { fileURLToPath, URL } from 'node:url'
import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest'
import { bundleWorker } from '../../src/build/bundle.ts'
import { type MockModel, startMockModel } from '../../src/cli/mock-model/server.ts'
import { createClient } from '../../src/client/client.ts'
import { sha256Hex } from '../../src/lib/hash.ts'
import { SERVE } from '../bench/harness/sides.ts'
import { startWorkerd, type Workerd } from '../bench/harness/workerd.ts'

const quotas = { sessions_max: 4, bytes_max: 3_000_000, streams_max: 2, sockets_max: 2 }
const HELD = 'Wait until you are told'
const TENANTS = ['bytes', 'streams', 'heads', 'runs', 'many', 'hooks', 'schedules']
const keyOf = (tenant: string) => `the-admin-key-of-${tenant}`
const finish = { tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] }
const TASK = 'Count to three'

let model: MockModel
let server: Workerd

beforeAll(async () => {
  model = await startMockModel({
    script: ({ body }) => (JSON.stringify(body).includes(HELD) ? { ...finish, hold_after: 0 } : finish),
  })
  const keys = await Promise.all(
    TENANTS.map(async (tenant) => ({ id: tenant, sha256: await sha256Hex(keyOf(tenant)), scopes: ['admin'], tenant })),
  )
  const models = { m: { api_url: model.url, model: 'm', protocol: 'native' } }
  const config = { models, default_model: 'm', language: 'en', auth: { keys }, quotas }
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
  server = await startWorkerd({
    config: SERVE,
    bundle: await bundleWorker(entry),
    env: { YAA_CONFIG: JSON.stringify(config) },
  })
})
afterAll(async () => {
  await server.stop()
  await model.close()
})

/** An administrator of a tenant. */
function adminOf(tenant: string) {
  const headers = { authorization: `Bearer ${keyOf(tenant)}`, accept: 'application/json' }
  const client = createClient({ server: server.url, key: keyOf(tenant) })
  const ask = (path: string, { headers: more, ...init }: Omit<RequestInit, 'headers'> & { headers?: object } = {}) =>
    fetch(server.url + path, { ...init, headers: { ...headers, ...more } })
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...more } })
  return { client, ask, post }
}

async function refusal(answer: Response, expect: ExpectStatic, status: number) {
  expect(answer.status).toBe(status)
  const said: { code: string; detail: string } = await answer.json()
  return said
}

const tooMany = (what: string) => ({ code: 'too_many', detail: `At most ${what} are kept; delete one first.` })

describe('bytes that the sessions of a tenant keep', () => {
  test('are bounded for what is made, uploaded and asked, until some are deleted', async ({ expect }) => {
    const { client, ask, post } = adminOf('bytes')
    const big = await client.sessions.create({ title: 'big' })
    const small = await client.sessions.create({ title: 'small' })
    const put = (id: string, name: string) =>
      ask(`/v1/sessions/${id}/files/${name}`, { method: 'PUT', body: new Uint8Array(1_000_000).fill(65) })
    const isFull = async () => (await put(small.id, 'one.txt')).status
    for (const name of ['a.txt', 'b.txt', 'c.txt']) expect((await put(big.id, name)).status).toBe(201)
    await expect.poll(isFull, { timeout: 20_000 }).toBe(409)
    const said = tooMany("3000000 bytes of a tenant's sessions")
    expect(await refusal(await put(small.id, 'two.txt'), expect, 409)).toMatchObject(said)
    expect(await refusal(await post('/v1/sessions', {}), expect, 409)).toMatchObject(said)
    expect(await refusal(await post(`/v1/sessions/${small.id}/fork`, {}), expect, 409)).toMatchObject(said)
    const send = () => post(`/v1/sessions/${big.id}/messages`, { content: TASK })
    await expect.poll(async () => (await send()).status, { timeout: 20_000 }).toBe(409)
    expect(await refusal(await send(), expect, 409)).toMatchObject(said)
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      expect((await ask(`/v1/sessions/${big.id}/files/${name}`, { method: 'DELETE' })).status).toBe(204)
    }
    await client.sessions.delete(small.id)
    await expect.poll(async () => (await send()).status, { timeout: 20_000 }).toBe(200)
  })
})

describe('streams that a tenant has open', () => {
  const events = { accept: 'text/event-stream' }

  test('are bounded; one that is closed makes room for another', async ({ expect }) => {
    const { client, ask } = adminOf('streams')
    const { id } = await client.sessions.create({})
    const open = async () => {
      const abort = new AbortController()
      const answer = await ask(`/v1/sessions/${id}/events`, { headers: events, signal: abort.signal })
      return { answer, abort }
    }
    const [first, second, third] = [await open(), await open(), await open()]
    expect([first.answer.status, second.answer.status]).toEqual([200, 200])
    expect(third.answer.headers.get('retry-after')).toBe('5')
    expect(await refusal(third.answer, expect, 429)).toMatchObject({
      code: 'rate_limited',
      detail: 'At most 2 streams of a tenant that are open at once are taken; try again in 5 s.',
    })
    expect((await ask(`/v1/sessions/${id}/events`)).status).toBe(200)
    first.abort.abort()
    await expect.poll(async () => (await open()).answer.status, { timeout: 20_000 }).toBe(200)
    second.abort.abort()
  })

  test('are none where only the head of an answer is asked for', async ({ expect }) => {
    const { client, ask } = adminOf('heads')
    const { id } = await client.sessions.create({})
    for (let n = 0; n < 8; n++) {
      const isTaken = async () => (await ask(`/v1/sessions/${id}/events`, { method: 'HEAD', headers: events })).status
      await expect.poll(isTaken, { timeout: 20_000 }).toBe(200)
    }
  })

  test('of runs count while they run', async ({ expect }) => {
    const { client, post } = adminOf('runs')
    const { id } = await client.sessions.create({})
    for (let n = 0; n < 6; n++) {
      const answer = await post(`/v1/sessions/${id}/messages`, { content: TASK }, events)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('run-end')
    }
  })
})

describe('runs with a stream', () => {
  test('are as many as there may be streams, however many begin at the same time or later', async ({ expect }) => {
    const { client, post } = adminOf('many')
    const begin = async (path: string, body: unknown, more: Record<string, string> = {}) => {
      const answer = await post(path, body, { accept: 'text/event-stream', ...more })
      if (answer.status === 200) void answer.text().catch(() => {})
      return answer.status
    }
    const sessions = await Promise.all([1, 2, 3, 4].map(() => client.sessions.create({})))
    const send = (id: string) => begin(`/v1/sessions/${id}/messages`, { content: HELD })
    const statuses = await Promise.all(sessions.map(({ id }) => send(id)))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 429, 429])
    const waiting = sessions.filter((_, n) => statuses[n] === 429)
    const isOver = Date.now() + 2_500
    while (Date.now() < isOver) for (const { id } of waiting) expect(await send(id)).toBe(429)
    expect(await begin('/v1/agent', { messages: [{ role: 'user', content: HELD }] })).toBe(429)
    expect((await client.sessions.get(waiting[0]?.id ?? '')).status).toBe('idle')
    const path = `/v1/sessions/${waiting[0]?.id}`
    for (const wrong of [`${path}/messages`, '/v1/sessions', '/v1/agent'])
      expect(await begin(wrong, { wrong: 7 })).toBe(400)
    expect(await begin('/v1/sessions/ses_none/messages', { content: HELD })).toBe(404)
    const keyed = { 'idempotency-key': 'one' }
    expect((await post(`${path}/cancel`, {}, keyed)).status).toBe(200)
    expect(await begin(`${path}/messages`, { content: HELD }, keyed)).toBe(422)
    model.release()
    await expect.poll(() => send(waiting[0]?.id ?? ''), { timeout: 20_000 }).toBe(200)
    await expect.poll(() => model.release()).toBe(1)
  })
})

describe('a trigger of a tenant that has all of its sessions', () => {
  test('answers the sender of a webhook so, and starts the run when the delivery comes again', async ({ expect }) => {
    const { client, post } = adminOf('hooks')
    const secret = 'x'.repeat(32)
    const hook = await client.webhooks.create({ name: 'h', scheme: 'bearer', secret, task_template: TASK })
    const made = await Promise.all([1, 2, 3, 4].map(() => client.sessions.create({})))
    const deliver = () =>
      post(new URL(hook.url).pathname, { a: 1 }, { authorization: `Bearer ${secret}`, 'webhook-id': 'delivery-1' })
    for (let n = 0; n < 2; n++) {
      expect(await refusal(await deliver(), expect, 409)).toMatchObject(tooMany('4 sessions of a tenant'))
    }
    const log = async () => (await client.webhooks.deliveries(hook.id)).data
    expect(await log()).toMatchObject([{ status: 'failed', reason: 'too_many: at most 4 sessions of a tenant' }])
    await client.sessions.delete(made[0]?.id ?? '')
    const taken = await deliver()
    expect(taken.status).toBe(202)
    const { session_id: session }: { session_id: string } = await taken.json()
    await expect.poll(async () => (await client.sessions.get(session)).result, { timeout: 20_000 }).toBe('Done.')
    expect(await log()).toMatchObject([{ status: 'started', session_id: session }])
    expect(model.requests.filter(({ body }) => JSON.stringify(body).includes(TASK)).length).toBeGreaterThan(0)
  })

  test('says in the log of a schedule why nothing was started, tries it once, and stays due', async ({ expect }) => {
    const { client, post } = adminOf('schedules')
    const made = await Promise.all([1, 2, 3, 4].map(() => client.sessions.create({})))
    const at = new Date(Date.now() + 5_000).toISOString()
    const once = await client.schedules.create({ name: 'once', task: TASK, at })
    const daily = await client.schedules.create({ name: 'daily', task: TASK, cron: '0 3 * * *', timezone: 'UTC' })
    const runs = async (id: string) => (await client.schedules.runs(id)).data
    const failed = { status: 'failed', session_id: null, reason: 'too_many: at most 4 sessions of a tenant' }
    await expect.poll(async () => (await runs(once.id))[0]?.status, { timeout: 20_000 }).toBe('failed')
    expect(await runs(once.id)).toMatchObject([failed])
    const start = async (id: string) => {
      const answer = await post(`/v1/schedules/${id}/test`, { run: true })
      const { run }: { run: { status: string; session_id: string } } = await answer.json()
      return run
    }
    expect(await start(daily.id)).toMatchObject(failed)
    expect(await runs(daily.id)).toMatchObject([failed])
    expect(await client.schedules.get(daily.id)).toMatchObject({ enabled: true, next_run_time: daily.next_run_time })
    await client.sessions.delete(made[0]?.id ?? '')
    const { status, session_id: session } = await start(once.id)
    expect(status).toBe('started')
    await expect.poll(async () => (await client.sessions.get(session)).result, { timeout: 20_000 }).toBe('Done.')
    expect(await runs(once.id)).toHaveLength(2)
  })
})
