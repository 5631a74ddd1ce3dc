import { describe, expect, test } from 'vitest'
import { readPage } from '../../../src/reader/read-page.ts'
import { encodeAs } from '../../support/old-encodings.ts'
import { LOCAL_PAGES } from './styles/languages.ts'

describe('a page is read as its country writes it', () => {
  test.each(LOCAL_PAGES.map((page) => [page.name, page] as const))('%s', (_, local) => {
    const { encoding, html, isDeclared, url } = local
    const bytes = encoding === null ? new TextEncoder().encode(html) : encodeAs(encoding, html)
    const contentType = isDeclared || encoding === null ? 'text/html' : `text/html; charset=${encoding}`
    const page = readPage({ bytes, contentType, url })
    expect(page).toMatchObject({ kind: 'html', title: local.title, byline: local.byline, language: local.language })
    expect(page.publishedTime).toMatch(new RegExp(`^${local.day}`))
    expect(page.text).not.toContain('NOISE')
    const places = local.has.map((piece) => page.text.indexOf(piece))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThanOrEqual(0)
    expect(page.type?.name).toBe('article')
  })
})
