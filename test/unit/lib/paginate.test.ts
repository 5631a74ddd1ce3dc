import { expect, test } from 'vitest'
import { paginate } from '../../../src/lib/paginate.ts'

test('a text is cut between lines, and the pages are the text again', () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index} ${'x'.repeat(index % 30)}`).join('\n')
  const pages = paginate(text, { charsMax: 200, linesMax: 100 })
  expect(pages.join('\n')).toBe(text)
  expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(200)
  expect(pages.length).toBeGreaterThan(5)
})

test('a page holds no more lines than it may', () => {
  expect(paginate('a\nb\nc\nd\ne', { charsMax: 100, linesMax: 2 })).toEqual(['a\nb', 'c\nd', 'e'])
})

test('a line that is longer than a page is cut, but no character in two', () => {
  const pages = paginate('😀😀😀', { charsMax: 3, linesMax: 9 })
  expect(pages).toEqual(['😀', '😀', '😀'])
})

test('nothing is one empty page', () => {
  expect(paginate('', { charsMax: 10, linesMax: 10 })).toEqual([''])
})
