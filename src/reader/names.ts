import type { Attributes } from './node.ts'

const CACHED_MAX = 2_000
const NAME_CHARS_MAX = 400
/** Words of a class that tell its kind. */
const KIND_WORDS = 3
const WORD_CHARS_MIN = 3
const NO_NAMES: Names = { kind: 1, score: 0 }

/** What class and id of an element say. `kind`: a number for the class. */
export interface Names {
  kind: number
  score: number
}

export type NamesOf = (attributes: Attributes) => Names

/** Words in class and id that the model knows, by their hash, with what they say for a block (above 0) or against it. */
export type NameLexicon = ReadonlyMap<number, number>

/** Reads what class, id and role of elements say; one for each page, since names repeat within it. */
export function createNamesOf(lexicon: NameLexicon): NamesOf {
  const known = new Map<string, Names>()
  const namesOf = (written: string): Names => {
    const found = known.get(written)
    if (found !== undefined) return found
    const names = readNames(written, lexicon)
    if (known.size < CACHED_MAX) known.set(written, names)
    return names
  }
  return (attributes) => {
    let { kind, score } = NO_NAMES
    for (let index = 0; index < attributes.length; index += 2) {
      if (!NAMING.has(attributes[index] ?? '')) continue
      const names = namesOf(attributes[index + 1] ?? '')
      // An id is of one element, a class of its kind.
      if (attributes[index] === 'class') kind = names.kind
      score += names.score
    }
    return { kind, score }
  }
}

const NAMING: ReadonlySet<string> = new Set(['class', 'id', 'role', 'itemprop'])

/** What names an element, attribute by attribute. */
export function namingValues(attributes: Attributes): string[] {
  return attributes.filter((_, index) => index % 2 === 1 && NAMING.has(attributes[index - 1] ?? ''))
}

function readNames(written: string, lexicon: NameLexicon): Names {
  const words = new Set<number>()
  eachNameWord(written, (hash) => words.add(hash))
  let score = 0
  let kind = 7
  let count = 0
  for (const hash of words) {
    score += lexicon.get(hash) ?? 0
    if (count < KIND_WORDS) kind = (Math.imul(kind, 31) + hash) | 0
    count += 1
  }
  return { kind, score }
}

const CASE = 0x20

/** Runs of at least three ASCII letters in names, in either case; a capital behind a small letter begins a new one. Gives the hash of each in small letters. */
export function eachNameWord(written: string, take: (hash: number, start: number, end: number) => void): void {
  const end = Math.min(written.length, NAME_CHARS_MAX)
  let hash = 0
  let start = 0
  let wasSmall = false
  for (let index = 0; index <= end; index += 1) {
    const unit = index === end ? 0 : written.charCodeAt(index)
    const small = unit | CASE
    const isLetter = small >= 0x61 && small <= 0x7a
    const isSmall = isLetter && unit === small
    if (!isLetter || (wasSmall && !isSmall)) {
      if (index - start >= WORD_CHARS_MIN) take(hash, start, index)
      hash = 0
      start = isLetter ? index : index + 1
    }
    if (isLetter) hash = (Math.imul(hash, 31) + small) | 0
    wasSmall = isSmall
  }
}

export function hashOf(word: string): number {
  let hash = 0
  for (let index = 0; index < word.length; index += 1) hash = (Math.imul(hash, 31) + word.charCodeAt(index)) | 0
  return hash
}
