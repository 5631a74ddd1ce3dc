import { readPage } from '../../../src/reader/read-page.ts'
import { queryTerms } from '../../../src/relevance/query.ts'
import type { Random } from '../../chaos/random.ts'
import { loadPages } from '../reader/pages.ts'
import type { Document } from './documents.ts'

/** A page is long from so many characters on. */
const LONG_CHARS = 12_000
const PARAGRAPH_CHARS = { min: 200, max: 1_000 }
const ASKED_A_PAGE = 3
const WORDS = { min: 4, max: 8 }

/** Of each long page some paragraphs, asked for by half of their telling words, drawn by chance. */
export function pageDocuments(folder: string, random: Random): Document[] {
  return loadPages(folder).flatMap(({ name, bytes }) => {
    const { markdown } = readPage({ bytes, contentType: 'text/html', url: 'https://example.com/' })
    if (markdown.length < LONG_CHARS) return []
    const paragraphs = markdown
      .split('\n\n')
      .filter(({ length }) => length >= PARAGRAPH_CHARS.min && length <= PARAGRAPH_CHARS.max)
    const [first, ...rest] = paragraphs
    if (first === undefined) return []
    const asked = Array.from({ length: ASKED_A_PAGE }, () => random.pick([first, ...rest]))
    return asked.map((answer) => {
      const language = /\p{Script=Han}/u.test(answer) ? ('zh-CN' as const) : ('en' as const)
      return { name, language, text: markdown, question: wordsOf(answer, random), answer }
    })
  })
}

function wordsOf(paragraph: string, random: Random): string {
  const words = queryTerms(paragraph).flatMap(({ text, weight }) => (weight === 1 ? [text] : []))
  const drawn = words.filter(() => random.chance(0.5))
  return drawn.slice(0, random.int(WORDS.min, WORDS.max)).join(' ')
}
