import { expect, test } from 'vitest'
import { declared, inputText, inputValue, type DeclaredInput } from '../../../../src/console/forms/declared-inputs.ts'

const listOf = (type: string) => ({ type: 'array', items: { type } })
const inputs = declared({
  type: 'object',
  properties: {
    urls: { ...listOf('string'), title: 'Addresses' },
    sizes: listOf('number'),
    rows: { type: 'array', items: { type: 'object' } },
    tone: { type: 'string', enum: ['dry', 'warm'] },
    sure: { type: 'boolean' },
    level: { type: 'integer', enum: [1, 2] },
  },
  required: ['urls'],
})
const input = (name: string): DeclaredInput => inputs.find((one) => one.name === name) ?? expect.fail(name)

test('each input has a field of its kind', () => {
  expect(inputs.map(({ name, kind }) => [name, kind])).toEqual([
    ['urls', 'texts'],
    ['sizes', 'numbers'],
    ['rows', 'json'],
    ['tone', 'choice'],
    ['sure', 'choice'],
    ['level', 'choice'],
  ])
  expect([input('urls').label, input('urls').isNeeded, input('tone').isNeeded]).toEqual(['Addresses', true, false])
})

test('a list is an item a line, and a line that is no number stays what it is', () => {
  expect(inputValue(input('urls'), 'https://a.example\n\n  b, c \n')).toEqual(['https://a.example', 'b, c'])
  expect(inputValue(input('urls'), '[1]')).toEqual(['[1]'])
  expect(inputValue(input('urls'), ' \n')).toBe(undefined)
  expect(inputValue(input('sizes'), '1\n2.5\nmany')).toEqual([1, 2.5, 'many'])
  expect(inputText(['a', 'b'])).toBe('a\nb')
  expect(inputText([{ a: 1 }])).toBe('[{"a":1}]')
})

test('one template alone stands for a whole list, as what a webhook fills in', () => {
  expect(inputValue(input('urls'), '{{ body.urls }}')).toBe('{{ body.urls }}')
  expect(inputValue(input('urls'), '{{ body.a }}\n{{ body.b }}')).toEqual(['{{ body.a }}', '{{ body.b }}'])
})

test('what is chosen is a value of its type', () => {
  expect(inputValue(input('tone'), 'dry')).toBe('dry')
  expect(inputValue(input('sure'), 'false')).toBe(false)
  expect(inputValue(input('level'), '2')).toBe(2)
  expect(inputValue(input('tone'), '')).toBe(undefined)
})
