import { afterEach, beforeEach, describe, test } from 'vitest'
import { ConnectionGrant } from '../../../src/connections/grants.ts'
import { authorizeAddress, newProof, revokeToken, tokensOfCode } from '../../../src/connections/oauth.ts'
import type { OAuthClient } from '../../../src/domain/connection.ts'
import { Seal } from '../../../src/lib/seal.ts'
import { createGuardedFetch } from '../../../src/net/guarded-fetch.ts'
import { type AuthorisationServer, startAuthorisationServer } from '../../support/authorisation-server.ts'
import { CLIENT_SECRET } from '../../support/client-secret.ts'
import { nodeGrants } from '../../support/node-grants.ts'

const HOUR = 3_600_000
const REDIRECT = 'https://yaa.example/oauth/callback'

let authority: AuthorisationServer
let jumped = 0
const now = () => Date.now() + jumped

beforeEach(async () => {
  jumped = 0
  authority = await startAuthorisationServer()
})
afterEach(() => authority.close())

function world(more: Partial<OAuthClient> = {}) {
  const client: OAuthClient = {
    grant: 'authorization_code',
    authorizeUrl: `${authority.url}/authorize?prompt=consent`,
    tokenUrl: `${authority.url}/token`,
    revokeUrl: `${authority.url}/revocation`,
    clientId: 'yaa',
    scopes: ['read', 'write'],
    ...more,
  }
  const known = { client, secret: CLIENT_SECRET }
  const grants = nodeGrants(now)
  const guard = { publicFetch: fetch, privateFetch: null, allowPrivateHosts: [authority.host] }
  const ports = { fetch: createGuardedFetch(guard), now, grants, seal: new Seal(['k'.repeat(32)]) }
  const place = { tenant: 't', name: 'desk', user: 'ana' }
  /** As another isolate has it. */
  const grant = () => new ConnectionGrant(place, known, ports)
  const stored = () => grants.read('t', 'connection desk#user:ana')
  return { client, known, ports, grant, stored }
}

/** Somebody goes to the page, and comes back with a code. */
async function authorised(of: ReturnType<typeof world>): Promise<void> {
  const { verifier, challenge } = await newProof()
  const page = authorizeAddress(of.client, { redirect: REDIRECT, state: 's1', challenge })
  const { headers } = await fetch(page, { redirect: 'manual' })
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
  const granted = await tokensOfCode(of.known, { code, verifier, redirect: REDIRECT }, of.ports)
  if (!granted.ok) throw new Error(granted.detail)
  await of.grant().keep(granted.tokens)
}

describe('a grant of an authorization server', () => {
  test('is got by a code with PKCE, and kept sealed', async ({ expect }) => {
    const one = world()
    expect(await one.grant().token()).toBeUndefined()
    const page = new URL(authorizeAddress(one.client, { redirect: REDIRECT, state: 's1', challenge: 'c' }))
    expect(Object.fromEntries(page.searchParams)).toEqual({
      prompt: 'consent',
      response_type: 'code',
      client_id: 'yaa',
      redirect_uri: REDIRECT,
      scope: 'read write',
      state: 's1',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    })
    await authorised(one)
    const token = (await one.grant().token()) ?? ''
    expect(authority.guard(new Request('http://x/', { headers: { authorization: `Bearer ${token}` } }))).toBeNull()
    expect(await one.stored()).toMatch(/^v1\./)
    expect(await one.stored()).not.toContain(token)
    const wrong = { code: 'x', verifier: 'y', redirect: REDIRECT }
    expect(await tokensOfCode(one.known, wrong, one.ports)).toEqual({
      ok: false,
      code: 'gone',
      detail: 'invalid_grant',
    })
  })

  test('is refreshed shortly before it ends, by one of all who need it', async ({ expect }) => {
    const one = world()
    await authorised(one)
    const first = await one.grant().token()
    jumped = HOUR - 30_000
    const all = await Promise.all(Array.from({ length: 5 }, () => one.grant().token()))
    expect(authority.asked.filter(({ grant_type: type }) => type === 'refresh_token')).toHaveLength(1)
    expect(all.every((token) => token !== undefined)).toBe(true)
    const second = await one.grant().token()
    expect(second).not.toBe(first)
    jumped += 2 * HOUR
    const over = await Promise.all(Array.from({ length: 3 }, () => one.grant().token()))
    expect(new Set(over).size).toBe(1)
    expect(over).not.toContain(second)
    expect(authority.asked.filter(({ grant_type: type }) => type === 'refresh_token')).toHaveLength(2)
  })

  test('stays where its server gives no answer, and goes where it says no', async ({ expect }) => {
    const one = world()
    await authorised(one)
    const first = await one.grant().token()
    authority.manner.breaks = true
    jumped = HOUR - 30_000
    expect(await one.grant().token()).toBe(first)
    jumped = HOUR + 1_000
    expect(await one.grant().token()).toBeUndefined()
    expect(await one.grant().isThere()).toBe(true)
    authority.manner.breaks = false
    const second = await one.grant().token()
    expect(second).toBeDefined()
    authority.manner.refreshes = false
    jumped += 2 * HOUR
    expect([await one.grant().token(), await one.grant().isThere()]).toEqual([undefined, false])
  })

  test('of a client for itself needs nobody; its secret is in a header or in the body', async ({ expect }) => {
    const { authorizeUrl: _page, ...rest } = world().client
    const one = world({ ...rest, grant: 'client_credentials' })
    const token = await one.grant().token()
    expect(token).toBeDefined()
    expect(await one.grant().token()).toBe(token)
    expect(authority.asked).toMatchObject([{ client_id: 'yaa', client_secret: CLIENT_SECRET, scope: 'read write' }])
    await revokeToken({ ...one.known, client: { ...one.client, auth: 'body' } }, 'tok', one.ports)
    expect(await (await fetch(`${authority.url}/revoked`)).json()).toEqual(['tok'])
  })

  test('of a client for itself is asked for by one of all who need it first', async ({ expect }) => {
    const one = world({ grant: 'client_credentials' })
    const all = () => Promise.all(Array.from({ length: 4 }, () => one.grant().token()))
    const tokens = await all()
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toBeDefined()
    expect(authority.asked).toHaveLength(1)
    // What counts no more is begun anew by one, too.
    await one.ports.grants.keep('t', 'connection desk#user:ana', { from: await one.stored(), to: '' })
    expect(new Set(await all()).size).toBe(1)
    expect(authority.asked).toHaveLength(2)
  })

  test('that a server does not give is asked for by the next one at once', async ({ expect }) => {
    const one = world({ grant: 'client_credentials' })
    authority.manner.breaks = true
    expect([await one.grant().token(), await one.grant().isThere()]).toEqual([undefined, false])
    authority.manner.breaks = false
    expect(await one.grant().token()).toBeDefined()
  })

  test('is asked for where the guard lets it, and nowhere else', async ({ expect }) => {
    const one = world()
    const guarded = createGuardedFetch({ publicFetch: fetch, privateFetch: null, allowPrivateHosts: [] })
    const wanted = { code: 'x', verifier: 'y', redirect: REDIRECT }
    const refused = await tokensOfCode(one.known, wanted, { ...one.ports, fetch: guarded })
    expect(refused).toEqual({ ok: false, code: 'failed', detail: 'address_refused' })
    expect(authority.asked).toEqual([])
  })
})
