/** A section without headings is cut at the first empty line after so many characters. */
const SECTION_CHARS = 1_500
const WORDS_MAX = 50
const HEADING = /^#{1,6} /
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** Written where sections were left out. */
const GAP = '[…]'

/** `kept` of `total` sections are in `markdown`, in the order of the page. */
export interface Focused {
  markdown: string
  kept: number
  total: number
}

/** The sections of a long text that speak of `focus`, best matches only; null when none does. */
export function focusOn(markdown: string, focus: string): Focused | null {
  const sections = sectionsOf(markdown)
  const searched = sections.map(searchable)
  const weights = new Map(focusWords(focus).map((word) => [word, rarity(word, searched)]))
  const scores = searched.map((section) => scoreOf(section, weights))
  const best = Math.max(0, ...scores)
  if (best === 0) return null
  const isKept = scores.map((score) => score > 0 && score >= best / 2)
  const parts = sections.flatMap((section, index) => {
    if (isKept[index]) return [section]
    return index === 0 || isKept[index - 1] ? [GAP] : []
  })
  return { markdown: parts.join('\n\n'), kept: isKept.filter(Boolean).length, total: sections.length }
}

/** The words of a query, lower case; Chinese and Japanese ones as a dictionary divides them. */
export function focusWords(focus: string): string[] {
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(focus.normalize('NFKC').toLowerCase())
  const words = [...segments].filter(({ segment, isWordLike }) => isWordLike && isTelling(segment))
  return [...new Set(words.map(({ segment }) => segment))].slice(0, WORDS_MAX)
}

/** One character says something in CJK or as a digit, not as a letter. */
function isTelling(word: string): boolean {
  return word.length > 1 || !/[\p{Script=Latin}的了和与及在是]/u.test(word)
}

interface Searchable {
  heading: string
  text: string
}

function searchable(section: string): Searchable {
  const text = section.normalize('NFKC').toLowerCase()
  const [first = ''] = text.split('\n', 1)
  return { heading: HEADING.test(first) ? first : '', text }
}

/** The fewer sections hold a word, the more it tells. */
function rarity(word: string, sections: readonly Searchable[]): number {
  const holding = sections.filter(({ text }) => text.includes(word)).length
  return holding === 0 ? 0 : Math.log(1 + sections.length / holding)
}

/** What the words in a section weigh; those in its heading count three times. */
function scoreOf({ heading, text }: Searchable, weights: ReadonlyMap<string, number>): number {
  let score = 0
  for (const [word, weight] of weights) score += weight * (heading.includes(word) ? 3 : text.includes(word) ? 1 : 0)
  return score
}

/** A text cut before its headings, and before paragraphs where it has few; never inside of code. */
function sectionsOf(markdown: string): string[] {
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
    const isLong = line === '' && chars >= SECTION_CHARS
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
