import { AROUND, type Blocks } from './blocks.ts'
import { hashOf, type Lexicon } from './names.ts'
import { keepShape } from './shapes.ts'
import { unitAt } from './units.ts'

/** What the text of each block is like: a list for each amount, by the number of the block. */
export interface Measures {
  words: Float32Array
  chars: Float32Array
  linkChars: Float32Array
  links: Float32Array
  stops: Float32Array
  commas: Float32Array
  digits: Float32Array
  capitals: Float32Array
  separators: Float32Array
  first: Float32Array
  last: Float32Array
  signs: Float32Array
  images: Float32Array
  breaks: Float32Array
  bold: Float32Array
  times: Float32Array
  lexical: Float32Array
  lexicalMin: Float32Array
  /** How many of its first words the title has, and the share of threes of them that the page tells machines. */
  titled: Float32Array
  told: Float32Array
  /** Pictures without text before it. */
  imagesBefore: Float32Array
}

export const TEXT_SIGN = { copyright: 1, currency: 2, at: 4, quote: 8, percent: 16, hash: 32, slash: 64 }

/** A letter, a digit or what counts as a word by itself, by code units; others are found by rule. Those of words come first. */
const LOWER = 0
const UPPER = 1
const DIGIT = 2
const SPACE = 3
const STOP = 4
const COMMA = 5
const COLON = 6
const ELLIPSIS = 7
const BRACKET = 8
const ARROW = 9
const OTHER = 10
const WIDE = 11
/** What `SIGNS` has something of. */
const SIGN = 12

/** What characters say of a text, by code units. */
const SIGNS: ReadonlyMap<number, number> = new Map(
  [
    ['©®', TEXT_SIGN.copyright] as const,
    ['$€£¥₹', TEXT_SIGN.currency] as const,
    ['@', TEXT_SIGN.at] as const,
    ['"“„', TEXT_SIGN.quote] as const,
    ['%', TEXT_SIGN.percent] as const,
    ['#', TEXT_SIGN.hash] as const,
  ].flatMap(([text, sign]) => text.split('').map((character) => [character.charCodeAt(0), sign] as const)),
)

const KINDS = kindsOfUnits()

function kindsOfUnits(): Uint8Array {
  const kinds = new Uint8Array(65_536).fill(LOWER)
  const set = (text: string, kind: number) => {
    for (const character of text) kinds[character.charCodeAt(0)] = kind
  }
  kinds.fill(OTHER, 0, 0xc0)
  kinds.fill(OTHER, 0x2000, 0x2e80)
  kinds.fill(WIDE, 0x2e80, 0xfe00)
  kinds.fill(LOWER, 0xac00, 0xd7a4)
  kinds.fill(OTHER, 0xd800, 0xf900)
  kinds.fill(OTHER, 0xfe00, 0x10000)
  kinds.fill(LOWER, 0x61, 0x7b)
  kinds.fill(UPPER, 0x41, 0x5b)
  kinds.fill(UPPER, 0xc0, 0xdf)
  kinds.fill(DIGIT, 0x30, 0x3a)
  set(' \t\n\r\f\v\u00a0\u3000\u2009\u202f\u200b\ufeff', SPACE)
  set('_ßªµº', LOWER)
  set('.!?。！？', STOP)
  set(',;，、；', COMMA)
  set(':：', COLON)
  set('…', ELLIPSIS)
  set('()[]{}（）「」【】', BRACKET)
  set('|›»→>·•/▸▶▼↓<«‹←', ARROW)
  for (const unit of SIGNS.keys()) kinds[unit] = SIGN
  return kinds
}

/** What a text begins or ends with, by kinds. */
const ENDS = Uint8Array.of(1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 0, 1, 0)

/** Words of the beginning of a text that its meaning is told by. */
export const LEXICAL_WORDS_MAX = 12

/** Lists of `Measures`. */
const LISTS = 21

export function measuresOf({ blocks, bare }: Blocks, lexicon: Lexicon, told: ToldWords): Measures {
  const list = listsOf(blocks.length)
  const measures: Measures = {
    words: list(),
    chars: list(),
    linkChars: list(),
    links: list(),
    stops: list(),
    commas: list(),
    digits: list(),
    capitals: list(),
    separators: list(),
    first: list(),
    last: list(),
    signs: list(),
    images: list(),
    breaks: list(),
    bold: list(),
    times: list(),
    lexical: list(),
    lexicalMin: list(),
    titled: list(),
    told: list(),
    imagesBefore: list(),
  }
  // One text of a kind: to find out for each of them how V8 holds it costs as much as to count it.
  const text = blocks.map((block) => block.text).join('')
  let from = 0
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index]
    if (block === undefined) continue
    const to = from + block.length
    measureText(text, from, to, index, measures, lexicon, told)
    from = to
    const isLink = (block.place.around & AROUND.link) !== 0
    measures.linkChars[index] = isLink ? (measures.chars[index] ?? 0) : block.linkChars
    measures.links[index] = block.links
    measures.bold[index] = block.boldChars
    measures.images[index] = block.images
    measures.breaks[index] = block.breaks
    measures.times[index] = block.times
  }
  const { imagesBefore } = measures
  for (const { before, images } of bare) imagesBefore[before] = (imagesBefore[before] ?? 0) + images
  return measures
}

/** Makes lists of `length` amounts one after the other. Their room is taken at once: to take it for each would cost more than to fill it. */
function listsOf(length: number): () => Float32Array {
  const room = new ArrayBuffer(LISTS * length * Float32Array.BYTES_PER_ELEMENT)
  let next = 0
  return () => new Float32Array(room, length * Float32Array.BYTES_PER_ELEMENT * next++, length)
}

/** Amounts that each kind of character adds to, eight bits each: letters, stops, commas and separators; then words, capitals, digits and wide characters,
 *  of which the first two count at the beginning of a word alone. */
const ONE = { chars: 1, stop: 1 << 8, comma: 1 << 16, separator: 1 << 24 } as const
const OTHER_ONE = { word: 1, capital: 1 << 8, digit: 1 << 16, wide: 1 << 24 } as const
const FIRST_AMOUNTS = new Int32Array(16).fill(ONE.chars)
const OTHER_AMOUNTS = new Int32Array(16)
FIRST_AMOUNTS[SPACE] = 0
FIRST_AMOUNTS[STOP] = ONE.chars | ONE.stop
FIRST_AMOUNTS[COMMA] = ONE.chars | ONE.comma
FIRST_AMOUNTS[ARROW] = ONE.chars | ONE.separator
OTHER_AMOUNTS[LOWER] = OTHER_ONE.word
OTHER_AMOUNTS[UPPER] = OTHER_ONE.word | OTHER_ONE.capital
OTHER_AMOUNTS[DIGIT] = OTHER_ONE.word | OTHER_ONE.digit
OTHER_AMOUNTS[WIDE] = OTHER_ONE.wide
/** Characters after which an amount of eight bits may be full. */
const COUNTED_AT_ONCE = 255
const NOT_OF_BEGINNINGS = ~0xffff

/** What makes a capital of ASCII and Latin-1 small, by the kind of a letter or digit, of which `UPPER` alone is odd. */
function caseOf(kind: number): number {
  return (kind & UPPER) << 5
}

/** What `countRest` found. */
const rest = { words: 0, chars: 0, stops: 0, commas: 0, digits: 0, capitals: 0, separators: 0, signs: 0 }

/** Counts what a text has from `start` up to `end`, where no word may be parted. No step depends on a guess of what kind comes next. */
function countRest(text: string, start: number, end: number): void {
  let [words, chars, stops, commas, digits, capitals, separators, signs, within] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  for (let from = start; from < end; from += COUNTED_AT_ONCE) {
    const to = Math.min(from + COUNTED_AT_ONCE, end)
    let first = 0
    let other = 0
    for (let index = from; index < to; index += 1) {
      const unit = unitAt(text, index)
      const kind = KINDS[unit] ?? OTHER
      const amount = OTHER_AMOUNTS[kind] ?? 0
      first = (first + (FIRST_AMOUNTS[kind] ?? 0)) | 0
      other = (other + (amount & (NOT_OF_BEGINNINGS | (within - 1)))) | 0
      within = amount & 1
      if (kind === SIGN) signs |= SIGNS.get(unit) ?? 0
    }
    chars += first & 0xff
    stops += (first >> 8) & 0xff
    commas += (first >> 16) & 0xff
    separators += first >>> 24
    words += 2 * (other & 0xff) + (other >>> 24)
    capitals += (other >> 8) & 0xff
    digits += (other >> 16) & 0xff
  }
  rest.words = words / 2
  rest.chars = chars
  rest.stops = stops
  rest.commas = commas
  rest.digits = digits
  rest.capitals = capitals
  rest.separators = separators
  rest.signs = signs
}

function measureText(
  text: string,
  from: number,
  end: number,
  at: number,
  measures: Measures,
  lexicon: Lexicon,
  known: ToldWords,
): void {
  let index = from
  /** A wide character is half a word. */
  let halfWords = 0
  let chars = 0
  let stops = 0
  let commas = 0
  let digits = 0
  let capitals = 0
  let separators = 0
  let signs = 0
  let lexical = 0
  let lexicalMin = 0
  let titled = 0
  let told = 0
  const isTold = !known.threes.isEmpty
  let before = 0
  let last = 0
  while (index < end && halfWords <= 2 * (LEXICAL_WORDS_MAX - 1)) {
    let unit = unitAt(text, index)
    let kind = KINDS[unit] ?? OTHER
    if (kind > DIGIT) {
      index += 1
      if (kind === SPACE) continue
      chars += 1
      if (kind === STOP) stops += 1
      else if (kind === COMMA) commas += 1
      else if (kind === ARROW) separators += 1
      else if (kind === WIDE) halfWords += 1
      else if (kind === SIGN) signs |= SIGNS.get(unit) ?? 0
      continue
    }
    halfWords += 2
    if (kind === UPPER) capitals += 1
    const start = index
    let hash = 0
    do {
      // 1 for a digit, 0 for a letter.
      digits += kind >> 1
      hash = (Math.imul(hash, 31) + (unit | caseOf(kind))) | 0
      index += 1
      if (index === end) break
      unit = unitAt(text, index)
      kind = KINDS[unit] ?? OTHER
    } while (kind <= DIGIT)
    chars += index - start
    const weight = lexicon.weight(hash)
    lexical += weight
    if (weight < lexicalMin) lexicalMin = weight
    if (known.title.has(hash)) titled += 1
    if (isTold && halfWords >= 2 * THREE && known.threes.has(threeOf(before, last, hash))) told += 1
    before = last
    last = hash
  }
  countRest(text, index, end)
  measures.words[at] = halfWords / 2 + rest.words
  measures.chars[at] = chars + rest.chars
  measures.stops[at] = stops + rest.stops
  measures.commas[at] = commas + rest.commas
  measures.digits[at] = digits + rest.digits
  measures.capitals[at] = capitals + rest.capitals
  measures.separators[at] = separators + rest.separators
  measures.signs[at] = signs | rest.signs
  measures.first[at] = ENDS[KINDS[unitAt(text, from)] ?? OTHER] ?? 0
  measures.last[at] = ENDS[KINDS[unitAt(text, end - 1)] ?? OTHER] ?? 0
  measures.lexical[at] = lexical
  measures.lexicalMin[at] = lexicalMin
  measures.titled[at] = titled
  const words = Math.min(measures.words[at] ?? 0, LEXICAL_WORDS_MAX)
  measures.told[at] = told / Math.max(1, words - THREE + 1)
}

/** What a page says of itself outside of its text, as hashes: words of its title, and words that follow each other in what machines are told. */
export interface ToldWords {
  title: HashSet
  threes: HashSet
}

const FILTER_SIZE = 64

/** A set of hashes that is nearly always asked for others: most of them are told by one bit. */
class HashSet {
  readonly #filter = new Int32Array(FILTER_SIZE)
  readonly #hashes = new Set<number>()

  get isEmpty(): boolean {
    return this.#hashes.size === 0
  }

  add(hash: number): void {
    const place = (hash >>> 5) & (FILTER_SIZE - 1)
    this.#filter[place] = (this.#filter[place] ?? 0) | (1 << (hash & 31))
    this.#hashes.add(hash)
  }

  has(hash: number): boolean {
    const bits = this.#filter[(hash >>> 5) & (FILTER_SIZE - 1)] ?? 0
    return ((bits >>> (hash & 31)) & 1) === 1 && this.#hashes.has(hash)
  }
}

const THREE = 3
const TITLE_WORD_CHARS_MIN = 4
const WORDS = /[\p{L}\p{N}_]+/gu
const ASCII = /^[\0-\x7f]*$/

export function toldWords(title: string, texts: readonly string[]): ToldWords {
  const told = { title: new HashSet(), threes: new HashSet() }
  for (const word of title.toLowerCase().match(WORDS) ?? [])
    if (word.length >= TITLE_WORD_CHARS_MIN) told.title.add(hashOf(word))
  for (const text of texts) {
    const words = ASCII.test(text) ? asciiWords(text) : (text.toLowerCase().match(WORDS) ?? []).map(hashOf)
    for (let index = THREE - 1; index < words.length; index += 1)
      told.threes.add(threeOf(words[index - 2] ?? 0, words[index - 1] ?? 0, words[index] ?? 0))
  }
  return told
}

/** Hashes of the words of a text without other characters, in small letters. */
function asciiWords(text: string): number[] {
  const { length } = text
  const words: number[] = []
  let hash = 0
  let isWithin = false
  for (let index = 0; index < length; index += 1) {
    const unit = unitAt(text, index)
    const kind = KINDS[unit] ?? OTHER
    const isOfWord = kind <= DIGIT
    if (isOfWord) hash = (Math.imul(hash, 31) + (unit | caseOf(kind))) | 0
    else if (isWithin) {
      words.push(hash)
      hash = 0
    }
    isWithin = isOfWord
  }
  if (isWithin) words.push(hash)
  return words
}

function threeOf(first: number, second: number, third: number): number {
  return (Math.imul(Math.imul(first, 31) + second, 31) + third) | 0
}

keepShape(new HashSet())
