/** A byte of a text in UTF-8, and the UTF-16 units of the text that it is read from. */
export type ByteSink = (byte: number, from: number, to: number) => void

/** Gives the bytes of a text. Half a surrogate pair is three bytes, as any other unit of its size. */
export function feedBytes(text: string, sink: ByteSink): void {
  for (let at = 0; at < text.length; at++) {
    const from = at
    const code = text.codePointAt(at) ?? 0
    if (code > 0xffff) at++
    feedCode(code, from, at + 1, sink)
  }
}

/** What the first byte of a character begins with, by how many follow. */
const LEADS = [0, 0xc0, 0xe0, 0xf0]

function feedCode(code: number, from: number, to: number, sink: ByteSink): void {
  const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
  sink((LEADS[more] ?? 0) | (code >> (6 * more)), from, to)
  for (let left = more - 1; left >= 0; left--) sink(0x80 | ((code >> (6 * left)) & 0x3f), from, to)
}

/** Escapes, and what may become one: of addresses (`%2F`, `%u00e4`), of JSON and programs (`\"`, `\u00e4`, `\u{e4}`, `\U000000e4`, `\xc3`, `\303`),
 *  of HTML (`&amp;`, `&#228;`). */
const BEGUN =
  /^(?:%(?:[\da-fA-F]{0,2}|u[\da-fA-F]{0,4})|\\(?:[^\da-zA-Z]?|[bfnrt]|[0-3]?[0-7]{1,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|x[\da-fA-F]{0,2}|[ux]\{[\da-fA-F]{0,8}\}?)|&(?:[a-zA-Z][\da-zA-Z]{0,17};?|#(?:\d{0,7}|\d{1,7};|[xX][\da-fA-F]{0,8}|[xX][\da-fA-F]{1,8};))?)$/s
const OCTAL = /^\\[0-7]{1,3}$/
/** A number of HTML, which needs no `;`. */
const NUMBER = /^&#(?:\d+|[xX][\da-fA-F]+)$/
/** A number that may have any zeros before its digits. */
const LEADING_ZERO = /^(?:&#[xX]?|\\[ux]\{)0$/
const HEX_DIGIT = /[\da-fA-F]/
const CONTROLS: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 }
/** Names of HTML for what secrets are made of: ASCII, and Latin-1 from its first character on. Source: HTML, "Named character references". */
const ASCII_NAMES =
  '\tTab \nNewLine !excl "quot "QUOT #num $dollar %percnt &amp &AMP \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt <LT =equals >gt >GT ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^Hat _lowbar _UnderBar `grave `DiacriticalGrave {lcub {lbrace |verbar |vert |VerticalLine }rcub }rbrace'
const LATIN_1 = 0xa0
const LATIN_1_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const ENTITIES: ReadonlyMap<string, number> = new Map([
  ...ASCII_NAMES.split(' ').map((one) => [one.slice(1), one.charCodeAt(0)] as const),
  ...LATIN_1_NAMES.split(' ').map((name, at) => [name, LATIN_1 + at] as const),
])
const CODE_MAX = 0x10ffff

/** Takes one layer of escapes from bytes that go by; all else stays as it is. A byte is held while it may be part of an escape. None is
 *  looked at twice, since no escape begins within another. */
export class Unescaper {
  readonly #sink: ByteSink
  /** What is held, a character a byte, without the zeros that a number begins with. */
  #held = ''
  /** The bytes that are held, and where each is read from. */
  #bytes: number[] = []
  #from: number[] = []
  #to = 0
  /** The first half of a surrogate pair, whose second may follow. */
  #high: { code: number; from: number; to: number } | null = null

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  push(byte: number, from: number, to: number): void {
    const char = String.fromCharCode(byte)
    if (this.#held !== '' && !BEGUN.test(withNext(this.#held, char))) this.#settle()
    if (this.#held === '' && char !== '%' && char !== '\\' && char !== '&') return this.#give(byte, from, to)
    this.#held = withNext(this.#held, char)
    this.#bytes.push(byte)
    this.#from.push(from)
    this.#to = to
    this.#decode()
  }

  end(): void {
    this.#settle()
    this.#releaseHigh()
  }

  /** Gives what the held escape stands for, once it is whole. */
  #decode(): void {
    const held = this.#held
    const kind = held[1] ?? ''
    if (held[0] === '&') {
      if (held.endsWith(';')) this.#takeEntity(held.slice(1, -1))
    } else if (held[2] === '{') {
      if (held.endsWith('}')) this.#takeCode(hexOf(held.slice(3, -1)))
    } else if (kind === 'u' || kind === 'U') {
      if (held.length === (kind === 'u' ? 6 : 10)) this.#takeCode(hexOf(held.slice(2)))
    } else if (held[0] === '%' || kind === 'x') {
      if (held.length === (held[0] === '%' ? 3 : 4)) this.#takeByte(hexOf(held.slice(-2)))
    } else if (OCTAL.test(held)) {
      if (held.length === (kind > '3' ? 3 : 4)) this.#takeOctal()
    } else if (held.length === 2) {
      this.#takeByte(CONTROLS[kind] ?? kind.charCodeAt(0))
    }
  }

  /** What is held goes on no further. */
  #settle(): void {
    if (OCTAL.test(this.#held)) this.#takeOctal()
    else if (NUMBER.test(this.#held)) this.#takeEntity(this.#held.slice(1))
    else this.#release()
  }

  #takeEntity(name: string): void {
    this.#takeCode(name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : (ENTITIES.get(name) ?? NaN))
  }

  #takeCode(code: number): void {
    if (code <= CODE_MAX) this.#take((from, to) => this.#giveCode(code, from, to))
    else this.#release()
  }

  #takeOctal(): void {
    this.#takeByte(Number.parseInt(this.#held.slice(1), 8))
  }

  #takeByte(byte: number): void {
    this.#take((from, to) => this.#give(byte, from, to))
  }

  #take(give: (from: number, to: number) => void): void {
    const [from = 0] = this.#from
    this.#forget()
    give(from, this.#to)
  }

  /** It was no escape. */
  #release(): void {
    const [bytes, from] = [this.#bytes, this.#from]
    this.#forget()
    bytes.forEach((byte, at) => this.#give(byte, from[at] ?? 0, from[at + 1] ?? this.#to))
  }

  #forget(): void {
    this.#held = ''
    this.#bytes = []
    this.#from = []
  }

  #giveCode(code: number, from: number, to: number): void {
    const high = this.#high
    if (high && code >= 0xdc00 && code < 0xe000) {
      this.#high = null
      return feedCode(0x10000 + ((high.code - 0xd800) << 10) + (code - 0xdc00), high.from, to, this.#sink)
    }
    this.#releaseHigh()
    if (code >= 0xd800 && code < 0xdc00) this.#high = { code, from, to }
    else feedCode(code, from, to, this.#sink)
  }

  #give(byte: number, from: number, to: number): void {
    this.#releaseHigh()
    this.#sink(byte, from, to)
  }

  #releaseHigh(): void {
    const high = this.#high
    this.#high = null
    if (high) feedCode(high.code, high.from, high.to, this.#sink)
  }
}

function withNext(held: string, char: string): string {
  return (LEADING_ZERO.test(held) && HEX_DIGIT.test(char) ? held.slice(0, -1) : held) + char
}

function hexOf(digits: string): number {
  return Number.parseInt(digits, 16)
}
