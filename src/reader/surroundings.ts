import { AROUND, type Block, type BlockPlace, type Blocks } from './blocks.ts'
import { type Measures, TEXT_SIGN } from './measures.ts'
import { Outline, rankOf } from './outline.ts'

/** Levels around a block that it is judged by. */
export const LEVELS = 4
/** From this share of the words of a page on an element is all of it. */
const WHOLE_SHARE = 0.9
/** Texts up to this length may be said again and again. */
const REPEATED_CHARS_MAX = 200

/** Amounts up to each block, so that those of a range are one subtraction. */
export interface Sums {
  words: Float64Array
  chars: Float64Array
  linkChars: Float64Array
  stops: Float64Array
  /** Words that the rules keep. */
  kept: Float64Array
  prices: Float64Array
  images: Float64Array
}

/** Elements or blocks that stand on the same way of kinds. */
export interface Shape {
  count: number
  words: number
  chars: number
  linkChars: number
}

/** Features of an element around blocks, the same for all of them. */
export const LEVEL: readonly string[] =
  'blocks words linkShare wordsPerBlock pricesPerBlock imagesPerBlock stops share shapeCount shapeShare names keptShare tag'.split(
    ' ',
  )

/** An element around blocks. */
export interface Level {
  /** Number of its first block, and how many it has. */
  first: number
  blocks: number
  /** Its share of the words of the page. */
  share: number
  /** Where its features begin in `levelFeatures`. */
  at: number
  /** The next one that holds more blocks. */
  up: Level | null
}

/** What stands around the blocks of one page, and which of them are alike. */
export class BlockSurroundings {
  readonly sums: Sums
  readonly firstH1: number
  readonly #blocks: readonly Block[]
  readonly #total: number
  readonly #placeShapes = new Map<number, Shape>()
  readonly #blockShapes = new Map<number, Shape>()
  /** By the number of a block. */
  readonly #shapes: Shape[] = []
  /** Texts that may be said again and again by the number of the first block that says them; by the number of each block that of the first one that
   *  says the same, and how many do. */
  readonly #texts = new Map<string, number>()
  readonly #sameAs: Int32Array
  readonly #saidBy: Int32Array
  readonly #shapeKeys: Int32Array
  readonly #headings: Int32Array
  readonly #outer: Int32Array
  /** Features of all levels, each as long as `LEVEL`. */
  readonly levelFeatures: Float32Array
  readonly #levels: Level[] = []
  readonly #levelLists: (readonly (Level | null)[])[] = []
  /** By the number of a place: that of its level and of its list of levels, from 1 on. */
  readonly #levelAt: Int32Array
  readonly #levelListAt: Int32Array

  constructor({ blocks, places }: Blocks, measures: Measures) {
    this.#blocks = blocks
    this.sums = sumsOf(blocks, measures)
    this.#total = Math.max(1, this.sums.words.at(-1) ?? 0)
    this.firstH1 = blocks.findIndex(({ place }) => place.node.name === 'h1')
    this.#shapeKeys = new Int32Array(blocks.length)
    this.#headings = new Int32Array(blocks.length)
    this.#outer = new Int32Array(blocks.length)
    this.#sameAs = new Int32Array(blocks.length)
    this.#saidBy = new Int32Array(blocks.length)
    this.#levelAt = new Int32Array(places.length)
    this.#levelListAt = new Int32Array(places.length)
    this.levelFeatures = new Float32Array(places.length * LEVEL.length)
    const outline = new Outline()
    for (let index = 0; index < blocks.length; index += 1) {
      const block = blocks[index]
      if (block === undefined) continue
      this.#headings[index] = outline.heading
      if ((block.place.around & AROUND.heading) !== 0) outline.enter(index, rankOf(block.place))
      this.#outer[index] = outline.outer
      this.#see(index, block)
    }
    for (const place of places)
      if (place.end > place.first) this.#addTo(shapeIn(this.#placeShapes, shapeOf(place)), place.first, place.end)
  }

  /** A number for the way to a block. */
  shapeKey(index: number): number {
    return this.#shapeKeys[index] ?? 0
  }

  /** All blocks of a block's shape. */
  shape(index: number): Shape | undefined {
    return this.#shapes[index]
  }

  /** The heading before a block; -1 without one. */
  heading(index: number): number {
    return this.#headings[index] ?? -1
  }

  /** The heading of the part that the heading before a block is in; of a heading, the part that it is in itself. -1 without one. */
  outer(index: number): number {
    return this.#outer[index] ?? -1
  }

  /** How often the page has the text of a block. */
  saidBy(index: number): number {
    return this.#saidBy[this.#sameAs[index] ?? 0] ?? 1
  }

  /** The elements around a block that hold others too, from the inner to the outer, then the outermost one that is not nearly all of the page. */
  levelsOf(index: number): readonly (Level | null)[] {
    const place = this.#blocks[index]?.place
    if (place === undefined) return []
    const known = this.#levelLists[(this.#levelListAt[place.index] ?? 0) - 1]
    if (known !== undefined) return known
    let level: Level | null = this.#levelOf(place)
    if (level.blocks === 1) level = level.up
    let top = level
    while (top !== null && top.up !== null && top.up.share < WHOLE_SHARE) top = top.up
    const levels: (Level | null)[] = []
    for (let count = 0; count < LEVELS; count += 1) {
      levels.push(level)
      level = level?.up ?? null
    }
    levels.push(top)
    this.#levelListAt[place.index] = this.#levelLists.push(levels)
    return levels
  }

  #see(index: number, { place, text, length }: Block): void {
    const key = shapeOf(place)
    this.#shapeKeys[index] = key
    const before = index > 0 && this.#shapeKeys[index - 1] === key ? this.#shapes[index - 1] : undefined
    const shape = before ?? shapeIn(this.#blockShapes, key)
    this.#shapes.push(shape)
    this.#addTo(shape, index, index + 1)
    let same = index
    if (length < REPEATED_CHARS_MAX) {
      same = this.#texts.get(text) ?? index
      if (same === index) this.#texts.set(text, index)
    }
    this.#sameAs[index] = same
    this.#saidBy[same] = (this.#saidBy[same] ?? 0) + 1
  }

  #addTo(shape: Shape, from: number, to: number): void {
    const { words, chars, linkChars } = this.sums
    shape.count += 1
    shape.words += between(words, from, to)
    shape.chars += between(chars, from, to)
    shape.linkChars += between(linkChars, from, to)
  }

  #levelOf(place: BlockPlace): Level {
    const known = this.#levels[(this.#levelAt[place.index] ?? 0) - 1]
    if (known !== undefined) return known
    const { first, end } = place
    let { names } = place
    let outer = place.up
    for (; outer !== null && outer.first === first && outer.end === end; outer = outer.up) names += outer.names
    const at = LEVEL.length * this.#levels.length
    const share = this.#writeLevel(at, place, names)
    const level: Level = { first, blocks: end - first, share, at, up: null }
    this.#levelAt[place.index] = this.#levels.push(level)
    if (outer !== null) level.up = this.#levelOf(outer)
    return level
  }

  /** Writes the features of an element in the order of `LEVEL`; gives its share of the words of the page. */
  #writeLevel(start: number, place: BlockPlace, names: number): number {
    const { first, end } = place
    const { sums, levelFeatures: out } = this
    const blocks = end - first
    const words = between(sums.words, first, end)
    const share = words / this.#total
    const shape = this.#placeShapes.get(shapeOf(place))
    let at = start
    out[at++] = blocks
    out[at++] = words
    out[at++] = between(sums.linkChars, first, end) / Math.max(1, between(sums.chars, first, end))
    out[at++] = words / Math.max(1, blocks)
    out[at++] = between(sums.prices, first, end) / Math.max(1, blocks)
    out[at++] = between(sums.images, first, end) / Math.max(1, blocks)
    out[at++] = between(sums.stops, first, end) / Math.max(1, words)
    out[at++] = share
    out[at++] = shape?.count ?? 0
    out[at++] = (shape?.words ?? 0) / this.#total
    out[at++] = names
    out[at++] = between(sums.kept, first, end) / Math.max(1, words)
    out[at++] = place.node.tag.code
    return share
  }
}

function shapeIn(shapes: Map<number, Shape>, key: number): Shape {
  const known = shapes.get(key)
  if (known !== undefined) return known
  const shape = { count: 0, words: 0, chars: 0, linkChars: 0 }
  shapes.set(key, shape)
  return shape
}

function sumsOf(blocks: readonly Block[], measures: Measures): Sums {
  const length = blocks.length + 1
  const room = new ArrayBuffer(SUMS * length * Float64Array.BYTES_PER_ELEMENT)
  const list = (place: number) => new Float64Array(room, place * length * Float64Array.BYTES_PER_ELEMENT, length)
  const sums: Sums = {
    words: list(0),
    chars: list(1),
    linkChars: list(2),
    stops: list(3),
    kept: list(4),
    prices: list(5),
    images: list(6),
  }
  for (let index = 0; index < blocks.length; index += 1) {
    const around = blocks[index]?.place.around ?? 0
    const words = measures.words[index] ?? 0
    add(sums.words, index, words)
    add(sums.chars, index, measures.chars[index] ?? 0)
    add(sums.linkChars, index, measures.linkChars[index] ?? 0)
    add(sums.stops, index, measures.stops[index] ?? 0)
    add(sums.kept, index, (around & AROUND.kept) === 0 ? 0 : words)
    add(sums.prices, index, isPrice(measures, index) ? 1 : 0)
    add(sums.images, index, (measures.images[index] ?? 0) + (measures.imagesBefore[index] ?? 0))
  }
  return sums
}

/** Lists of `Sums`. */
const SUMS = 7

function add(sums: Float64Array, index: number, amount: number): void {
  sums[index + 1] = (sums[index] ?? 0) + amount
}

/** Words below which a text with a sign of a currency is a price. */
const PRICE_WORDS = 12

export function isPrice({ signs, words }: Measures, index: number): boolean {
  return ((signs[index] ?? 0) & TEXT_SIGN.currency) !== 0 && (words[index] ?? 0) < PRICE_WORDS
}

/** The amount of the blocks from `from` up to `to`. */
export function between(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0)
}

/** A number for the way to an element: its kind and those of the two around it. */
function shapeOf({ kind, up }: BlockPlace): number {
  return (Math.imul(kind, 961) + Math.imul(up?.kind ?? 0, 31) + (up?.up?.kind ?? 0)) | 0
}
