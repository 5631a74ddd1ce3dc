/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from 'cloudflare:test'
import { inject, test } from 'vitest'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, stage } from './http.ts'

const words = WORDS['zh-CN']
interface OpenApi {
  paths: Record<string, Record<string, unknown>>
}

/** An administrator for each of these tenants. */
async function administrators(...tenants: string[]) {
  const keyOf = async (tenant: string) => ({
    id: tenant,
    sha256: await sha256Hex(`k-${tenant}`),
    scopes: ['admin'],
    tenant,
  })
  const config = { ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys: await Promise.all(tenants.map(keyOf)) } }
  const keyed = { YAA_CONFIG: JSON.stringify(config) }
  return (tenant: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      call(method, path, { env: keyed, body, headers: { ...headers, authorization: `Bearer k-${tenant}` } })
}
type Ask = ReturnType<Awaited<ReturnType<typeof administrators>>>

/** All that a tenant can have, by the names of path parameters. */
async function belongings(ask: Ask) {
  const { config } = await stage((page) => [words.visit(page('zh')), words.finish('好')])
  const session = await json<{ id: string }>(ask('POST', '/v1/sessions', { config, user: 'ana' }), 201)
  const { id } = session
  await json(ask('POST', `/v1/sessions/${id}/messages`, { content: words.task }))
  const { pending } = await json<{ pending: { id: string; call_id: string }[] }>(ask('GET', `/v1/sessions/${id}`))
  await json(ask('PUT', `/v1/sessions/${id}/files/notes.md`, 'text', { 'content-type': 'text/markdown' }), 201)
  const link = await json<{ id: string }>(ask('POST', `/v1/sessions/${id}/links`, { scope: 'read' }), 201)
  const key = await json<{ id: string }>(ask('POST', '/v1/keys', { name: 'x', scopes: ['read'] }), 201)
  const skill = { name: 'only-of-ana', version: '1', description: '试用', prompt: '{{user_input}}' }
  await json(ask('POST', '/v1/skills', skill), 201)
  const server = { name: 'only-of-ana', url: inject('mcp').modern }
  await json(ask('POST', '/v1/mcp-servers', server), 201)
  await json(ask('PUT', '/v1/users/ana/memory/preferences/colour', { value: '蓝' }))
  return { id, pending: pending[0]?.id ?? '', call: pending[0]?.call_id ?? '', link: link.id, key: key.id }
}
type Belongings = Awaited<ReturnType<typeof belongings>>

const UNKNOWN: Belongings = {
  id: 'ses_01arz3ndektsv4rrffq69g5fav',
  pending: 'pnd_01arz3ndektsv4rrffq69g5fav',
  call: 'call_01arz3ndektsv4rrffq69g5fav',
  link: 'lnk_01arz3ndektsv4rrffq69g5fav',
  key: 'key_01arz3ndektsv4rrffq69g5fav',
}

/** A route's address with the ids of what belongs to somebody. */
function filled(template: string, own: Belongings, name: string): string {
  const user = name === 'only-of-ana' ? 'ana' : 'nobody'
  const values: Record<string, string> = {
    ...own,
    key: template.includes('/users/') ? 'colour' : own.key,
    id: template.startsWith('/v1/keys') ? own.key : own.id,
    task: 'tsk_01arz3ndektsv4rrffq69g5fav',
    path: 'notes.md',
    name,
    user,
    token: `tenant-b.${own.link}.${'A'.repeat(43)}`,
  }
  return template.replaceAll(/\{(\w+)\}/g, (_all, parameter: string) => values[parameter] ?? 'unknown')
}

/** A body with which the route would do something. */
const BODIES: readonly [RegExp, unknown][] = [
  [/\/messages$/, { content: '你好' }],
  [/\/pending\//, { decision: 'approve' }],
  [/\/links$/, { scope: 'read' }],
  [/\/links\/\{token\}$/, { decision: 'approve' }],
  [/\/preferences\//, { value: '红' }],
  [/\/run$/, { input: '你好' }],
]
const bodyOf = (method: string, template: string): unknown =>
  method === 'get' || method === 'delete' ? undefined : (BODIES.find(([path]) => path.test(template))?.[1] ?? {})

/** What an answer tells, with whoever's ids taken out of it. */
async function told(answer: Response, own: Belongings, name: string) {
  const text = (await answer.text())
    .replaceAll(/"request_id":"[^"]*"/g, '')
    .replaceAll(name, 'NAME')
    .replaceAll(/"version":"[0-9a-f-]{36}"/g, '')
    .replaceAll(/job_\w{26}/g, 'JOB')
    .replaceAll(/"user":"(ana|nobody)"/g, '"user":"USER"')
    .replaceAll(/"[\d-]{10}T[\d:.]{12}Z"/g, '"TIME"')
  const body = Object.values(own).reduce((all, id) => all.replaceAll(id, 'ID'), text)
  const headers = [...answer.headers.keys()].filter((header) => header !== 'x-request-id')
  return { status: answer.status, headers, body }
}

/** What the objects of a tenant hold. */
async function kept(tenant: string, sessionId: string) {
  const rowsOf = (object: DurableObjectStub, tables: readonly string[]) =>
    runInDurableObject(object, (_object, { storage }) => {
      const known = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
      const there = tables.filter((table) => known.some(({ name }) => name === table))
      return there.map((table) => [table, storage.sql.exec(`SELECT * FROM ${table}`).toArray()])
    })
  return {
    session: await rowsOf(env.SESSION.getByName(`${tenant}:${sessionId}`), ['facts', 'events', 'requests', 'files']),
    memory: await rowsOf(env.MEMORY.getByName(`${tenant}:ana`), ['preferences', 'conversations', 'tasks']),
    directory: await rowsOf(env.DIRECTORY.getByName(tenant), [
      'sessions',
      'claims',
      'texts',
      'skills',
      'mcp_servers',
      'links',
      'usage',
    ]),
  }
}

/** Reads, makes or replaces what is one's own, under a name that another tenant has too. */
const OF_ONES_OWN = /^(put \/v1\/skills\/|\w+ \/v1\/users\/|get \/v1\/budgets\/)/

/** Where a protocol has no error for what is not there: an answer without a body instead, or one without messages. */
const SAYS_NOTHING: Readonly<Record<string, number>> = {
  'get /v1/ai-sdk/chat/{id}/stream': 204,
  'get /v1/ai-sdk/chat/{id}': 200,
}

test('on every route what belongs to another tenant is as unknown as what is not, and stays as it is', async ({
  expect,
}) => {
  const [ana, bo] = ['tenant-a', 'tenant-b'] as const
  const as = await administrators(ana, bo)
  const own = await belongings(as(ana))
  const { paths } = await json<OpenApi>(call('GET', '/openapi.json'))
  const before = await kept(ana, own.id)
  const routes = Object.entries(paths).flatMap(([template, operations]) =>
    Object.keys(operations).map((method) => ({ template, method })),
  )
  const parted = routes.filter(({ template }) => template.includes('{'))
  expect(parted.length).toBeGreaterThan(40)
  for (const { template, method } of parted) {
    const route = `${method} ${template}`
    const ask = (of: Belongings, name: string) => {
      const body = bodyOf(method, template)
      const key = method === 'post' ? { 'idempotency-key': crypto.randomUUID() } : {}
      const headers = { ...key, ...(template.endsWith('/ws') ? { upgrade: 'websocket' } : {}) }
      return as(bo)(method.toUpperCase(), filled(template, of, name), body, headers)
    }
    /** A job that was begun is over before anybody asks on. */
    const answered = async (of: Belongings, name: string) => {
      const answer = await ask(of, name)
      const job = answer.status === 202 ? answer.headers.get('location') : null
      const status = async (path: string) => (await json<{ status: string }>(as(bo)('GET', path))).status
      if (job?.includes('/jobs/')) await expect.poll(() => status(job), { timeout: 20_000 }).toBe('completed')
      return told(answer, of, name)
    }
    const foreign = await answered(own, 'only-of-ana')
    const unknown = await answered(UNKNOWN, 'not-of-anybody')
    expect(foreign, route).toEqual(unknown)
    const isRefused = foreign.status >= 400 && foreign.status < 500
    const empty = SAYS_NOTHING[route]
    if (empty !== undefined) expect([route, foreign.status]).toEqual([route, empty])
    else if (!OF_ONES_OWN.test(route)) expect([route, isRefused]).toEqual([route, true])
  }
  expect(await kept(ana, own.id)).toEqual(before)
  expect((await kept(bo, own.id)).session).toEqual([])
})

test('no list, count or sum tells of another tenant', async ({ expect }) => {
  const [ana, bo] = ['tenant_c', 'tenant_d'] as const
  const as = await administrators(ana, bo)
  const own = await belongings(as(ana))
  const { paths } = await json<OpenApi>(call('GET', '/openapi.json'))
  const lists = Object.keys(paths).filter((path) => /^\/v1\/[^{]*$/.test(path) && 'get' in (paths[path] ?? {}))
  expect(lists.length).toBeGreaterThan(8)
  for (const path of lists) {
    const text = await (await as(bo)('GET', path)).text()
    for (const id of [...Object.values(own), ana]) expect([path, text.includes(id)]).toEqual([path, false])
  }
  for (const path of ['/v1/sessions', '/v1/keys', '/v1/usage', '/v1/sessions?user=ana', '/v1/sessions?q=1']) {
    expect([path, await json(as(bo)('GET', path))]).toEqual([path, { object: 'list', data: [], next_cursor: null }])
  }
})
