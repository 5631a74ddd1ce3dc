import { evictDurableObject } from 'cloudflare:test'
import { describe, type ExpectStatic, inject, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { Scope } from '../../../src/domain/access.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { ownRoutes as app } from '../../support/own-document.ts'
import { routeTextOf } from '../../../src/http/openapi/describe.ts'
import { canonicalJson, sha256Hex } from '../../../src/lib/hash.ts'
import { sleep } from '../../../src/lib/wait.ts'
import { auditObject, type Env } from '../../../src/objects/env.ts'
import { servicePorts } from '../../../src/objects/service-ports.ts'
import { env, takeBugs } from '../session/worker-home.ts'
import { WORDS } from '../../support/words.ts'
import { call, type CallOptions, json, type List, problem, stage } from './http.ts'

const words = WORDS['zh-CN']

/** A tenant of its own, with a key for each scope whose id and text are the scope. */
async function tenantOf() {
  const tenant = `t-${crypto.randomUUID()}`
  const scopes: Scope[] = ['admin', 'run', 'read', 'decide']
  const keys = await Promise.all(
    scopes.map(async (scope) => ({ id: `${scope}-key`, sha256: await sha256Hex(scope), scopes: [scope], tenant })),
  )
  const config: ServerConfig = { ...(JSON.parse(inject('config')) as ServerConfig), auth: { keys } }
  const as =
    (scope: Scope) =>
    (method: string, path: string, { headers, env: more, ...options }: CallOptions = {}) =>
      call(method, path, {
        ...options,
        headers: { authorization: `Bearer ${scope}`, ...headers },
        env: { YAA_CONFIG: JSON.stringify(config), YAA_LOCAL: '', ...more },
      })
  const entries = async (query = '') => (await json<List<AuditEntry>>(as('admin')('GET', `/v1/audit${query}`))).data
  return { tenant, as, admin: as('admin'), entries }
}

/** What a protocol has clients send, though it changes nothing that is kept: to end a connection, and to follow a task. */
const CHANGE_NOTHING = ['DELETE /mcp', 'POST /a2a/v1/tasks/:id{[^/:]+:subscribe}']

describe('every route', () => {
  const declared = app.routes.flatMap(({ method, path, handler }) => {
    const text = routeTextOf(handler)
    return text ? [{ route: `${method} ${path}`, method, audit: text.audit ?? null }] : []
  })

  test('that changes something declares an action for the audit, and none that reads does', ({ expect }) => {
    expect(declared.length).toBeGreaterThan(40)
    const changes = declared.filter(({ method }) => method !== 'GET')
    expect(changes.filter(({ audit }) => audit === null).map(({ route }) => route)).toEqual(CHANGE_NOTHING)
    const reads = declared.filter(({ method }) => method === 'GET')
    expect(reads.filter(({ audit }) => audit !== null).map(({ route }) => route)).toEqual([])
  })

  test('under /v1 is declared', ({ expect }) => {
    const known = new Set(declared.map(({ route }) => route))
    const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1'))
    expect(routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !known.has(route))).toEqual([])
  })
})

describe('the audit', () => {
  const told = (entries: readonly AuditEntry[]) =>
    entries.toReversed().map(({ action, outcome, target }) => [action, outcome, target])

  test('does not take an act for interrupted because its own object has rested', async ({ expect }) => {
    const tenant = `t-${crypto.randomUUID()}`
    const actor = { kind: 'key', id: 'k' } as const
    const about = { action: 'agent.run', target: null, status: 200, request_id: null, details: {} }
    const id = await auditObject(env, tenant).open({ ...about, actor, outcome: 'done' })
    await sleep(5)
    await evictDurableObject(env.AUDIT.getByName(tenant))
    expect(await auditObject(env, tenant).list(null, {}, 10)).toEqual([])
    await auditObject(env, tenant).close(id, { ...about, actor, outcome: 'done' })
    const listed = await auditObject(env, tenant).list(null, {}, 10)
    expect(listed.map(({ outcome }) => outcome)).toEqual(['done'])
  })

  test('is told of what happens while the directory cannot be asked', async ({ expect }) => {
    const tenant = `t-${crypto.randomUUID()}`
    const names = { getByName: () => ({ forwardActs: () => Promise.reject(new Error('the directory is down')) }) }
    const trail = servicePorts(Object.assign({}, env, { DIRECTORY: names })).audit(tenant)
    const actor = { kind: 'key', id: 'k' } as const
    const about = { action: 'key.create', target: 'k', status: 201, request_id: null, details: {} }
    await trail.record({ ...about, actor, outcome: 'done' })
    const listed = await auditObject(env, tenant).list(null, {}, 10)
    expect(listed.map(({ action }) => action)).toEqual(['key.create'])
  })

  test('that cannot be written lets nobody do what needs admin, and everybody go on who does not', async ({
    expect,
  }) => {
    const { admin, as } = await tenantOf()
    takeBugs()
    const isDown = () => Promise.reject(new Error('the audit is down'))
    const broken = { open: isDown, record: isDown }
    const down: Partial<Env> = { AUDIT: Object.assign({}, env.AUDIT, { getByName: () => broken }) }
    const key = { name: 'new', scopes: ['run'] }
    const refused = await problem(admin('POST', '/v1/keys', { body: key, env: down }), 503)
    expect([refused.code, refused.detail]).toEqual(['audit_unavailable', expect.stringContaining('Nothing was done')])
    expect((await json<List<unknown>>(admin('GET', '/v1/keys'))).data).toEqual([])
    const preference = `/v1/users/u-${crypto.randomUUID()}/memory/preferences/k`
    await json(as('run')('PUT', preference, { body: { value: 'v' }, env: down }))
    expect(takeBugs()).toHaveLength(3)
    await json(admin('POST', '/v1/keys', { body: key }), 201)
  })

  test('tells who did what to a session, in order, and keeps it after its deletion', async ({ expect }) => {
    const { admin, as, entries } = await tenantOf()
    const { config } = await stage([words.finish('秘密的回答')])
    const { id } = await json<SessionData>(admin('POST', '/v1/sessions', { body: { config } }), 201)
    await json(as('run')('POST', `/v1/sessions/${id}/messages`, { body: { content: '秘密的任务' } }))
    const patch = { title: '秘密的标题', config: { limits: { max_iterations: 3 }, llm: { api_key: 'sk-secret' } } }
    await json(admin('PATCH', `/v1/sessions/${id}`, { body: patch }))
    await json(admin('POST', `/v1/sessions/${id}/cancel`, { body: {} }))
    expect((await admin('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    const found = await entries(`?target=${id}`)
    expect(told(found)).toEqual([
      ['session.create', 'done', id],
      ['session.message', 'done', id],
      ['session.update', 'done', id],
      ['session.cancel', 'done', id],
      ['session.delete', 'done', id],
    ])
    expect(found.map(({ actor }) => `${actor.kind}:${actor.id}`)).toEqual([
      'key:admin-key',
      'key:admin-key',
      'key:admin-key',
      'key:run-key',
      'key:admin-key',
    ])
    expect(found[2]?.details).toEqual({ fields: ['title', 'config.limits', 'config.llm'] })
    expect(found.every(({ request_id }) => request_id?.startsWith('req_'))).toBe(true)
    expect(JSON.stringify(found)).not.toMatch(/秘密|sk-secret/)
  })

  const waiting = async (expect: ExpectStatic) => {
    const home = await tenantOf()
    const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
    const body = { task: words.task, config: set.config }
    const session = await json<SessionData>(home.admin('POST', '/v1/sessions', { body }), 201)
    const { pending } = await json<SessionData>(home.admin('GET', `/v1/sessions/${session.id}`))
    const [item] = pending
    expect(item?.arguments_hash).toMatch(/^[0-9a-f]{64}$/)
    return { ...home, id: session.id, item, hash: item?.arguments_hash }
  }

  test('tells a decision with the hash of its arguments, and of those that were given instead', async ({ expect }) => {
    const { as, entries, id, item, hash } = await waiting(expect)
    const edited = { url: `${String(item?.arguments?.['url'])}?of-the-editor` }
    const body = { decision: 'approve', arguments: edited, arguments_hash: hash }
    await json(as('decide')('POST', `/v1/sessions/${id}/pending/${item?.id}`, { body }))
    const [entry] = await entries('?action=session.decide')
    expect(entry).toMatchObject({
      actor: { kind: 'key', id: 'decide-key' },
      target: id,
      outcome: 'done',
      status: 200,
      details: {
        pending_id: item?.id,
        decision: 'approve',
        edited_arguments_hash: await sha256Hex(canonicalJson(edited)),
        decisions: [{ pending_id: item?.id, decision: 'approve', tool: 'web_access', arguments_hash: hash }],
      },
    })
    expect(JSON.stringify(entry)).not.toContain('of-the-editor')
  })

  test('tells a decision that was made by a message, and one that came too late', async ({ expect }) => {
    const { admin, entries, id, item, hash } = await waiting(expect)
    const path = `/v1/sessions/${id}/pending/${item?.id}`
    await problem(admin('POST', path, { body: { decision: 'approve', arguments_hash: 'x' } }), 409)
    await json(admin('POST', `/v1/sessions/${id}/messages`, { body: { content: '不要' } }))
    const [message, late] = await entries()
    expect(message).toMatchObject({
      action: 'session.message',
      details: { decisions: [{ pending_id: item?.id, decision: 'reject', arguments_hash: hash }] },
    })
    expect(late).toMatchObject({ action: 'session.decide', outcome: 'refused', details: { code: 'stale_decision' } })
  })

  test('tells what is forbidden, and nothing of what was wrong, asked twice or only read', async ({ expect }) => {
    const { admin, as, entries } = await tenantOf()
    await problem(as('read')('POST', '/v1/sessions', { body: {} }), 403)
    await problem(as('run')('GET', '/v1/audit'), 403)
    await problem(admin('POST', '/v1/sessions', { body: { taks: 1 } }), 400)
    const headers = { 'idempotency-key': 'once' }
    await json(admin('POST', '/v1/sessions', { body: {}, headers }), 201)
    await json(admin('POST', '/v1/sessions', { body: {}, headers }), 201)
    await json(admin('GET', '/v1/sessions'))
    expect((await entries()).toReversed().map(({ action, outcome, actor }) => [action, outcome, actor.id])).toEqual([
      ['session.create', 'refused', 'read-key'],
      ['access.read', 'refused', 'run-key'],
      ['session.create', 'done', 'admin-key'],
    ])
  })

  test('tells of memory, skills and servers by their names', async ({ expect }) => {
    const { admin, entries } = await tenantOf()
    await json(admin('PUT', '/v1/users/li/memory/preferences/tone', { body: { value: 'secret' } }))
    expect((await admin('DELETE', '/v1/users/li/memory')).status).toBe(204)
    const skill = { name: 'own', version: '1', description: 'd', prompt: 'secret {{user_input}}' }
    await json(admin('POST', '/v1/skills', { body: skill }), 201)
    await json(
      admin('POST', '/v1/mcp-servers', { body: { name: 'far', url: 'https://mcp.example/', enabled: false } }),
      201,
    )
    await json(admin('PATCH', '/v1/mcp-servers/far', { body: { headers: { authorization: 'secret' } } }))
    const found = await entries()
    expect(told(found)).toEqual([
      ['memory.set_preference', 'done', 'li'],
      ['memory.delete', 'done', 'li'],
      ['skill.create', 'done', 'own'],
      ['mcp_server.create', 'done', 'far'],
      ['mcp_server.update', 'done', 'far'],
    ])
    expect(found[0]?.details).toEqual({ fields: ['headers'] })
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  test('is a page at a time, or all of it as JSON lines, and verifies', async ({ expect }) => {
    const { admin, entries } = await tenantOf()
    for (let n = 0; n < 5; n++) await json(admin('POST', '/v1/sessions', { body: {} }), 201)
    const first = await json<List<AuditEntry>>(admin('GET', '/v1/audit?limit=3'))
    const second = await json<List<AuditEntry>>(admin('GET', `/v1/audit?limit=3&cursor=${first.next_cursor}`))
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([3, 2, null])
    const answer = await admin('GET', '/v1/audit', { headers: { accept: 'application/x-ndjson' } })
    expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
    const lines = (await answer.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as AuditEntry)).toEqual((await entries()).toReversed())
    const head = first.data[0]
    expect(await json(admin('GET', '/v1/audit/verify'))).toEqual({
      object: 'audit.verification',
      ok: true,
      checked: 5,
      expired: 0,
      broken: null,
      head: { id: head?.id, hash: head?.hash },
      next_cursor: null,
    })
  })

  test('of one tenant is not that of another', async ({ expect }) => {
    const [one, other] = [await tenantOf(), await tenantOf()]
    await json(one.admin('POST', '/v1/sessions', { body: {} }), 201)
    expect(await one.entries()).toHaveLength(1)
    expect(await other.entries()).toEqual([])
  })

  test('tells of a wrong key where there is one tenant, and keeps nothing of it', async ({ expect }) => {
    const { as, entries } = await tenantOf()
    const wrong = await as('admin')('GET', '/v1/sessions', { headers: { authorization: 'Bearer somebodys-password' } })
    expect((await problem(wrong, 401)).code).toBe('unauthorized')
    await problem(as('admin')('GET', '/v1/sessions', { headers: { authorization: '' } }), 401)
    const found = await entries()
    expect(found).toMatchObject([
      { action: 'access.key', outcome: 'refused', status: 401, actor: { kind: 'key', id: 'unknown' } },
    ])
    expect(JSON.stringify(found)).not.toContain('password')
  })

  test('takes a bounded number of refusals, however many there are', async ({ expect }) => {
    const { as, entries } = await tenantOf()
    await Promise.all(Array.from({ length: 100 }, () => problem(as('read')('POST', '/v1/sessions', { body: {} }), 403)))
    expect((await entries('?limit=100')).length).toBeLessThanOrEqual(60)
    expect((await entries('?limit=100')).length).toBeGreaterThanOrEqual(30)
  })

  test('names a filter that does not fit', async ({ expect }) => {
    const { admin } = await tenantOf()
    for (const query of ['limit=0', 'limit=101', 'from=yesterday', 'cursor=x', 'colour=red']) {
      const { errors = [] } = await problem(admin('GET', `/v1/audit?${query}`), 400)
      expect(errors.map(({ path }) => path)).toEqual([query.split('=')[0]])
    }
  })
})
