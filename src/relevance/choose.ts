import type { TextRange, TextUnit } from '../domain/tool.ts'
import { type Term, queryTerms } from './query.ts'
import { scoresOf } from './score.ts'
import { graphemeEnd, graphemeStart } from '../lib/text.ts'
import { sections } from './units.ts'

/** Written where something was left out. */
export const GAP = '[…]'
/** With the empty lines around it. */
const GAP_CHARS = GAP.length + 4
const GAP_LINES = 2
/** Units that have to speak of the terms; of fewer there is too little to choose by. */
const HITS_MIN = 3
/** Share of a score that the units beside it have too: an answer often stands next to the words of its question. */
const BESIDE_SHARE = 0.2
/** Share of the room that the start of a text gets, where its end is kept too. */
const HEAD_SHARE = 0.7
/** Of its context this much is kept with a unit. */
const CONTEXTS_KEPT = 2

interface Room {
  charsMax: number
  linesMax: number
}

interface Chosen {
  /** What is kept, in order; nothing touches. */
  ranges: TextRange[]
  kept: number
  total: number
}

/** How much each unit speaks of the terms; 0: not at all. */
export function unitScores(text: string, units: readonly TextUnit[], terms: readonly Term[]): number[] {
  const pieces = units.map(({ start, end, context }) => ({
    text: text.slice(start, end),
    context: context.map((range) => text.slice(range.start, range.end)).join('\n'),
  }))
  return scoresOf(pieces, terms)
}

/** The units that speak most of the terms, as many as there is room for, in the order of the text, with the nearest of what
 *  they belong to. Null: fewer than three speak of them at all. */
export function chooseUnits(
  text: string,
  units: readonly TextUnit[],
  terms: readonly Term[],
  room: Room,
): Chosen | null {
  if (terms.length === 0) return null
  const scores = unitScores(text, units, terms)
  if (scores.filter((score) => score > 0).length < HITS_MIN) return null
  const wanted = scores.map(
    (score, index) => score + BESIDE_SHARE * Math.max(scores[index - 1] ?? 0, scores[index + 1] ?? 0),
  )
  const order = [...units.keys()].filter((index) => (wanted[index] ?? 0) > 0)
  order.sort((a, b) => (wanted[b] ?? 0) - (wanted[a] ?? 0) || a - b)
  const kept = new Kept(text, room)
  const taken = order.filter((index) => kept.take(units[index]))
  return taken.length === 0 ? null : { ranges: kept.ranges(), kept: taken.length, total: units.length }
}

/** Ranges of a text within a room. */
class Kept {
  readonly #text: string
  readonly #ranges = new Map<number, TextRange>()
  #chars: number
  #lines: number

  constructor(text: string, { charsMax, linesMax }: Room) {
    this.#text = text
    this.#chars = charsMax
    this.#lines = linesMax
  }

  /** False: there is no room for it. */
  take(unit: TextUnit | undefined): boolean {
    if (unit === undefined) return false
    const context = unit.context.slice(-CONTEXTS_KEPT).filter(({ start }) => !this.#holds(start))
    const all = [...context, { start: unit.start, end: unit.end }]
    const chars = all.reduce((sum, { start, end }) => sum + end - start + GAP_CHARS, 0)
    const lines = all.reduce((sum, range) => sum + this.#lineCount(range) + GAP_LINES, 0)
    if (chars > this.#chars || lines > this.#lines) return false
    this.#chars -= chars
    this.#lines -= lines
    for (const range of all) this.#put(range)
    return true
  }

  /** Fill the room that is left with the start and the end of the text. */
  takeEnds(): void {
    const left = Math.max(0, this.#chars - 2 * GAP_CHARS)
    const head = Math.floor(left * HEAD_SHARE)
    this.#put({ start: 0, end: graphemeStart(this.#text, head) })
    this.#put({ start: graphemeEnd(this.#text, this.#text.length - (left - head)), end: this.#text.length })
  }

  #put(range: TextRange): void {
    const { end } = this.#ranges.get(range.start) ?? range
    if (range.start < range.end) this.#ranges.set(range.start, { ...range, end: Math.max(end, range.end) })
  }

  /** In order; those with nothing but white space between them are one. */
  ranges(): TextRange[] {
    const merged: TextRange[] = []
    for (const range of [...this.#ranges.values()].toSorted((a, b) => a.start - b.start)) {
      const last = merged.at(-1)
      if (last && this.#touch(last.end, range.start)) last.end = Math.max(last.end, range.end)
      else merged.push({ ...range })
    }
    return merged
  }

  #touch(end: number, start: number): boolean {
    return start <= end || (start - end <= GAP_CHARS && this.#text.slice(end, start).trim() === '')
  }

  #holds(start: number): boolean {
    return this.#ranges.has(start)
  }

  #lineCount({ start, end }: TextRange): number {
    let count = 1
    for (let at = this.#text.indexOf('\n', start); at >= 0 && at < end; at = this.#text.indexOf('\n', at + 1)) count++
    return count
  }
}

const UNIT_CHARS_MAX = 800

/** What of a text speaks of a query, in its order and within `charsMax`; where too little does, that and the start and the end. */
export function relevantPart(text: string, query: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const room = { charsMax: Math.max(1, charsMax - 2 * GAP.length), linesMax: Infinity }
  const units = sections(text, Math.min(UNIT_CHARS_MAX, room.charsMax))
  const terms = queryTerms(query)
  const ranges = chooseUnits(text, units, terms, room)?.ranges ?? aroundHits(text, units, terms, room)
  const parts = ranges.map(({ start, end }) => text.slice(start, end).trim())
  const isToEnd = ranges.at(-1)?.end === text.length
  return (isToEnd ? parts : [...parts, '']).join(`\n\n${GAP}\n\n`).trim() || GAP
}

/** The few units that speak of the terms, as far as there is room, and of the rest of it the start and the end of the text. */
function aroundHits(text: string, units: readonly TextUnit[], terms: readonly Term[], room: Room): TextRange[] {
  const scores = terms.length === 0 ? [] : unitScores(text, units, terms)
  const kept = new Kept(text, room)
  for (const [index, unit] of units.entries()) if ((scores[index] ?? 0) > 0) kept.take(unit)
  kept.takeEnds()
  return kept.ranges()
}
