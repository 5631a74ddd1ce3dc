import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { ADMIN_KEY } from '../../support/admin-key.ts'
import { env } from '../session/worker-home.ts'
import { call, newSession, problem, stage } from './http.ts'

const configWith = (more: object) => JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), ...more })
/** Without a key, to the server that all tests share. */
const unkeyed = (method: string, path: string, headers: Record<string, string>) =>
  call(method, path, { headers: { ...headers, authorization: '' } })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('a server on this machine', () => {
  test('is served by each of its names', async ({ expect }) => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:8787', '127.0.0.1:9']) {
      expect([host, (await call('GET', '/v1/tools', { host })).status]).toEqual([host, 200])
    }
  })

  test('lets nobody in for coming from there', async ({ expect }) => {
    for (const headers of [
      {},
      { host: 'localhost' },
      { 'x-forwarded-for': '127.0.0.1' },
      { origin: 'http://localhost' },
    ])
      expect(await problem(unkeyed('GET', '/v1/tools', headers), 401)).toMatchObject({ code: 'unauthorized' })
  })

  test.for(['evil.example', '192.168.0.7', 'localhost.evil.example', '127.0.0.1.evil.example', '[::2]', 'yaa'])(
    'a foreign Host is 403, with a key too: %s',
    async (host, { expect }) => {
      for (const path of ['/v1/tools', '/docs', '/openapi.json', '/no/such/path']) {
        const refused = await call('GET', path, { host: 'localhost', headers: { host } })
        expect(await problem(refused, 403)).toMatchObject({ code: 'forbidden' })
      }
      const open = await Promise.all(
        ['/healthz', '/assets/none-ABCDEFGH.js', '/hooks/whk_none'].map((path) =>
          call('GET', path, { headers: { host } }),
        ),
      )
      expect(open.map(({ status }) => status)).not.toContain(403)
    },
  )

  test('goes by its public_url too', async ({ expect }) => {
    const YAA_CONFIG = configWith({ public_url: 'https://yaa.example/base' })
    const answer = (host: string, origin: string) =>
      call('GET', '/v1/tools', { host, headers: { origin }, env: { YAA_CONFIG } })
    expect((await answer('yaa.example', 'https://yaa.example')).status).toBe(200)
    expect((await answer('localhost:8787', 'https://yaa.example')).status).toBe(200)
    expect((await answer('other.example', 'https://yaa.example')).status).toBe(403)
  })

  test.for([
    'https://evil.example',
    'http://localhost.evil.example',
    'null',
    'http://192.168.0.7',
    'http://localhost:3000',
    'http://localhost:8787/',
  ])('a foreign Origin is 403, with a key too: %s', async (origin, { expect }) => {
    const refused = await call('POST', '/v1/sessions', { host: 'localhost:8787', body: {}, headers: { origin } })
    expect(await problem(refused, 403)).toMatchObject({ code: 'forbidden' })
  })

  test('its own Origin is served, also as what ends TLS before it names it', async ({ expect }) => {
    for (const origin of ['http://localhost:8787', 'https://localhost:8787']) {
      const answer = await call('GET', '/v1/tools', { host: 'localhost:8787', headers: { origin } })
      expect([origin, answer.status]).toEqual([origin, 200])
    }
  })

  test('no CORS header is sent', async ({ expect }) => {
    const answer = await call('GET', '/healthz', { headers: { origin: 'https://evil.example' } })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('a server without any way in', () => {
  test.for([
    { YAA_LOCAL: '1', YAA_CONFIG: configWith({ auth: {} }) },
    { YAA_LOCAL: '' },
    { YAA_LOCAL: '', YAA_API_KEY: 'fifteen letters' },
    { YAA_LOCAL: '', YAA_CONFIG: configWith({ auth: { keys: [], jwt: [] } }) },
  ])('answers 503 not_configured to everything but /healthz: %j', async (about, { expect }) => {
    const closed = { YAA_API_KEY: '', ...about }
    for (const [method, path] of [
      ['GET', '/v1/tools'],
      ['POST', '/v1/sessions'],
      ['POST', '/v1/agent'],
      ['POST', '/'],
      ['GET', '/docs'],
      ['GET', '/docs/errors'],
      ['GET', '/openapi.json'],
      ['GET', '/no/such/path'],
      ['GET', '/hooks/whk_01arz3ndektsv4rrffq69g5fav'],
    ] as const) {
      const headers = bearer(closed.YAA_API_KEY)
      const refused = call(method, path, { env: closed, headers, ...(method === 'POST' ? { body: {} } : {}) })
      expect(await problem(refused, 503)).toMatchObject({ code: 'not_configured' })
    }
    expect((await call('GET', '/healthz', { env: closed })).status).toBe(200)
    // A door says it in its own shape.
    expect((await call('GET', '/.well-known/agent-card.json', { env: closed })).status).toBe(503)
  })
})

describe('the console of a server that refuses', () => {
  const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const LINK = '/links/default.lnk_01arz3ndektsv4rrffq69g5fav.proof'
  const foreign = { headers: { ...HTML, host: 'evil.example' }, status: 403 }
  const closed = { headers: HTML, env: { YAA_LOCAL: '', YAA_API_KEY: '' }, status: 503 }

  test.for([foreign, closed])('comes under that status, by a link too: $status', async (about, { expect }) => {
    const [page, link] = [await call('GET', '/', about), await call('GET', LINK, about)]
    const html = await page.text()
    expect(html).toContain('<div id="app"')
    expect([page.status, link.status, await link.text()]).toEqual([about.status, about.status, html])
    for (const { headers } of [page, link]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
      })
      expect(headers.get('etag')).toBeNull()
    }
    expect(link.headers.get('vary')).toContain('Accept')
  })

  test.for([foreign, closed])(
    'has the same headers where they alone are asked for: $status',
    async (about, { expect }) => {
      for (const path of ['/', LINK]) {
        const [page, head] = [await call('GET', path, about), await call('HEAD', path, about)]
        const { 'x-request-id': _one, ...of } = Object.fromEntries(page.headers)
        const { 'x-request-id': _other, ...alone } = Object.fromEntries(head.headers)
        expect([path, head.status, alone, await head.text()]).toEqual([path, page.status, of, ''])
        await page.text()
      }
    },
  )

  test.for([foreign, closed])('is not what a program is told: $status', async ({ status, ...about }, { expect }) => {
    const headers = { ...about.headers, accept: 'application/json' }
    for (const [method, path] of [
      ['GET', LINK],
      ['POST', LINK],
      ['GET', `${LINK}/more`],
    ] as const)
      expect(await problem(call(method, path, { ...about, headers }), status)).toHaveProperty('code')
    await problem(call('POST', LINK, { ...about, body: { decision: 'approve' } }), status)
  })
})

test.for(['short', 'a secret of thirty-one letters.'])(
  'a YAA_SECRET that can be guessed serves nobody: %s',
  async (secret, { expect }) => {
    const about = { YAA_LOCAL: '', YAA_API_KEY: 'k-admin-of-16-and-more', YAA_SECRET: secret }
    for (const [method, path] of [
      ['GET', '/v1/tools'],
      ['POST', '/v1/sessions'],
      ['POST', '/v1/agent'],
      ['POST', '/'],
      ['GET', '/links/t.lnk_01arz3ndektsv4rrffq69g5fav.proof'],
      ['POST', '/hooks/whk_01arz3ndektsv4rrffq69g5fav'],
      ['GET', '/oauth/callback?state=one'],
    ] as const) {
      const headers = bearer(about.YAA_API_KEY)
      const refused = await call(method, path, { env: about, headers, ...(method === 'POST' ? { body: {} } : {}) })
      expect([path, refused.status]).toEqual([path, 503])
      const told = await problem(refused, 503)
      expect(told).toMatchObject({ code: 'not_configured', detail: expect.stringContaining('YAA_SECRET') })
    }
    expect((await call('GET', '/healthz', { env: about })).status).toBe(200)
  },
)

describe('with YAA_API_KEY', () => {
  const keyed = { YAA_API_KEY: 'k-admin-of-16-and-more', YAA_LOCAL: '' }

  test('it is asked for in either scheme, from wherever', async ({ expect }) => {
    for (const authorization of [
      'Bearer k-admin-of-16-and-more',
      'bearer k-admin-of-16-and-more',
      'YAA-API-KEY k-admin-of-16-and-more',
    ]) {
      const answer = await call('GET', '/v1/tools', { env: keyed, host: 'yaa.example', headers: { authorization } })
      expect([authorization, answer.status]).toEqual([authorization, 200])
    }
  })

  test.for([
    '',
    'Bearer',
    'Bearer k-admi',
    'Bearer k-admin-of-16-and-more2',
    'Basic k-admin-of-16-and-more',
    'k-admin-of-16-and-more',
    'Bearer k-admin-of-16-and-more x',
  ])('anything else is 401: %j', async (authorization, { expect }) => {
    const refused = await call('GET', '/v1/tools', { env: keyed, headers: { authorization } })
    expect(refused.headers.get('www-authenticate')).toMatch(/Bearer/)
    expect(await problem(refused, 401)).toMatchObject({ code: 'unauthorized' })
  })

  test('/healthz stays open, and a path that is not there tells nothing', async ({ expect }) => {
    expect((await call('GET', '/healthz', { env: keyed })).status).toBe(200)
    expect((await call('GET', '/v1/sessions', { env: keyed })).status).toBe(401)
    expect((await call('GET', '/v1/nowhere', { env: keyed })).status).toBe(401)
  })
})

describe('wrong keys from an address', () => {
  const ADDRESS = '2001:db8:1:2::1'
  const from = (address: string, key: string) =>
    call('GET', '/v1/tools', { env: { YAA_LOCAL: '' }, headers: { ...bearer(key), 'cf-connecting-ip': address } })

  test('wait after so many, the right one from there too, and no other address does', async ({ expect }) => {
    for (let count = 0; count < LIMITS.access.wrongKeysPerMinuteMax; count++)
      await problem(from(ADDRESS, `wrong-key-${count}`), 401)
    for (const [address, key] of [
      [ADDRESS, 'one-more-wrong-key'],
      ['2001:db8:1:2:ffff::7', ADMIN_KEY],
    ] as const) {
      const slowed = await from(address, key)
      expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await problem(slowed, 429)).toMatchObject({ code: 'rate_limited' })
    }
    expect((await from('2001:db8:1:3::1', ADMIN_KEY)).status).toBe(200)
    expect((await from('192.0.2.9', ADMIN_KEY)).status).toBe(200)
  })
})

describe('with keys in the config', () => {
  const withKeys = async () => {
    const keys = await Promise.all(
      (['run', 'read', 'decide', 'admin'] as const).map(async (scope) => ({
        id: scope,
        sha256: (await sha256Hex(`k-${scope}`)).toUpperCase(),
        scopes: [scope],
        tenant: scope === 'decide' ? 'other' : 'default',
      })),
    )
    return { YAA_CONFIG: JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys } }) }
  }
  const CALLS = [
    ['POST', '/v1/sessions', 'run'],
    ['GET', '/v1/sessions', 'read'],
    ['GET', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav', 'read'],
    ['PATCH', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav', 'run'],
    ['DELETE', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav', 'run'],
    ['POST', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav/messages', 'run'],
    ['POST', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav/cancel', 'run'],
    ['POST', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav/pending/pnd_x', 'decide'],
    ['GET', '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav/events', 'read'],
    ['POST', '/v1/agent', 'run'],
    ['POST', '/', 'run'],
    ['GET', '/v1/tools', 'read'],
    ['GET', '/v1/models', 'read'],
  ] as const

  test.for(CALLS)('%s %s needs scope %s, or admin', async ([method, path, needed], { expect }) => {
    const keys = await withKeys()
    const statuses = await Promise.all(
      ['run', 'read', 'decide', 'admin'].map(async (scope) => {
        const headers = bearer(`k-${scope}`)
        const answer = await call(method, path, { env: keys, headers, ...(method === 'GET' ? {} : { body: {} }) })
        await answer.body?.cancel()
        return [scope, answer.status === 403 ? 'refused' : answer.status === 401 ? 'unknown' : 'taken']
      }),
    )
    const expected = ['run', 'read', 'decide', 'admin'].map((scope) => [
      scope,
      scope === needed || scope === 'admin' ? 'taken' : 'refused',
    ])
    expect(statuses).toEqual(expected)
  })

  test('a tenant sees its own sessions only', async ({ expect }) => {
    const { id } = await newSession(await stage())
    const keys = await withKeys()
    const own = await call('GET', `/v1/sessions/${id}`, { env: keys, headers: bearer('k-read') })
    expect(own.status).toBe(200)
    const path = `/v1/sessions/${id}/pending/pnd_x`
    const foreign = call('POST', path, { env: keys, headers: bearer('k-decide'), body: { decision: 'reject' } })
    expect(await problem(foreign, 404)).toMatchObject({ code: 'not_found' })
  })
})

describe('with origins configured', () => {
  const shared = {
    YAA_API_KEY: 'k-of-16-characters',
    YAA_CONFIG: JSON.stringify({ cors: { origins: ['https://app.example'] } }),
  }

  test('they may ask from a browser, others may not', async ({ expect }) => {
    const preflight = await call('OPTIONS', '/v1/sessions', {
      env: shared,
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(preflight.headers.get('access-control-allow-methods')).not.toContain('QUERY')
    const known = { env: shared, headers: bearer('k-of-16-characters') }
    const plain = await call('OPTIONS', '/v1/sessions', known)
    expect([plain.status, plain.headers.get('allow')]).toEqual([204, expect.stringContaining('POST')])
    expect((await call('OPTIONS', '/v1/nothing', known)).status).toBe(404)
    const answer = await call('GET', '/v1/tools', {
      env: shared,
      headers: { ...bearer('k-of-16-characters'), origin: 'https://app.example' },
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example')
    const foreign = await call('GET', '/v1/tools', {
      env: shared,
      headers: { ...bearer('k-of-16-characters'), origin: 'https://evil.example' },
    })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    await problem(foreign, 403)
  })
})
