import { describe, test } from 'vitest'
import { schemaRows, withNewRow, withRow } from '../../../../src/console/workflow/schema-rows.ts'
import { frozen } from '../../../../src/lib/json.ts'

const schema = frozen({
  $comment: 'kept',
  type: 'object',
  properties: {
    who: { type: 'string', title: 'Who', minLength: 1 },
    size: { type: 'integer', minimum: 1, description: 'How many' },
    kind: { type: 'string', enum: ['short', 'long'] },
    pages: { type: 'array', items: { type: 'string', format: 'uri' }, maxItems: 5 },
    deep: { type: 'object', properties: { a: {} } },
    either: { enum: [1, 'a'] },
  },
  required: ['who', 'deep'],
  additionalProperties: false,
})

describe('rows of a JSON Schema', () => {
  test('show each property by what it is', ({ expect }) => {
    const rows = schemaRows(schema)?.map(({ name, kind, title, options, isNeeded }) => [
      name,
      kind,
      title,
      options,
      isNeeded,
    ])
    expect(rows).toEqual([
      ['who', 'text', 'Who', [], true],
      ['size', 'integer', '', [], false],
      ['kind', 'choice', '', ['short', 'long'], false],
      ['pages', 'list', '', [], false],
      ['deep', 'other', '', [], true],
      ['either', 'other', '', [], false],
    ])
    expect(schemaRows(undefined)).toEqual([])
  })

  test('are none where they could not say all', ({ expect }) => {
    const cannot = [
      { type: 'array' },
      { properties: {} },
      { type: 'object', properties: { a: true } },
      { type: 'object', properties: { a: {} }, required: ['b'] },
      { type: 'object', properties: [] },
      'text',
    ]
    expect(cannot.map(schemaRows)).toEqual(cannot.map(() => null))
  })

  test('lose nothing of what they do not show', ({ expect }) => {
    for (const index of schema.required.keys())
      expect(
        withRow(schema, index, { isNeeded: schema.required.includes(Object.keys(schema.properties)[index] ?? '') }),
      ).toEqual(schema)
    const titled = withRow(schema, 3, { title: 'Pages' })
    expect(titled).toEqual({
      ...schema,
      properties: { ...schema.properties, pages: { ...schema.properties.pages, title: 'Pages' } },
    })
    expect(withRow(titled, 3, { title: '' })).toEqual(schema)
    expect(withRow(schema, 0, { name: 'whom' })).toMatchObject({
      required: ['whom', 'deep'],
      additionalProperties: false,
    })
    expect(Object.keys(Object(withRow(schema, 0, { name: 'whom' })['properties']))[0]).toBe('whom')
    expect(withRow(schema, 0, { name: 'size' })).toEqual(schema)
  })

  test('change a kind with what is of that kind alone, and keep what is said of the input', ({ expect }) => {
    expect(withRow(schema, 0, { kind: 'number' })).toMatchObject({
      properties: { who: { type: 'number', title: 'Who' } },
    })
    expect(withRow(schema, 1, { kind: 'choice' })).toMatchObject({
      properties: { size: { type: 'string', enum: [], description: 'How many' } },
    })
    expect(Object(withRow(schema, 1, { kind: 'boolean' })['properties']).size).toEqual({
      type: 'boolean',
      description: 'How many',
    })
    expect(withRow(schema, 2, { options: ['a'] })).toMatchObject({
      properties: { kind: { type: 'string', enum: ['a'] } },
    })
    expect(withRow(schema, 4, { schema: { type: 'null' } })).toMatchObject({ properties: { deep: { type: 'null' } } })
  })

  test('are added and taken away', ({ expect }) => {
    const first = withNewRow(undefined)
    expect(first).toEqual({ type: 'object', properties: { input_1: { type: 'string' } } })
    expect(withNewRow(withRow(first, 0, { name: 'input_2' }))).toEqual({
      type: 'object',
      properties: { input_2: { type: 'string' }, input_3: { type: 'string' } },
    })
    expect(withRow({ ...first, required: ['input_1'] }, 0, null)).toEqual({ type: 'object', properties: {} })
  })
})
