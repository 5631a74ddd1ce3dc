import { describe, test } from 'vitest'
import { LIMITS } from '../../../../src/domain/limits.ts'
import { loopback, page, redirectTo } from '../../net/loopback.ts'
import { content, json, reason, run, toolFor } from './world.ts'

describe('a request', () => {
  test('sends what it says and gives status, headers and body between marks', async ({ expect }) => {
    const site = await loopback(
      page('{"id":7}', { 'content-type': 'application/json', etag: '"e1"', 'set-cookie': 'a=b' }, 201),
    )
    const tool = toolFor({ allow: [site.host] })
    const args = {
      method: 'post',
      url: `${site.origin}/items?x=1`,
      headers: { 'X-Own': 'yes' },
      body: { name: '灯塔' },
    }
    const outcome = await run(tool, args, { callId: 'call_9' })
    if (!outcome.ok) throw new Error(outcome.reason)
    expect(outcome).toMatchObject({ untrusted: true })
    const [status, , marker = ''] = (outcome.content ?? '').split('\n')
    expect(status).toBe('Status: 201')
    expect(marker).toMatch(/^\[BEGIN RESPONSE CONTENT [0-9a-f]{16}\]$/)
    expect(outcome.content).toContain('etag: "e1"')
    expect(outcome.content).toContain('"id": 7')
    expect(outcome.content).not.toContain('a=b')
    expect(site.requests).toMatchObject([
      {
        method: 'POST',
        path: '/items?x=1',
        body: '{"name":"灯塔"}',
        headers: { 'x-own': 'yes', 'content-type': 'application/json', 'idempotency-key': 'call_9' },
      },
    ])
  })

  test('gives programs its status, headers and body, in both languages', async ({ expect }) => {
    for (const language of ['zh-CN', 'en'] as const) {
      const site = await loopback(page('{"id":7}', { 'content-type': 'application/json', etag: '"e1"' }, 201))
      const tool = toolFor({ allow: [site.host] })
      const given = await content(tool, { method: 'GET', url: site.origin }, { language })
      const headers = { 'content-type': 'application/json', etag: '"e1"' }
      expect(tool.resultValue?.(given)).toEqual({ ok: true, value: { status: 201, headers, body: { id: 7 } } })
    }
  })

  test.for<[string, Parameters<typeof loopback>[0], unknown]>([
    ['words', page('two\n\nparts', { 'content-type': 'text/plain' }), { ok: true, body: 'two\n\nparts' }],
    ['nothing', page('', { 'content-type': 'text/plain' }), { ok: true, body: '' }],
    ['a failure', page('{"ok":true}', { 'content-type': 'application/json' }, 503), { ok: false, status: 503 }],
    ['what is not there', page('no', {}, 404), { ok: false, status: 404 }],
    ['a status in words', page('Status: 503', { 'content-type': 'text/plain' }), { ok: true, body: 'Status: 503' }],
  ])('gives programs %s as such', async ([, answer, expected], { expect }) => {
    const site = await loopback(answer)
    const tool = toolFor({ allow: [site.host] })
    const found = tool.resultValue?.(await content(tool, { method: 'GET', url: site.origin }))
    expect(found?.ok ? { ok: true, body: Reflect.get(Object(found.value), 'body') } : found).toEqual(expected)
  })

  test('carries the id of its call as its key, whatever the model says', async ({ expect }) => {
    const site = await loopback(json({}))
    const tool = toolFor({ allow: [site.host] })
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      await content(tool, { method, url: site.origin }, { callId: 'call_k' })
    expect(site.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(7).fill('call_k'))
    expect(await reason(tool, { method: 'POST', url: site.origin, headers: { 'Idempotency-Key': 'mine' } })).toContain(
      'Idempotency-Key',
    )
    expect(site.requests).toHaveLength(7)
  })

  test('tells its risk and whether it may be made twice by its method and what it carries', ({ expect }) => {
    const tool = toolFor({})
    const url = 'https://api.example.com/'
    const of = (args: Record<string, unknown>) => [tool.riskOf(args), tool.isIdempotent(args)]
    expect(['GET', 'head', ' OPTIONS ', 'POST', 'PUT', 'patch', 'DELETE'].map((method) => of({ method, url }))).toEqual(
      [
        ['network', true],
        ['network', true],
        ['network', true],
        ['write', false],
        ['write', false],
        ['write', false],
        ['destructive', false],
      ],
    )
    expect(of({ method: 'GET', url: `${url}?k={{secret:TOKEN}}` })).toEqual(['write', true])
    expect(of({ method: 'GET', url, headers: { authorization: 'Bearer {{ secret : TOKEN }}' } })).toEqual([
      'write',
      true,
    ])
    expect(of({ method: 'DELETE', url, body: '{{secret:TOKEN}}' })).toEqual(['destructive', false])
    expect([of({}), of({ method: 7 }), of({ method: 'BREW' })]).toEqual([
      ['destructive', false],
      ['destructive', false],
      ['destructive', false],
    ])
    expect(tool.effects({ url: 'https://api.example.com/a?k={{ secret:X }}' }).addresses).toEqual([
      'https://api.example.com/a?k={{secret:X}}',
    ])
  })

  test('takes headers as an object, as JSON, or as lines', async ({ expect }) => {
    const site = await loopback(json({}))
    const tool = toolFor({ allow: [site.host] })
    for (const headers of [{ 'X-A': '1', 'X-B': 'b: c' }, '{"X-A":"1","X-B":"b: c"}', 'X-A: 1\nX-B: b: c\n'])
      await content(tool, { method: 'GET', url: site.origin, headers })
    for (const { headers } of site.requests) expect(headers).toMatchObject({ 'x-a': '1', 'x-b': 'b: c' })
  })

  test('is refused with what is wrong, and nothing is sent', async ({ expect }) => {
    const site = await loopback(json({}))
    const tool = toolFor({ allow: [site.host] })
    const url = site.origin
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.request.headersMax + 1 }, (_, index) => [`x-${index}`, 'x']),
    )
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ method: 'TRACE', url }, /^method: GET/],
      [{ method: 'CONNECT', url }, /^method/],
      [{ method: 'GET', url: 'ftp://example.com/' }, /^url/],
      [{ method: 'GET', url: `${url}/${'x'.repeat(LIMITS.web.urlCharsMax)}` }, /^url/],
      [{ method: 'GET', url, body: 'x' }, /has no body/],
      [{ method: 'POST', url, body: 'x'.repeat(LIMITS.request.bodyCharsMax + 1) }, /^body/],
      [{ method: 'GET', url, headers: many }, /too many headers/],
      ...[
        'Host',
        'content-length',
        'Connection',
        'Transfer-Encoding',
        'TE',
        'Upgrade',
        'Proxy-Authorization',
        'X-Forwarded-For',
        'CF-Connecting-IP',
        'Sec-Fetch-Site',
        'bad name',
        'x:y',
        '',
      ].map((name): [Record<string, unknown>, RegExp] => [{ method: 'GET', url, headers: { [name]: 'x' } }, /header/]),
      [{ method: 'GET', url, headers: { 'x-a': 'a\r\nx-b: c' } }, /header x-a/],
      [{ method: 'GET', url, headers: { 'x-a': 'x'.repeat(LIMITS.request.headerCharsMax + 1) } }, /header x-a/],
      [{ method: 'GET', url, headers: { 'x-a': '1', 'X-A': '2' } }, /header X-A/],
      [{ method: 'GET', url, cookies: 'x' }, /cookies/],
    ]
    for (const [args, said] of cases) expect(await reason(tool, args), JSON.stringify(args).slice(0, 100)).toMatch(said)
    expect(site.requests).toEqual([])
  })

  test('reaches no private address', async ({ expect }) => {
    const site = await loopback(json({}))
    const tool = toolFor({})
    for (const url of [
      site.origin,
      'http://169.254.169.254/latest/',
      'http://[::1]/',
      'http://0x7f000001/',
      'http://localhost/',
    ])
      expect(await reason(tool, { method: 'POST', url, body: '{}' })).toContain('not allowed')
    expect(site.requests).toEqual([])
  })

  test('of any status is an answer; a page comes as Markdown, bytes as type and size', async ({ expect }) => {
    const site = await loopback((request, response) => {
      if (request.url === '/page')
        return page('<h1>Title</h1><script>x</script><p>Text of the page.</p>')(request, response)
      if (request.url === '/png')
        return page(new Uint8Array([0x89, 0x50, 0x4e, 0x47]), { 'content-type': 'image/png' })(request, response)
      if (request.url === '/empty') return page('', {}, 204)(request, response)
      return page('no', { 'content-type': 'text/plain', 'retry-after': '7' }, 429)(request, response)
    })
    const tool = toolFor({ allow: [site.host] })
    const get = (path: string) => content(tool, { method: 'GET', url: `${site.origin}${path}` })
    expect(await get('/busy')).toMatch(/^Status: 429\n[^]*retry-after: 7\n\nno/)
    expect(await get('/page')).toContain('# Title')
    expect(await get('/png')).toContain('not text: image/png, 4 B')
    expect(await get('/empty')).toContain('the body is empty')
  })

  test('whose answer is too large gives its beginning and says so', async ({ expect }) => {
    const site = await loopback(page('x'.repeat(50_000), { 'content-type': 'text/plain' }))
    const given = await content(toolFor({ allow: [site.host], bodyBytesMax: 2_048 }), {
      method: 'GET',
      url: site.origin,
    })
    expect(given).toContain('over the limit of 2 KiB')
    expect(given.length).toBeLessThan(3_000)
  })

  test('that broke off says that it may have had its effect, if it could have one', async ({ expect }) => {
    const site = await loopback((_request, response) => response.destroy())
    const tool = toolFor({ allow: [site.host] })
    expect(await reason(tool, { method: 'POST', url: site.origin })).toContain('may have had its effect')
    expect(await reason(tool, { method: 'GET', url: site.origin })).not.toContain('may have had')
    expect(await reason(tool, { method: 'POST', url: site.origin }, { language: 'zh-CN' })).toContain('可能已经生效')
  })

  test('with an effect follows no redirect; a read does', async ({ expect }) => {
    const target = await loopback(json({ here: true }))
    const site = await loopback(redirectTo(`${target.origin}/there`, 307))
    const tool = toolFor({ allow: [site.host, target.host] })
    const told = await content(tool, { method: 'POST', url: site.origin, body: '{"private":1}' })
    expect(told).toContain('not followed')
    expect(told).toContain(`location: ${target.origin}/there`)
    expect(target.requests).toEqual([])
    expect(await content(tool, { method: 'GET', url: site.origin })).toContain(`url: ${target.origin}/there`)
    expect(target.requests).toHaveLength(1)
  })
})
