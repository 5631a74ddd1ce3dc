/// <reference types="@cloudflare/vitest-plugin/types" />
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { secretOf } from '../../../src/objects/secret.ts'
import { newKeyText } from '../../../src/access/marks.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { directoryObject } from '../../../src/objects/env.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, problem } from './http.ts'

interface Key {
  id: string
  object: string
  name: string
  prefix: string
  tenant: string
  scopes: string[]
  limits: Record<string, unknown>
  remaining?: Record<string, unknown>
  expires_time: string | null
  last_used_time: string | null
  key?: string
}

const ADMIN = { YAA_API_KEY: 'k-admin-of-16-and-more', YAA_LOCAL: '' }
const bearer = (key: string | undefined) => ({ authorization: `Bearer ${key}` })
const admin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(method, path, { env: ADMIN, headers: { ...bearer('k-admin-of-16-and-more'), ...headers }, body })
const make = (input: Record<string, unknown> = {}) =>
  json<Key>(admin('POST', '/v1/keys', { name: 'test', scopes: ['read'], ...input }), 201)
const withKey = (key: Key, method = 'GET', path = '/v1/tools', body?: unknown) =>
  call(method, path, { env: ADMIN, headers: bearer(key.key), body })

/** Tables of a tenant's object. */
const tablesOf = (tenant: string) =>
  runInDurableObject(env.DIRECTORY.getByName(tenant), (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray(),
  )

describe('a key that a tenant makes', () => {
  test('is shown once, with what it may do', async ({ expect }) => {
    const answer = await admin('POST', '/v1/keys', { name: 'ci', scopes: ['run', 'read', 'run'] })
    const made = await json<Key>(answer, 201)
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: 'key',
      name: 'ci',
      key: expect.stringMatching(/^yaa_default_[0-9a-z]{40}$/),
      prefix: made.key?.slice(0, 18),
      tenant: 'default',
      scopes: ['run', 'read'],
      limits: {},
      remaining: {},
      created_time: expect.stringMatching(/Z$/),
      expires_time: null,
      last_used_time: null,
    })
    expect(answer.headers.get('location')).toBe(`/v1/keys/${made.id}`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const texts = [
      await (await admin('GET', `/v1/keys/${made.id}`)).text(),
      await (await admin('GET', '/v1/keys?limit=100')).text(),
      await (await admin('PATCH', `/v1/keys/${made.id}`, { name: 'other' })).text(),
    ]
    for (const text of texts) {
      expect(text).toContain(made.id)
      expect(text).not.toContain(made.key?.slice(18))
    }
  })

  test('lets in with its scopes until it is revoked, which is at once', async ({ expect }) => {
    const key = await make()
    expect((await withKey(key)).status).toBe(200)
    expect(await problem(withKey(key, 'POST', '/v1/sessions', {}), 403)).toMatchObject({ code: 'forbidden' })
    expect(await problem(withKey(key, 'GET', '/v1/keys'), 403)).toMatchObject({ code: 'forbidden' })
    expect((await json<Key>(admin('GET', `/v1/keys/${key.id}`))).last_used_time).toMatch(/Z$/)
    expect((await admin('DELETE', `/v1/keys/${key.id}`)).status).toBe(204)
    expect(await problem(withKey(key), 401)).toMatchObject({ code: 'unauthorized' })
    await problem(admin('GET', `/v1/keys/${key.id}`), 404)
    await problem(admin('DELETE', `/v1/keys/${key.id}`), 404)
    await problem(admin('PATCH', `/v1/keys/${key.id}`, { name: 'x' }), 404)
  })

  test('is told who it is and what it may do, whatever that is', async ({ expect }) => {
    const decides = await make({ scopes: ['decide'] })
    expect(await json(withKey(decides, 'GET', '/v1/me'))).toEqual({
      object: 'me',
      actor: { kind: 'key', id: decides.id },
      tenant: 'default',
      scopes: ['decide'],
    })
    expect(await json(admin('GET', '/v1/me'))).toMatchObject({ actor: { id: 'YAA_API_KEY' }, scopes: ['admin'] })
    await problem(call('GET', '/v1/me', { env: ADMIN }), 401)
  })

  test('may revoke itself', async ({ expect }) => {
    const key = await make({ scopes: ['admin'] })
    expect((await withKey(key, 'DELETE', `/v1/keys/${key.id}`)).status).toBe(204)
    await problem(withKey(key), 401)
  })

  test('is over at its time, which can be moved', async ({ expect }) => {
    const key = await make({ expires_time: new Date(Date.now() + 60_000).toISOString() })
    expect((await withKey(key)).status).toBe(200)
    await directoryObject(env, 'default').patchKey(key.id, { expires_time: new Date(Date.now() - 1).toISOString() })
    await problem(withKey(key), 401)
    const moved = await json<Key>(admin('PATCH', `/v1/keys/${key.id}`, { expires_time: null }))
    expect(moved.expires_time).toBe(null)
    expect((await withKey(key)).status).toBe(200)
  })

  test('under an Idempotency-Key is made once, and its text is not in the repeat, nor kept', async ({ expect }) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const post = (name: string) => admin('POST', '/v1/keys', { name, scopes: ['read'] }, headers)
    const first = await json<Key>(post('once'), 201)
    const again = await post('once')
    expect([again.headers.get('idempotent-replayed'), again.headers.get('location')]).toEqual([
      'true',
      `/v1/keys/${first.id}`,
    ])
    const { key, ...shown } = first
    expect(await json<Key>(again, 201)).toEqual(shown)
    expect(await problem(post('other'), 422)).toMatchObject({ code: 'idempotency_key_reused' })
    const kept = await runInDurableObject(env.DIRECTORY.getByName('default'), (_object, { storage }) =>
      JSON.stringify([
        storage.sql.exec('SELECT * FROM texts').toArray(),
        storage.sql.exec('SELECT * FROM api_keys').toArray(),
      ]),
    )
    expect(kept).toContain(first.id)
    expect(kept).not.toContain(key?.slice(18))
  })

  test.for([
    [{ name: 'x', scopes: ['write'] }, 'scopes.0'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: '', scopes: ['read'] }, 'name'],
    [{ scopes: ['read'] }, 'name'],
    [{ name: 'x', scopes: ['read'], expires_time: '2020-01-01T00:00:00Z' }, 'expires_time'],
    [{ name: 'x', scopes: ['read'], expires_time: 'tomorrow' }, 'expires_time'],
    [{ name: 'x', scopes: ['read'], limits: { requests_per_minute: 0 } }, 'limits.requests_per_minute'],
    [{ name: 'x', scopes: ['read'], limits: { requests_per_hour: 1 } }, 'limits.requests_per_hour'],
    [{ name: 'x', scopes: ['read'], key: 'mine' }, 'key'],
  ] as const)('is refused with the place that does not fit: %j', async ([body, path], { expect }) => {
    const { errors } = await problem(admin('POST', '/v1/keys', body), 400)
    expect(errors?.map((error) => error.path)).toEqual([path])
  })

  test('is for the own tenant only', async ({ expect }) => {
    const other = admin('POST', '/v1/keys', { name: 'x', scopes: ['read'], tenant: 'not-mine' })
    expect(await problem(other, 403)).toMatchObject({ code: 'forbidden' })
    expect(await tablesOf('not-mine')).toEqual([])
    expect((await make({ tenant: 'default' })).tenant).toBe('default')
  })

  test('is listed newest first, by pages', async ({ expect }) => {
    const made = [await make(), await make(), await make()].map(({ id }) => id).toReversed()
    const first = await json<List<Key>>(admin('GET', '/v1/keys?limit=2'))
    const second = await json<List<Key>>(admin('GET', `/v1/keys?limit=1&cursor=${first.next_cursor}`))
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made)
  })
})

/** A key that was never made, though this server could have. */
const newKey = async (tenant: string) => newKeyText(await secretOf(env), tenant)

describe('a key that is none', () => {
  test('is answered as every other, and leaves nothing anywhere', async ({ expect }) => {
    const revoked = await make()
    await admin('DELETE', `/v1/keys/${revoked.id}`)
    const others = [await newKey('default'), await newKey('nobody-at-all')]
    const shown = ['wrong', revoked.key, ...others, 'x'.repeat(10_000)]
    const told = await Promise.all(
      shown.map(async (key) => {
        const answer = await call('GET', '/v1/tools', { env: ADMIN, headers: bearer(key) })
        const { request_id: _own, ...body } = await problem(answer, 401)
        const headers = [...answer.headers.keys()].filter((name) => name !== 'x-request-id')
        return { body, headers }
      }),
    )
    for (const one of told) expect(one).toEqual(told[0])
    expect(await tablesOf('nobody-at-all')).toEqual([])
  })

  test('is no way into a server that has no key configured', async ({ expect }) => {
    const made = await make()
    const deployed = call('GET', '/v1/tools', { headers: bearer(made.key), env: { YAA_API_KEY: '', YAA_LOCAL: '' } })
    expect(await problem(deployed, 503)).toMatchObject({ code: 'not_configured' })
  })
})

describe('the requests of a key', () => {
  test('are counted, told, and refused when they are too many, over restarts too', async ({ expect }) => {
    const key = await make({ limits: { requests_per_minute: 3 } })
    const first = await withKey(key)
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=3;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=2;t=(20|19)$/)
    await withKey(key)
    expect(await json<Key>(admin('GET', `/v1/keys/${key.id}`))).toMatchObject({
      limits: { requests_per_minute: 3 },
      remaining: { requests_per_minute: 1 },
    })
    await abortAllDurableObjects()
    expect((await withKey(key)).status).toBe(200)
    const refused = await withKey(key)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10)
    expect(refused.headers.get('ratelimit')).toMatch(/^"requests";r=0;/)
    expect(await problem(refused, 429)).toMatchObject({ code: 'rate_limited' })
    await admin('PATCH', `/v1/keys/${key.id}`, { limits: null })
    const free = await withKey(key)
    expect([free.status, free.headers.get('ratelimit')]).toEqual([200, null])
  })

  test('of a key of the config are counted too, and another key has its own', async ({ expect }) => {
    const limited = {
      id: 'few',
      sha256: await sha256Hex('k-few'),
      scopes: ['read'],
      limits: { requests_per_minute: 1 },
    }
    const config = { ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys: [limited] } }
    const few = { ...ADMIN, YAA_CONFIG: JSON.stringify(config) }
    const ask = (key: string) => call('GET', '/v1/tools', { env: few, headers: bearer(key) })
    expect((await ask('k-few')).status).toBe(200)
    expect(await problem(ask('k-few'), 429)).toMatchObject({ code: 'rate_limited' })
    expect((await ask('k-admin-of-16-and-more')).status).toBe(200)
  })
})
