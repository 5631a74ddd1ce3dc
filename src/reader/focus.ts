import { queryTerms } from '../relevance/query.ts'
import { type Scored, scoresOf } from '../relevance/score.ts'
import { type KindOfText, partsOf } from './parts.ts'

/** A section without headings is cut at the first empty line or item of a list after so many characters, at the latest after twice as many. */
const SECTION_CHARS = 1_500
/** JSON and tables have no headings: their sections are parts of this size. */
const PART_SIZE = { charsMax: SECTION_CHARS, linesMax: 200 }
const HEADING = /^#{1,6} /
/** Nothing, or an item that stands in no other. */
const MAY_BEGIN = /^(?:$|[-*+] |\d+[.)] )/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** Of what the best section scores a section needs this share to be kept. */
const KEPT_SHARE = 1 / 2
/** What a heading counts beside the text that it is part of. */
const HEADING_WEIGHT = 2
/** Written where sections were left out. */
const GAP = '[…]'

/** `kept` of `total` sections are in `markdown`, in the order of the page. */
export interface Focused {
  markdown: string
  kept: number
  total: number
}

/** The sections of a long text that speak of `focus`, best matches only; null when none does. */
export function focusOn(page: KindOfText, focus: string): Focused | null {
  const sections = sectionsOf(page)
  const terms = queryTerms(focus, { isBare: true })
  const inHeading = scoresOf(sections.map(headingOf), terms)
  const inText = scoresOf(sections.map(scored), terms)
  const scores = inText.map((score, index) => score + HEADING_WEIGHT * (inHeading[index] ?? 0))
  const best = Math.max(0, ...scores)
  if (best === 0) return null
  return keptOf(
    sections,
    scores.map((score) => score >= best * KEPT_SHARE),
  )
}

function scored(text: string): Scored {
  return { text, context: '' }
}

function headingOf(section: string): Scored {
  const [first = ''] = section.split('\n', 1)
  return scored(HEADING.test(first) ? first : '')
}

function keptOf(sections: readonly string[], isKept: readonly boolean[]): Focused {
  const parts = sections.flatMap((section, index) => {
    if (isKept[index]) return [section]
    return index === 0 || isKept[index - 1] ? [GAP] : []
  })
  return { markdown: parts.join('\n\n'), kept: isKept.filter(Boolean).length, total: sections.length }
}

function sectionsOf(page: KindOfText): string[] {
  return page.kind === 'json' || page.kind === 'csv' ? partsOf(page, PART_SIZE) : proseSections(page.markdown)
}

/** A text cut before its headings, and before paragraphs, items or lines where it has few; not inside of code. */
function proseSections(markdown: string): string[] {
  const sections: string[] = []
  let lines: string[] = []
  let chars = 0
  let fence: string | null = null
  const end = () => {
    const section = lines.join('\n').trim()
    if (section !== '') sections.push(section)
    lines = []
    chars = 0
  }
  for (const line of markdown.split('\n')) {
    const isLong = chars >= SECTION_CHARS && (MAY_BEGIN.test(line) || chars >= 2 * SECTION_CHARS)
    if (fence === null && (HEADING.test(line) || isLong)) end()
    fence = fenceAfter(fence, line)
    lines.push(line)
    chars += line.length
  }
  end()
  return sections
}

/** The fence that is open after a line. */
function fenceAfter(open: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1] ?? null
  if (open === null) return mark
  return mark !== null && mark.startsWith(open) && line.trim() === mark ? null : open
}
