import { LIMITS } from '../../domain/limits.ts'

/** Starts at the scheme, ends at white space, quotes, brackets of markup, or the first Chinese character or typographic mark. */
const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^\u2000-\u206f\u2e80-\uffef]+/gi

/** The http and https addresses of a text, in order, each once. Trailing punctuation is the sentence's, not theirs. */
export function addressesIn(text: string): string[] {
  const found = new Map<string, string>()
  for (const [match] of text.matchAll(ADDRESS)) {
    if (match.length > LIMITS.web.urlCharsMax) continue
    const address = trimEnd(match)
    const key = addressKey(address)
    if (key !== null && !found.has(key)) found.set(key, address)
  }
  return [...found.values()]
}

/** What makes two spellings the same address: all but the fragment. Null: no address. */
export function addressKey(address: string): string | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  url.hash = ''
  return url.href
}

function trimEnd(address: string): string {
  let end = address.length
  while (end > 0 && isTrailing(address.slice(0, end))) end--
  return address.slice(0, end)
}

/** A closing bracket belongs to the address when that opens it: `…/Tree_(graph)`. */
function isTrailing(address: string): boolean {
  const last = address.at(-1) ?? ''
  if (last === ')') return address.split(')').length > address.split('(').length
  if (last === ']') return address.split(']').length > address.split('[').length
  return '.,;:!?*_~'.includes(last)
}
