import { describe, test } from 'vitest'
import { call, problem } from './http.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const KEYED = { YAA_LOCAL: '', YAA_API_KEY: 'a key of this test' }

const linked = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)

describe('the console', () => {
  test('is a page at / that loads files of its own only', async ({ expect }) => {
    const answer = await call('GET', '/', { headers: HTML })
    const html = await answer.text()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(linked(html).length).toBeGreaterThan(1)
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/)
  })

  test('has a policy without a door: no inline script or style, no eval, no frame around it', async ({ expect }) => {
    const { headers } = await call('GET', '/', { headers: HTML })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('opens without a key, its data does not', async ({ expect }) => {
    const page = await call('GET', '/', { headers: HTML, env: KEYED })
    const [file = ''] = linked(await page.text())
    expect(page.status).toBe(200)
    expect((await call('GET', file, { env: KEYED })).status).toBe(200)
    await problem(call('GET', '/v1/sessions', { env: KEYED, headers: HTML }), 401)
  })

  test('comes again as 304 while it is the same', async ({ expect }) => {
    const first = await call('GET', '/', { headers: HTML })
    const etag = first.headers.get('etag') ?? ''
    await first.text()
    const again = await call('GET', '/', { headers: { ...HTML, 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(first.headers.get('cache-control')).toBe('no-cache')
  })

  test('leaves POST / to the stateless call', async ({ expect }) => {
    expect((await problem(call('POST', '/', { body: { messages: [] } }), 400)).code).toBe('no_user_message')
    const other = await problem(call('PUT', '/', { body: {} }), 405)
    expect(other.code).toBe('method_not_allowed')
  })
})

test('a link opens the page of the console in a browser, and tells nothing of the link by it', async ({ expect }) => {
  const [page, other] = [
    await call('GET', '/', { headers: HTML }),
    await call('GET', '/links/forged', { headers: HTML }),
  ]
  expect([other.status, await other.text()]).toEqual([200, await page.text()])
  await problem(call('GET', '/links/forged'), 404)
})

describe('the page of the API', () => {
  test('opens without a key, and names no other host', async ({ expect }) => {
    const answer = await call('GET', '/docs', { env: KEYED })
    const html = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    for (const path of linked(html))
      expect([path, (await call('GET', path, { env: KEYED })).status]).toEqual([path, 200])
  })

  test('shows a document that is open as well', async ({ expect }) => {
    const answer = await call('GET', '/openapi.json', { env: KEYED })
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'yaa' } })
  })

  test('shows a document that is not sent again to whoever has it', async ({ expect }) => {
    const etag = (await call('GET', '/openapi.json')).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const ask = (method: string, known: string) =>
      call(method, '/openapi.json', { headers: { 'if-none-match': known }, env: KEYED })
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('GET', known)
      expect([known, again.status, again.headers.get('etag'), await again.text()]).toEqual([known, 304, etag, ''])
    }
    expect((await ask('HEAD', etag)).status).toBe(304)
    expect((await ask('GET', '"other"')).status).toBe(200)
  })
})

test('pages bring their icon along, so that no browser asks for one that is not there', async ({ expect }) => {
  for (const path of ['/', '/docs']) {
    const answer = await call('GET', path, { headers: HTML })
    const icon = /<link rel="icon"[^>]* href="data:image\/svg\+xml,([^"]+)"/.exec(await answer.text())?.[1]
    expect([path, decodeURIComponent(icon ?? '')]).toEqual([path, expect.stringMatching(/^<svg [^]*<\/svg>$/)])
    expect(answer.headers.get('content-security-policy')).toMatch(/img-src 'self'[^;]* data:/)
  }
})

describe('an asset', () => {
  test('has its type, and is kept for ever under its name', async ({ expect }) => {
    const html = await (await call('GET', '/', { headers: HTML })).text()
    for (const path of linked(html)) {
      const answer = await call('GET', path)
      expect(answer.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect(answer.headers.get('cache-control')).toMatch(/immutable/)
      expect((await answer.text()).length).toBeGreaterThan(0)
      const again = await call('GET', path, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } })
      expect(again.status).toBe(304)
    }
  })

  test('that there is not is 404, however it is spelled', async ({ expect }) => {
    const paths = [
      '/assets/nothing-AAAAAAAA.js',
      '/assets/console.html',
      '/assets/%2e%2e%2fworker.js',
      '/assets/a/b.js',
      '/assets/',
    ]
    for (const path of paths) {
      const answer = await call('GET', path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('cache-control') ?? '').not.toMatch(/immutable/)
    }
  })

  test('room for charts may run its own script, and reaches nothing', async ({ expect }) => {
    const policy = (await call('GET', '/assets/diagram.html')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain('sandbox allow-scripts')
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).not.toMatch(/connect-src|img-src|allow-same-origin|script-src 'unsafe/)
  })
})
