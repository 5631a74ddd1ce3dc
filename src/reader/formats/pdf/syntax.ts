import type { Budget } from './budget.ts'

/** A value of a PDF. Strings are bytes as Latin-1; an operator stands only in content. */
export type PdfValue = null | boolean | number | string | PdfName | PdfRef | PdfOperator | PdfValue[] | PdfDict
export interface PdfName {
  name: string
}
export interface PdfRef {
  ref: number
}
export interface PdfOperator {
  operator: string
}
export type PdfDict = Map<string, PdfValue>

const DEPTH_MAX = 60
/** Work of a value of content, of one of an object, which is held, and of a dictionary, besides that of their characters. */
const VALUE_WORK = 4
const HELD_WORK = 30
const DICT_WORK = 120
// Source: ISO 32000-1, 7.2.2.
const SPACE = /[\0\t\n\f\r ]/
const ENDS = /[\0\t\n\f\r ()<>[\]{}/%]/g
const LITERAL_ENDS = /[\\()]/g
const HEX_DIGITS = '0123456789abcdef'
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const CLOSE: PdfOperator = { operator: ']' }
const CLOSE_DICT: PdfOperator = { operator: '>>' }

/** Reads values one after the other; what it looks at counts. */
export class PdfReader {
  readonly #text: string
  readonly #budget: Budget
  /** The place up to which the characters are paid for. */
  #paid = 0
  at = 0

  constructor(text: string, budget: Budget) {
    this.#text = text
    this.#budget = budget
  }

  get isAtEnd(): boolean {
    this.#skip()
    return this.at >= this.#text.length
  }

  /** The next value. A number that begins a reference is read as one where `refs` is set, as content has none. */
  value(refs = true, depth = 0): PdfValue {
    this.#skip()
    this.#budget.spend(refs ? HELD_WORK : VALUE_WORK)
    const value = this.#read(refs, depth)
    this.#pay()
    return value
  }

  #pay(): void {
    if (this.at <= this.#paid) return
    this.#budget.spend(this.at - this.#paid)
    this.#paid = this.at
  }

  #read(refs: boolean, depth: number): PdfValue {
    const text = this.#text
    const first = text[this.at] ?? ''
    if (first === '/') return { name: this.#name() }
    if (first === '(') return this.#literal()
    if (first === '[') return this.#array(refs, depth)
    if (first === '<') return text[this.at + 1] === '<' ? this.#dict(refs, depth) : this.#hex()
    if (first === ']' || first === '{' || first === '}' || first === ')') {
      this.at += 1
      return first === ']' ? CLOSE : { operator: first }
    }
    if (first === '>') {
      this.at += text[this.at + 1] === '>' ? 2 : 1
      return CLOSE_DICT
    }
    return this.#word(refs)
  }

  #skip(): void {
    const text = this.#text
    for (;;) {
      while (this.at < text.length && SPACE.test(text[this.at] ?? '')) this.at += 1
      if (text[this.at] !== '%') return this.#pay()
      while (this.at < text.length && text[this.at] !== '\n' && text[this.at] !== '\r') this.at += 1
    }
  }

  #token(): string {
    ENDS.lastIndex = this.at
    const end = ENDS.exec(this.#text)?.index ?? this.#text.length
    const token = this.#text.slice(this.at, end)
    this.at = Math.max(end, this.at + (token === '' ? 1 : 0))
    return token
  }

  #name(): string {
    this.at += 1
    ENDS.lastIndex = this.at
    const end = ENDS.exec(this.#text)?.index ?? this.#text.length
    const written = this.#text.slice(this.at, end)
    this.at = end
    return written.includes('#')
      ? written.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : written
  }

  #word(refs: boolean): PdfValue {
    const token = this.#token()
    const number = Number(token)
    if (token !== '' && Number.isFinite(number)) return refs && /^\d+$/.test(token) ? this.#reference(number) : number
    if (token === 'true') return true
    if (token === 'false') return false
    return token === 'null' ? null : { operator: token }
  }

  #reference(number: number): PdfValue {
    REFERENCE.lastIndex = this.at
    const found = REFERENCE.exec(this.#text)
    if (found === null) return number
    this.at = REFERENCE.lastIndex
    return { ref: number }
  }

  #array(refs: boolean, depth: number): PdfValue[] {
    this.at += 1
    const values: PdfValue[] = []
    if (depth >= DEPTH_MAX) return values
    while (!this.isAtEnd) {
      const value = this.value(refs, depth + 1)
      if (value === CLOSE || value === CLOSE_DICT) break
      values.push(value)
    }
    return values
  }

  #dict(refs: boolean, depth: number): PdfDict {
    this.at += 2
    this.#budget.spend(DICT_WORK)
    const dict: PdfDict = new Map()
    if (depth >= DEPTH_MAX) return dict
    while (!this.isAtEnd) {
      const key = this.value(refs, depth + 1)
      if (key === CLOSE_DICT) break
      if (!isName(key)) continue
      const value = this.value(refs, depth + 1)
      if (value === CLOSE_DICT) break
      dict.set(key.name, value)
    }
    return dict
  }

  #literal(): string {
    const text = this.#text
    let value = ''
    let depth = 1
    for (this.at += 1; this.at < text.length; this.at += 1) {
      LITERAL_ENDS.lastIndex = this.at
      const end = LITERAL_ENDS.exec(text)?.index ?? text.length
      value += text.slice(this.at, end)
      this.at = end
      const character = text[end] ?? ''
      if (character === '\\') {
        value += this.#escape()
        continue
      }
      if (character === '(') depth += 1
      else if (character === ')') depth -= 1
      if (depth === 0) break
      value += character
    }
    this.at += 1
    return value
  }

  /** What a backslash and what follows it stand for; the place is left at the last of it. */
  #escape(): string {
    const octal = /^[0-7]{1,3}/.exec(this.#text.slice(this.at + 1, this.at + 4))?.[0]
    if (octal !== undefined) {
      this.at += octal.length
      return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
    }
    this.at += 1
    const character = this.#text[this.at] ?? ''
    if (character === '\r' && this.#text[this.at + 1] === '\n') this.at += 1
    return character === '\r' || character === '\n' ? '' : (ESCAPES[character] ?? character)
  }

  #hex(): string {
    const end = this.#text.indexOf('>', this.at)
    const written = this.#text.slice(this.at + 1, end < 0 ? undefined : end)
    this.at = end < 0 ? this.#text.length : end + 1
    const bytes = new Uint8Array((written.length + 1) >> 1)
    let count = 0
    for (let index = 0; index < written.length; index += 1) {
      const digit = HEX_DIGITS.indexOf(written.charAt(index).toLowerCase())
      if (digit < 0) continue
      bytes[count >> 1] = (bytes[count >> 1] ?? 0) + (count % 2 === 0 ? digit << 4 : digit)
      count += 1
    }
    return asText(bytes.subarray(0, (count + 1) >> 1))
  }
}

const REFERENCE = /[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y

export function isName(value: PdfValue | undefined): value is PdfName {
  return typeof value === 'object' && value !== null && 'name' in value
}

export function isRef(value: PdfValue | undefined): value is PdfRef {
  return typeof value === 'object' && value !== null && 'ref' in value
}

export function isOperator(value: PdfValue | undefined): value is PdfOperator {
  return typeof value === 'object' && value !== null && 'operator' in value
}

const PIECE = 8_192

/** Bytes as characters of the same numbers. */
export function asText(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return text
}
