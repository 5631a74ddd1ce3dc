import { expect, test } from 'vitest'
import { factLines, rowLines, widthOf } from '../../../../src/cli/view/rows.ts'
import { columnsOf } from '../../../../src/cli/view/text.ts'

const ROWS = [
  ['ses_01m85e91bsr6kznfhkdnsfs686', '已完成', '一个关于海洋的很长很长的标题，还有更多的文字'],
  ['ses_01m85e91bsr6kznfhkdnsfs687', 'waits', 'Read the page'],
]

test('rows stand below each other and fit 60 columns; a pipe gets them whole', () => {
  const lines = rowLines(ROWS, widthOf({ isTTY: true, columns: 60 }))
  expect(lines.every((line) => columnsOf(line) <= 60)).toBe(true)
  expect(lines[0]).toMatch(/686 {2}已完成 {2}一个关于.*…$/)
  expect(lines[1]).toMatch(/687 {2}waits {3}Read the page$/)
  expect(rowLines(ROWS, widthOf({}))[0]).toMatch(/更多的文字$/)
})

test('a column that has no room is left out, so that no mark of a cut stands behind what is whole', () => {
  expect(rowLines(ROWS, 40)).toEqual([
    'ses_01m85e91bsr6kznfhkdnsfs686  已完成',
    'ses_01m85e91bsr6kznfhkdnsfs687  waits',
  ])
  expect(rowLines(ROWS, 12)).toEqual(['ses_01m85e9…', 'ses_01m85e9…'])
})

test('facts are never cut: a value goes on below, and where it comes from is left out where it does not fit', () => {
  const hosts = '["127.0.0.1:9002","127.0.0.1:9003","localhost:11434"]'
  const facts = [
    ['web.allow_private_hosts', hosts, 'config file'],
    ['limits.max_iterations', '8', 'version 1, 2026-11-27 08:32, YAA_API_KEY'],
  ]
  const narrow = factLines(facts, 60)
  expect(narrow.join('\n')).not.toMatch(/…|config file|version/)
  expect(narrow.map((line) => line.slice(25)).join('')).toBe(`${hosts}8`)
  const wider = factLines(facts, 96)
  expect(wider.every((line) => columnsOf(line) <= 96)).toBe(true)
  expect(wider.at(-1)).toMatch(/^limits\.max_iterations {4}8 +version 1, 2026-11-27 08:32, YAA_API_KEY$/)
  expect(wider[0]).toMatch(/config file$/)
  expect(factLines(facts, Infinity)[0]).toBe(`web.allow_private_hosts  ${hosts}  config file`)
})
