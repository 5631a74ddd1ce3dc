/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { linkOf, mintLink } from '../../../src/objects/mint-link.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, read, sent, stage } from './http.ts'

interface Link {
  id: string
  object: string
  scope: string
  session_id: string
  pending_id: string | null
  expires_time: string
  url: string
  token: string
}

const words = WORDS['zh-CN']
const UNKNOWN = 'ses_01arz3ndektsv4rrffq69g5fav'

/** A session that waits for the approval of a visit. */
async function waiting() {
  const set = await stage((page) => [words.visit(page('zh')), words.finish('好')])
  const { id } = await newSession(set)
  await sent(id, words.task)
  const [pending] = (await read(id)).pending
  return { id, site: set.site, pendingId: pending?.id ?? '' }
}

const make = (id: string, body: Record<string, unknown>) =>
  json<Link>(call('POST', `/v1/sessions/${id}/links`, { body }), 201)
const open = (token: string) => call('GET', `/links/${token}`)
const decide = (token: string, body: unknown = { decision: 'approve' }) => call('POST', `/links/${token}`, { body })

/** The session once its run is over. */
async function ended(id: string): Promise<SessionData> {
  const answer = await call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; !text.includes('event: run-end');) {
    const next = await reader?.read()
    if (!next || next.done) break
    text += next.value
  }
  await reader?.cancel()
  return read(id)
}

/** What the audit knows of links and a session. */
async function audited(id: string): Promise<AuditEntry[]> {
  const { data } = await json<List<AuditEntry>>(call('GET', `/v1/audit?target=${id}&limit=100`))
  return data.filter(({ actor }) => actor.kind === 'link')
}

describe('a link to decide one item', () => {
  test('shows the item, decides it, and the run goes on in the background', async ({ expect }) => {
    const { id, pendingId, site } = await waiting()
    const answer = await call('POST', `/v1/sessions/${id}/links`, { body: { scope: 'decide', pending_id: pendingId } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const link = await json<Link>(answer, 201)
    expect(link).toMatchObject({
      id: expect.stringMatching(/^lnk_[0-9a-z]{26}$/),
      object: 'link',
      scope: 'decide',
      session_id: id,
      pending_id: pendingId,
      url: `http://localhost/links/${link.token}`,
    })
    const shown = await open(link.token)
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await json(shown)).toMatchObject({
      object: 'link',
      status: 'interrupted',
      pending: [{ id: pendingId, tool: 'web_access', arguments_hash: expect.any(String) }],
    })
    expect(await json(decide(link.token))).toEqual({
      object: 'link.decision',
      session_id: id,
      pending_id: pendingId,
      decision: 'approve',
    })
    expect(await ended(id)).toMatchObject({ status: 'completed', pending: [] })
    expect(await site.visits()).toEqual(['zh'])
    expect(await problem(decide(link.token), 409)).toMatchObject({ code: 'stale_decision' })
    expect(await json(open(link.token))).toMatchObject({ status: 'completed', pending: [] })
  })

  test('may be sent twice under one Idempotency-Key', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const { token } = await make(id, { scope: 'decide', pending_id: pendingId })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const post = () => call('POST', `/links/${token}`, { body: { decision: 'reject', feedback: '不要' }, headers })
    const first = await post()
    const second = await post()
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(await second.text()).toBe(await first.text())
  })

  test('takes no Idempotency-Key away from whoever made it', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const { token } = await make(id, { scope: 'decide', pending_id: pendingId })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    expect((await call('POST', `/links/${token}`, { body: { decision: 'reject' }, headers })).status).toBe(200)
    expect((await call('POST', '/v1/sessions', { body: { title: 'x' }, headers })).status).toBe(201)
  })

  test('can do nothing else', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const { token } = await make(id, { scope: 'decide', pending_id: pendingId })
    const before = await read(id)
    const bad = [
      [{ decision: 'approve', remember: 'session' }, 400],
      [{ decision: 'approve', pending_id: 'pnd_other' }, 403],
      [{ decision: 'approve', arguments_hash: '0'.repeat(64) }, 409],
      [{ decision: 'answer', answer: 'x' }, 400],
      [{ nonsense: 1 }, 400],
    ] as const
    for (const [body, status] of bad) await problem(decide(token, body), status)
    const keyed = { YAA_API_KEY: 'k-of-16-characters', YAA_LOCAL: '' }
    const headers = { authorization: `Bearer ${token}` }
    await problem(call('GET', `/v1/sessions/${id}`, { env: keyed, headers }), 401)
    for (const method of ['PUT', 'PATCH', 'DELETE']) await problem(call(method, `/links/${token}`), 405)
    expect(JSON.stringify(await json(open(token)))).not.toContain('messages')
    expect(await read(id)).toEqual(before)
    expect((await call('GET', `/links/${token}`, { env: keyed, host: 'yaa.example' })).status).toBe(200)
  })
})

describe('a link to a session', () => {
  test('to read it shows what its owner sees, and decides nothing', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const { token } = await make(id, { scope: 'read' })
    expect(await json(open(token))).toEqual(await read(id))
    expect(await json(call('GET', `/links/${token}?messages=none`))).toMatchObject({ id, messages: [] })
    await problem(decide(token, { decision: 'approve', pending_id: pendingId }), 403)
    expect((await read(id)).pending).toHaveLength(1)
  })

  test('to decide is told which item', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const { token } = await make(id, { scope: 'decide' })
    expect(await json(open(token))).toMatchObject({ pending_id: null, pending: [{ id: pendingId }] })
    const { errors } = await problem(decide(token), 400)
    expect(errors?.[0]?.path).toBe('pending_id')
    await problem(decide(token, { decision: 'approve', pending_id: 'pnd_x' }), 409)
    expect((await decide(token, { decision: 'approve', pending_id: pendingId })).status).toBe(200)
    expect(await ended(id)).toMatchObject({ status: 'completed' })
  })
})

describe('a link that is none', () => {
  test('forged, revoked or unknown, is 404 in one way, and leaves nothing anywhere', async ({ expect }) => {
    const { id } = await waiting()
    const [good, other, revoked] = [
      await make(id, { scope: 'read' }),
      await make(id, { scope: 'decide' }),
      await make(id, { scope: 'read' }),
    ]
    expect((await call('DELETE', `/v1/sessions/${id}/links/${revoked.id}`)).status).toBe(204)
    const [tenant, , proof] = good.token.split('.')
    const tokens = [
      revoked.token,
      `${tenant}.${other.id}.${proof}`,
      `${tenant}.${good.id}.${'A'.repeat(43)}`,
      `nobody-has-links.${good.id}.${proof}`,
      `${tenant}.lnk_01arz3ndektsv4rrffq69g5fav.${proof}`,
      'x',
      'x'.repeat(5_000),
      `${good.token}.x`,
    ]
    const told = await Promise.all(
      tokens.flatMap((token) => [
        problem(open(token), 404),
        problem(decide(token, { decision: 'approve', pending_id: 'pnd_x' }), 404),
      ]),
    )
    expect(new Set(told.map(({ request_id: _own, ...body }) => JSON.stringify(body))).size).toBe(1)
    const tables = await runInDurableObject(env.DIRECTORY.getByName('nobody-has-links'), (_object, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
  })

  test('approves as shown; with other arguments only if it was made for that', async ({ expect }) => {
    const { id, pendingId, site } = await waiting()
    const edited = { decision: 'approve', arguments: { url: site.url('article') } }
    const plain = await make(id, { scope: 'decide', pending_id: pendingId })
    expect(plain).toMatchObject({ allow_edit: false })
    expect(await problem(decide(plain.token, edited), 403)).toMatchObject({ code: 'forbidden' })
    expect((await read(id)).pending).toHaveLength(1)
    const editing = await make(id, { scope: 'decide', allow_edit: true })
    expect(await json(open(editing.token))).toMatchObject({ allow_edit: true })
    await json(decide(editing.token, { ...edited, pending_id: pendingId }))
    expect(await ended(id)).toMatchObject({ status: 'completed' })
    expect(await site.visits()).toEqual(['article'])
  })

  test('that is over is 410, and not listed', async ({ expect }) => {
    const { id, pendingId } = await waiting()
    const terms = {
      scope: 'decide',
      sessionId: id,
      pendingId,
      allowEdit: false,
      createdBy: 'server',
      expiresTime: Date.now() - 1,
    } as const
    const minted = await mintLink(env, 'default', await linkOf(env, 'default', terms))
    const token = minted?.token ?? ''
    expect(minted?.path).toBe(`/links/${token}`)
    expect(await problem(open(token), 410)).toMatchObject({ code: 'link_expired' })
    await problem(decide(token), 410)
    const told = { action: 'access.link', outcome: 'refused', details: { code: 'link_expired' } }
    const actor = { kind: 'link', id: token.split('.')[1] }
    expect(await audited(id)).toMatchObject([
      { ...told, actor, target: id },
      { ...told, actor, target: id },
    ])
    expect((await read(id)).pending).toHaveLength(1)
    expect((await json<List<Link>>(call('GET', `/v1/sessions/${id}/links`))).data).toEqual([])
  })

  test('of a session that was deleted, or after the secret changed, opens nothing', async ({ expect }) => {
    const first = await waiting()
    const gone = await make(first.id, { scope: 'read' })
    await call('DELETE', `/v1/sessions/${first.id}`)
    await problem(open(gone.token), 404)
    const second = await waiting()
    const old = await make(second.id, { scope: 'read' })
    expect(await json(call('POST', '/v1/links/rotate'))).toMatchObject({ object: 'link.secret' })
    await problem(open(old.token), 404)
    expect((await open((await make(second.id, { scope: 'read' })).token)).status).toBe(200)
  })

  test('is not served where nothing is', async () => {
    const { id } = await waiting()
    const { token } = await make(id, { scope: 'read' })
    await problem(call('GET', `/links/${token}`, { host: 'evil.example' }), 403)
    await problem(call('GET', `/links/${token}`, { env: { YAA_API_KEY: '', YAA_LOCAL: '' } }), 503)
  })
})

describe('the making of a link', () => {
  test('needs a session, an item that waits, and a time to come', async ({ expect }) => {
    const { id } = await waiting()
    const post = (session: string, body: unknown) => call('POST', `/v1/sessions/${session}/links`, { body })
    await problem(post(UNKNOWN, { scope: 'read' }), 404)
    await problem(post(id, { scope: 'decide', pending_id: 'pnd_x' }), 409)
    for (const [body, path] of [
      [{ scope: 'admin' }, 'scope'],
      [{}, 'scope'],
      [{ scope: 'read', expires_time: '2020-01-01T00:00:00Z' }, 'expires_time'],
      [{ scope: 'read', expires_time: '2999-01-01T00:00:00Z' }, 'expires_time'],
      [{ scope: 'read', ttl_ms: 0 }, 'ttl_ms'],
      [{ scope: 'read', ttl_ms: 5_000, expires_time: '2030-01-01T00:00:00Z' }, 'ttl_ms'],
    ] as const) {
      const { errors } = await problem(post(id, body), 400)
      expect(errors?.map((error) => error.path)).toEqual([path])
    }
    expect(await json(call('GET', `/v1/sessions/${id}/links`))).toEqual({ object: 'list', data: [], next_cursor: null })
  })

  test('under an Idempotency-Key makes one, whose token is not in the repeat', async ({ expect }) => {
    const { id } = await waiting()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const post = () => call('POST', `/v1/sessions/${id}/links`, { body: { scope: 'read' }, headers })
    const { token, url, ...shown } = await json<Link>(post(), 201)
    const again = await post()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await json(again, 201)).toEqual(shown)
    expect([token.length > 40, url.endsWith(token)]).toEqual([true, true])
  })

  test('gives no more than the key has, and goes with it', async ({ expect }) => {
    const { id } = await waiting()
    const keyOf = async (scopes: string[]) =>
      json<{ id: string; key: string }>(call('POST', '/v1/keys', { body: { name: 'x', scopes } }), 201)
    const reader = await keyOf(['read'])
    const runner = await keyOf(['run', 'read'])
    const post = (key: string, scope: string) =>
      call('POST', `/v1/sessions/${id}/links`, { body: { scope }, headers: { authorization: `Bearer ${key}` } })
    await problem(post(reader.key, 'read'), 403)
    await problem(post(runner.key, 'decide'), 403)
    const { token } = await json<Link>(post(runner.key, 'read'), 201)
    expect((await open(token)).status).toBe(200)
    await call('DELETE', `/v1/keys/${runner.id}`)
    await problem(open(token), 404)
  })
})

test('a link that is used beyond what it is for is told to the audit, a forged one is not', async ({ expect }) => {
  const { id, pendingId } = await waiting()
  const reading = await make(id, { scope: 'read' })
  await problem(decide(reading.token, { decision: 'approve', pending_id: pendingId }), 403)
  const deciding = await make(id, { scope: 'decide', pending_id: pendingId })
  const other = 'pnd_01arz3ndektsv4rrffq69g5fav'
  await problem(decide(deciding.token, { decision: 'approve', pending_id: other }), 403)
  const told = { action: 'session.decide', outcome: 'refused', details: { code: 'forbidden' }, target: id }
  const both = [
    { ...told, actor: { kind: 'link', id: deciding.id } },
    { ...told, actor: { kind: 'link', id: reading.id } },
  ]
  expect(await audited(id)).toMatchObject(both)
  const forged = `${deciding.token.slice(0, -4)}${deciding.token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  await problem(open(forged), 404)
  await problem(decide(forged), 404)
  expect(await audited(id)).toHaveLength(2)
  expect((await read(id)).pending).toHaveLength(1)
})
