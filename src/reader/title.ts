import { collapse, type ElementNode, rawText } from './node.ts'

/** Share of the words of a heading and of the page's title that both have when they say the same. */
const SHARED_SHARE = 0.75
const CHARS_MAX = 600
const WORDS = /[\p{L}\p{N}]+/gu

/** Whether a heading of the first or second rank is the title of the page, which is told apart from the text. */
export function isTitle(heading: ElementNode, title: string): boolean {
  if ((heading.name !== 'h1' && heading.name !== 'h2') || heading.chars === 0 || heading.chars > CHARS_MAX) return false
  const text = collapse(rawText(heading)).toLowerCase()
  const wanted = title.toLowerCase()
  if (text === wanted) return true
  return (
    heading.name === 'h1' && (startsWithWords(wanted, text) || startsWithWords(text, wanted) || isAlike(text, wanted))
  )
}

/** `whole` is `part`, a separator, and more. */
function startsWithWords(whole: string, part: string): boolean {
  return part.length >= 4 && whole.startsWith(part) && !/[\p{L}\p{N}]/u.test(whole[part.length] ?? '')
}

function isAlike(one: string, other: string): boolean {
  const words = new Set(one.match(WORDS) ?? [])
  const others = new Set(other.match(WORDS) ?? [])
  if (words.size < 3 || others.size < 3) return false
  const shared = [...words].filter((word) => others.has(word)).length
  return shared >= SHARED_SHARE * words.size && shared >= SHARED_SHARE * others.size
}
