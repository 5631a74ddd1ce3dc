import { expect, test } from 'vitest'
import { withSchemaWords } from '../../../src/domain/schema-words.ts'
import { checkOf } from '../../../src/mcp/schema.ts'
import { fitAnswer } from '../../../src/skills/output-schema.ts'

const SCHEMA = {
  type: 'object',
  required: ['b'],
  additionalProperties: false,
  properties: {
    b: {},
    whole: { type: 'integer' },
    either: { type: ['string', 'null'] },
    least: { minimum: 3 },
    more: { exclusiveMinimum: 3 },
    most: { maximum: 3 },
    less: { exclusiveMaximum: 3 },
    fives: { multipleOf: 5 },
    one: { enum: ['x', 'y; z'] },
    only: { const: 'k' },
    long: { maxLength: 2 },
    short: { minLength: 9 },
    form: { pattern: '^a' },
    day: { format: 'date' },
    few: { minItems: 3, items: { type: 'string' } },
    many: { maxItems: 1, uniqueItems: true },
  },
}
const VALUE = {
  whole: 'x',
  either: 4,
  least: 1,
  more: 3,
  most: 4.5,
  less: 3,
  fives: 7,
  one: 'q',
  only: 'j',
  long: 'long',
  short: 'long',
  form: 'b',
  day: 'q',
  few: ['b', 2],
  many: [1, 1],
}
/** A field at a time: an answer is told the first few faults alone. */
const told = (language: 'en' | 'zh-CN') =>
  Object.entries({ ...VALUE, '': 0 }).flatMap(([name, value]) => {
    const fitted = fitAnswer(JSON.stringify(name === '' ? {} : { b: 0, [name]: value }), SCHEMA)
    return fitted.ok ? [] : withSchemaWords(language, fitted.errors.join('\n')).split('\n')
  })

test('what a validator says is told in words, at the place that it speaks of', () => {
  expect(told('en')).toEqual([
    'whole: it has to be a whole number, but is text',
    'either: it has to be text or null, but is a number',
    'least: it has to be at least 3, but is 1',
    'more: it has to be more than 3, but is 3',
    'most: it has to be at most 3, but is 4.5',
    'less: it has to be less than 3, but is 3',
    'fives: it has to be a multiple of 5, but is 7',
    'one: it has to be one of "x", "y; z"',
    'only: it has to be "k"',
    'long: it is 4 characters long, at most 2 are allowed',
    'short: it is 4 characters long, at least 9 are needed',
    'form: it is not written as it has to be',
    'day: it has to be written as date',
    'few: it has 2 items, at least 3 are needed',
    'few.1: it has to be text, but is a number',
    'many: it has 2 items, at most 1 are allowed',
    'many: items 1 and 2 are the same',
    'b is missing',
  ])
  expect(told('zh-CN').slice(0, 3)).toEqual([
    'whole：应为整数，而不是文本',
    'either：应为文本或空值，而不是数字',
    'least：至少应为 3，而不是 1',
  ])
  expect(told('zh-CN').filter((line) => !/\p{Script=Han}/u.test(line) || /[a-z]{3} [a-z]/.test(line))).toEqual([])
})

test('what no field alone is to blame for is told in words too', () => {
  const either = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  const one = { oneOf: [{ minimum: 1 }, { minimum: 2 }] }
  const faulty = [
    [{ properties: { either } }, { either: 1 }],
    [{ properties: { one } }, { one: 3 }],
    [{ properties: { not: { not: { const: 1 } } } }, { not: 1 }],
    [{ minProperties: 2 }, { a: 1 }],
    [{ dependentRequired: { card: ['name'] } }, { card: 1 }],
    [{ properties: { list: { contains: { const: 1 } } } }, { list: [2] }],
  ] as const
  const said = (language: 'en' | 'zh-CN') =>
    faulty.map(([schema, value]) => {
      const places = checkOf(schema)(value).map(({ path, expected }) => `${path}: ${expected}`)
      return withSchemaWords(language, places[0] ?? '')
    })
  expect(said('en')).toEqual([
    'either: it is in none of the forms that it may have',
    'one: it is in none of the forms that it may have',
    'not: it is what it may not be',
    ': the number of its fields does not keep to the bound of 2',
    ': with card, name is needed too',
    'list: none of its items is one that it has to have',
  ])
  expect(said('zh-CN').filter((line) => !/\p{Script=Han}/u.test(line))).toEqual([])
})

test('of arguments that were edited too, whose sentences have no stop and stand in one line', () => {
  const check = checkOf({ ...SCHEMA, properties: { whole: SCHEMA.properties.whole } })
  const places = check({ whole: 'x', z: 1 }).map(({ path, expected }) => `arguments.${path}: ${expected}`)
  expect(withSchemaWords('en', `The arguments do not fit the tool. ${places.join('; ')}`)).toBe(
    'The arguments do not fit the tool. arguments.b: b is missing; arguments.whole: it has to be a whole number, but is text; arguments.z: nothing is expected here',
  )
  expect(withSchemaWords('zh-CN', `参数不符合工具的要求。 ${places.join('; ')}`)).toBe(
    '参数不符合工具的要求。 arguments.b: 缺少 b; arguments.whole: 应为整数，而不是文本; arguments.z: 这里不应有内容',
  )
})

test('a name that is no plain English is told as it is written', () => {
  const fitted = fitAnswer('{"b": 0, "名称": 1}', { ...SCHEMA, properties: { b: {}, 名称: { type: 'string' } } })
  expect(fitted.ok ? [] : fitted.errors.map((error) => withSchemaWords('zh-CN', error))).toEqual([
    '名称：应为文本，而不是数字',
  ])
  const ofTool = checkOf({
    properties: { 名称: { type: 'string' }, 'a/b 50%': { type: 'string' } },
    additionalProperties: false,
  })
  expect(ofTool({ 名称: 1, 'a/b 50%': 1, 别的: 1 }).map(({ path }) => path)).toEqual(['名称', 'a/b 50%', '别的'])
  const said = 'Instance type "number" is invalid. Expected "string".'
  expect(withSchemaWords('zh-CN', `#/%E5%90%8D: ${said}`)).toBe('名：应为文本，而不是数字')
  expect(withSchemaWords('en', `#/50%: ${said}`)).toBe('50%: it has to be text, but is a number')
})

test('a list of values ends where it does, whatever the values hold', () => {
  const values = ['a] b', '[c', String.raw`\"]`, ['d] e', 1], 2]
  const fitted = fitAnswer('{"b": 0, "one": "q"}', { ...SCHEMA, properties: { b: {}, one: { enum: values } } })
  expect(fitted.ok ? [] : fitted.errors.map((error) => withSchemaWords('en', `${error} More.`))).toEqual([
    String.raw`one: it has to be one of "a] b", "[c", "\\\"]",["d] e",1],2 More.`,
  ])
})

test('a text that is longer than any of a validator stays as it is', () => {
  const text = `${'a'.repeat(4_000)}\n#: Instance does not have required property "b".`
  expect(withSchemaWords('en', text)).toBe(text)
})

test('other words stay as they are', () => {
  for (const text of [
    'It costs 3 is greater than 2 now.',
    'Version 2. 5 is less than 7 days.',
    'The price is less than 3.',
    'What 4 is greater than is a riddle.',
    'Instance does not match.',
    '#/a: b',
  ])
    expect(withSchemaWords('en', text)).toBe(text)
})
