import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../../src/lib/text.ts'
import { readHtml } from '../../../src/reader/read-page.ts'
import { FIXTURES } from './fixtures.ts'

describe.each(FIXTURES)('$name', ({ html, has, lacks }) => {
  const page = readHtml(html, 'https://site.example/a/b')

  test('has what it tells, in its order', () => {
    let from = 0
    for (const piece of has) {
      expect(page.markdown.slice(from)).toContain(piece)
      from = page.markdown.indexOf(piece, from) + piece.length
    }
  })

  test('is without what is around it', () => {
    for (const word of lacks) expect(page.markdown).not.toContain(word)
  })

  test('takes a quarter of the tokens of its HTML at most', () => {
    expect(estimateTokens(page.markdown)).toBeLessThanOrEqual(0.25 * estimateTokens(html))
  })
})
