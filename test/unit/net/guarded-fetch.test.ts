import { PATIENCE_MS } from '../../support/patience.ts'
import { createServer, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { Fetch } from '../../../src/domain/ports.ts'
import { createGuardedFetch } from '../../../src/net/guarded-fetch.ts'
import { AddressRefused } from '../../../src/net/outcome.ts'
import type { GuardedInit } from '../../../src/net/outcome.ts'
import { loopback, page, redirectTo } from './loopback.ts'

const realFetch: Fetch = (url, init) => fetch(url, init)

function guard(...allowPrivateHosts: string[]) {
  return createGuardedFetch({ publicFetch: realFetch, privateFetch: null, allowPrivateHosts })
}

const within = (init: Partial<GuardedInit> = {}): GuardedInit => ({ timeoutMs: PATIENCE_MS, ...init })
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('an answer', () => {
  test('is given with status, headers, final address and bytes', async () => {
    const server = await loopback(page('你好', { 'x-one': '1' }, 404))
    const outcome = await guard(server.host)(`${server.origin}/a#b`, within())
    if (!outcome.ok) throw new Error(outcome.code)
    expect(outcome.response).toMatchObject({ status: 404, url: `${server.origin}/a#b` })
    expect(outcome.response.headers.get('x-one')).toBe('1')
    expect(textOf(outcome.response.bytes)).toBe('你好')
  })

  test('carries method, headers and body of the request', async () => {
    const server = await loopback(page('ok'))
    const init = within({ method: 'post', headers: { 'X-Key': 'k' }, body: '{"a":1}' })
    expect(await guard(server.host)(`${server.origin}/hook`, init)).toMatchObject({ ok: true })
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/hook', body: '{"a":1}' })
    expect(server.requests[0]?.headers['x-key']).toBe('k')
  })
})

describe('a private address', () => {
  test('that nobody listed is refused and gets no request', async () => {
    const server = await loopback(page('secret'))
    const outcome = await guard()(server.origin, within())
    expect(outcome).toEqual({ ok: false, code: 'address_refused', detail: 'private', redirects: 0 })
    expect(server.requests).toHaveLength(0)
  })

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1',
    'localhost',
    'LocalHost.',
    'a.localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.nip.io',
    'localtest.me',
    'user@127.0.0.1',
  ])('spelled %s gets no connection, by itself and after a redirect', async (host) => {
    const secret = await loopback(page('secret'))
    const address = `http://${host}:${secret.host.split(':')[1]}/`
    const server = await loopback(redirectTo(address))
    expect(await guard()(address, within())).toMatchObject({ code: 'address_refused', redirects: 0 })
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ code: 'address_refused', redirects: 1 })
    expect(secret.connections()).toBe(0)
    expect(server.connections()).toBe(1)
  })

  test('that is listed goes by the private way, any other by the public one', async () => {
    const ways: string[] = []
    const by =
      (name: string): Fetch =>
      async () => {
        ways.push(name)
        return new Response(name)
      }
    const fetchGuarded = createGuardedFetch({
      publicFetch: by('public'),
      privateFetch: by('private'),
      allowPrivateHosts: ['127.0.0.1:9002'],
    })
    await fetchGuarded('http://127.0.0.1:9002/', within())
    await fetchGuarded('http://example.com/', within())
    await fetchGuarded('http://127.0.0.1:9003/', within())
    expect(ways).toEqual(['private', 'public'])
  })
})

describe('a redirect', () => {
  test('is followed, and the final address told', async () => {
    const server = await loopback((request, response) =>
      (request.url === '/end' ? page('there') : redirectTo('/end'))(request, response),
    )
    const outcome = await guard(server.host)(`${server.origin}/start`, within())
    expect(outcome).toMatchObject({ ok: true, response: { url: `${server.origin}/end` } })
  })

  test.each(['http://[::ffff:127.0.0.1]', 'http://localhost', 'http://2130706433', '//0x7f.1', 'http://a:b@127.0.0.1'])(
    'to %s of an unlisted server is refused, and that server sees nothing',
    async (spelling) => {
      const secret = await loopback(page('secret'))
      const port = secret.host.split(':')[1]
      const server = await loopback(redirectTo(`${spelling}:${port}/`))
      const outcome = await guard(server.host)(server.origin, within())
      expect(outcome).toMatchObject({ ok: false, code: 'address_refused', redirects: 1 })
      expect(secret.requests).toHaveLength(0)
    },
  )

  test('chain that ends at a private address is refused at its last step', async () => {
    const secret = await loopback(page('secret'))
    const server = await loopback((request, response) =>
      redirectTo(request.url === '/3' ? secret.origin : `/${Number(request.url?.slice(1)) + 1}`)(request, response),
    )
    const outcome = await guard(server.host)(`${server.origin}/1`, within())
    expect(outcome).toMatchObject({ ok: false, code: 'address_refused', detail: 'private', redirects: 3 })
    expect(secret.requests).toHaveLength(0)
  })

  test.each([
    ['ftp://example.com/', 'address_refused'],
    ['javascript:alert(1)', 'address_refused'],
    ['http://[bad', 'bad_redirect'],
  ])('to %s is %s', async (location, code) => {
    const server = await loopback(redirectTo(location))
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ ok: false, code })
  })

  test.each([
    ['relative', 'end?q=1', '/a/end?q=1'],
    ['an absolute path', '/end', '/end'],
    ['a query alone', '?q=1', '/a/start?q=1'],
    ['without a scheme', '//HOST/end', '/end'],
    ['in UTF-8, which headers are not', '/终点?词=é', '/%E7%BB%88%E7%82%B9?%E8%AF%8D=%C3%A9'],
    ['in Latin-1', '/caf\u00e9', '/caf%C3%A9'],
    ['with white space around it', '  /end  ', '/end'],
  ])('may be %s', async (_, location, path) => {
    const server = await loopback((request, response) => {
      if (request.url !== '/a/start') return page('there')(request, response)
      const encoding = location.includes('终') ? 'utf8' : 'latin1'
      const head = `HTTP/1.1 302 Found\r\nlocation: ${location.replace('HOST', server.host)}\r\ncontent-length: 0\r\n\r\n`
      request.socket.end(Buffer.from(head, encoding))
    })
    const outcome = await guard(server.host)(`${server.origin}/a/start`, within())
    expect(outcome).toMatchObject({ ok: true, response: { url: `${server.origin}${path}` } })
    expect(server.requests[1]?.path).toBe(path)
  })

  test('with an empty Location leads back to where it came from, and ends after five', async () => {
    const server = await loopback(redirectTo(''))
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ code: 'too_many_redirects' })
  })

  test('from https to http is one to another origin', async () => {
    const sent: [string, unknown][] = []
    const publicFetch: Fetch = async (url, init) => {
      sent.push([url, init?.headers])
      return url.startsWith('https:')
        ? new Response('', { status: 302, headers: { location: 'http://example.com/' } })
        : new Response('plain')
    }
    const fetchGuarded = createGuardedFetch({ publicFetch, privateFetch: null, allowPrivateHosts: [] })
    await fetchGuarded('https://example.com/', within({ headers: { authorization: 'Bearer k' } }))
    expect(sent).toEqual([
      ['https://example.com/', { authorization: 'Bearer k' }],
      ['http://example.com/', {}],
    ])
  })

  test('to another origin and back brings no header back', async () => {
    const other = await loopback((_, response) => redirectTo(`${server.origin}/end`)(_, response))
    const server = await loopback((request, response) =>
      (request.url === '/end' ? page('end') : redirectTo(other.origin))(request, response),
    )
    await guard(server.host, other.host)(`${server.origin}/`, within({ headers: { cookie: 'c=1' } }))
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual(['c=1', undefined])
  })

  test('for ever ends after five', async () => {
    const server = await loopback(redirectTo('/again'))
    const outcome = await guard(server.host)(server.origin, within())
    expect(outcome).toMatchObject({ ok: false, code: 'too_many_redirects', redirectsMax: 5 })
    expect(server.requests).toHaveLength(6)
  })

  test('is an answer where none may be followed', async () => {
    const server = await loopback(redirectTo('/elsewhere'))
    const outcome = await guard(server.host)(server.origin, within({ maxRedirects: 0 }))
    expect(outcome).toMatchObject({ ok: true, response: { status: 302 } })
    expect(server.requests).toHaveLength(1)
  })

  test('without a Location is an answer', async () => {
    const server = await loopback(page('odd', {}, 302))
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ ok: true, response: { status: 302 } })
  })

  test('to another origin carries no header of ours, to the same one all of them', async () => {
    const other = await loopback(page('end'))
    const server = await loopback((request, response) =>
      redirectTo(request.url === '/' ? '/same' : other.origin)(request, response),
    )
    const headers = { Authorization: 'Bearer k', Cookie: 'c=1', 'X-Custom': 'x', Accept: 'text/html' }
    await guard(server.host, other.host)(`${server.origin}/`, within({ headers }))
    expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer k', cookie: 'c=1', 'x-custom': 'x' })
    const carried = other.requests[0]?.headers ?? {}
    expect([carried.authorization, carried.cookie, carried['x-custom']]).toEqual([undefined, undefined, undefined])
    expect(carried.accept).toBe('text/html')
  })

  test.each([
    ['POST', 301, 'GET', ''],
    ['POST', 302, 'GET', ''],
    ['POST', 303, 'GET', ''],
    ['PUT', 303, 'GET', ''],
    ['PUT', 302, 'PUT', 'data'],
    ['POST', 307, 'POST', 'data'],
    ['POST', 308, 'POST', 'data'],
    ['HEAD', 303, 'HEAD', ''],
  ])('of a %s by %i becomes a %s with body "%s"', async (method, status, followed, body) => {
    const server = await loopback((request, response) =>
      (request.url === '/end' ? page('x') : redirectTo('/end', status))(request, response),
    )
    const sent = method === 'HEAD' ? { method } : { method, body: 'data', headers: { 'content-type': 'text/plain' } }
    await guard(server.host)(`${server.origin}/`, within(sent))
    expect(server.requests[1]).toMatchObject({ method: followed, body })
    expect(server.requests[1]?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
  })
})

/** Timers stand still until a test turns them. */
function stillTimers(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())
}

describe('time', () => {
  stillTimers()
  const TIME_MS = 1_000
  const inTime = within({ timeoutMs: TIME_MS })
  const pass = () => void vi.advanceTimersByTime(TIME_MS)

  test('is up for a server that never answers: a timeout of the headers', async () => {
    const server = await loopback(pass)
    const outcome = await guard(server.host)(server.origin, inTime)
    expect(outcome).toMatchObject({ ok: false, code: 'timeout', detail: 'headers', timeoutMs: TIME_MS })
  })

  test('is up for a body that never ends: a timeout of the body', async () => {
    const server = await loopback((_, response) => response.write('<p>begin'))
    const publicFetch: Fetch = async (url, init) => {
      const response = await realFetch(url, init)
      setImmediate(pass)
      return response
    }
    const fetchGuarded = createGuardedFetch({ publicFetch, privateFetch: null, allowPrivateHosts: [server.host] })
    expect(await fetchGuarded(server.origin, inTime)).toMatchObject({ ok: false, code: 'timeout', detail: 'body' })
  })

  test('is up for a body that ignores the signal', async () => {
    const deaf: Fetch = async () => {
      setImmediate(pass)
      return new Response(new ReadableStream())
    }
    const fetchGuarded = createGuardedFetch({ publicFetch: deaf, privateFetch: null, allowPrivateHosts: [] })
    const outcome = await fetchGuarded('http://example.com/', inTime)
    expect(outcome).toMatchObject({ ok: false, code: 'timeout', detail: 'body' })
  })

  test('runs from the call to the end, redirects included', async () => {
    const server = await loopback((request, response) => {
      vi.advanceTimersByTime(TIME_MS / 5)
      if (request.url !== '/5') redirectTo(`/${Number(request.url?.slice(1)) + 1}`)(request, response)
    })
    const outcome = await guard(server.host)(`${server.origin}/1`, inTime)
    expect(outcome).toMatchObject({ ok: false, code: 'timeout', detail: 'headers', redirects: 4 })
  })
})

describe('limits', () => {
  test('the caller can give up', async () => {
    const caller = new AbortController()
    const server = await loopback(() => caller.abort())
    const outcome = await guard(server.host)(server.origin, within({ signal: caller.signal }))
    expect(outcome).toMatchObject({ ok: false, code: 'cancelled' })
  })

  test('a body without end is cut at the cap and its connection closed', async () => {
    const closed = Promise.withResolvers<boolean>()
    const server = await loopback((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      response.on('close', () => closed.resolve(true))
      more()
    })
    const outcome = await guard(server.host)(server.origin, within({ bodyBytesMax: 100_000 }))
    if (outcome.ok || outcome.code !== 'too_large') throw new Error('not cut')
    expect(outcome.partial.bytes).toHaveLength(100_000)
    expect(await closed.promise).toBe(true)
  })

  test('a body of exactly the cap is whole', async () => {
    const server = await loopback(page('x'.repeat(1_000)))
    const outcome = await guard(server.host)(server.origin, within({ bodyBytesMax: 1_000 }))
    expect(outcome).toMatchObject({ ok: true, response: { bytes: { byteLength: 1_000 } } })
  })

  test('a gzip bomb is counted in decoded bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024))
    expect(bomb.length).toBeLessThan(100_000)
    const server = await loopback(page(bomb, { 'content-encoding': 'gzip' }))
    const outcome = await guard(server.host)(server.origin, within({ bodyBytesMax: 1_000_000 }))
    if (outcome.ok || outcome.code !== 'too_large') throw new Error('not cut')
    expect(outcome.partial.bytes).toHaveLength(1_000_000)
  })
})

describe('a broken connection', () => {
  const brokenOnce = () => {
    let isBroken = false
    return loopback((request, response) => {
      if (isBroken) return page('back again')(request, response)
      isBroken = true
      request.socket.destroy()
    })
  }

  test('before the headers is tried once more, if all that was asked is to read', async () => {
    const server = await brokenOnce()
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ ok: true, response: { status: 200 } })
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  describe('after a while', () => {
    stillTimers()

    test('is not tried again: the server had worked on it', async () => {
      const server = await loopback((request) => {
        vi.advanceTimersByTime(LIMITS.web.lostAtOnceMs)
        request.socket.destroy()
      })
      const sent = guard(server.host)(server.origin, within())
      expect(await sent).toMatchObject({ ok: false, code: 'unreachable' })
      expect(server.requests).toHaveLength(1)
    })
  })

  test('is never tried again for a request that may change something', async () => {
    const server = await brokenOnce()
    const sent = guard(server.host)(server.origin, within({ method: 'POST', body: 'x' }))
    expect(await sent).toMatchObject({ ok: false, code: 'unreachable' })
    expect(server.requests.map(({ method }) => method)).toEqual(['POST'])
  })

  test('before the headers is unreachable', async () => {
    const server = await loopback((request) => request.socket.destroy())
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ ok: false, code: 'unreachable' })
    expect(server.requests).toHaveLength(2)
  })

  test('in the body is unreachable', async () => {
    const server = await loopback((request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('half', () => request.socket.destroy())
    })
    expect(await guard(server.host)(server.origin, within())).toMatchObject({ ok: false, code: 'unreachable' })
  })

  test('a closed port and an answer that is not HTTP are unreachable', async () => {
    const server = createServer((socket) => socket.end('not http\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await guard(host)(`http://${host}/`, within())).toMatchObject({ ok: false, code: 'unreachable' })
    expect(await guard('127.0.0.1:1')('http://127.0.0.1:1/', within())).toMatchObject({ code: 'unreachable' })
  })
})

test('a way out that finds a private address behind a public name refuses it as such, after redirects too', async () => {
  const server = await loopback(redirectTo('http://rebound.example/'))
  const publicFetch: Fetch = async () => {
    throw new AddressRefused('private')
  }
  const fetchGuarded = createGuardedFetch({ publicFetch, privateFetch: realFetch, allowPrivateHosts: [server.host] })
  expect(await fetchGuarded('http://rebound.example/', within())).toMatchObject({
    ok: false,
    code: 'address_refused',
    detail: 'private',
    redirects: 0,
  })
  expect(await fetchGuarded(server.origin, within())).toMatchObject({ code: 'address_refused', redirects: 1 })
})

describe('without the check of addresses', () => {
  test('nothing is sent', async () => {
    vi.resetModules()
    vi.doMock('../../../src/net/address.ts', () => {
      throw new Error('not there')
    })
    onTestFinished(() => {
      vi.doUnmock('../../../src/net/address.ts')
      vi.resetModules()
    })
    const unguarded = await import('../../../src/net/guarded-fetch.ts')
    const publicFetch = vi.fn<Fetch>()
    const ports = { publicFetch, privateFetch: publicFetch, allowPrivateHosts: [] }
    const outcome = await unguarded.createGuardedFetch(ports)('https://example.com/', within())
    expect(outcome).toMatchObject({ ok: false, code: 'unreachable' })
    await expect(unguarded.createFetchLike(ports)('https://example.com/')).rejects.toThrow()
    expect(publicFetch).not.toHaveBeenCalled()
  })
})
