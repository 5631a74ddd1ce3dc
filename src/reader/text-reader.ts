import { type TextMeasure, measureText } from './amounts.ts'
import { withSingleSpaces, attribute, type Attributes, NO_ATTRIBUTES } from './node.ts'
import { mayShowBreaks } from './line-breaks.ts'
import { interned, isNamed } from './tags.ts'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** Gathers the text between two tags: pieces of the document, nearly always one. */
export class TextReader {
  readonly #html: string
  readonly #measure: TextMeasure = { chars: 0, isCollapsed: true, hasReference: false }
  /** Pieces that are complete, then the document from `#start` to `#end`. */
  #text = ''
  #start = 0
  #end = 0

  constructor(html: string) {
    this.#html = html
  }

  get isEmpty(): boolean {
    return this.#start === this.#end && this.#text === ''
  }

  add(start: number, end: number): void {
    if (this.#end !== start || this.#start === start) {
      this.#completePiece()
      this.#start = start
    }
    this.#end = end
  }

  addBreak(): void {
    this.#completePiece()
    this.#text += '\n'
  }

  /** Letters of what was gathered. */
  measure(): number {
    const measure = this.#measure
    if (this.#text === '') measureText(this.#html, this.#start, this.#end, measure)
    if (this.#text !== '' || measure.hasReference) {
      this.#completePiece()
      measureText(this.#text, 0, this.#text.length, measure)
    }
    return measure.chars
  }

  /** What was gathered and measured, as it is written. */
  take(): string {
    const text = this.#text === '' ? this.#html.slice(this.#start, this.#end) : this.#text
    this.drop()
    return text
  }

  /** The same with its white space collapsed. */
  takeCollapsed(): string {
    const text = this.take()
    return this.#measure.isCollapsed ? text : withSingleSpaces(text)
  }

  drop(): void {
    this.#start = this.#end
    if (this.#text !== '') this.#text = ''
  }

  #completePiece(): void {
    if (this.#start === this.#end) return
    this.#text += decodeReferences(this.#html.slice(this.#start, this.#end))
    this.#start = this.#end
  }
}

/** Attributes longer than this say nothing to a reader (data addresses). */
const VALUE_CHARS_MAX = 4_096
/** Attributes of one element; more say nothing. */
const ATTRIBUTES_MAX = 32
const ITEM_TYPES_MAX = 1_000

/** Whether the values of an attribute hold no references. */
function isPlain(name: string): boolean {
  return name === 'id' || name === 'style' || name === 'role'
}

const REPEATED_MAX = 256

/** Pieces of a document that are often the same as earlier ones, which are then given again: what is known of one by a map is found by its address. */
class RepeatedTexts {
  readonly #html: string
  /** By a number made of a few letters; another text takes the place. */
  readonly #texts: string[] = NO_TEXTS.slice()

  constructor(html: string) {
    this.#html = html
  }

  /** `see`: is given what is not the same as an earlier one. */
  at(start: number, end: number, see: (text: string) => void): string {
    const html = this.#html
    const letters = end - start
    let code = letters
    for (let index = start; index < end; index += 1 + (letters >> 3))
      code = Math.imul(code, 31) + html.charCodeAt(index)
    const place = (code ^ (code >>> 8)) & (REPEATED_MAX - 1)
    const earlier = this.#texts[place] ?? ''
    if (earlier.length === letters && html.startsWith(earlier, start)) return earlier
    const text = html.slice(start, end)
    this.#texts[place] = text
    see(text)
    return text
  }
}

const NO_TEXTS: readonly string[] = Array.from({ length: REPEATED_MAX }, () => '')

/** Gathers those attributes of one start tag after another that tell a reader something. */
export class AttributeReader {
  /** What elements say by `itemtype` that they are. */
  readonly itemTypes: string[] = []
  /** A style or class may have the line breaks of a text shown. */
  mayShowBreaks = false
  readonly #html: string
  readonly #repeated: RepeatedTexts
  #gathered: string[] = []

  constructor(html: string) {
    this.#html = html
    this.#repeated = new RepeatedTexts(html)
  }

  /** What was gathered since it was last taken. */
  take(): Attributes {
    const gathered = this.#gathered
    if (gathered.length === 0) return NO_ATTRIBUTES
    this.#gathered = []
    return gathered
  }

  add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const name = keptAttribute(this.#html, nameStart, nameEnd)
    if (name === null || valueEnd - valueStart > VALUE_CHARS_MAX) return
    if (name === 'itemtype') return this.#addItemType(valueStart, valueEnd)
    const gathered = this.#gathered
    if (gathered.length < 2 * ATTRIBUTES_MAX && attribute(gathered, name) === undefined)
      gathered.push(name, this.#valueOf(name, valueStart, valueEnd))
  }

  readonly #seeLook = (written: string): void => {
    this.mayShowBreaks ||= mayShowBreaks(written)
  }

  #addItemType(start: number, end: number): void {
    if (this.itemTypes.length < ITEM_TYPES_MAX) this.itemTypes.push(this.#html.slice(start, end))
  }

  #valueOf(name: string, start: number, end: number): string {
    if (name === 'class') return this.#repeated.at(start, end, this.#seeLook)
    const value = this.#html.slice(start, end)
    if (name === 'style') this.#seeLook(value)
    return isPlain(name) ? value : decodeAttribute(value)
  }
}

const KEPT_ATTRIBUTES: readonly string[] = (
  'href src alt title class id role hidden aria-hidden style lang datetime rel property name content itemprop ' +
  'http-equiv type data-src data-original data-lazy-src data-lazy-srcset srcset data-srcset checked disabled colspan rowspan start data-lang data-language alttext itemtype value'
)
  .split(' ')
  .map(interned)

/** Kept attributes by their length, so that most names are told by it. */
const KEPT_BY_LENGTH: readonly (readonly string[])[] = Array.from({ length: 17 }, (_, length) =>
  KEPT_ATTRIBUTES.filter((name) => name.length === length),
)

const NONE: readonly string[] = []

/** The name of an attribute that is kept, else null. */
function keptAttribute(html: string, start: number, end: number): string | null {
  for (const name of KEPT_BY_LENGTH[end - start] ?? NONE) {
    if ((html.charCodeAt(start) | 0x20) === name.charCodeAt(0) && isNamed(name, html, start, end)) return name
  }
  return null
}

const AMPERSAND = '&'
const SEMICOLON = 0x3b
/** In an attribute `=` keeps a name without a semicolon from being a reference. */
const ATTRIBUTE_REFERENCE = /&[#\w]+[;=]?/g
const REFERENCE_CHARS_MAX = 40
const KNOWN_MAX = 1_000
/** Says where a word may be broken, and is seen only there. */
export const SOFT_HYPHEN = '\u00ad'

/** Gathers text, or the value of one attribute, with its references decoded. */
class Decoder implements TokenizerCallbacks {
  #source = ''
  #decoded = ''
  readonly #tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, this)

  decode(source: string): string {
    this.#source = source
    this.#decoded = ''
    this.#tokenizer.reset()
    this.#tokenizer.write(source)
    this.#tokenizer.end()
    return this.#decoded
  }

  ontext(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    this.#decoded += String.fromCodePoint(codepoint)
  }

  onattribdata(start: number, end: number): void {
    this.ontext(start, end)
  }

  onattribentity(codepoint: number): void {
    this.ontextentity(codepoint)
  }

  onattribend(): void {}
  onattribname(): void {}
  oncdata(): void {}
  onclosetag(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onopentagname(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
}

const decoder = new Decoder()
/** References that pages repeat, decoded. */
const knownInText = new Map<string, string>()
const knownInAttributes = new Map<string, string>()

/** Text of a page with its character references decoded. */
export function decodeReferences(text: string): string {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf(AMPERSAND); at >= 0;) {
    let end = at + 1
    while (isOfReference(text.charCodeAt(end))) end += 1
    if (end > at + 1) {
      if (text.charCodeAt(end) === SEMICOLON) end += 1
      const reference = text.slice(at, end)
      decoded += text.slice(from, at) + known(knownInText, reference, reference)
      from = end
    }
    at = text.indexOf(AMPERSAND, end)
  }
  return from === 0 ? text : decoded + text.slice(from)
}

/** A digit, a letter, `_` or `#`. */
function isOfReference(unit: number): boolean {
  const small = unit | 0x20
  return (unit >= 0x30 && unit <= 0x39) || (small >= 0x61 && small <= 0x7a) || unit === 0x5f || unit === 0x23
}

/** The value of an attribute with its character references decoded. */
export function decodeAttribute(value: string): string {
  return value.includes('&')
    ? value.replace(ATTRIBUTE_REFERENCE, (reference) => known(knownInAttributes, reference, `<a b="${reference}">`))
    : value
}

function known(decodings: Map<string, string>, reference: string, source: string): string {
  const decoding = decodings.get(reference)
  if (decoding !== undefined) return decoding
  if (reference.length > REFERENCE_CHARS_MAX) return reference
  const decoded = decoder.decode(source).replace(SOFT_HYPHEN, '')
  if (decodings.size < KNOWN_MAX) decodings.set(reference, decoded)
  return decoded
}
