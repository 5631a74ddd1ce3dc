import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'
import { LISTING_STYLES } from './styles/listing-styles.ts'
import { Writer } from './styles/words.ts'

describe.each(LISTING_STYLES)('%s', (_, language, style) => {
  const { html, has, lacks } = style(new Writer(language, 1))
  const page = readHtml(html, 'https://site.example/a')

  test('has all its items with their links, in their order', () => {
    let from = 0
    for (const piece of has) {
      expect(page.markdown.slice(from)).toContain(piece)
      from = page.markdown.indexOf(piece, from) + piece.length
    }
  })

  test('is without what is around it', () => {
    for (const word of lacks) expect(page.markdown).not.toContain(word)
  })

  test('is not taken for an article', () => {
    expect(page.confidence).toBeLessThan(0.5)
  })
})
