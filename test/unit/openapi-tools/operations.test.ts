import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { ApiOperation } from '../../../src/domain/openapi-tools.ts'
import { operationInId, serverToolId, withServerIds } from '../../../src/domain/tool-id.ts'
import { checkedDocument, documentIn } from '../../../src/openapi-tools/document.ts'
import { operationsIn } from '../../../src/openapi-tools/operations.ts'
import { own } from '../../support/own-document.ts'

const fixture = (name: string) => readFileSync(`test/fixtures/openapi/${name}.json`, 'utf8')

interface Wishes {
  url?: string | null
  baseUrl?: string | null
  include?: readonly string[] | null
}

async function read(
  given: string | Record<string, unknown>,
  { url = null, baseUrl = null, include = null }: Wishes = {},
) {
  const document = typeof given === 'string' ? await documentIn(given) : checkedDocument(given)
  if (!document.ok) throw new Error(document.message)
  return operationsIn(document.value, { url, baseUrl, include })
}

async function readWell(...given: Parameters<typeof read>) {
  const made = await read(...given)
  if (!made.ok) throw new Error(`${made.path}: ${made.message}`)
  const byName = (name: string): ApiOperation => {
    const found = made.operations.find((one) => one.name === name)
    if (!found) throw new Error(`there is no ${name} among ${made.operations.map((one) => one.name).join()}`)
    return found
  }
  return { ...made, byName }
}

const api = (paths: unknown, more: Record<string, unknown> = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  servers: [{ url: 'https://api.example' }],
  paths,
  ...more,
})

const get = (more: Record<string, unknown> = {}) => ({ responses: {}, ...more })

describe('the document of GitHub', () => {
  test('gives each operation under its operationId, with the schema of its arguments', async ({ expect }) => {
    const { operations, baseUrl, warnings, byName } = await readWell(fixture('github'))
    expect([operations.length, baseUrl, warnings]).toEqual([14, 'https://api.github.com', []])
    const create = byName('issues/create')
    expect(create).toMatchObject({
      method: 'POST',
      path: '/repos/{owner}/{repo}/issues',
      body: { key: 'body', form: 'json', mediaType: 'application/json', required: true },
    })
    expect(create.inputSchema).toMatchObject({
      required: ['owner', 'repo', 'body'],
      properties: {
        owner: { type: 'string', description: expect.stringContaining('account owner') },
        body: { required: ['title'], properties: { labels: { type: 'array' }, body: { type: 'string' } } },
      },
    })
    expect(create.description).toContain('POST /repos/{owner}/{repo}/issues: Create an issue')
  })

  test('sends bytes of a file to the address that an operation names', async ({ expect }) => {
    const { byName } = await readWell(fixture('github'))
    const upload = byName('repos/upload-release-asset')
    expect(upload).toMatchObject({ baseUrl: 'https://uploads.github.com', body: { form: 'file' } })
    expect(upload.inputSchema).toMatchObject({
      properties: { body: { type: 'string', description: expect.stringContaining('workspace') } },
    })
  })
})

describe('a document of forms', () => {
  test('keeps how each field is written, and takes no schema round in a circle', async ({ expect }) => {
    const { byName } = await readWell(fixture('payments'))
    const create = byName('PostCustomers')
    expect(create.body).toMatchObject({
      form: 'urlencoded',
      fields: { metadata: { style: 'deepObject', explode: true }, expand: { style: 'deepObject' } },
    })
    expect(create.inputSchema).toMatchObject({
      properties: {
        body: {
          properties: {
            parent: {
              required: ['email'],
              properties: {
                email: { type: ['string', 'null'] },
                default_source: { properties: { amount: { exclusiveMinimum: 0 }, owner: {} } },
              },
            },
          },
        },
      },
    })
    expect(JSON.stringify(create.inputSchema)).not.toMatch(/\$ref|readOnly|nullable/)
    expect(byName('GetCustomers').description).toBe(
      'GET /v1/customers: List all customers\nReturns a list of your customers.',
    )
  })

  test('a multipart form takes files of the workspace', async ({ expect }) => {
    const { byName } = await readWell(fixture('payments'))
    expect(byName('PostFiles')).toMatchObject({
      baseUrl: 'https://files.payments.example',
      body: { form: 'multipart', files: ['file'] },
      inputSchema: {
        properties: { body: { properties: { file: { description: expect.stringContaining('workspace') } } } },
      },
    })
  })
})

describe('our own document', () => {
  test('is read whole: every operation of it is a tool', async ({ expect }) => {
    const document = own.document as unknown as Record<string, unknown>
    const count = Object.values(document['paths'] as Record<string, Record<string, unknown>>)
      .flatMap((item) => Object.keys(item))
      .filter((key) => ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'].includes(key)).length
    const { operations, warnings, byName } = await readWell(document, { baseUrl: 'https://yaa.example' })
    expect(warnings).toEqual([])
    expect(operations.length).toBe(count)
    expect(byName('createSessionMessage')).toMatchObject({
      method: 'POST',
      path: '/v1/sessions/{id}/messages',
      inputSchema: { required: ['id', 'body'], properties: { body: { properties: { content: expect.anything() } } } },
    })
    for (const { inputSchema } of operations)
      expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(LIMITS.openapi.schemaCharsMax)
  })
})

describe('versions', () => {
  test.for(['3.0.4', '3.1.2', '3.2.0'])('OpenAPI %s is read', async (version, { expect }) => {
    const made = await readWell({ ...api({ '/a': { get: get() } }), openapi: version })
    expect(made.operations.map(({ name }) => name)).toEqual(['get_a'])
  })

  test.for([
    [{ swagger: '2.0', paths: {} }, /Swagger 2\.0 is not read. Convert the document to OpenAPI 3 first/],
    [{ openapi: '4.0.0', paths: {} }, /OpenAPI 4\.0\.0 is not read: give a document of version 3\.0, 3\.1 or 3\.2/],
    [{ name: 'x' }, /not an OpenAPI document: it has no field `openapi`/],
    [{ openapi: '3.1.0', webhooks: {} }, /it has no `paths`/],
  ] as const)('%j is refused, with what to do', async ([value, message], { expect }) => {
    expect(checkedDocument(value)).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  })

  test.for([
    ['<!doctype html><title>API</title>', /not the page that shows it/],
    ['{"openapi": "3.1.0"', /not valid JSON/],
    ['openapi: [3.1.0', /neither JSON nor YAML/],
    [`# ${'x'.repeat(LIMITS.openapi.yamlBytesMax)}\nopenapi: 3.1.0`, /give the same document as JSON/],
  ] as const)('the text %# is refused', async ([text, message], { expect }) => {
    expect(await documentIn(text)).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  })

  test('YAML is read, and an alias of aliases of aliases is not', async ({ expect }) => {
    const yaml =
      'openapi: 3.1.0\nservers: [{url: https://api.example}]\npaths:\n  /a:\n    get: {operationId: one, responses: {}}'
    expect((await readWell(yaml)).operations).toMatchObject([{ name: 'one', method: 'GET', path: '/a' }])
    const levels = Array.from(
      { length: 12 },
      (_, at) =>
        `a${at}: &a${at} [${Array(10)
          .fill(at === 0 ? 'x' : `*a${at - 1}`)
          .join()}]`,
    )
    expect(await documentIn(`openapi: 3.1.0\n${levels.join('\n')}`)).toMatchObject({ ok: false })
  })

  test('of 3.2 the method query, other methods, and a whole query string are known', async ({ expect }) => {
    const whole = {
      name: 'q',
      in: 'querystring',
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
    }
    const { operations } = await readWell({
      ...api({
        '/find': {
          query: get({ operationId: 'find', requestBody: { content: { 'application/json': { schema: {} } } } }),
          get: get({ operationId: 'findByQuery', parameters: [whole] }),
          additionalOperations: { COPY: get({ operationId: 'copy' }), TRACE: get() },
        },
      }),
      openapi: '3.2.0',
    })
    expect(operations.map(({ name, method }) => [name, method])).toEqual([
      ['findByQuery', 'GET'],
      ['find', 'QUERY'],
      ['copy', 'COPY'],
    ])
    expect(operations[0]?.parameters).toMatchObject([{ in: 'querystring', style: 'form' }])
  })
})

describe('names', () => {
  test('are of method and path where there is no operationId, and are had once', async ({ expect }) => {
    const { operations } = await readWell(
      api({
        '/pets/{petId}': {
          get: get({ parameters: [id('petId')] }),
          delete: get({ operationId: 'same', parameters: [id('petId')] }),
        },
        '/pets': { post: get({ operationId: 'same' }) },
      }),
    )
    expect(operations.map(({ name }) => name)).toEqual(['get_pets_petId', 'same', 'post_pets'])
    const ids = operations.map(({ name }) => serverToolId('shop', name))
    for (const one of ids) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  test('in other letters are of method and path for a model', ({ expect }) => {
    const orders = { name: '查询订单', method: 'GET', path: '/v1/orders' }
    const all = [orders, { ...orders, name: '查询' }, { ...orders, name: 'list订单' }]
    expect(withServerIds('shop', all, false, operationInId).map(({ id }) => id)).toEqual([
      'shop__get_v1_orders',
      expect.stringMatching(/^shop__get_v1_orders_[0-9a-z]+$/),
      'shop__list__',
    ])
  })

  test('of arguments are of what every service takes, and tell places apart', async ({ expect }) => {
    const long = 'x'.repeat(100)
    const { operations } = await readWell(
      api({
        '/a/{id}': {
          post: get({
            parameters: [
              id('id'),
              query('id'),
              query('expand[]'),
              query('日期'),
              query(long),
              query(`${long}y`),
              query('body'),
            ],
            requestBody: { content: { 'application/json': { schema: {} } } },
          }),
        },
      }),
    )
    const keys = Object.keys(operations[0]?.inputSchema['properties'] as object)
    expect(keys.slice(0, 4)).toEqual(['id', 'query_id', 'expand', 'query'])
    expect(keys.slice(6)).toEqual(['body', 'request_body'])
    expect(new Set(keys).size).toBe(8)
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
    expect(operations[0]?.inputSchema['properties']).toMatchObject({
      expand: { description: 'expand[]' },
      query: { description: '日期' },
    })
  })

  test('headers that are ours, or that say who calls, are no arguments', async ({ expect }) => {
    const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
    const names = ['Authorization', 'Host', 'Cookie', 'Idempotency-Key', 'X-Forwarded-For', 'X-Region']
    const { operations } = await readWell(api({ '/a': { get: get({ parameters: names.map(header) }) } }))
    expect(operations[0]?.parameters.map(({ name }) => name)).toEqual(['X-Region'])
  })
})

const id = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })
const query = (name: string) => ({ name, in: 'query', schema: { type: 'string' } })

describe('what is taken of a document', () => {
  const shop = api({
    '/orders': {
      get: get({ operationId: 'orders/list', tags: ['orders'] }),
      post: get({ operationId: 'orders/create' }),
    },
    '/orders/{id}': { get: get({ operationId: 'orders/get', parameters: [id('id')] }) },
    '/people': { get: get({ operationId: 'people/list', tags: ['people'] }) },
  })

  test.for([
    [['orders/*'], ['orders/list', 'orders/create', 'orders/get']],
    [
      ['GET /orders/**', 'tag:people'],
      ['orders/get', 'people/list'],
    ],
    [['get /orders'], ['orders/list']],
    [['/orders'], ['orders/list', 'orders/create']],
    [['people/list'], ['people/list']],
  ] as const)('include %j means %j', async ([include, names], { expect }) => {
    expect((await readWell(shop, { include })).operations.map(({ name }) => name)).toEqual(names)
  })

  test('include that means nothing is refused, and shows how one is written', async ({ expect }) => {
    expect(await read(shop, { include: ['nope'] })).toEqual({
      ok: false,
      path: 'include',
      message: expect.stringContaining(
        'none of its 4 operations fits; patterns are an operationId such as orders/list',
      ),
    })
  })

  test('too many operations are refused by the field that makes them fewer', async ({ expect }) => {
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.openapi.operationsMax + 1 }, (_, at) => [`/p${at}`, { get: get() }]),
    )
    expect(await read(api(many))).toMatchObject({
      ok: false,
      path: 'include',
      message: expect.stringContaining('name those that you need in include'),
    })
    expect((await readWell(api(many), { include: ['/p1'] })).operations).toHaveLength(1)
  })

  test('what cannot be used is left out and said; a document with nothing else is refused', async ({ expect }) => {
    const broken = {
      '/elsewhere': { get: get({ operationId: 'far', parameters: [{ $ref: 'other.yaml#/x' }] }) },
      '/lost/{id}': { get: get({ operationId: 'lost' }) },
      '/round': { post: get({ operationId: 'round', requestBody: { $ref: '#/components/requestBodies/a' } }) },
      '/find': {
        get: get({ operationId: 'find', requestBody: { required: true, content: { 'application/json': {} } } }),
      },
    }
    const components = {
      requestBodies: { a: { $ref: '#/components/requestBodies/b' }, b: { $ref: '#/components/requestBodies/a' } },
    }
    const { operations, warnings } = await readWell(api({ ...broken, '/a': { get: get() } }, { components }))
    expect(operations.map(({ name }) => name)).toEqual(['get_a'])
    expect(warnings.map(({ operation }) => operation)).toEqual(['far', 'lost', 'round', 'find'])
    expect(await read(api(broken, { components }))).toMatchObject({
      ok: false,
      path: 'document',
      message: expect.stringContaining('none of its operations can be used: a parameter that cannot be read'),
    })
  })
})

describe('where the API is', () => {
  const one = { '/a': { get: get() } }
  test.for([
    [
      [{ url: 'https://{region}.example/v1/', variables: { region: { default: 'eu' } } }],
      null,
      'https://eu.example/v1',
    ],
    [[{ url: '/v2' }], 'https://docs.example/openapi.json', 'https://docs.example/v2'],
    [undefined, 'https://docs.example/a/openapi.json', 'https://docs.example'],
    [[{ url: './' }], 'https://docs.example/a/openapi.json', 'https://docs.example/a'],
    [[{ url: '' }], 'https://docs.example/a/openapi.json', 'https://docs.example'],
    [
      [{ url: 'https://{place}.example', variables: { place: { enum: ['eu', 'us'] } } }],
      'https://docs.example/openapi.json',
      'https://eu.example',
    ],
  ] as const)('%j read at %s is %s', async ([servers, url, base], { expect }) => {
    expect((await readWell({ ...api(one), servers }, { url })).baseUrl).toBe(base)
  })

  test.for([
    [[{ url: '/v1' }]],
    [undefined],
    [[{ url: 'ftp://files.example' }]],
    [[{ url: 'https://{place}.example' }]],
    [[{ url: 'https://me:pw@x.example' }]],
  ] as const)('%j of a document that was sent is asked for', async ([servers], { expect }) => {
    const { servers: _, ...rest } = api(one)
    expect(await read({ ...rest, ...(servers ? { servers } : {}) })).toMatchObject({
      ok: false,
      path: 'base_url',
      message: expect.stringContaining('give its address as base_url'),
    })
  })

  test('an address that is given is that of all operations', async ({ expect }) => {
    const { operations, baseUrl: base } = await readWell(fixture('payments'), { baseUrl: 'https://mock.example/' })
    expect(base).toBe('https://mock.example')
    expect(operations.every(({ baseUrl }) => baseUrl === undefined)).toBe(true)
  })
})

describe('schemas', () => {
  const bodyOf = async (schema: unknown, schemas: Record<string, unknown> = {}) => {
    const requestBody = { content: { 'application/json': { schema } } }
    const { operations } = await readWell(api({ '/a': { post: get({ requestBody }) } }, { components: { schemas } }))
    const { body } = Object(operations[0]?.inputSchema['properties']) as { body: unknown }
    return body
  }

  test('one that refers to itself takes anything behind that, in any way that it does', async ({ expect }) => {
    const schemas = {
      node: {
        type: 'object',
        properties: {
          next: { $ref: '#/components/schemas/node' },
          all: { type: 'array', items: { $ref: '#/components/schemas/node' } },
        },
      },
      loop: { $ref: '#/components/schemas/loop' },
    }
    expect(await bodyOf({ $ref: '#/components/schemas/node' }, schemas)).toEqual({
      type: 'object',
      properties: { next: {}, all: { type: 'array', items: {} } },
    })
    expect(await bodyOf({ $ref: '#/components/schemas/loop' }, schemas)).toEqual({})
  })

  test('one that grows with each level is told as deep as there is room, and in no long time', async ({ expect }) => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const $ref = `#/components/schemas/s${at + 1}`
        return [
          `s${at}`,
          { type: 'object', properties: Object.fromEntries('abcdefgh'.split('').map((key) => [key, { $ref }])) },
        ]
      }),
    )
    const body = await bodyOf({ $ref: '#/components/schemas/s0' }, schemas)
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(LIMITS.openapi.schemaCharsMax)
    expect(body).toMatchObject({ properties: { a: { type: 'object' } } })
  })

  test('a member of any name, `__proto__` too, changes nothing else', async ({ expect }) => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
    ) as unknown
    const body = await bodyOf(schema)
    expect(Object.keys((body as { properties: object }).properties)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['type']).toBeUndefined()
  })
})
