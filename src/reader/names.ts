import type { Attributes } from './node.ts'
import { unitAt } from './units.ts'

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

/** What single words say, by their hash: places are tried one after the other, as in a map without objects. */
export class Lexicon {
  readonly #hashes: Int32Array
  readonly #weights: Float32Array
  readonly #mask: number

  constructor(weights: readonly (readonly [hash: number, weight: number])[]) {
    const size = 2 ** Math.ceil(Math.log2(4 * (weights.length + 1)))
    this.#hashes = new Int32Array(size)
    this.#weights = new Float32Array(size)
    this.#mask = size - 1
    for (const [hash, weight] of weights) {
      const place = this.#placeOf(hash)
      this.#hashes[place] = hash
      this.#weights[place] = weight
    }
  }

  /** 0: the word is not in it, and most are not: then one list alone is looked at. */
  weight(hash: number): number {
    const place = this.#placeOf(hash)
    return this.#hashes[place] === 0 ? 0 : (this.#weights[place] ?? 0)
  }

  #placeOf(hash: number): number {
    let place = (hash ^ (hash >>> 15)) & this.#mask
    for (;;) {
      const known = this.#hashes[place]
      if (known === hash || known === 0) return place
      place = (place + 1) & this.#mask
    }
  }
}

/** Reads what class, id and role of elements say for a block (above 0) or against it; one for each page, since names repeat within it. */
export function createNamesOf(lexicon: Lexicon): NamesOf {
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
      const name = attributes[index] ?? ''
      if (!isNaming(name)) continue
      const names = namesOf(attributes[index + 1] ?? '')
      // An id is of one element, a class of its kind.
      if (name === 'class') kind = names.kind
      score += names.score
    }
    return { kind, score }
  }
}

/** Compared by their addresses, which is less than to look one up in a set. */
function isNaming(name: string): boolean {
  return name === 'class' || name === 'id' || name === 'role' || name === 'itemprop'
}

/** What names an element, attribute by attribute. */
export function namingValues(attributes: Attributes): string[] {
  return attributes.filter((_, index) => index % 2 === 1 && isNaming(attributes[index - 1] ?? ''))
}

function readNames(written: string, lexicon: Lexicon): Names {
  const words: number[] = []
  eachNameWord(written, (hash) => {
    if (!words.includes(hash)) words.push(hash)
  })
  let score = 0
  let kind = 7
  for (let index = 0; index < words.length; index += 1) {
    const hash = words[index] ?? 0
    score += lexicon.weight(hash)
    if (index < KIND_WORDS) kind = (Math.imul(kind, 31) + hash) | 0
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
    const unit = index === end ? 0 : unitAt(written, index)
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
  for (let index = 0; index < word.length; index += 1) hash = (Math.imul(hash, 31) + unitAt(word, index)) | 0
  return hash
}
