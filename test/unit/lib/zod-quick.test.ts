import { describe, test } from 'vitest'
import * as z from 'zod'
import { quickParser } from '../../../src/lib/zod-quick.ts'

const SCHEMAS = {
  text: z.string(),
  bounded: z.string().min(1).max(3),
  trimmed: z.string().trim(),
  refined: z.string().refine((text) => text !== 'x'),
  changed: z.string().transform((text) => `${text}!`),
  time: z.iso.datetime(),
  number: z.number().min(0),
  whole: z.int().min(1),
  choice: z.enum(['a', 'b']),
  literal: z.literal('a'),
  nullable: z.string().nullable(),
  optional: z.object({ a: z.string().optional(), b: z.number() }),
  nullish: z.looseObject({ a: z.string().nullish() }),
  filled: z.looseObject({ a: z.string().nullable().default(null) }),
  stripped: z.object({ a: z.string() }),
  strict: z.strictObject({ a: z.string() }),
  loose: z.looseObject({ a: z.string() }),
  list: z.array(z.looseObject({ a: z.string() })),
  short: z.array(z.string()).max(1),
  record: z.record(z.string(), z.unknown()),
  keyed: z.record(z.string().max(1), z.string()),
  either: z.union([z.string(), z.array(z.string())]),
  changing: z.union([z.string().transform(() => 1), z.string()]),
  told: z.discriminatedUnion('a', [
    z.looseObject({ a: z.literal('a'), b: z.string() }),
    z.discriminatedUnion('b', [
      z.looseObject({ a: z.literal('x'), b: z.literal('x'), c: z.number() }),
      z.looseObject({ a: z.literal('x'), b: z.literal('y') }),
    ]),
  ]),
  checked: z.looseObject({ a: z.string() }).refine(({ a }) => a !== 'x'),
  anything: z.unknown(),
}

const LEAVES = [
  '',
  'a',
  'x',
  ' x ',
  'long text',
  0,
  1,
  -1,
  0.5,
  true,
  null,
  '2026-01-01T00:00:00Z',
  [],
  ['a', 'b'],
  [1],
  {},
]
const OBJECTS = LEAVES.flatMap((a) => [
  { a },
  { a, b: 'x' },
  { a, b: 1, more: [a] },
  { b: a },
  { a: 'x', b: a, c: a },
  [{ a }],
  JSON.parse(`{"a":"a","__proto__":{"b":1}}`),
])

describe('a quick parser', () => {
  test('says of every value what its schema says', ({ expect }) => {
    for (const [name, schema] of Object.entries(SCHEMAS)) {
      const parse = quickParser<z.ZodType>(schema)
      for (const value of [...LEAVES, ...OBJECTS]) {
        const [quick, whole] = [parse(value), schema.safeParse(value)]
        const what = `${name}: ${JSON.stringify(value)}`
        expect([quick.success, quick.data, quick.error?.issues], what).toEqual([
          whole.success,
          whole.data,
          whole.error?.issues,
        ])
        expect(Object.keys(Object(quick.data)).toSorted(), what).toEqual(Object.keys(Object(whole.data)).toSorted())
      }
    }
  })
})
