import { describe, test } from 'vitest'
import { CALLBACK_EVENTS, TEST_EVENT } from '../../../src/domain/callback.ts'
import { STATUS } from '../../../src/domain/errors.ts'
import { ownRoutes as app } from '../../support/own-document.ts'
import { templateOf } from '../../../src/http/openapi/document.ts'
import { openApiShape } from '../../support/openapi-shape.ts'
import type { Json } from '../../support/document.ts'
import { own } from '../../support/own-document.ts'

const { document, operations } = own
const resolve = (ref: string) => own.resolve(ref)
const misfit = (value: unknown, schema: Json) => own.misfit(value, schema)

/** Every object of a value that is one, with where it is. */
function* objectsIn(value: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Json]
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`)
}

const responsesOf = (responses: (typeof operations)[number]['operation']['responses']) =>
  Object.entries(responses).map(([status, response]) => ({
    status: Number(status),
    response: (response.$ref === undefined ? response : resolve(response.$ref)) as typeof response,
  }))

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1', ({ expect }) => {
    const { error } = openApiShape.safeParse(document)
    expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []).toEqual([])
  })

  test('tells every route of the app, and no other', ({ expect }) => {
    const routes = app.routes.filter(({ method }) => method !== 'ALL')
    const served = new Set(routes.map(({ method, path }) => `${method} ${templateOf(path)}`))
    const told = new Set(operations.map(({ method, path }) => `${method} ${path}`))
    expect([...served].filter((route) => !told.has(route))).toEqual([])
    expect([...told].filter((route) => !served.has(route))).toEqual([])
    expect(told.size).toBeGreaterThan(45)
  })

  test('is what makers of clients take: whole numbers, plain cursors, one error a door, named events', ({ expect }) => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters)
    const schemasOf = (name: string) => parameters.filter((one) => one['name'] === name).map(({ schema }) => schema)
    expect(schemasOf('limit').length).toBeGreaterThan(20)
    for (const schema of schemasOf('limit'))
      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
    for (const schema of schemasOf('cursor')) expect(schema).toEqual({ type: 'string', minLength: 1 })
    expect(parameters.filter((one) => !('$ref' in one) && !/^[^.]{3}.*\.$/.test(String(one['description'])))).toEqual(
      [],
    )
    expect(parameters.filter(({ description }) => description === 'See the schema.')).toEqual([])
    const shapes = Object.values(document.components.responses).flatMap(({ content }) => Object.entries(content ?? {}))
    expect(new Set(shapes.map(([type, { schema }]) => `${type} ${JSON.stringify(schema)}`))).toEqual(
      new Set([
        'application/problem+json {"$ref":"#/components/schemas/Problem"}',
        'application/json {"$ref":"#/components/schemas/AgUiError"}',
        'application/json {"$ref":"#/components/schemas/OpenAiError"}',
        'application/json {"$ref":"#/components/schemas/AiSdkError"}',
        'application/json {"$ref":"#/components/schemas/McpError"}',
        'application/json {"$ref":"#/components/schemas/A2aError"}',
        'application/json {"$ref":"#/components/schemas/A2aRpcError"}',
      ]),
    )
    const { KnownEvent: events } = document.components.schemas
    if (!events) throw new Error('the document has no KnownEvent')
    const { mapping, propertyName } = events['discriminator'] as {
      mapping: Record<string, string>
      propertyName: string
    }
    expect([propertyName, mapping['run-end']]).toEqual(['type', '#/components/schemas/RunEndEvent'])
    expect((events['oneOf'] as Json[]).map(({ $ref }) => $ref)).toEqual(Object.values(mapping))
    const alone = [...objectsIn(document)].filter(([, one]) => 'const' in one && !('enum' in one))
    expect(alone.map(([path]) => path)).toEqual([])
  })

  test('has no object in a field that is called as the schema is: makers of clients call both the same', ({
    expect,
  }) => {
    const isObject = (schema: Json) => '$ref' in schema || schema['type'] === 'object'
    const called = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) => {
      const field = name.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
      const schema = (properties as Record<string, Json>)[field]
      return schema && isObject(schema) ? [`${name}.${field}`] : []
    })
    expect(called).toEqual([])
  })

  test('names each path as it is asked for, and JSON of A2A as it is sent', ({ expect }) => {
    const paths = operations.map(({ path }) => path)
    expect(paths.filter((path) => !/^\/(?:[\w./:-]|\{\w+\})*$/.test(path))).toEqual([])
    expect(paths.filter((path) => path.includes('protected-resource'))).toHaveLength(2)
    const ofA2a = operations.filter(({ path }) => path.startsWith('/a2a/v1'))
    const named = ofA2a.flatMap(({ operation: { responses } }) =>
      responsesOf(responses).flatMap(({ status, response }) =>
        status < 300 ? Object.keys(response.content ?? {}) : [],
      ),
    )
    expect(new Set(named)).toEqual(new Set(['application/a2a+json', 'text/event-stream']))
  })

  test('has one schema of JSON a status, and says what streams, bytes and sockets are', ({ expect }) => {
    const media = operations.flatMap(({ operation: { operationId: id, responses } }) =>
      responsesOf(responses).flatMap(({ status, response }) =>
        Object.entries(response.content ?? {}).map(([type, one]) => ({ id, status, type, one: one as Json })),
      ),
    )
    const ofType = (type: string) => media.filter((one) => one.type === type)
    const forms = ofType('application/json').filter(({ one }) => !('$ref' in (one['schema'] as Json)))
    // What others lay down: OAuth client metadata, and this document itself.
    expect(forms.map(({ id }) => id)).toEqual([
      'getOAuthClient',
      'getOpenApi',
      'getResourceMetadata',
      'getMcpResourceMetadata',
    ])
    const streams = ofType('text/event-stream')
    expect(new Set(streams.map(({ id }) => id)).size).toBeGreaterThan(10)
    expect(streams.filter(({ one }) => one['x-event-schema'] === undefined)).toEqual([])
    const bytes = { type: 'string', format: 'binary' }
    expect(ofType('application/octet-stream').map(({ id, one }) => [id, one['schema']])).toEqual([
      ['getAsset', bytes],
      ['getSessionFile', bytes],
    ])
    expect(ofType('*/*').map(({ id }) => id)).toEqual(['getAsset', 'getSessionFile'])
    const put = operations.find(({ operation }) => operation.operationId === 'putSessionFile')
    expect(put?.operation.requestBody?.content).toEqual({ 'application/octet-stream': { schema: bytes } })
    const socket = operations.find(({ operation }) => operation.operationId === 'connectSession')
    expect(Object.keys(socket?.operation.responses ?? {}).filter((status) => status < '300')).toEqual(['101'])
  })

  test('leads from what is made to what can be done with it, by parameters that are there', ({ expect }) => {
    const linked = operations.flatMap(({ operation }) =>
      responsesOf(operation.responses).flatMap(({ response }) =>
        Object.values(response.links ?? {}).map((link) => ({ from: operation.operationId, link })),
      ),
    )
    const broken = linked.filter(({ link }) => {
      const to = operations.find(({ operation }) => operation.operationId === link.operationId)
      const named = to?.operation.parameters.filter((one) => one['in'] === 'path').map(({ name }) => name)
      return JSON.stringify(named) !== JSON.stringify(Object.keys(link.parameters))
    })
    expect(broken).toEqual([])
    const pairs = linked.map(({ from, link }) => `${from} ${link.operationId}`)
    expect(pairs).toEqual(
      expect.arrayContaining([
        'createSession getSession',
        'createSession createSessionMessage',
        'createSessionMessage decidePending',
        'createWebhook getWebhook',
      ]),
    )
  })

  test('tells what it sends to callbacks, by event', ({ expect }) => {
    expect(Object.keys(document.webhooks)).toEqual([...CALLBACK_EVENTS, TEST_EVENT])
    const { CallbackPayload: payload } = document.components.schemas
    if (!payload) throw new Error('the document has no CallbackPayload')
    const { type } = payload['properties'] as { type: Json }
    expect(type['enum']).toEqual(Object.keys(document.webhooks))
  })

  test('has references that lead somewhere', ({ expect }) => {
    const broken = [...objectsIn(document)].flatMap(([path, { $ref }]) =>
      typeof $ref === 'string' && resolve($ref) === undefined ? [`${path}: ${$ref}`] : [],
    )
    expect(broken).toEqual([])
  })

  test('has patterns that every JSON Schema validator can read', ({ expect }) => {
    const patterns = [...objectsIn(document)].flatMap(([path, { pattern }]) =>
      typeof pattern === 'string' && /\\p\{/u.test(pattern) ? [`${path}: ${pattern}`] : [],
    )
    expect(patterns).toEqual([])
    expect(own.document.components.schemas['Skill']).toMatchObject({
      properties: { name: { type: 'string', description: expect.stringContaining('up to 64 letters') } },
    })
  })

  test('has no part that nothing refers to', ({ expect }) => {
    const used = new Set([...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])))
    const { components } = document
    const parts = (['schemas', 'responses'] as const).flatMap((kind) =>
      Object.keys(components[kind]).map((name) => `#/components/${kind}/${name}`),
    )
    expect(parts.filter((part) => !used.has(part))).toEqual([])
  })

  test('names each operation once, in camel case, with a tag that is told', ({ expect }) => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
    const tags = document.tags.map(({ name }) => name)
    expect(operations.flatMap(({ operation }) => operation.tags.filter((tag) => !tags.includes(tag)))).toEqual([])
    expect(new Set(tags).size).toBe(tags.length)
  })

  test('declares each parameter of a path, and no other', ({ expect }) => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((one) => one['in'] === 'path').map(({ name }) => name)
      expect([path, declared]).toEqual([path, named])
    }
  })

  test('gives every POST behind a key the Idempotency-Key', ({ expect }) => {
    const without = operations.filter(
      ({ method, operation }) =>
        method === 'POST' &&
        operation.security === undefined &&
        !operation.parameters.some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key'),
    )
    expect(without.map(({ path }) => path)).toEqual([])
  })

  test('gives every JSON answer a shape', ({ expect }) => {
    const shapeless = operations.flatMap(({ method, path, operation }) =>
      responsesOf(operation.responses).flatMap(({ status, response }) =>
        Object.entries(response.content ?? {}).flatMap(([type, { schema }]) =>
          Object.keys(schema ?? {}).length === 0 ? [`${method} ${path} ${status} ${type}`] : [],
        ),
      ),
    )
    expect(shapeless).toEqual([])
  })

  test('gives a session one shape, made or read', ({ expect }) => {
    const shapeOf = (wanted: string, status: number) => {
      const found = operations.find(({ operation }) => operation.operationId === wanted)
      const answers = responsesOf(found?.operation.responses ?? {})
      return answers.find((answer) => answer.status === status)?.response.content?.['application/json']?.schema
    }
    const session = { $ref: '#/components/schemas/SessionData' }
    expect([shapeOf('createSession', 201), shapeOf('getSession', 200), shapeOf('updateSession', 200)]).toEqual([
      session,
      session,
      session,
    ])
  })

  test('tells of every refusal by its code, in the shape of its door', ({ expect }) => {
    for (const { method, path, operation } of operations) {
      const codes = responsesOf(operation.responses).flatMap(({ response }) =>
        Object.values(response.content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples)),
      )
      expect([method, path, codes]).toEqual([method, path, expect.arrayContaining(['internal_error', 'unavailable'])])
      const isOpen = operation.security !== undefined
      expect([method, path, codes.includes('unauthorized')]).toEqual([method, path, !isOpen])
    }
  })

  test('tells where a run that failed has a status of its own, in the shape of its door', ({ expect }) => {
    const own = operations.filter(({ operation }) => operation.responses['502'] !== undefined)
    expect(own.map(({ operation }) => operation.operationId)).toEqual(['createChatCompletion'])
    const schemas = own.map(({ operation: { responses } }) => responses['502']?.content?.['application/json']?.schema)
    expect(schemas).toEqual([{ $ref: '#/components/schemas/OpenAiError' }])
  })

  test('knows every code that there is', ({ expect }) => {
    const told = new Set(
      Object.values(document.components.responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples)),
      ),
    )
    /** What a route cannot say of itself: there is no such route, or none of this method. */
    const OF_NO_ROUTE = ['method_not_allowed']
    expect(Object.keys(STATUS).filter((code) => !told.has(code) && !OF_NO_ROUTE.includes(code))).toEqual([])
  })

  test('has examples that fit their schemas', ({ expect }) => {
    const wrong: string[] = []
    for (const [name, schema] of Object.entries(document.components.schemas))
      for (const example of schema.examples ?? [])
        wrong.push(...misfit(example, schema).map((why) => `${name}: ${why}`))
    for (const [name, { content }] of Object.entries(document.components.responses)) {
      for (const { schema, examples = {} } of Object.values(content ?? {}))
        for (const { value } of Object.values(examples))
          wrong.push(...misfit(value, schema ?? {}).map((why) => `${name}: ${why}`))
    }
    expect(wrong).toEqual([])
  })

  test('has an example for every body of JSON', ({ expect }) => {
    const without = operations.flatMap(({ operation }) => {
      const { $ref } = operation.requestBody?.content['application/json']?.schema ?? {}
      if (typeof $ref !== 'string') return []
      const { examples = [] } = (resolve($ref) ?? {}) as { examples?: unknown[] }
      return examples.length === 0 ? [operation.operationId] : []
    })
    expect(without).toEqual([])
  })
})
