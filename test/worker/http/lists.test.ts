import { describe, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { own } from '../../support/own-document.ts'
import type { Json, ResponseObject } from '../../support/document.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, stage } from './http.ts'

/** Ids that fit a path, of things that are not there: a query is read before anything is looked for. */
const ULID = '01arz3ndektsv4rrffq69g5fav'
const PREFIX: Record<string, string> = { webhooks: 'whk', schedules: 'sch', callbacks: 'cbk', keys: 'key' }

const LISTS = own.operations
  .filter(({ method, operation }) => method === 'GET' && isList(operation.responses['200']))
  .map(({ path }) => path)

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
    for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=abc', 'limit=', 'cursor=nonsense', 'cursor=']) {
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

test.for(['/v1/tools', '/v1/models', '/v1/teams', '/v1/skills'])(
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
  const first = await json<List<{ id: string }>>(call('GET', '/v1/models', { env: many }))
  expect([first.data.length, first.next_cursor === null]).toEqual([20, false])
  const client = createClient({
    server: 'http://localhost',
    fetch: async (url) => call('GET', url.slice('http://localhost'.length), { env: many }),
  })
  const all = await client.models()
  expect([all.data.length, all.next_cursor]).toEqual([131, null])
  expect(all.data.slice(0, 20)).toEqual(first.data)
})

test('a cursor whose entry is not there is refused, so that no page is taken for another', async ({ expect }) => {
  for (const path of ['/v1/tools', '/v1/models', '/v1/teams']) {
    const { next_cursor: next } = await json<List<unknown>>(call('GET', `${path}?limit=1`))
    const { errors = [] } = await problem(call('GET', `${path}?cursor=${next}x`), 400)
    expect([path, errors.map((error) => error.path)]).toEqual([path, ['cursor']])
  }
})
