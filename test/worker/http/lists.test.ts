import { describe, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { own } from '../../support/own-document.ts'
import type { Json, ResponseObject } from '../../support/document.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, stage } from './http.ts'

/** Ids that fit a path, of things that are not there: a query is read before anything is looked for. */
const ULID = '01arz3ndektsv4rrffq69g5fav'
const PREFIX: Record<string, string> = { webhooks: 'whk', schedules: 'sch', callbacks: 'cbk', keys: 'key' }

/** Lists of our own API: those of other protocols page as these do. */
const LISTS = own.operations
  .filter(({ method, operation }) => method === 'GET' && isList(operation.responses['200']))
  .map(({ path }) => path)
  .filter((path) => !path.startsWith('/v1/responses'))

function isList(answer: ResponseObject | undefined): boolean {
  const schema = answer?.content?.['application/json']?.schema
  const known = typeof schema?.['$ref'] === 'string' ? own.resolve(schema['$ref']) : schema
  const { object } = ((known as Json | undefined)?.['properties'] ?? {}) as Record<string, Json>
  return object?.['const'] === 'list'
}

async function pathOf(template: string): Promise<string> {
  const session = template.includes('/sessions/{id}') ? (await newSession(await stage())).id : ''
  const [, , resource = ''] = template.split('/')
  return template.replace('{user}', 'li').replace('{id}', session || `${PREFIX[resource]}_${ULID}`)
}

describe('every list of the document', () => {
  test('is known to this suite', ({ expect }) => {
    expect(LISTS).toEqual(
      expect.arrayContaining(['/v1/tools', '/v1/models', '/v1/sessions', '/v1/usage', '/v1/sessions/{id}/files']),
    )
    expect(LISTS.length).toBeGreaterThanOrEqual(20)
  })

  test.for(LISTS)('takes a limit of 1 to 100 and cursors of its own: %s', async (template, { expect }) => {
    const path = await pathOf(template)
    const get = (query: string) => call('GET', `${path}?${query}`, { headers: { accept: 'application/json' } })
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=abc',
      'limit=',
      'limit=1&limit=2',
      'cursor=nonsense',
      'cursor=',
    ]) {
      const { errors = [] } = await problem(get(query), 400)
      expect([query, errors.map((error) => error.path)]).toEqual([query, [query.split('=')[0]]])
    }
    for (const query of ['limit=1', 'limit=100']) expect([200, 404]).toContain((await get(query)).status)
  })
})

/** All entries, one by one. */
async function walked<T>(path: string, more: Parameters<typeof call>[2] = {}): Promise<T[]> {
  const entries: T[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const behind: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: List<T> = await json(call('GET', `${path}?limit=1${behind}`, more))
    if (page.data.length !== 1) throw new Error(`one entry was expected, not ${JSON.stringify(page)}`)
    entries.push(...page.data)
    cursor = page.next_cursor
  }
  return entries
}

test.for(['/v1/tools', '/v1/models', '/v1/teams', '/v1/skills', '/v1/orchestrators'])(
  'page by page nothing is left out and nothing comes twice: %s',
  async (path, { expect }) => {
    const { data, next_cursor: next } = await json<List<unknown>>(call('GET', `${path}?limit=100`))
    expect(next).toBeNull()
    expect(data.length).toBeGreaterThan(2)
    expect(await walked(path)).toEqual(data)
  },
)

test('twenty come without a limit, and a client has them all', async ({ expect }) => {
  const models = Object.fromEntries(
    Array.from({ length: 130 }, (_, n) => [`m${n}`, { api_url: 'http://127.0.0.1:9/v1', model: 'm' }]),
  )
  const many = { YAA_CONFIG: JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), models, default_model: 'm0' }) }
  const first = await json<List<{ id: string }>>(call('GET', '/v1/models?kind=model', { env: many }))
  expect([first.data.length, first.next_cursor === null]).toEqual([20, false])
  const client = createClient({
    server: 'http://localhost',
    fetch: async (url) => call('GET', url.slice('http://localhost'.length), { env: many }),
  })
  const all = await client.models()
  expect([all.data.length, all.next_cursor]).toEqual([131, null])
  expect(all.data.slice(0, 20)).toEqual(first.data)
})

test('ways of working are told in either language, each with what it can do', async ({ expect }) => {
  type Shown = { id: string; description: string; stateless: boolean; fits_schema: boolean; has_workers: boolean }
  const { data } = await json<List<Shown>>(call('GET', '/v1/orchestrators?language=en'))
  expect(data.map(({ id }) => id)).toEqual(['agent', 'plan', 'team', 'route', 'workflow'])
  expect(data.filter(({ stateless }) => stateless).map(({ id }) => id)).toEqual(['agent'])
  expect(data.filter(({ has_workers: has }) => has).map(({ id }) => id)).toEqual(['plan', 'team', 'route', 'workflow'])
  expect(data.every(({ description }) => /^[A-Z].*\.$/.test(description))).toBe(true)
  const chinese = await json<List<Shown>>(call('GET', '/v1/orchestrators', { headers: { 'accept-language': 'zh-CN' } }))
  expect(chinese.data.every(({ description }) => /\p{Script=Han}.*。$/u.test(description))).toBe(true)
})

test('a cursor whose entry is not there is refused, so that no page is taken for another', async ({ expect }) => {
  for (const path of ['/v1/tools', '/v1/models', '/v1/teams', '/v1/orchestrators']) {
    const { next_cursor: next } = await json<List<unknown>>(call('GET', `${path}?limit=1`))
    const { errors = [] } = await problem(call('GET', `${path}?cursor=${next}x`), 400)
    expect([path, errors.map((error) => error.path)]).toEqual([path, ['cursor']])
  }
})

describe('pages', () => {
  test('have at most 4 MiB of entries, and lead on to the rest', async ({ expect }) => {
    const text = (index: number) => `${index}${'字'.repeat(290_000)}`
    const messages = Array.from({ length: 9 }, (_, index) => ({ role: 'user', content: text(index) }))
    const { id } = await json<{ id: string }>(
      call('POST', '/v1/sessions/import', { body: { session: { messages } } }),
      201,
    )
    for (const list of ['messages', 'events']) {
      const found: string[] = []
      const sizes: number[] = []
      let cursor = ''
      for (let pages = 0; pages < 9; pages++) {
        const page = await call('GET', `/v1/sessions/${id}/${list}?limit=100${cursor}`)
        const body = await page.text()
        sizes.push(new TextEncoder().encode(body).byteLength)
        const { data, next_cursor: next } = JSON.parse(body) as List<unknown>
        found.push(...(JSON.stringify(data).match(/"\d字/g) ?? []))
        if (next === null) break
        cursor = `&cursor=${next}`
      }
      expect(found).toEqual(messages.map((_, index) => `"${index}字`))
      expect(sizes.length).toBeGreaterThan(1)
      expect(Math.max(...sizes)).toBeLessThan(4 * 1_048_576 + 1_000)
    }
  })

  test('are of sessions whose metadata has at most 16 KiB in all', async ({ expect }) => {
    const metadata = (length: number) => ({ note: '字'.repeat(length), other: 'x' })
    const fits = metadata(5_400)
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { body: { metadata: fits } }), 201)
    const refused = [
      call('POST', '/v1/sessions', { body: { metadata: metadata(5_460) } }),
      call('PATCH', `/v1/sessions/${id}`, { body: { metadata: { more: 'y'.repeat(200) } } }),
      call('POST', '/v1/sessions/import', { body: { session: { messages: [], metadata: metadata(5_460) } } }),
    ]
    for (const answer of refused) {
      const [issue] = (await problem(answer, 400)).errors ?? []
      expect([issue?.path.split('.').at(-1), issue?.message]).toEqual([
        'metadata',
        'at most 16384 bytes of JSON in all',
      ])
    }
    await json(call('PATCH', `/v1/sessions/${id}`, { body: { title: 'other' } }))
  })
})
