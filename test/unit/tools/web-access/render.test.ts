import { describe, expect, test } from 'vitest'
import { serverConfigWith } from '../../../../src/domain/server-config.ts'
import type { WebRenderConfig } from '../../../../src/domain/web-config.ts'
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { rendererOf } from '../../../../src/tools/web-access/render.ts'
import { webAccess } from '../../../../src/tools/web-access/tool.ts'
import { PATIENCE_MS } from '../../../support/patience.ts'
import { toolContext } from '../../../support/tool-context.ts'
import { type Loopback, loopback, page } from '../../net/loopback.ts'

const SHELL = '<title>App</title><body><div id="root"></div><script src="/app.js"></script></body>'
const TEXT = 'The council met on Tuesday and agreed to build the bridge over the river. '
const SHOWN = `<title>App</title><main><h1>A bridge</h1><p>${TEXT.repeat(9)}</p></main>`
const PUBLIC = 'https://page.example'
const LISTED = 'wiki.staff.example:443'
const CLOUDFLARE = 'https://api.cloudflare.com'
const KEY = 'key-of-the-service-0123456789'
const ACCOUNT = '0123456789abcdef0123456789abcdef'

interface World {
  pages: Loopback
  service?: Loopback
  render?: WebRenderConfig
  key?: string | undefined
}

/** Names of the public web lead to servers on loopback. */
async function visit({ pages, service, render, key = KEY }: World, url = `${PUBLIC}/a?b=1`): Promise<string> {
  const publicFetch = (address: string, init?: RequestInit) =>
    fetch(
      address
        .replace(PUBLIC, pages.origin)
        .replace(`https://${LISTED.slice(0, -4)}`, pages.origin)
        .replace(CLOUDFLARE, service?.origin ?? ''),
      init,
    )
  const guard = { publicFetch, privateFetch: null, allowPrivateHosts: [pages.host, LISTED] }
  const renderer = rendererOf(render, guard, (name) => (name === 'RENDER_KEY' ? key : undefined))
  const tool = webAccess({
    fetch: createGuardedFetch(guard),
    now: () => 0,
    settings: { timeoutMs: PATIENCE_MS, bodyBytesMax: 1_000_000 },
    render: { timeoutMs: PATIENCE_MS, service: async () => renderer },
  })
  const parsed = tool.parse({ url })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  const outcome = await tool.run(parsed.value, toolContext())
  return outcome.ok ? (outcome.content ?? '') : outcome.reason
}

const custom = (url: string, more: Partial<WebRenderConfig> = {}): WebRenderConfig => ({
  provider: 'custom',
  url,
  ...more,
})

describe('a page that shows nothing without its scripts', () => {
  test('says that it needs a browser', async () => {
    const content = await visit({ pages: await loopback(page(SHELL)) })
    expect(content).toContain('Kind: empty shell, 90 % sure\nStatus: This page needs a browser')
  })

  test('is given as a service showed it, which is asked once, with the address in its place and its key', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page(`${SHOWN}<p>${KEY}</p>`))]
    const render = custom(`${service.origin}/show?of={url}`, { api_key_env: 'RENDER_KEY', key_header: 'x-key' })
    const content = await visit({ pages, service, render })
    expect(service.requests).toMatchObject([
      { method: 'GET', path: `/show?of=${encodeURIComponent(`${PUBLIC}/a?b=1`)}`, headers: { 'x-key': KEY } },
    ])
    expect(content).toMatch(
      /Status: This page needs a browser; what follows[^]*untrusted[^]*BEGIN PAGE CONTENT[^]*The council met/,
    )
    expect(content).not.toContain(KEY)
    expect(pages.requests.map(({ headers }) => headers['x-key'])).toEqual([undefined])
  })

  test('is read up to the limit where a service shows more', async () => {
    const [pages, service] = [
      await loopback(page(SHELL)),
      await loopback(page(SHOWN + `<p>${TEXT}</p>`.repeat(20_000))),
    ]
    const content = await visit({ pages, service, render: custom(`${service.origin}/{url}`) })
    expect(content).toContain('only its beginning was read')
    expect(content).toContain('what the rendering service saw')
    expect(content).toContain('The council met')
  })

  test('is shown by a service of its own network where it is on none else', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page(SHOWN))]
    expect(await visit({ pages, service, render: custom(`${service.origin}/render`) }, pages.origin)).toContain(
      'The council met',
    )
    expect(service.requests).toMatchObject([{ body: JSON.stringify({ url: `${pages.origin}/` }) }])
  })

  test('is told to a service without such a place as JSON', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page(SHOWN))]
    expect(await visit({ pages, service, render: custom(`${service.origin}/render`) })).toContain('The council met')
    expect(service.requests).toMatchObject([{ method: 'POST', body: JSON.stringify({ url: `${PUBLIC}/a?b=1` }) }])
  })

  test('is shown by Browser Rendering of a Cloudflare account', async () => {
    const answer = JSON.stringify({ success: true, result: SHOWN })
    const [pages, service] = [
      await loopback(page(SHELL)),
      await loopback(page(answer, { 'content-type': 'application/json' })),
    ]
    const render = { provider: 'cloudflare', account_id: ACCOUNT, api_key_env: 'RENDER_KEY' } as const
    expect(await visit({ pages, service, render })).toContain('The council met')
    expect(service.requests).toMatchObject([
      {
        path: `/client/v4/accounts/${ACCOUNT}/browser-rendering/content`,
        headers: { authorization: `Bearer ${KEY}` },
        body: expect.stringContaining(`"url":"${PUBLIC}/a?b=1"`),
      },
    ])
  })
})

describe('the service is of no help', () => {
  test('and the page says so', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page('no', {}, 503))]
    const content = await visit({ pages, service, render: custom(`${service.origin}/render`) })
    expect(content).toContain(
      'needs a browser: without its scripts there is nothing in it. The rendering service did not help: it answered with status 503.',
    )
  })

  test('where it shows no more', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page(SHELL))]
    const content = await visit({ pages, service, render: custom(`${service.origin}/render`) })
    expect(content).toContain('The rendering service saw no more.')
    expect(service.requests).toHaveLength(1)
  })
})

describe('what a service gives', () => {
  const FEW = `<p>You need to enable JavaScript to order. Our telephone number is 030 1234567.</p><script src="/a.js"></script>`

  test('does not stand for the page where it says no more', async () => {
    const wall = '<p>Just a moment … Checking your browser before you may see the site of the shop.</p>'
    const [pages, service] = [await loopback(page(FEW)), await loopback(page(wall))]
    const content = await visit({ pages, service, render: custom(`${service.origin}/render`) })
    expect(content).toContain('030 1234567')
    expect(content).not.toContain('Just a moment')
    expect(service.requests).toHaveLength(1)
  })

  test('is not read where it is no HTML', async () => {
    const error = JSON.stringify({ error: 'The quota of this account is used up until tomorrow. '.repeat(9) })
    const [pages, service] = [
      await loopback(page(SHELL)),
      await loopback(page(error, { 'content-type': 'application/json' })),
    ]
    const content = await visit({ pages, service, render: custom(`${service.origin}/render`) })
    expect(content).toContain('the answer of the service was not understood')
    expect(content).not.toContain('quota')
  })
})

describe('the service is not asked', () => {
  test('for a page that can be read', async () => {
    const [pages, service] = [await loopback(page(SHOWN)), await loopback(page(SHOWN))]
    await visit({ pages, service, render: custom(`${service.origin}/render`) })
    expect(service.requests).toEqual([])
  })

  test.for(['', 'https://wiki.staff.example/reset?token=1'])(
    'for an address that is not public, where it is on the public web itself: %s',
    async (address) => {
      const [pages, service] = [await loopback(page(SHELL)), await loopback(page(SHOWN))]
      const render = { provider: 'cloudflare', account_id: ACCOUNT, api_key_env: 'RENDER_KEY' } as const
      const content = await visit({ pages, service, render }, address || pages.origin)
      expect(content).toContain('not a public one')
      expect(service.requests).toEqual([])
    },
  )

  test('without the key that it wants', async () => {
    const [pages, service] = [await loopback(page(SHELL)), await loopback(page(SHOWN))]
    const render = custom(`${service.origin}/render`, { api_key_env: 'RENDER_KEY' })
    await visit({ pages, service, render, key: '' })
    expect(service.requests).toEqual([])
  })
})

describe('a config of a service', () => {
  const check = (render: object) =>
    serverConfigWith([]).safeParse({ web: { render: { provider: 'custom', ...render } } }).success

  test.each([
    { url: 'https://user:password@render.example/' },
    { url: 'https://render.example/', account_id: '0123456789abcdef0123456789abcdef' },
    { url: 'http://render.example/', api_key_env: 'KEY' },
    { url: 'https://render.example/', api_key_env: 'KEY', key_header: 'Content-Type' },
  ])('is refused: %j', (render) => expect(check(render)).toBe(false))

  test.each([
    { url: 'http://render.example/?u={url}' },
    { url: 'https://render.example/', api_key_env: 'KEY', key_header: 'x-key' },
    { url: 'http://127.0.0.1:3000/{url}', api_key_env: 'KEY' },
    { url: 'http://[::1]:3000/', api_key_env: 'KEY' },
  ])('is taken: %j', (render) => expect(check(render)).toBe(true))
})
