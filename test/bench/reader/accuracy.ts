import { collapse } from '../../../src/reader/node.ts'
import { readHtml, type ReadHtml } from '../../../src/reader/read-page.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { readabilityText } from './other-readers.ts'
import type { KnownPage } from './pages.ts'
import { type Score, score } from './score.ts'

/** Where pages of the known set were found; their links are relative to it. */
const PAGE_URL = 'http://fakehost/test/page.html'

export interface PageResult extends Score {
  name: string
  confidence: number
  /** F1 of Readability + linkedom by the same rule. */
  theirs: number
  /** Tokens of the Markdown as a share of those of the HTML. */
  tokenShare: number
  /** Fields of the metadata, each right or not; absent where nothing is expected. */
  hits: Partial<Record<Field, boolean>>
}

export const FIELDS = ['title', 'byline', 'publishedTime', 'siteName', 'lang'] as const
type Field = (typeof FIELDS)[number]

export function measure(page: KnownPage): PageResult {
  const read = readHtml(page.html, PAGE_URL)
  return {
    name: page.name,
    ...score(read.text, page.expected),
    confidence: read.confidence,
    theirs: score(readabilityText(page.html), page.expected).f1,
    tokenShare: estimateTokens(read.markdown) / Math.max(1, estimateTokens(page.html)),
    hits: hitsOf(read, page.metadata),
  }
}

function hitsOf(read: ReadHtml, expected: Record<string, unknown>): PageResult['hits'] {
  const have: Record<Field, string | null> = {
    title: read.title,
    byline: read.byline,
    publishedTime: read.publishedTime,
    siteName: read.site,
    lang: read.language,
  }
  const told = FIELDS.filter((field) => typeof expected[field] === 'string' && expected[field] !== '')
  return Object.fromEntries(told.map((field) => [field, same(have[field], String(expected[field]))]))
}

function same(have: string | null, want: string): boolean {
  return have !== null && collapse(have).toLowerCase() === collapse(want).toLowerCase()
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
