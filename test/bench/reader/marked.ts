import { readHtml } from '../../../src/reader/read-page.ts'
import type { Model } from '../../../src/reader/learned.ts'
import type { MarkedPage } from './train/pages.ts'

/** The figures of one reading of all marked pages: F1 a page and type, and passages found, missed and wrongly there. */
export interface Figures {
  byType: Map<string, number[]>
  passages: { found: number; missed: number; wrong: number }
}

export const noFigures = (): Figures => ({ byType: new Map(), passages: { found: 0, missed: 0, wrong: 0 } })

/** Read a page and add how well that went. An address of no site, as for a file: the model knows what the page says of itself. */
export function addPage(figures: Figures, page: MarkedPage, model?: Model): void {
  const { text } = readHtml(page.html, 'file:///page.html', model)
  if (page.set === 'annotated') return addPassages(figures, page, text)
  const scores = figures.byType.get(page.type) ?? []
  scores.push(wordsF1(text, page.text))
  figures.byType.set(page.type, scores)
}

/** WCXB's measure: words as a bag. */
function wordsF1(text: string, wanted: string): number {
  const have = wordsOf(text)
  const want = wordsOf(wanted)
  if (have.length === 0 || want.length === 0) return have.length === want.length ? 1 : 0
  const left = new Map<string, number>()
  for (const word of want) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of have) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    shared += 1
    left.set(word, count - 1)
  }
  return (2 * shared) / (have.length + want.length)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** trafilatura's measure: passages that must be there and passages that must not. */
function addPassages({ passages }: Figures, page: MarkedPage, text: string): void {
  const read = collapsed(text)
  const countIn = (wanted: readonly string[]) => wanted.filter((passage) => read.includes(collapsed(passage))).length
  const found = countIn(page.with)
  passages.found += found
  passages.missed += page.with.length - found
  passages.wrong += countIn(page.without)
}

const collapsed = (text: string) => text.replace(/\s+/g, ' ').trim()
