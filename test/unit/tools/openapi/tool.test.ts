import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import type { ApiAuth, ApiOperation, ApiSource } from '../../../../src/domain/openapi-tools.ts'
import type { Tool, ToolContext } from '../../../../src/domain/tool.ts'
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { checkedDocument } from '../../../../src/openapi-tools/document.ts'
import { operationsIn } from '../../../../src/openapi-tools/operations.ts'
import { sourceFrom } from '../../../../src/openapi-tools/sources.ts'
import { execute } from '../../../../src/tools/define.ts'
import { ownCredentials } from '../../../../src/tools/openapi/credentials.ts'
import { operationTools } from '../../../../src/tools/openapi/tool.ts'
import { memoryFiles } from '../../../../src/store/memory-files.ts'
import { PATIENCE_MS } from '../../../support/patience.ts'
import { toolContext } from '../../../support/tool-context.ts'
import { loopback, page, redirectTo, type Loopback } from '../../net/loopback.ts'

const json = (value: unknown) => page(JSON.stringify(value), { 'content-type': 'application/json' })

interface Setting {
  auth?: ApiAuth
  secrets?: Record<string, { origin: string; value: string }>
  trustedOrigin?: string
  allow?: string[]
}

/** The tools of a document at a server of its own. */
function toolsOf(site: Pick<Loopback, 'origin' | 'host'>, document: unknown, given: Setting = {}) {
  const checked = checkedDocument(document)
  if (!checked.ok) throw new Error(checked.message)
  const api = operationsIn(checked.value, { url: null, baseUrl: site.origin, include: null })
  if (!api.ok) throw new Error(api.message)
  const source: ApiSource = {
    ...sourceFrom({ name: 'shop', auth: given.auth ?? null }),
    trustedOrigin: given.trustedOrigin ?? site.origin,
  }
  const guard = { publicFetch: fetch, privateFetch: null, allowPrivateHosts: [site.host, ...(given.allow ?? [])] }
  const secrets = Object.entries(given.secrets ?? {}).map(([name, { origin, value }]) => ({
    name,
    origin,
    value: () => value,
  }))
  const tools = operationTools(source, api, {
    fetch: createGuardedFetch(guard),
    credentials: ownCredentials(secrets),
    settings: { timeoutMs: PATIENCE_MS, bodyBytesMax: 100_000 },
  })
  return (name: string): Tool => {
    const tool = tools.find(({ id }) => id === `shop__${name}`)
    if (!tool) throw new Error(`no ${name} among ${tools.map(({ id }) => id).join()}`)
    return tool
  }
}

const run = (tool: Tool, args: Record<string, unknown>, context: Partial<ToolContext> = {}) =>
  execute(tool, args, toolContext(context))

const one = (path: string, method: string, operation: Record<string, unknown>) => ({
  openapi: '3.1.0',
  paths: { [path]: { [method]: { operationId: 'op', ...operation } } },
})

const parameter = (name: string, place: string, more: Record<string, unknown> = {}) => ({
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
  schema: {},
  ...more,
})

const payments = JSON.parse(readFileSync('test/fixtures/openapi/payments.json', 'utf8')) as unknown

describe('what an operation may do', () => {
  test.for([
    ['get', 'network', true],
    ['head', 'network', true],
    ['post', 'write', false],
    ['put', 'write', false],
    ['patch', 'write', false],
    ['delete', 'destructive', false],
  ] as const)('by %s is %s, whatever else its document says', ([method, risk, repeats], { expect }) => {
    const said = { 'x-risk': 'read', 'x-openai-isConsequential': false, 'x-idempotent': true, summary: 'only reads' }
    const op = toolsOf({ origin: 'https://a.example', host: 'a.example:443' }, one('/a', method, said))('op')
    expect([op.risk, op.riskOf({}), op.idempotent, op.isIdempotent({})]).toEqual([risk, risk, repeats, repeats])
  })
})

describe('a call of an operation', () => {
  test.for([
    ['a plain value', {}, 'a b/ü?', '/x/a%20b%2F%C3%BC%3F'],
    ['a list', {}, ['a', 'b'], '/x/a,b'],
    ['an object, exploded', { explode: true }, { a: 1, b: 2 }, '/x/a=1,b=2'],
    ['label', { style: 'label' }, 'a', '/x/.a'],
    ['matrix', { style: 'matrix' }, 'a', '/x/;id=a'],
    ['matrix, a list', { style: 'matrix', explode: true }, ['a', 'b'], '/x/;id=a;id=b'],
  ] as const)('writes %s into the path', async ([, more, value, path], { expect }) => {
    const site = await loopback(json({}))
    const op = toolsOf(site, one('/x/{id}', 'get', { parameters: [parameter('id', 'path', more)] }))('op')
    expect(await run(op, { id: value })).toMatchObject({ ok: true })
    expect(site.requests.map((request) => request.path)).toEqual([path])
    expect(op.effects({ id: value }).addresses).toEqual([site.origin + path])
  })

  test.for([
    ['form', {}, ['a', 'b'], 'q=a&q=b'],
    ['form, not exploded', { explode: false }, ['a', 'b'], 'q=a,b'],
    ['an object', {}, { a: 1, b: 'x y' }, 'a=1&b=x%20y'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, ['a', 'b'], 'q=a%20b'],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, ['a', 'b'], 'q=a%7Cb'],
    ['deepObject', { style: 'deepObject', explode: true }, { gt: 1, in: ['x'] }, 'q%5Bgt%5D=1&q%5Bin%5D%5B0%5D=x'],
    ['JSON', { content: { 'application/json': { schema: {} } } }, { a: [1] }, 'q=%7B%22a%22%3A%5B1%5D%7D'],
    ['reserved', { allowReserved: true }, 'a/b:c&d', 'q=a/b:c%26d'],
    ['true', {}, true, 'q=true'],
  ] as const)('writes %s into the query', async ([, more, value, query], { expect }) => {
    const site = await loopback(json({}))
    const op = toolsOf(site, one('/x', 'get', { parameters: [parameter('q', 'query', more)] }))('op')
    expect(await run(op, { q: value })).toMatchObject({ ok: true })
    expect(site.requests.map((request) => request.path)).toEqual([`/x?${query}`])
  })

  test('writes headers and cookies, and none that ends another', async ({ expect }) => {
    const site = await loopback(json({}))
    const parameters = [parameter('X-Region', 'header'), parameter('flavour', 'cookie'), parameter('more', 'cookie')]
    const op = toolsOf(site, one('/x', 'get', { parameters }))('op')
    await run(op, { 'X-Region': 'eu', flavour: 'a;b', more: 1 })
    expect(site.requests[0]?.headers).toMatchObject({ 'x-region': 'eu', cookie: 'flavour=a%3Bb; more=1' })
    expect(await run(op, { 'X-Region': 'eu\r\nx-admin: 1' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('X-Region cannot be sent; nothing was sent'),
    })
    expect(site.requests).toHaveLength(1)
    expect(op.effects({ 'X-Region': 'eu' }).carries).toBe(true)
  })

  test.for([['..'], ['.'], ['%2e%2e'], [''], [[]]] as const)(
    'does not go to another operation by %j in the path',
    async ([value], { expect }) => {
      const site = await loopback(json({}))
      const op = toolsOf(site, one('/people/{id}/name', 'delete', { parameters: [parameter('id', 'path')] }))('op')
      const outcome = await run(op, { id: value })
      if (value === '%2e%2e') expect(site.requests.map(({ path }) => path)).toEqual(['/people/%252e%252e/name'])
      else {
        expect(outcome).toMatchObject({
          ok: false,
          reason: expect.stringMatching(/^id: a value in a path is neither empty/),
        })
        expect(site.requests).toEqual([])
      }
    },
  )

  test('sends JSON, with its id as the key of the request', async ({ expect }) => {
    const site = await loopback(json({ made: 1 }))
    const requestBody = {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        },
      },
    }
    const op = toolsOf(site, one('/x', 'post', { requestBody }))('op')
    const outcome = await run(op, { body: { title: 'ü' } }, { callId: 'call_7' })
    expect(site.requests[0]).toMatchObject({
      method: 'POST',
      body: '{"title":"ü"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'call_7' },
    })
    expect(outcome).toMatchObject({
      ok: true,
      untrusted: true,
      content: expect.stringMatching(/^Status: 200\n[^]*untrusted[^]*made/),
    })
    expect(await run(op, { body: {} })).toMatchObject({ ok: false, reason: expect.stringMatching(/^body\.title/) })
    expect(await run(op, {})).toMatchObject({ ok: false, reason: expect.stringMatching(/^body/) })
    expect(site.requests).toHaveLength(1)
  })

  test('sends forms as their document has them', async ({ expect }) => {
    const site = await loopback(json({}))
    const create = toolsOf(site, payments)('PostCustomers')
    await run(create, {
      body: { email: 'a@b.example', balance: 3, address: { city: 'Ulm' }, expand: ['x', 'y'], metadata: { k: 'v' } },
    })
    expect(site.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(site.requests[0]?.body)]).toEqual([
      ['email', 'a@b.example'],
      ['balance', '3'],
      ['address[city]', 'Ulm'],
      ['expand[0]', 'x'],
      ['expand[1]', 'y'],
      ['metadata[k]', 'v'],
    ])
  })

  test('sends lists of objects in a form by their places, and an empty text where that takes a field away', async ({
    expect,
  }) => {
    const site = await loopback(json({}))
    const update = toolsOf(site, payments)('PostOrdersOrder')
    const price_data = { currency: 'eur', unit_amount: 500, recurring: { interval: 'month' } }
    const items = [{ quantity: 2, price_data }, { quantity: 1 }]
    await run(update, { order: 'or_1', body: { automatic_tax: { enabled: true }, line_items: items, due_date: 7 } })
    expect([...new URLSearchParams(site.requests[0]?.body)]).toEqual([
      ['automatic_tax[enabled]', 'true'],
      ['line_items[0][quantity]', '2'],
      ['line_items[0][price_data][currency]', 'eur'],
      ['line_items[0][price_data][unit_amount]', '500'],
      ['line_items[0][price_data][recurring][interval]', 'month'],
      ['line_items[1][quantity]', '1'],
      ['due_date', '7'],
    ])
    await run(update, { order: 'or_1', body: { line_items: '' } })
    expect(site.requests.map(({ path, body }) => [path, body])).toMatchObject([
      ['/v1/orders/or_1', expect.anything()],
      ['/v1/orders/or_1', 'line_items='],
    ])
    const wrong = await run(update, { order: 'or_1', body: { automatic_tax: {}, other: 1 } })
    expect(wrong).toMatchObject({ ok: false, reason: expect.stringMatching(/body\.automatic_tax\.enabled/) })
    expect(site.requests).toHaveLength(2)
  })

  test('sends no body of a GET, and takes none', async ({ expect }) => {
    const site = await loopback(json({}))
    const listed = toolsOf(site, payments)('GetCustomers')
    expect(await run(listed, { limit: 3, body: {} })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('body: not given'),
    })
    await run(listed, { created: { gt: 7 }, expand: ['data.source'], limit: 3 })
    const [asked] = site.requests
    expect([asked?.method, asked?.path, asked?.body]).toEqual([
      'GET',
      '/v1/customers?created%5Bgt%5D=7&expand%5B0%5D=data.source&limit=3',
      '',
    ])
    expect(asked?.headers['content-type']).toBeUndefined()
  })

  test('sends files of the workspace in a multipart form, and says which it reads', async ({ expect }) => {
    const site = await loopback(json({}))
    const upload = toolsOf(site, payments)('PostFiles')
    const files = memoryFiles()
    const bytes = new TextEncoder().encode('proof')
    const read = (path: string) => (path === 'a/proof.txt' ? bytes : null)
    const args = { body: { file: 'a/proof.txt', purpose: 'dispute_evidence' } }
    await run(upload, args, { files: { ...files, read } })
    expect(site.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(site.requests[0]?.body).toMatch(
      /name="file"; filename="proof.txt"\r\nContent-Type: text\/plain[^]*proof[^]*name="purpose"/,
    )
    expect(upload.effects(args).paths).toEqual(['a/proof.txt'])
    expect(
      await run(upload, { body: { ...args.body, file: '../etc/passwd' } }, { files: { ...files, read } }),
    ).toMatchObject({
      ok: false,
      reason: expect.stringContaining('the workspace has no such file; nothing was sent'),
    })
    expect(site.requests).toHaveLength(1)
  })

  test('sends each file of a list, and objects as JSON that is no file', async ({ expect }) => {
    const site = await loopback(json({}))
    const properties = {
      scans: { type: 'array', items: { type: 'string', format: 'binary' } },
      about: { type: 'object' },
    }
    const requestBody = { content: { 'multipart/form-data': { schema: { type: 'object', properties } } } }
    const upload = toolsOf(site, one('/x', 'post', { requestBody }))('op')
    const read = (path: string) => new TextEncoder().encode(`bytes of ${path}`)
    const args = { body: { scans: ['a/图.txt', 'b"c.txt'], about: { city: '巴黎' } } }
    await run(upload, args, { files: { ...memoryFiles(), read } })
    expect(site.requests[0]?.body).toMatch(
      /name="scans"; filename="图.txt"\r\n[^]*bytes of a\/图.txt\r\n[^]*filename="b%22c.txt"\r\n[^]*bytes of b"c.txt\r\n/,
    )
    expect(site.requests[0]?.body).toContain(
      'name="about"\r\nContent-Type: application/json\r\n\r\n{"city":"巴黎"}\r\n--',
    )
    expect(upload.effects(args).paths).toEqual(['a/图.txt', 'b"c.txt'])
  })

  test('that may have arrived says so, and is not sent again', async ({ expect }) => {
    const site = await loopback((request) => request.socket.destroy())
    const [create, list] = ['post', 'get'].map((method) => toolsOf(site, one('/x', method, {}))('op'))
    expect(await run(create as Tool, {})).toMatchObject({
      ok: false,
      reason: expect.stringContaining('may have had its effect, or not'),
    })
    expect(site.requests).toHaveLength(1)
    const read = await run(list as Tool, {})
    expect(read).toMatchObject({ ok: false, reason: expect.not.stringContaining('may have had its effect') })
  })

  test('goes to no private address that the config does not name', async ({ expect }) => {
    const site = await loopback(json({}))
    const op = toolsOf({ origin: site.origin, host: 'other.example:1' }, one('/x', 'get', {}))('op')
    expect(await run(op, {})).toMatchObject({ ok: false, reason: expect.stringContaining('private') })
    expect(site.connections()).toBe(0)
  })
})

describe('what says who we are', () => {
  const token = 'sk-live-4711-abcdef'

  test.for([
    [{ bearer: token }, { authorization: `Bearer ${token}` }],
    [{ basic: { username: 'me', password: token } }, { authorization: `Basic ${btoa(`me:${token}`)}` }],
    [{ headers: { 'x-key': token } }, { 'x-key': token }],
    [{ basic: { username: token, password: '' } }, { authorization: `Basic ${btoa(`${token}:`)}` }],
  ] as const)('%# is in a header, and in nothing that comes back', async ([auth, headers], { expect }) => {
    const site = await loopback((request, response) =>
      json({ you: request.headers, path: request.url })(request, response),
    )
    const op = toolsOf(site, one('/x', 'get', {}), { auth })('op')
    const outcome = await run(op, {})
    expect(site.requests[0]?.headers).toMatchObject(headers)
    expect(JSON.stringify(outcome)).not.toContain(token)
    for (const sent of Object.values(headers)) expect(JSON.stringify(outcome)).not.toContain(sent.split(' ').at(-1))
    expect(JSON.stringify([op.description, op.definition, op.inputSchema()])).not.toContain(token)
  })

  test('is in the query behind what the call says, and in no address that anybody is shown', async ({ expect }) => {
    const site = await loopback((request, response) => json({ path: request.url })(request, response))
    const op = toolsOf(site, one('/x', 'get', { parameters: [parameter('q', 'query')] }), {
      auth: { query: { api_key: token } },
    })('op')
    const outcome = await run(op, { q: 'a' })
    expect(site.requests[0]?.path).toBe(`/x?q=a&api_key=${token}`)
    expect(JSON.stringify([outcome, op.effects({ q: 'a' })])).not.toContain(token)
  })

  test('goes to its own origin only, and follows no redirect', async ({ expect }) => {
    const thief = await loopback(json({}))
    const site = await loopback(redirectTo(`${thief.origin}/take`))
    const home = toolsOf(site, one('/x', 'get', {}), { auth: { bearer: token }, allow: [thief.host] })('op')
    expect(await run(home, {})).toMatchObject({ ok: true, content: expect.stringContaining('Status: 302') })
    expect(thief.requests).toEqual([])
    const moved = toolsOf(thief, one('/x', 'get', {}), { auth: { bearer: token }, trustedOrigin: site.origin })('op')
    await run(moved, {})
    expect(thief.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  test('may be a secret of the config, for that one’s origin', async ({ expect }) => {
    const site = await loopback(json({}))
    const auth = { bearer: '{{secret:SHOP}}' }
    const own = toolsOf(site, one('/x', 'get', {}), { auth, secrets: { SHOP: { origin: site.origin, value: token } } })(
      'op',
    )
    await run(own, {})
    expect(site.requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
    const others = toolsOf(site, one('/x', 'get', {}), {
      auth,
      secrets: { SHOP: { origin: 'https://else.example', value: token } },
    })('op')
    expect(await run(others, {})).toMatchObject({
      ok: false,
      reason: expect.stringContaining('goes to https://else.example only'),
    })
    const unknown = toolsOf(site, one('/x', 'get', {}), { auth })('op')
    expect(await run(unknown, {})).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no secret called SHOP'),
    })
    expect(site.requests).toHaveLength(1)
  })

  test('is not filled in where a model writes its name', async ({ expect }) => {
    const site = await loopback(json({}))
    const secrets = { SHOP: { origin: site.origin, value: token } }
    const op = toolsOf(site, one('/x', 'get', { parameters: [parameter('q', 'query')] }), {
      auth: { bearer: '{{secret:SHOP}}' },
      secrets,
    })('op')
    await run(op, { q: '{{secret:SHOP}}' })
    expect(site.requests[0]?.path).not.toContain(token)
  })
})

test('a list of operations that stays is made into tools once', ({ expect }) => {
  const operations: ApiOperation[] = [
    { name: 'a', method: 'GET', path: '/', description: '', parameters: [], body: null, inputSchema: {} },
  ]
  const source = { ...sourceFrom({ name: 'shop' }), trustedOrigin: null }
  const ports = {
    fetch: createGuardedFetch({ publicFetch: fetch, privateFetch: null, allowPrivateHosts: [] }),
    credentials: ownCredentials([]),
    settings: { timeoutMs: 1, bodyBytesMax: 1 },
  }
  const given = { operations, baseUrl: 'https://a.example' }
  expect(operationTools(source, given, ports)).toBe(operationTools(source, given, ports))
  expect(operationTools({ ...source, version: 'next' }, given, ports)).not.toBe(operationTools(source, given, ports))
})
