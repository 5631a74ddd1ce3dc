import { describe, expect, test } from 'vitest'
import { fitAnswer } from '../../../src/skills/output-schema.ts'
import { exampleOf } from '../../../src/skills/schema-example.ts'

const text = { type: 'string' }
const TREE = {
  type: 'object',
  properties: { name: text, parts: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
}

test.each([
  [
    'texts, numbers and lists',
    { type: 'object', properties: { a: text, n: { type: 'integer' }, l: { type: 'array', items: text } } },
    { a: '…', n: 1, l: ['…'] },
  ],
  [
    'its own words',
    { type: 'object', properties: { a: { enum: ['x', 'y'] }, b: { const: 3 }, c: { default: 'd' } } },
    { a: 'x', b: 3, c: 'd' },
  ],
  [
    'bounds',
    {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 7, multipleOf: 5 }, m: { type: 'number', exclusiveMaximum: 0 } },
    },
    { n: 10, m: -1 },
  ],
  ['a choice', { anyOf: [{ $ref: '#/$defs/none' }, { type: 'boolean' }] }, true],
  [
    'parts of one',
    { allOf: [{ properties: { a: text }, required: ['a'] }, { properties: { b: { type: 'null' } } }] },
    { a: '…', b: null },
  ],
  [
    'references',
    { $defs: { day: { type: 'string', format: 'date' } }, type: 'array', items: { $ref: '#/$defs/day' }, minItems: 2 },
    ['2026-01-31', '2026-01-31'],
  ],
  ['what a text is bounded by', { type: 'string', minLength: 3, maxLength: 4 }, '………'],
])('an example has %s of a schema', (_what, schema, example) => {
  expect(exampleOf(schema)).toEqual(example)
})

test('an example of a schema that holds itself ends, and fits', () => {
  expect(fitAnswer(JSON.stringify(exampleOf(TREE)), TREE).ok).toBe(true)
})

test('an example is bounded, however many values its schema asks for', () => {
  const wide = (depth: number): object =>
    depth === 0 ? text : { type: 'array', minItems: 100, items: wide(depth - 1) }
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
  const bushy = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    required: names,
  }
  for (const schema of [{ ...wide(6) }, bushy])
    expect(fitAnswer(JSON.stringify(schema), schema as Record<string, unknown>)).toEqual({
      ok: false,
      errors: [expect.stringContaining('Schema')],
    })
})

describe('the schema itself in the place of an answer', () => {
  const properties = { city: text, people: { type: 'integer' } }
  const schema = { type: 'object', properties, required: ['city', 'people'] }
  const fenced = (value: object) => `Here it is:\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

  test.each([
    ['whole', schema],
    ['with a title', { title: 'City', ...schema }],
    ['under a name', { name: 'city', schema }],
    ['its members without a type', { properties }],
    ['its members alone', properties],
  ])('is seen, in a fence behind words too: %s', (_, said) => {
    const echo = { ok: false, example: expect.stringContaining('"city"') }
    expect(fitAnswer(JSON.stringify(said), schema)).toMatchObject(echo)
    expect(fitAnswer(fenced(said), schema)).toMatchObject(echo)
  })

  test('is not what only looks like it; of a fence behind words its JSON is judged', () => {
    expect(fitAnswer(fenced({ city: 'Paris', people: 2 }), schema).ok).toBe(true)
    expect(fitAnswer(fenced({ city: 'Paris' }), schema)).toEqual({
      ok: false,
      errors: [expect.stringContaining('"people"')],
    })
  })
})
