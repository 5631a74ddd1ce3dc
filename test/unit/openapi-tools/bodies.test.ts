import { describe, test } from 'vitest'
import { checkedDocument } from '../../../src/openapi-tools/document.ts'
import { operationsIn } from '../../../src/openapi-tools/operations.ts'

const bytes = { type: 'string', format: 'binary' }
const text = { type: 'string' }

/** The body of an operation that takes this, and what a model is told of it. */
function bodyOf(type: string, schema: unknown, more: Record<string, unknown> = {}) {
  const post = { operationId: 'op', requestBody: { content: { [type]: { schema, ...more } } } }
  const document = checkedDocument({ openapi: '3.1.0', paths: { '/a': { post } }, components: { schemas: { bytes } } })
  if (!document.ok) throw new Error(document.message)
  const read = operationsIn(document.value, { url: null, baseUrl: 'https://api.example', include: null })
  if (!read.ok) throw new Error(read.message)
  const [operation] = read.operations
  return { body: operation?.body, told: Object(operation?.inputSchema['properties'])['body'] as unknown }
}

describe('a multipart form', () => {
  test.for([
    ['a list of files', { type: 'array', items: bytes }],
    ['a list in the words of 3.1', { type: 'array', items: { ...text, contentMediaType: 'application/octet-stream' } }],
    ['a file or nothing', { anyOf: [bytes, { type: 'null' }] }],
    ['a file or several', { anyOf: [{ $ref: '#/components/schemas/bytes' }, { type: 'array', items: bytes }] }],
    ['a file behind allOf', { allOf: [{ $ref: '#/components/schemas/bytes' }], description: 'A scan.' }],
  ] as const)('takes paths of the workspace for %s', ([, schema], { expect }) => {
    const { body, told } = bodyOf('multipart/form-data', { type: 'object', properties: { scan: schema, note: text } })
    expect(body?.files).toEqual(['scan'])
    expect(JSON.stringify(told)).toContain('Path of a file of the workspace')
    expect(JSON.stringify(told)).not.toContain('binary')
  })

  test('that is put together of others has their files', ({ expect }) => {
    const { body, told } = bodyOf('multipart/form-data', {
      allOf: [{ properties: { scan: bytes } }, { properties: { note: text } }],
    })
    expect(body?.files).toEqual(['scan'])
    expect(told).toMatchObject({
      allOf: [{ properties: { scan: { description: expect.stringContaining('Path') } } }, {}],
    })
  })

  test('takes words where words would do', ({ expect }) => {
    const { body } = bodyOf('multipart/form-data', { properties: { scan: { anyOf: [bytes, text] } } })
    expect(body?.files).toEqual([])
  })
})

describe('other bodies', () => {
  test('a list that the document has as JSON is written so in a form', ({ expect }) => {
    const encoding = { tags: { contentType: 'application/json' } }
    const schema = { properties: { tags: { type: 'array', items: text } } }
    expect(bodyOf('application/x-www-form-urlencoded', schema, { encoding }).body?.fields).toMatchObject({
      tags: { style: 'json' },
    })
  })

  test('XML is a text, whatever its schema says', ({ expect }) => {
    const { body, told } = bodyOf('application/xml', { type: 'object', properties: { a: text } })
    expect(body?.form).toBe('text')
    expect(told).toEqual({ type: 'string', description: expect.stringContaining('application/xml') })
  })
})
