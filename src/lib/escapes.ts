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

/** Escapes, and what may become one: of addresses (`%2F`), of JSON and its like (`\"`, `\u00e4`, `\xc3`), of HTML (`&amp;`, `&#228;`). */
const BEGUN =
  /^(?:%[\da-fA-F]{0,2}|\\(?:[^\da-zA-Z]?|[bfnrt]|u[\da-fA-F]{0,4}|x[\da-fA-F]{0,2})|&(?:[a-z]{0,4};?|#(?:\d{0,7}|\d{1,7};|[xX][\da-fA-F]{0,6}|[xX][\da-fA-F]{1,6};)))$/s
const CHARS_MAX = 12
const CONTROLS: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 }
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }
const CODE_MAX = 0x10ffff

/** Takes one layer of escapes from bytes that go by; all else stays as it is. A byte is held while it may be part of an escape. None is
 *  looked at twice, since no escape begins within another. */
export class Unescaper {
  readonly #sink: ByteSink
  /** A character a byte. */
  #held = ''
  readonly #from = new Int32Array(CHARS_MAX)
  #to = 0
  /** The first half of a surrogate pair, whose second may follow. */
  #high: { code: number; from: number; to: number } | null = null

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  push(byte: number, from: number, to: number): void {
    const char = String.fromCharCode(byte)
    if (this.#held !== '' && !BEGUN.test(this.#held + char)) this.#release()
    if (this.#held === '' && char !== '%' && char !== '\\' && char !== '&') return this.#give(byte, from, to)
    this.#from[this.#held.length] = from
    this.#held += char
    this.#to = to
    this.#decode()
  }

  end(): void {
    this.#release()
    this.#releaseHigh()
  }

  /** Gives what the held escape stands for, once it is whole. */
  #decode(): void {
    const held = this.#held
    const kind = held[1] ?? ''
    if (held[0] === '&') {
      if (held.endsWith(';')) this.#decodeEntity(held.slice(1, -1))
    } else if (held[0] === '%' || kind === 'x') {
      if (held.length === (held[0] === '%' ? 3 : 4))
        this.#take((from, to) => this.#give(hexOf(held.slice(-2)), from, to))
    } else if (kind === 'u') {
      if (held.length === 6) this.#take((from, to) => this.#giveCode(hexOf(held.slice(2)), from, to))
    } else if (held.length === 2) {
      this.#take((from, to) => this.#give(CONTROLS[kind] ?? kind.charCodeAt(0), from, to))
    }
  }

  #decodeEntity(name: string): void {
    const code = name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : ENTITIES[name]
    if (code === undefined || code > CODE_MAX) this.#release()
    else this.#take((from, to) => this.#giveCode(code, from, to))
  }

  #take(give: (from: number, to: number) => void): void {
    this.#held = ''
    give(this.#from[0] ?? 0, this.#to)
  }

  /** It was no escape. */
  #release(): void {
    const held = this.#held
    this.#held = ''
    for (let at = 0; at < held.length; at++) {
      const isLast = at === held.length - 1
      this.#give(held.charCodeAt(at), this.#from[at] ?? 0, isLast ? this.#to : (this.#from[at + 1] ?? 0))
    }
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

function hexOf(digits: string): number {
  return Number.parseInt(digits, 16)
}
