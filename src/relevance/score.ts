import { comparable, PLAIN_WORD, type Term, stem } from './query.ts'

/** What is scored: a piece of text, and what it belongs to (its headings), which counts as if it were part of it. */
export interface Scored {
  text: string
  context: string
}

/** Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009): saturation of a term, and how much
 *  the length of a piece counts, which is little for pieces of like size. */
const K1 = 1.2
const B = 0.4
/** Occurrences that are counted of a term in a piece, and what one in its context counts. */
const COUNTED_MAX = 8
const CONTEXT_COUNT = 1.5

/** How much each piece speaks of the terms, 0: not at all. The rarer a term among the pieces, the more it tells. Linear in the
 *  length of the pieces. */
export function scoresOf(pieces: readonly Scored[], terms: readonly Term[]): number[] {
  const counter = new Counter(terms)
  const counts = pieces.map((piece) => counter.count(piece))
  const weights = terms.map(({ weight }, term) => weight * rarity(counts, term))
  const average = pieces.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, pieces.length)
  return pieces.map(({ text }, index) => {
    const length = K1 * (1 - B + (B * text.length) / Math.max(1, average))
    return weights.reduce((sum, weight, term) => {
      const count = counts[index]?.[term] ?? 0
      return sum + (weight * count * (K1 + 1)) / (count + length)
    }, 0)
  })
}

function rarity(counts: readonly (readonly number[])[], term: number): number {
  const holding = counts.filter((count) => (count[term] ?? 0) > 0).length
  return Math.log(1 + (counts.length - holding + 0.5) / (holding + 0.5))
}

/** Counts terms in pieces. A context that pieces share is looked at once. */
class Counter {
  readonly #terms: readonly Term[]
  readonly #words = new Map<string, number>()
  readonly #beginnings: Set<string>
  #context = ''
  #inContext: readonly number[] = []

  constructor(terms: readonly Term[]) {
    this.#terms = terms
    for (const [index, { text, form }] of terms.entries()) if (form === 'word') this.#words.set(text, index)
    this.#beginnings = new Set([...this.#words.keys()].map((word) => word.slice(0, 2)))
  }

  count({ text, context }: Scored): number[] {
    if (context !== this.#context) [this.#context, this.#inContext] = [context, this.#countIn(comparable(context))]
    const counts = this.#countIn(comparable(text))
    return context === ''
      ? counts
      : counts.map((count, term) => count + ((this.#inContext[term] ?? 0) > 0 ? CONTEXT_COUNT : 0))
  }

  #countIn(text: string): number[] {
    const counts = this.#terms.map(({ text: term, form }) => (form === 'part' ? occurrences(text, term) : 0))
    if (this.#words.size === 0) return counts
    for (const [word] of text.matchAll(PLAIN_WORD)) {
      const term = this.#beginnings.has(word.slice(0, 2)) ? this.#words.get(stem(word)) : undefined
      if (term !== undefined) counts[term] = Math.min(COUNTED_MAX, (counts[term] ?? 0) + 1)
    }
    return counts
  }
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0 && count < COUNTED_MAX; at = text.indexOf(part, at + part.length)) count++
  return count
}
