import { isNamed, type Tag, tagAt } from './tags.ts'
import { keepShape } from './shapes.ts'

/** What a document consists of, in its order; places are of the document. */
export interface TokenSink {
  /** Whether what comes is part of a drawing: no tag there makes its content plain text. */
  isForeign(): boolean
  onText(start: number, end: number): void
  /** Attributes of a tag come before it. */
  onAttribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void
  onStartTag(tag: Tag, isSelfClosing: boolean): void
  onEndTag(tag: Tag): void
}

const TAB = 0x09
const SPACE = 0x20
const BANG = 0x21
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const DASH = 0x2d
const SLASH = 0x2f
const LESS = 0x3c
const EQUALS = 0x3d
const END = 0x3e
const QUESTION = 0x3f

/** Units that are looked at one by one, which for so few is less than to have them searched. */
const NEAR_UNITS = 12

/** Units that end a name within a tag, those of white space among them. Source: HTML, "Tokenization". */
const NAME_END = 1
const WHITE = 2
const KINDS = new Uint8Array(65_536)
for (const unit of [TAB, 0x0a, 0x0c, 0x0d, SPACE]) KINDS[unit] = NAME_END | WHITE
KINDS[SLASH] = KINDS[END] = NAME_END

/**
 * Tells the tokens of an HTML document, whatever is written in it, in time linear in its length. References stay as they are written; comments and
 * declarations are passed over, and so is a tag that the document ends in.
 */
export function scanTokens(html: string, sink: TokenSink): void {
  new Scanner(html, sink).run()
}

class Scanner {
  readonly #html: string
  readonly #sink: TokenSink
  readonly #end: number
  /** Whether the tag that was read last says that it has no content. */
  #isSelfClosing = false

  constructor(html: string, sink: TokenSink) {
    this.#html = html
    this.#sink = sink
    this.#end = html.length
  }

  run(): void {
    const html = this.#html
    /** Where the text begins that was not told yet. */
    let from = 0
    for (let at = html.indexOf('<'); at >= 0;) {
      const unit = html.charCodeAt(at + 1)
      if (!isLetter(unit) && unit !== SLASH && unit !== BANG && unit !== QUESTION) {
        at = html.indexOf('<', at + 1)
        continue
      }
      if (at > from) this.#sink.onText(from, at)
      if (isLetter(unit)) from = this.#startTag(at + 1)
      else if (unit === SLASH) from = this.#endTag(at)
      else from = this.#passOver(at)
      at = this.#nextTag(from)
    }
    if (from < this.#end) this.#sink.onText(from, this.#end)
  }

  /** The place of the first `<` from `start` on; -1 without one. Many tags follow each other with next to nothing between them. */
  #nextTag(start: number): number {
    const html = this.#html
    const near = Math.min(start + NEAR_UNITS, this.#end)
    for (let at = start; at < near; at += 1) if (html.charCodeAt(at) === LESS) return at
    return html.indexOf('<', near)
  }

  /** The place behind a start tag whose name begins at `start`, and behind its content where that is text alone. */
  #startTag(start: number): number {
    const nameEnd = this.#nameEnd(start)
    const tag = tagAt(this.#html, start, nameEnd)
    const isText = tag.isText && !this.#sink.isForeign()
    const end = this.#attributes(nameEnd)
    if (end < 0) return this.#end
    this.#sink.onStartTag(tag, this.#isSelfClosing)
    return isText ? this.#text(tag, end + 1) : end + 1
  }

  /** The place of the first unit from `at` on that ends a name. */
  #nameEnd(at: number): number {
    const html = this.#html
    let end = at
    while (end < this.#end && (KINDS[html.charCodeAt(end)] ?? 0) === 0) end += 1
    return end
  }

  #skipWhite(at: number): number {
    const html = this.#html
    let end = at
    while (((KINDS[html.charCodeAt(end)] ?? 0) & WHITE) !== 0) end += 1
    return end
  }

  /** The place of the `>` that ends a tag; -1 where the document ends before it. */
  #attributes(start: number): number {
    const html = this.#html
    let at = start
    for (;;) {
      const before = at
      let unit = html.charCodeAt(at)
      while (unit !== END && (KINDS[unit] ?? 0) !== 0) unit = html.charCodeAt(++at)
      if (unit === END) {
        this.#isSelfClosing = at > before && html.charCodeAt(at - 1) === SLASH
        return at
      }
      if (at >= this.#end) return -1
      const name = at
      // A name may begin with what parts it from its value.
      at += 1
      unit = html.charCodeAt(at)
      while ((KINDS[unit] ?? 0) === 0 && unit !== EQUALS && at < this.#end) unit = html.charCodeAt(++at)
      const nameEnd = at
      at = this.#skipWhite(at)
      if (html.charCodeAt(at) !== EQUALS) {
        this.#sink.onAttribute(name, nameEnd, nameEnd, nameEnd)
        continue
      }
      const from = this.#skipWhite(at + 1)
      unit = html.charCodeAt(from)
      if (unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE) {
        at = html.indexOf(unit === DOUBLE_QUOTE ? '"' : "'", from + 1)
        if (at < 0) return -1
        this.#sink.onAttribute(name, nameEnd, from + 1, at)
        at += 1
      } else {
        at = from
        while (at < this.#end && html.charCodeAt(at) !== END && ((KINDS[html.charCodeAt(at)] ?? 0) & WHITE) === 0)
          at += 1
        this.#sink.onAttribute(name, nameEnd, from, at)
      }
    }
  }

  /** Tells the content of an element that holds nothing but text; the place where its end tag begins. */
  #text({ name }: Tag, start: number): number {
    const html = this.#html
    let end = name === 'plaintext' ? -1 : html.indexOf('</', start)
    while (end >= 0 && !this.#isEndOf(name, end + 2)) end = html.indexOf('</', end + 2)
    if (end < 0) end = this.#end
    if (end > start) this.#sink.onText(start, end)
    return end
  }

  #isEndOf(name: string, at: number): boolean {
    const nameEnd = at + name.length
    return ((KINDS[this.#html.charCodeAt(nameEnd)] ?? 0) & NAME_END) !== 0 && isNamed(name, this.#html, at, nameEnd)
  }

  /** The place behind an end tag, or behind what looks like one. */
  #endTag(start: number): number {
    const html = this.#html
    const name = start + 2
    if (html.charCodeAt(name) === END) return name + 1
    if (name >= this.#end) {
      this.#sink.onText(start, this.#end)
      return this.#end
    }
    const nameEnd = isLetter(html.charCodeAt(name)) ? this.#nameEnd(name) : name
    const end = html.charCodeAt(nameEnd) === END ? nameEnd : html.indexOf('>', nameEnd)
    if (nameEnd > name && nameEnd < this.#end) this.#sink.onEndTag(tagAt(html, name, nameEnd))
    return end < 0 ? this.#end : end + 1
  }

  /** The place behind a comment, a declaration or what looks like one. */
  #passOver(start: number): number {
    const html = this.#html
    if (html.startsWith('<!--', start)) return this.#commentEnd(start + 4)
    const end = html.indexOf('>', start + 2)
    return end < 0 ? this.#end : end + 1
  }

  #commentEnd(start: number): number {
    const html = this.#html
    if (html.charCodeAt(start) === END) return start + 1
    if (html.startsWith('->', start)) return start + 2
    for (let at = html.indexOf('--', start); at >= 0; at = html.indexOf('--', at)) {
      while (html.charCodeAt(at) === DASH) at += 1
      if (html.charCodeAt(at) === END) return at + 1
      if (html.startsWith('!>', at)) return at + 2
    }
    return this.#end
  }
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

keepShape(
  new Scanner('', {
    isForeign: () => false,
    onText: () => {},
    onAttribute: () => {},
    onStartTag: () => {},
    onEndTag: () => {},
  }),
)
