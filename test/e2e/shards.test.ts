import { fileURLToPath, URL } from 'node:url'
import { afterAll, beforeAll, test, vi } from 'vitest'
import * as z from 'zod'
import { bundleWorker } from '../../src/build/bundle.ts'
import { type MockModel, startMockModel } from '../../src/cli/mock-model/server.ts'
import { ask, type Asked } from '../bench/harness/request.ts'
import { SERVE } from '../bench/harness/sides.ts'
import { startWorkerd, type Workerd } from '../bench/harness/workerd.ts'

const KEY = 'the-admin-key-of-these-tests'
const COUNT = 12
const SESSIONS_MAX = 60
/** More than one step of a job takes. */
const PERSONS_SESSIONS = 25
const HANGS = 'Ask a model that never answers'
const finish = { tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] }
const WAITS = 'Look at a page that a human has to allow'
const visit = { tool_calls: [{ name: 'web_access', arguments: { url: 'https://example.com/' } }] }
const made = z.looseObject({ id: z.string(), key: z.string().optional() })
const job = z.looseObject({ id: z.string(), status: z.string(), counts: z.record(z.string(), z.number()) })
const exportLine = z.looseObject({
  type: z.string(),
  session: z.string().optional(),
  document: z.looseObject({ session: z.looseObject({ id: z.string() }) }).optional(),
})
const cancelled = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string().nullable() })) })
const page = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string().optional(),
      session_id: z.string().optional(),
      key: z.string().nullable().optional(),
    }),
  ),
  next_cursor: z.string().nullable(),
})

let model: MockModel
let server: Workerd
/** The newest first. */
const ids: string[] = []

const send = async (path: string, asked: Asked = {}, key = KEY) =>
  (await ask(`${server.url}${path}`, { ...asked, headers: { authorization: `Bearer ${key}`, ...asked.headers } })).text
const get = async (path: string) => page.parse(JSON.parse(await send(path, { method: 'GET' })))

/** A whole list, a page of five at a time. */
async function whole(path: string): Promise<z.output<typeof page>['data']> {
  const all: z.output<typeof page>['data'] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const found: z.output<typeof page> = await get(`${path}limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)
    if (found.data.length > 5) throw new Error('five at most were expected')
    all.push(...found.data)
    cursor = found.next_cursor
  }
  return all
}
/** The lines of all that there is of a person, once a job has gathered it. */
async function exportOf(user: string): Promise<z.output<typeof exportLine>[]> {
  const path = `/v1/users/${user}/export`
  const begun = job.parse(JSON.parse(await send(path, { method: 'GET' })))
  const state = async () => job.parse(JSON.parse(await send(`/v1/users/${user}/jobs/${begun.id}`, { method: 'GET' })))
  await vi.waitUntil(async () => (await state()).status === 'completed', { timeout: 20_000 })
  const lines = (await send(path, { method: 'GET' })).trim().split('\n')
  return lines.map((line) => exportLine.parse(JSON.parse(line)))
}
const idsOf = async (path: string) => (await whole(path)).map(({ id }) => id)

/** A server of this config; `data`: the folder that another left. */
async function served(more: Record<string, unknown>, data?: string): Promise<Workerd> {
  const models = { m: { api_url: model.url, model: 'm', protocol: 'native' } }
  const config = { models, default_model: 'm', ...more }
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
  const env = { YAA_API_KEY: KEY, YAA_CONFIG: JSON.stringify(config) }
  return startWorkerd({
    config: SERVE,
    bundle: await bundleWorker(entry),
    env,
    ...(data === undefined ? {} : { data }),
  })
}

beforeAll(async () => {
  const stepFor = (asked: string) => (asked.includes(HANGS) ? { hang: true } : asked.includes(WAITS) ? visit : finish)
  model = await startMockModel({ script: ({ body }) => stepFor(JSON.stringify(body)) })
  server = await served({ directory_shards: 4, quotas: { sessions_max: SESSIONS_MAX } })
  for (let n = 0; n < COUNT; n++) {
    const body = { title: `Session ${n}`, user: n % 2 ? 'odd' : 'even', task: n % 3 ? 'Count' : 'Draw a bird' }
    const headers: Record<string, string> = n % 2 ? { 'idempotency-key': `key-${n}` } : {}
    ids.unshift(made.parse(JSON.parse(await send('/v1/sessions', { body, headers }))).id)
  }
})
afterAll(async () => {
  await server.stop()
  await model.close()
})

test('lists over four objects page as one, newest first', async ({ expect }) => {
  await expect.poll(async () => (await get('/v1/sessions?status=completed&limit=100')).data.length).toBe(COUNT)
  expect(await idsOf('/v1/sessions?')).toEqual(ids)
})

test('filters and searches look into all of them', async ({ expect }) => {
  const odd = ids.filter((_, at) => (COUNT - 1 - at) % 2 === 1)
  expect(await idsOf('/v1/sessions?user=odd&')).toEqual(odd)
  const birds = ids.filter((_, at) => (COUNT - 1 - at) % 3 === 0)
  expect(await idsOf('/v1/sessions?q=BIRD&')).toEqual(birds)
  expect(await idsOf('/v1/sessions?status=failed&')).toEqual([])
})

test('usage is added up over all of them', async ({ expect }) => {
  const bySession = await whole('/v1/usage?by=session&')
  expect(bySession.map(({ key }) => key)).toEqual([...ids].toSorted((a, b) => (a < b ? 1 : -1)))
  const byUser = await whole('/v1/usage?by=user&')
  expect(byUser).toMatchObject([
    { key: 'even', model_calls: COUNT / 2 },
    { key: 'odd', model_calls: COUNT / 2 },
  ])
  expect(await whole('/v1/usage?by=model&')).toMatchObject([{ key: 'm', model_calls: COUNT }])
})

test('places of a key are counted in one object, and given back when runs end', async ({ expect }) => {
  const limits = { sessions_at_once: 1 }
  const body = { name: 'one at once', scopes: ['run', 'read'], limits }
  const { id, key } = made.parse(JSON.parse(await send('/v1/keys', { body })))
  const shown = z.looseObject({ remaining: z.looseObject({ sessions_at_once: z.number() }) })
  for (let n = 0; n < 6; n++) {
    await send('/v1/sessions', { body: { task: 'Count', user: 'leased' } }, key)
    await expect
      .poll(async () => shown.parse(JSON.parse(await send(`/v1/keys/${id}`, { method: 'GET' }))).remaining)
      .toMatchObject({ sessions_at_once: 1 })
  }
})

test('what waits is one list, newest first; those that wait are not stuck', async ({ expect }) => {
  const waiting: string[] = []
  for (let n = 0; n < 6; n++) {
    const body = { task: WAITS, user: n % 2 ? 'waits' : 'waits too' }
    waiting.unshift(made.parse(JSON.parse(await send('/v1/sessions', { body }))).id)
  }
  const pending = async (filter = '') => (await whole(`/v1/pending?${filter}`)).map(({ session_id: id }) => id)
  await expect.poll(() => pending()).toEqual(waiting)
  expect(await pending('user=waits&')).toEqual(waiting.filter((_, at) => at % 2 === 0))
  expect(await idsOf('/v1/sessions?stuck=true&min_age_ms=0&')).toEqual([])
})

test('those that are stuck are one list, newest first, and are cancelled together', async ({ expect }) => {
  const stuck: string[] = []
  for (let n = 0; n < 7; n++) {
    const headers: Record<string, string> = {
      prefer: 'respond-async',
      ...(n % 2 ? { 'idempotency-key': `hangs-${n}` } : {}),
    }
    const body = { task: HANGS, user: 'hangs' }
    stuck.unshift(made.parse(JSON.parse(await send('/v1/sessions', { body, headers }))).id)
  }
  await expect.poll(() => idsOf('/v1/sessions?stuck=true&min_age_ms=0&user=hangs&')).toEqual(stuck)
  expect(await idsOf('/v1/sessions?stuck=true&user=hangs&')).toEqual([])
  const filter = { stuck: true, min_age_ms: 0, user: 'hangs' }
  const { data } = cancelled.parse(JSON.parse(await send('/v1/sessions/cancel', { body: { filter } })))
  expect(data.map(({ id, status }) => [id, status])).toEqual(stuck.map((id) => [id, 'cancelled']))
  expect(await idsOf('/v1/sessions?stuck=true&min_age_ms=0&user=hangs&')).toEqual([])
  await expect.poll(() => idsOf('/v1/sessions?status=cancelled&user=hangs&')).toEqual(stuck)
})

test('all that is of a person is exported and erased, whichever of them has it', async ({ expect }) => {
  const own: string[] = []
  for (let n = 0; n < PERSONS_SESSIONS; n++) {
    const body = { task: 'Count', user: 'person' }
    own.push(
      made.parse(JSON.parse(await send('/v1/sessions', { body, headers: { 'idempotency-key': `person-${n}` } }))).id,
    )
  }
  const counted = async () => (await whole('/v1/usage?by=user&')).find(({ key }) => key === 'person')
  await expect.poll(counted).toMatchObject({ model_calls: PERSONS_SESSIONS })
  const before = await whole('/v1/usage?by=model&')
  const lines = await exportOf('person')
  const of = (type: string) => lines.filter((line) => line.type === type)
  expect(new Set(of('session').map(({ document }) => document?.session.id))).toEqual(new Set(own))
  expect(new Set(of('usage').map(({ session }) => session))).toEqual(new Set(own))

  const erasure = job.parse(JSON.parse(await send('/v1/users/person', { method: 'DELETE' })))
  const state = async () => job.parse(JSON.parse(await send(`/v1/users/person/jobs/${erasure.id}`, { method: 'GET' })))
  await expect.poll(state, { timeout: 20_000 }).toMatchObject({ status: 'completed' })
  expect((await state()).counts).toMatchObject({ sessions: PERSONS_SESSIONS, usage_rows: PERSONS_SESSIONS })
  expect(await idsOf('/v1/sessions?user=person&')).toEqual([])
  expect(await counted()).toBeUndefined()
  expect(await whole('/v1/usage?by=model&')).toEqual(before)
  expect((await whole('/v1/users/person/jobs?')).length).toBe(2)
})

test('a session that is deleted is in none of them', async ({ expect }) => {
  const before = await whole('/v1/usage?by=model&')
  for (const id of ids.slice(0, 6)) await send(`/v1/sessions/${id}`, { method: 'DELETE' })
  expect(await idsOf('/v1/sessions?user=odd&')).toEqual(ids.slice(6).filter((_, at) => (5 - at) % 2 === 1))
  expect(await whole('/v1/usage?by=model&')).toEqual(before)
})

test('a quota counts the sessions of all of them', async ({ expect }) => {
  const make = () => send('/v1/sessions', { body: {} })
  const there = (await whole('/v1/sessions?')).length
  for (let n = there; n < SESSIONS_MAX; n++) await make()
  await expect(make()).rejects.toThrow(/409 .*too_many/)
  await expect.poll(async () => (await whole('/v1/sessions?')).length).toBe(SESSIONS_MAX)
  const [newest] = await idsOf('/v1/sessions?')
  await send(`/v1/sessions/${newest}`, { method: 'DELETE' })
  await make()
  await expect(make()).rejects.toThrow(/409 .*too_many/)
})

test.for([{}, { directory_shards: 1 }, { directory_shards: 2 }, { directory_shards: 64 }])(
  'a tenant keeps the number that it began with, with %o in the config',
  async (config, { expect }) => {
    const before = { sessions: await idsOf('/v1/sessions?'), usage: await whole('/v1/usage?by=model&') }
    await server.stop()
    server = await served(config, server.data)
    expect(await idsOf('/v1/sessions?')).toEqual(before.sessions)
    expect(await whole('/v1/usage?by=model&')).toEqual(before.usage)
    const [gone, ...kept] = before.sessions
    await send(`/v1/sessions/${gone}`, { method: 'DELETE' })
    const body = { name: 'one at once', scopes: ['run'], limits: { sessions_at_once: 1 } }
    const { key } = made.parse(JSON.parse(await send('/v1/keys', { body })))
    const own: string[] = []
    for (let n = 0; n < 6; n++) {
      const create = () => send('/v1/sessions', { body: { task: 'Count' } }, key).catch(() => null)
      own.unshift(made.parse(JSON.parse((await vi.waitUntil(create)) ?? '')).id)
    }
    await expect.poll(() => idsOf('/v1/sessions?')).toEqual([...own, ...kept])
  },
)
