import { expect, test } from 'vitest'
import { rowLines, widthOf } from '../../../../src/cli/view/rows.ts'
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
