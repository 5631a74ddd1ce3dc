import { describe, expect, test } from 'vitest'
import { csvMarkdown, csvRows } from '../../../src/reader/read-csv.ts'
import { isLinear } from '../../support/cpu-time.ts'

describe('separated values', () => {
  test.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n"x, ""y""",2\r\n',
      [
        ['a', 'b'],
        ['x, "y"', '2'],
      ],
    ],
    ['"two\nlines",2', [['two\nlines', '2']]],
    [
      'a,\n,b',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    [
      'a,b\n\n\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      '"open,2\n3,4',
      [
        ['"open', '2'],
        ['3', '4'],
      ],
    ],
  ])('%j are rows of fields', (text, rows) => {
    expect(csvRows(text, ',')).toEqual(rows)
  })

  test.each([',', ';', '\t', '|'])('with %j between become a table', (separator) => {
    const text = `name${separator}size\n${separator === '|' ? 'x' : 'x|y'}${separator}2\nz`
    expect(csvMarkdown(text)).toBe(
      `| name | size |\n| --- | --- |\n| ${separator === '|' ? 'x' : 'x\\|y'} | 2 |\n| z |`,
    )
  })

  test('are divided by what stands outside of quotes', () => {
    expect(csvMarkdown('"a, b, c";d\n1;2')).toBe('| a, b, c | d |\n| --- | --- |\n| 1 | 2 |')
  })

  test('of one wide row do not take its width for each', () => {
    const text = `${'x,'.repeat(49)}x\n${'y\n'.repeat(100_000)}`
    expect(csvMarkdown(text)?.length).toBeLessThan(8 * text.length)
  })

  test('of more columns than are read have a mark for them', () => {
    const [head, rule, row] = csvMarkdown(`${'a,'.repeat(60)}a\n${'1,'.repeat(60)}1`)?.split('\n') ?? []
    expect(head).toBe(`|${' a |'.repeat(50)} … |`)
    expect(rule).toBe(`|${' --- |'.repeat(51)}`)
    expect(row).toBe(`|${' 1 |'.repeat(50)}`)
  })

  test('of more rows than are read end with a mark', () => {
    expect(csvMarkdown('a,b\n'.repeat(100_000))?.endsWith('| a | b |\n\n[…]')).toBe(true)
    expect(csvMarkdown('a,b\n'.repeat(99_999))?.endsWith('| a | b |')).toBe(true)
  })

  test('of one column or one line are no table', () => {
    expect(csvMarkdown('one\ntwo')).toBeNull()
    expect(csvMarkdown('a,b')).toBeNull()
  })

  test.each([
    ['fields', (n: number) => `a,b\n${'x,'.repeat(n)}`],
    ['quotes', (n: number) => `a,b\n${'"'.repeat(n)}`],
    ['open quotes', (n: number) => `a,b\n${'"x,'.repeat(n)}`],
    ['rows', (n: number) => 'a,b\n'.repeat(n)],
  ])('of many %s take time in proportion to their length', (_, make) => {
    expect(isLinear(csvMarkdown, make(10_000), make(160_000))).toBe(true)
  })
})

test.each([
  ['sep=;\na;b,c\n1;2', '| a | b,c |\n| --- | --- |\n| 1 | 2 |'],
  ['sep=\t\r\na\tb\n1\t2', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
  ['sep=x\na,b', null],
])('a separator that a line of its own names is one: %j', (text, expected) => {
  if (expected === null) expect(csvMarkdown(text)).toBeNull()
  else expect(csvMarkdown(text)).toBe(expected)
})
