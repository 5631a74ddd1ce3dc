import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { KEYS_AWAY, Tokens } from '../../../src/access/tokens.ts'
import type { JwtConfig } from '../../../src/domain/auth-config.ts'
import { LIMITS } from '../../../src/domain/limits.ts'

const ISSUER = 'https://issuer.example'
const NOW = () => Math.floor(Date.now() / 1_000)

let pair: CryptoKeyPair
let stranger: CryptoKeyPair
let server: Server
let jwksUrl: string
let asked = 0

beforeAll(async () => {
  pair = await generateKeyPair('ES256')
  stranger = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }]
  server = createServer((request, response) => {
    asked++
    if (request.url === '/moved') response.writeHead(302, { location: '/keys' }).end()
    else if (request.url === '/long') response.end(JSON.stringify({ keys, more: 'x'.repeat(300_000) }))
    else if (request.url === '/page') response.end('[]')
    else response.end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const config = (more: Partial<JwtConfig> = {}): JwtConfig => ({
  issuer: ISSUER,
  audience: 'yaa',
  jwks_url: jwksUrl,
  scopes: ['read'],
  ...more,
})
const tokensOf = (...jwt: JwtConfig[]) => new Tokens({ jwt }, (url, init) => fetch(url, init))

const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: ISSUER,
  aud: 'yaa',
  sub: 'ana',
  exp: NOW() + 60,
  ...more,
})
const sign = (payload: JWTPayload, { key = pair.privateKey, kid = 'one' } = {}) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(key)

describe('a token of a configured issuer', () => {
  test('speaks for its subject, and its keys are fetched once', async ({ expect }) => {
    const tokens = tokensOf(config())
    const before = asked
    for (let times = 0; times < 3; times++) {
      const exp = NOW() + 60
      expect(await tokens.ofBearer(await sign(claims({ exp })))).toEqual({
        subject: 'ana',
        account: 'token https://issuer.example ana',
        tenant: 'default',
        scopes: ['read'],
        expiresTime: exp * 1_000 + LIMITS.access.clockToleranceMs,
      })
    }
    expect(asked - before).toBe(1)
  })

  test('has the scopes and the tenant that the config reads out of its claims', async ({ expect }) => {
    const mapped = config({
      scopes_claim: 'roles',
      scopes_map: { approver: 'decide', boss: 'admin' },
      tenant_claim: 'org',
    })
    const of = async (more: JWTPayload, jwt = mapped) => tokensOf(jwt).ofBearer(await sign(claims(more)))
    expect(await of({ roles: ['approver', 'constructor'], org: 'acme' })).toMatchObject({
      subject: 'ana',
      tenant: 'acme',
      scopes: ['read', 'decide'],
    })
    expect(await of({ roles: 'approver boss admin', org: 'acme' })).toMatchObject({
      scopes: ['read', 'decide', 'admin'],
    })
    expect(await of({ scope: 'run other' }, config({ scopes_claim: 'scope' }))).toMatchObject({
      scopes: ['read', 'run'],
    })
    for (const org of [undefined, '', 'a:b', '../x', 7]) expect(await of({ roles: [], org })).toBe(null)
  })
})

describe('a token that is none', () => {
  test('is refused: over, not yet, of others, for others, by others, for nobody', async ({ expect }) => {
    const tokens = tokensOf(config())
    const bad = [
      sign(claims({ exp: NOW() - 60 })),
      sign(claims({ exp: undefined as unknown as number })),
      sign(claims({ nbf: NOW() + 3_600 })),
      sign(claims({ aud: 'other' })),
      sign(claims({ iss: 'https://other.example' })),
      sign(claims({ sub: undefined as unknown as string })),
      sign(claims(), { key: stranger.privateKey }),
      sign(claims(), { kid: 'two' }),
    ]
    for (const token of await Promise.all(bad)) expect(await tokens.ofBearer(token)).toBe(null)
    for (const text of ['', 'a.b.c', 'yaa_default_x', `${await sign(claims())}x`]) {
      expect(await tokens.ofBearer(text)).toBe(null)
    }
  })

  test('is refused without a signature, or signed with what is public', async ({ expect }) => {
    const tokens = tokensOf(config())
    expect(await tokens.ofBearer(new UnsecuredJWT(claims()).encode())).toBe(null)
    const [, payload] = (await sign(claims())).split('.')
    const none = btoa(JSON.stringify({ alg: 'none', kid: 'one' })).replaceAll('=', '')
    expect(await tokens.ofBearer(`${none}.${payload}.`)).toBe(null)
    const spki = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.publicKey)))
    const hs = await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(spki)
    expect(await tokens.ofBearer(hs)).toBe(null)
  })

  test('is not known to be none where the keys cannot be had: elsewhere, too long, no list, or not at all', async ({
    expect,
  }) => {
    const urls = ['moved', 'long', 'page'].map((url) => jwksUrl.replace('keys', url))
    for (const url of [...urls, 'http://127.0.0.1:9/keys']) {
      const tokens = tokensOf(config({ jwks_url: url }))
      expect(await tokens.ofBearer(await sign(claims()))).toBe(KEYS_AWAY)
      const bad = [
        { exp: NOW() - 60 },
        { exp: undefined as unknown as number },
        { nbf: NOW() + 3_600 },
        { aud: 'other' },
        { iss: 'https://other.example' },
      ]
      for (const claim of bad) expect(await tokens.ofBearer(await sign(claims(claim)))).toBe(null)
      for (const text of ['a.b.c', new UnsecuredJWT(claims()).encode()]) expect(await tokens.ofBearer(text)).toBe(null)
    }
  })

  test('does not have its unknown keys fetched again and again', async ({ expect }) => {
    const tokens = tokensOf(config())
    await tokens.ofBearer(await sign(claims()))
    const before = asked
    for (let times = 0; times < 5; times++) await tokens.ofBearer(await sign(claims(), { kid: `x${times}` }))
    expect(asked - before).toBe(0)
  })
})

describe('an assertion of Cloudflare Access', () => {
  const access = { team_domain: 'acme.cloudflareaccess.com', audience: 'yaa', scopes: ['run' as const] }
  const tokens = () =>
    new Tokens({ access }, (url, init) => {
      if (url !== 'https://acme.cloudflareaccess.com/cdn-cgi/access/certs') throw new TypeError(`not ${url}`)
      return fetch(jwksUrl, init)
    })

  test('speaks for the person, or the service, that came through', async ({ expect }) => {
    const iss = 'https://acme.cloudflareaccess.com'
    const person = await sign(claims({ iss, email: 'ana@acme.example' }))
    expect(await tokens().ofAccess(person)).toMatchObject({
      subject: 'ana@acme.example',
      tenant: 'default',
      scopes: ['run'],
    })
    const service = await sign(claims({ iss, sub: '', common_name: 'robot' }))
    expect(await tokens().ofAccess(service)).toMatchObject({ subject: 'robot' })
    expect(await tokens().ofAccess(await sign(claims()))).toBe(null)
    expect(await tokens().ofBearer(person)).toBe(null)
  })
})
