import { fileURLToPath, URL } from 'node:url'
import { afterAll, beforeAll, test } from 'vitest'
import * as z from 'zod'
import { bundleWorker } from '../../src/build/bundle.ts'
import { type MockModel, startMockModel } from '../../src/cli/mock-model/server.ts'
import { ask, type Asked } from '../bench/harness/request.ts'
import { SERVE } from '../bench/harness/sides.ts'
import { startWorkerd, type Workerd } from '../bench/harness/workerd.ts'

const KEY = 'the-admin-key-of-these-tests'
const COUNT = 12
const finish = { tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] }
const made = z.looseObject({ id: z.string(), key: z.string().optional() })
const page = z.looseObject({
  data: z.array(z.looseObject({ id: z.string().optional(), key: z.string().nullable().optional() })),
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
const idsOf = async (path: string) => (await whole(path)).map(({ id }) => id)

beforeAll(async () => {
  model = await startMockModel({ script: { steps: [finish], loop: true } })
  const models = { m: { api_url: model.url, model: 'm', protocol: 'native' } }
  const config = { models, default_model: 'm', directory_shards: 4 }
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
  const env = { YAA_API_KEY: KEY, YAA_CONFIG: JSON.stringify(config) }
  server = await startWorkerd({ config: SERVE, bundle: await bundleWorker(entry), env })
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

test('a session that is deleted is in none of them', async ({ expect }) => {
  for (const id of ids.slice(0, 6)) await send(`/v1/sessions/${id}`, { method: 'DELETE' })
  expect(await idsOf('/v1/sessions?user=odd&')).toEqual(ids.slice(6).filter((_, at) => (5 - at) % 2 === 1))
  expect((await whole('/v1/usage?by=model&'))[0]).toMatchObject({ model_calls: COUNT + 6 })
})
