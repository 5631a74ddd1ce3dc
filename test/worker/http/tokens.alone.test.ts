import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { beforeAll, describe, inject, onTestFinished, test, vi } from 'vitest'
import type { KeyLimits } from '../../../src/domain/access.ts'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { AccessConfig, JwtConfig } from '../../../src/domain/auth-config.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { type CallOptions, call, json, type List, problem, stage } from './http.ts'

const ISSUER = 'https://issuer.example'
const TEAM = 'acme.cloudflareaccess.com'
const NOW = () => Math.floor(Date.now() / 1_000)
const MAPPED = { scopes_claim: 'roles', scopes_map: { worker: 'run', reader: 'read' } } as const

let pair: CryptoKeyPair
let stranger: CryptoKeyPair
let jwksUrl: string

beforeAll(async () => {
  const made = async () => await generateKeyPair('RS256', { extractable: true })
  pair = await made()
  stranger = await made()
  jwksUrl = `${inject('peers').issuersUrl}/${crypto.randomUUID()}/keys`
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  await fetch(jwksUrl, { method: 'PUT', body: JSON.stringify({ keys }) })
})

/** A tenant that takes tokens beside one admin key, on a server where `TEAM` leads to the issuer's keys. */
async function tenantOf(limits?: KeyLimits) {
  const tenant = `t-${crypto.randomUUID()}`
  const jwt: JwtConfig = {
    issuer: ISSUER,
    audience: 'yaa',
    jwks_url: jwksUrl,
    tenant,
    ...MAPPED,
    ...(limits ? { limits } : {}),
  }
  const access: AccessConfig = {
    team_domain: TEAM,
    audience: 'yaa-access',
    tenant,
    ...MAPPED,
    ...(limits ? { limits } : {}),
  }
  const keys = [{ id: 'boss', sha256: await sha256Hex('boss-key'), scopes: ['admin' as const], tenant }]
  const config: ServerConfig = { ...(JSON.parse(inject('config')) as ServerConfig), auth: { keys, jwt: [jwt], access } }
  const env = { YAA_CONFIG: JSON.stringify(config), YAA_LOCAL: '', PRIVATE_NETWORK: network }
  const ask = (headers: Record<string, string>, method: string, path: string, options: CallOptions = {}) =>
    call(method, path, { ...options, headers, env })
  const boss = (path: string) => ask({ authorization: 'Bearer boss-key' }, 'GET', path)
  return {
    ask,
    sessions: async () => (await json<List<SessionData>>(boss('/v1/sessions'))).data,
    entries: async () => (await json<List<AuditEntry>>(boss('/v1/audit'))).data,
  }
}

/** The way out of this server, on which the team's domain is the issuer on loopback. */
const network: Fetcher = {
  fetch: (input: RequestInfo | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    return fetch(url === `https://${TEAM}/cdn-cgi/access/certs` ? jwksUrl : url, init)
  },
  connect: () => {
    throw new TypeError('nothing here speaks anything but HTTP')
  },
}

const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: ISSUER,
  aud: 'yaa',
  sub: 'ana',
  roles: ['worker', 'reader'],
  exp: NOW() + 300,
  ...more,
})
const sign = (payload: JWTPayload, header: Partial<JWTHeaderParameters> = {}, key = pair.privateKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key)
const signedWithPublic = async (payload: JWTPayload) =>
  sign(payload, { alg: 'HS256' }, await secretOf(await exportSPKI(pair.publicKey)))
const secretOf = (text: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
const without = (name: string, payload = claims()): JWTPayload =>
  Object.fromEntries(Object.entries(payload).filter(([claim]) => claim !== name))

const unsigned = async (payload: JWTPayload) => new UnsecuredJWT(payload).encode()
const noneWithKid = async (payload: JWTPayload) => {
  const [, body, signature] = (await sign(payload)).split('.')
  return `${btoa('{"alg":"none","kid":"one"}').replaceAll('=', '')}.${body}.${signature}`
}

/** Tokens that prove nothing, each made of good claims. */
const BAD: readonly [string, (good: JWTPayload) => Promise<string>][] = [
  ['alg none', unsigned],
  ['alg none over a good signature', noneWithKid],
  ['HS256 signed with the public key', signedWithPublic],
  ['expired', (good) => sign({ ...good, exp: NOW() - 60 })],
  ['without an end', (good) => sign(without('exp', good))],
  ['not before an hour from now', (good) => sign({ ...good, nbf: NOW() + 3_600 })],
  ['a wrong issuer', (good) => sign({ ...good, iss: 'https://other.example' })],
  ['a foreign audience', (good) => sign({ ...good, aud: 'other' })],
  ['an unknown kid', (good) => sign(good, { kid: 'two' })],
  ["a stranger's key under a known kid", (good) => sign(good, {}, stranger.privateKey)],
  ['cut short', async (good) => (await sign(good)).slice(0, -4)],
]
const DOORS = ['authorization', 'cf-access-jwt-assertion'] as const
type Door = (typeof DOORS)[number]
const shown = (door: Door, token: string) => ({ [door]: door === 'authorization' ? `Bearer ${token}` : token })
const goodFor = (door: Door): JWTPayload =>
  claims(door === 'authorization' ? {} : { iss: `https://${TEAM}`, aud: 'yaa-access', email: 'ana@acme.example' })

describe.for(DOORS)('a token in %s', (door) => {
  test.for(BAD)('is 401, changes nothing and is told to the audit: %s', async ([, made], { expect }) => {
    const { ask, sessions, entries } = await tenantOf()
    const headers = shown(door, await made(goodFor(door)))
    const refused = await ask(headers, 'POST', '/v1/sessions', { body: { title: 'x' } })
    expect(refused.headers.get('www-authenticate')).toContain('Bearer realm="yaa", error="invalid_token"')
    expect(await problem(refused, 401)).toMatchObject({ code: 'unauthorized' })
    await problem(ask(headers, 'GET', '/v1/sessions'), 401)
    expect(await sessions()).toEqual([])
    const [told] = await entries()
    expect(told).toMatchObject({ action: 'access.key', outcome: 'refused', actor: { kind: 'key', id: 'unknown' } })
    expect(JSON.stringify(told)).not.toContain(Object.values(headers)[0])
  })

  test('is 503 where the keys of its issuer cannot be fetched, unless it is over', async ({ expect }) => {
    const there = jwksUrl
    jwksUrl = 'http://127.0.0.1:9/keys'
    try {
      const { ask } = await tenantOf()
      const refused = await ask(shown(door, await sign(goodFor(door))), 'GET', '/v1/sessions')
      expect(refused.headers.get('retry-after')).toBe('5')
      expect(await problem(refused, 503)).toMatchObject({ code: 'issuer_unavailable' })
      const over = await sign({ ...goodFor(door), exp: NOW() - 60 })
      await problem(ask(shown(door, over), 'GET', '/v1/sessions'), 401)
    } finally {
      jwksUrl = there
    }
  })

  test('whose claims name no scope may do nothing, and that is told too', async ({ expect }) => {
    const { ask, sessions, entries } = await tenantOf()
    for (const roles of [undefined, [], ['admin', 'boss'], 7]) {
      const good = without('roles', goodFor(door))
      const headers = shown(door, await sign(roles === undefined ? good : { ...good, roles }))
      expect(await problem(ask(headers, 'POST', '/v1/sessions', { body: {} }), 403)).toMatchObject({
        code: 'forbidden',
      })
      await problem(ask(headers, 'GET', '/v1/sessions'), 403)
    }
    expect(await sessions()).toEqual([])
    expect((await entries()).map(({ action, outcome }) => `${action} ${outcome}`)).toContain('session.create refused')
  })

  test('that is right does what its claims are mapped to, as the one that it names', async ({ expect }) => {
    const { ask, sessions, entries } = await tenantOf()
    const headers = shown(door, await sign(goodFor(door)))
    const { id } = await json<SessionData>(ask(headers, 'POST', '/v1/sessions', { body: { title: 'x' } }), 201)
    expect((await sessions()).map((session) => session.id)).toEqual([id])
    await problem(ask(headers, 'GET', '/v1/keys'), 403)
    const reader = shown(door, await sign({ ...goodFor(door), roles: 'reader' }))
    expect((await ask(reader, 'GET', '/v1/sessions')).status).toBe(200)
    await problem(ask(reader, 'POST', '/v1/sessions', { body: {} }), 403)
    expect(await json(ask(reader, 'GET', '/v1/me'))).toMatchObject({ actor: { kind: 'jwt' }, scopes: ['read'] })
    const made = (await entries()).find(({ action, outcome }) => action === 'session.create' && outcome === 'done')
    const subject = door === 'authorization' ? 'ana' : 'ana@acme.example'
    expect(made).toMatchObject({ target: id, actor: { kind: 'jwt', id: subject } })
  })
})

describe.for(DOORS)('limits of who shows a token in %s', (door) => {
  const as = async (email: string) =>
    shown(door, await sign({ ...goodFor(door), ...(door === 'authorization' ? { sub: email } : { email }) }))

  test('hold for the subject, whichever of its tokens is shown, and for each alone', async ({ expect }) => {
    const { ask } = await tenantOf({ requests_per_minute: 2 })
    const look = async (who: string) => ask(await as(who), 'GET', '/v1/sessions')
    expect((await look('ana@acme.example')).headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60')
    expect((await look('ana@acme.example')).status).toBe(200)
    expect(await problem(look('ana@acme.example'), 429)).toMatchObject({ code: 'rate_limited' })
    expect((await look('ben@acme.example')).status).toBe(200)
  })

  test('bound its sessions in progress, and what it may spend is told', async ({ expect }) => {
    const day = { max_total_tokens: 100_000 }
    const { ask } = await tenantOf({ sessions_at_once: 1, day })
    const { model, config } = await stage([{ hang: true, repeat: true }])
    const body = { task: 'x', config }
    const begin = async (who: string) =>
      ask({ ...(await as(who)), prefer: 'respond-async' }, 'POST', '/v1/sessions', { body })
    const first = await json<{ session_id: string }>(begin('ana@acme.example'), 202)
    await model.asked(1)
    expect(await problem(begin('ana@acme.example'), 429)).toMatchObject({ code: 'rate_limited' })
    const { budgets } = await json<{ budgets: unknown }>(ask(await as('ana@acme.example'), 'GET', '/v1/usage'))
    expect(budgets).toMatchObject([{ of: 'key', limits: { day } }])
    await ask(await as('ana@acme.example'), 'POST', `/v1/sessions/${first.session_id}/cancel`, { body: {} })
  })
})

test('a stream ends with the token that opened it, and so does a socket', async ({ expect }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ask } = await tenantOf()
  const boss = { authorization: 'Bearer boss-key' }
  const { id } = await json<SessionData>(ask(boss, 'POST', '/v1/sessions', { body: { title: 'x' } }), 201)
  const hourLong = shown('authorization', await sign(claims({ exp: NOW() + 3_600 })))
  const watch = (headers: Record<string, string>, path: string) => ask({ ...hourLong, ...headers }, 'GET', path)
  const stream = await watch({ accept: 'text/event-stream' }, `/v1/sessions/${id}/events`)
  const { webSocket: socket } = await watch({ upgrade: 'websocket' }, `/v1/sessions/${id}/ws`)
  socket?.accept()
  const frames: string[] = []
  socket?.addEventListener('message', ({ data }) => void frames.push(String(data)))
  const closed = new Promise<number>((resolve) => socket?.addEventListener('close', ({ code }) => resolve(code)))
  vi.setSystemTime(Date.now() + 2 * 3_600_000)
  await problem(watch({}, `/v1/sessions/${id}`), 401)
  await ask(boss, 'PATCH', `/v1/sessions/${id}`, { body: { title: 'a secret' } })
  expect(await closed).toBe(1008)
  expect(frames.join()).not.toContain('session-update')
  expect(await stream.text()).not.toContain('session-update')
})

test('a token of the one door does not open the other', async () => {
  const { ask } = await tenantOf()
  for (const [made, door] of [
    ['authorization', 'cf-access-jwt-assertion'],
    ['cf-access-jwt-assertion', 'authorization'],
  ] as const) {
    await problem(ask(shown(door, await sign(goodFor(made))), 'GET', '/v1/sessions'), 401)
  }
})

describe('a sign-in of Cloudflare Access, which a browser sends along by itself', () => {
  const access = async () => shown('cf-access-jwt-assertion', await sign(goodFor('cf-access-jwt-assertion')))

  test.for([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is no way in for a page of another origin: %j', async (from, { expect }) => {
    const { ask, sessions } = await tenantOf()
    const headers = { ...(await access()), ...from }
    for (const [method, body] of [['POST', { title: 'x' }], ['GET']] as const)
      expect(await problem(ask(headers, method, '/v1/sessions', { body }), 403)).toMatchObject({ code: 'forbidden' })
    expect(await sessions()).toEqual([])
  })

  test.for([
    {},
    { origin: 'http://localhost' },
    { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('is one for a page of the server, and for a program: %j', async (from, { expect }) => {
    const { ask } = await tenantOf()
    const made = await ask({ ...(await access()), ...from }, 'POST', '/v1/sessions', { body: { title: 'x' } })
    expect(made.status).toBe(201)
  })

  test('does not take the place of a key that is shown on purpose', async ({ expect }) => {
    const { ask } = await tenantOf()
    const headers = { ...(await access()), authorization: 'Bearer boss-key', 'sec-fetch-site': 'cross-site' }
    expect((await ask(headers, 'GET', '/v1/keys')).status).toBe(200)
  })
})
