import { AROUND, type Block, type Blocks } from './blocks.ts'
import { type Measures, TEXT_SIGN } from './measures.ts'
import { between, LEVEL, type Level, LEVELS, BlockSurroundings } from './surroundings.ts'
import { unitAt } from './units.ts'

/** Neighbours before and behind a block that it is judged by, and blocks within reach. */
const NEIGHBOURS = [-3, -2, -1, 1, 2, 3]
const REACHES = [4, 12]
/** What stands for a heading, a neighbour or a level that is not there. */
const MISSING = -1
const NO_H1 = -999
const COMPARED_CHARS_MAX = 400
const TITLE_CHARS_MIN = 9
const DESCRIPTION_CHARS_MIN = 21
const DESCRIPTION_CHARS_COMPARED = 60
const DESCRIPTION_CHARS_MAX = 2_000
const AROUND_BITS = Object.values(AROUND)

/** What a page says of itself in words. */
export interface PageTexts {
  title: string
  description: string
}

/** The features of the blocks of one page. The order in which they are written is that of `BLOCK_FEATURES`. */
export class BlockFeatures {
  readonly #blocks: readonly Block[]
  readonly #measures: Measures
  /** By the number of a block: its tag, whether the rules keep it, and the share of links in it. */
  readonly #tags: Uint8Array
  readonly #kept: Uint8Array
  readonly #linkShares: Float32Array
  readonly #row: Float32Array
  readonly #around: BlockSurroundings
  readonly #title: Searched
  readonly #description: Searched
  /** What the row has of the block that it was written for last: what is around it, and the levels. */
  #aroundWritten = -1
  readonly #levelsWritten: (Level | null | undefined)[] = Array.from({ length: LEVELS + 1 })

  constructor(all: Blocks, measures: Measures, page: Float32Array, texts: PageTexts) {
    const { blocks } = all
    this.#blocks = blocks
    this.#measures = measures
    this.#tags = new Uint8Array(blocks.length)
    this.#kept = new Uint8Array(blocks.length)
    this.#linkShares = new Float32Array(blocks.length)
    for (let index = 0; index < blocks.length; index += 1) {
      const place = blocks[index]?.place
      if (place === undefined) continue
      this.#tags[index] = place.node.tag.code
      this.#kept[index] = (place.around & AROUND.kept) === 0 ? 0 : 1
      this.#linkShares[index] = (measures.linkChars[index] ?? 0) / Math.max(1, measures.chars[index] ?? 0)
    }
    this.#row = new Float32Array(BLOCK_FEATURES.length + page.length)
    this.#row.set(page, BLOCK_FEATURES.length)
    this.#around = new BlockSurroundings(all, measures)
    this.#title = new Searched(texts.title.toLowerCase())
    this.#description = new Searched(texts.description.toLowerCase().slice(0, DESCRIPTION_CHARS_MAX))
  }

  /** The features of a block and those of the page, in a list that the next call writes anew. */
  rowOf(index: number): Float32Array {
    const row = this.#row
    const block = this.#blocks[index]
    if (block === undefined) return row
    let at = this.#writeOwn(index, block, row)
    at = this.#writeAround(index, block, row, at)
    at = this.#writePosition(index, row, at)
    at = this.#writeNeighbours(index, row, at)
    this.#writeLevels(index, row, at)
    return row
  }

  #writeOwn(index: number, { place }: Block, out: Float32Array): number {
    const m = this.#measures
    let at = 0
    const words = m.words[index] ?? 0
    const chars = Math.max(1, m.chars[index] ?? 0)
    const signs = m.signs[index] ?? 0
    out[at++] = words
    out[at++] = chars / Math.max(1, words)
    out[at++] = (m.linkChars[index] ?? 0) / chars
    out[at++] = m.links[index] ?? 0
    out[at++] = m.stops[index] ?? 0
    out[at++] = m.commas[index] ?? 0
    out[at++] = (m.digits[index] ?? 0) / chars
    out[at++] = (m.capitals[index] ?? 0) / Math.max(1, words)
    out[at++] = m.separators[index] ?? 0
    out[at++] = m.first[index] ?? 0
    out[at++] = m.last[index] ?? 0
    out[at++] = (signs & TEXT_SIGN.copyright) !== 0 ? 1 : 0
    out[at++] = (signs & TEXT_SIGN.currency) !== 0 ? 1 : 0
    out[at++] = (signs & TEXT_SIGN.at) !== 0 ? 1 : 0
    out[at++] = m.images[index] ?? 0
    out[at++] = m.breaks[index] ?? 0
    out[at++] = (m.bold[index] ?? 0) / chars
    out[at++] = m.times[index] ?? 0
    out[at++] = m.lexical[index] ?? 0
    out[at++] = m.lexicalMin[index] ?? 0
    out[at++] = m.titled[index] ?? 0
    out[at++] = m.told[index] ?? 0
    out[at++] = m.imagesBefore[index] ?? 0
    out[at++] = this.#tags[index] ?? 0
    out[at++] = place.depth
    out[at++] = place.names
    out[at++] = place.namesSum
    out[at++] = place.namesMin
    out[at++] = place.namesMax
    return at
  }

  #writeAround(index: number, { place, text, length }: Block, out: Float32Array, start: number): number {
    let at = start
    const { around } = place
    if (around === this.#aroundWritten) at += AROUND_BITS.length
    else for (const bit of AROUND_BITS) out[at++] = (around & bit) !== 0 ? 1 : 0
    this.#aroundWritten = around
    out[at++] = this.#titleLikeness(text, length)
    out[at++] = this.#isDescribed(text, length) ? 1 : 0
    out[at++] = this.#around.saidBy(index)
    return at
  }

  /** 2: the text is the title, 1: it is a part of it. */
  #titleLikeness(text: string, length: number): number {
    if (length > this.#title.length || !this.#title.mayHold(text, length)) return 0
    const lower = text.toLowerCase()
    if (lower === this.#title.text) return 2
    return lower.length >= TITLE_CHARS_MIN && this.#title.text.includes(lower) ? 1 : 0
  }

  /** Whether what the page tells machines of itself has the beginning of a text. */
  #isDescribed(text: string, length: number): boolean {
    const isCompared = length >= DESCRIPTION_CHARS_MIN && length < COMPARED_CHARS_MAX
    if (!isCompared || !this.#description.mayHold(text, length)) return false
    return this.#description.text.includes(text.slice(0, DESCRIPTION_CHARS_COMPARED).toLowerCase())
  }

  #writePosition(index: number, out: Float32Array, start: number): number {
    let at = start
    const around = this.#around
    const { words, chars, linkChars, kept, prices, images } = around.sums
    const count = this.#blocks.length
    const total = words[count] || 1
    out[at++] = index / count
    out[at++] = index
    out[at++] = (words[index] ?? 0) / total
    out[at++] = around.firstH1 < 0 ? NO_H1 : index - around.firstH1
    const heading = around.heading(index)
    out[at++] = heading < 0 ? MISSING : index - heading
    out[at++] = heading < 0 ? 0 : (this.#tags[heading] ?? 0)
    out[at++] = heading < 0 ? 0 : (this.#measures.lexical[heading] ?? 0)
    out[at++] = heading < 0 ? 0 : (this.#kept[heading] ?? 0)
    const outer = around.outer(index)
    out[at++] = outer < 0 ? MISSING : index - outer
    out[at++] = outer < 0 ? 0 : (this.#tags[outer] ?? 0)
    out[at++] = outer < 0 ? 0 : (this.#measures.lexical[outer] ?? 0)
    for (const reach of REACHES) {
      const from = Math.max(0, index - reach)
      const to = Math.min(count, index + reach + 1)
      out[at++] = between(words, from, to) / (to - from)
      out[at++] = between(linkChars, from, to) / Math.max(1, between(chars, from, to))
      out[at++] = between(kept, from, to) / Math.max(1, between(words, from, to))
      out[at++] = between(prices, from, to)
      out[at++] = between(images, from, to)
    }
    const shape = around.shape(index)
    out[at++] = shape?.count ?? 0
    out[at++] = (shape?.words ?? 0) / total
    out[at++] = (shape?.words ?? 0) / Math.max(1, shape?.count ?? 0)
    out[at++] = (shape?.linkChars ?? 0) / Math.max(1, shape?.chars ?? 0)
    return at
  }

  #writeNeighbours(index: number, out: Float32Array, start: number): number {
    let at = start
    const m = this.#measures
    const own = this.#around.shapeKey(index)
    for (const step of NEIGHBOURS) {
      const other = index + step
      if (other < 0 || other >= this.#tags.length) {
        for (const end = at + NEIGHBOUR.length; at < end;) out[at++] = MISSING
        continue
      }
      out[at++] = m.words[other] ?? 0
      out[at++] = this.#linkShares[other] ?? 0
      out[at++] = this.#tags[other] ?? 0
      out[at++] = m.last[other] ?? 0
      out[at++] = this.#kept[other] ?? 0
      out[at++] = this.#around.shapeKey(other) === own ? 1 : 0
      out[at++] = m.lexical[other] ?? 0
    }
    return at
  }

  #writeLevels(index: number, out: Float32Array, start: number): void {
    let at = start
    const { levelFeatures: told } = this.#around
    const levels = this.#around.levelsOf(index)
    const written = this.#levelsWritten
    for (let count = 0; count < levels.length; count += 1) {
      const level = levels[count] ?? null
      const end = at + LEVEL.length
      if (level !== written[count]) {
        written[count] = level
        if (level === null) out.fill(MISSING, at, end + 1)
        else for (let from = level.at; at < end; from += 1) out[at++] = told[from] ?? 0
      }
      if (level !== null) out[end] = (index - level.first) / level.blocks
      at = end + 1
    }
  }
}

/** Units of which one says that a text begins with them. */
const BEGINNING = 3
const FILTER_SIZE = 64
const ASCII_END = 0x80
const CASE = 0x20

/** A text in small letters in which others are looked for. Most are not in it, which the first of their letters tell. */
class Searched {
  readonly text: string
  readonly length: number
  readonly #filter = new Int32Array(FILTER_SIZE)

  constructor(text: string) {
    this.text = text
    this.length = text.length
    for (let index = 0; index + BEGINNING <= this.length; index += 1) {
      const hash = hashOf(unitAt(text, index), unitAt(text, index + 1), unitAt(text, index + 2))
      const place = (hash >>> 5) & (FILTER_SIZE - 1)
      this.#filter[place] = (this.#filter[place] ?? 0) | (1 << (hash & 31))
    }
  }

  /** False: the text in small letters is nowhere in this one. */
  mayHold(text: string, length: number): boolean {
    if (length < BEGINNING) return this.length > 0
    const first = unitAt(text, 0)
    const second = unitAt(text, 1)
    const third = unitAt(text, 2)
    if ((first | second | third) >= ASCII_END) return this.length > 0
    const hash = hashOf(small(first), small(second), small(third))
    return (((this.#filter[(hash >>> 5) & (FILTER_SIZE - 1)] ?? 0) >>> (hash & 31)) & 1) === 1
  }
}

function small(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | CASE : unit
}

function hashOf(first: number, second: number, third: number): number {
  return Math.imul(Math.imul(first, 31) + second, 31) + third
}

const OWN =
  'words wordLength linkShare links stops commas digits capitals separators first last copyright currency at images breaks bold times lexical lexicalMin titled told imagesBefore tag depth names namesSum namesMin namesMax'
const POSITION =
  'position index wordsBefore fromH1 fromHeading headingTag headingLexical headingKept fromOuter outerTag outerLexical near4Words near4Links near4Kept near4Prices near4Images near12Words near12Links near12Kept near12Prices near12Images shapeCount shapeShare shapeWords shapeLinks'
const NEIGHBOUR = 'words linkShare tag last kept sameShape lexical'.split(' ')
/** Names of the features of a block, in their order; those of the page follow. */
export const BLOCK_FEATURES: readonly string[] = [
  ...OWN.split(' '),
  ...Object.keys(AROUND).map((name) => `in_${name}`),
  'title',
  'description',
  'sameText',
  ...POSITION.split(' '),
  ...NEIGHBOURS.flatMap((step) => NEIGHBOUR.map((name) => `${name}_${step}`)),
  ...[...Array.from({ length: LEVELS }, (_, level) => level + 1), 'top'].flatMap((level) =>
    [...LEVEL, 'at'].map((name) => `${name}_up${level}`),
  ),
]
