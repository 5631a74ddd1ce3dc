import { escapedChar } from './json-text-member.ts'

/** Nesting that is followed; deeper values are not read. */
const DEPTH_MAX = 32

const NAME = /[\p{L}_$][\p{L}\p{N}_$-]*/uy
const WORD = /[\p{L}\p{N}_+.-]+/uy
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const SPACE = /\s/
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}

/** Quotes that begin a text, with those that end it. */
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”' }
/** Signs as Chinese keyboards write them. */
const FULL_WIDTH: Readonly<Record<string, string>> = { ':': '：', ',': '，', ')': '）' }

/** Thrown within this file, where what is read is no value. */
class NoValue extends Error {}

export interface LooseValue {
  value: unknown
  /** Behind the value. */
  end: number
  /** The text ended before the value did, and what was open is taken as closed there. */
  isCut: boolean
}

/** Reads JSON as models write it: single, curly or triple quotes, names without quotes, a comma too many, Chinese colons and commas, the words of Python,
 *  line breaks in texts, and what the end of the text left open. A name without its value is no value: more than one could follow. Reads each character once. */
export class LooseJson {
  readonly text: string
  /** Where the reading stands; after a failure, where it failed. */
  at: number
  #isCut = false

  constructor(text: string, from: number) {
    this.text = text
    this.at = from
  }

  /** The value that begins here; null: none does. */
  read(): LooseValue | null {
    return this.#attempt(() => this.#value(0))
  }

  /** The arguments of a call as Python writes it, from behind its opening bracket: those without a name are under ''. */
  readArguments(): (LooseValue & { value: [name: string, value: unknown][] }) | null {
    return this.#attempt(() => this.#arguments())
  }

  #attempt<T>(read: () => T): { value: T; end: number; isCut: boolean } | null {
    try {
      const value = read()
      return { value, end: this.at, isCut: this.#isCut }
    } catch (error) {
      if (error instanceof NoValue) return null
      throw error
    }
  }

  #value(depth: number): unknown {
    this.#skipSpace()
    const char = this.text[this.at]
    if (depth > DEPTH_MAX || char === undefined) throw new NoValue()
    if (char === '{') return this.#object(depth)
    if (char === '[') return this.#list(depth)
    const closing = QUOTES[char]
    return closing === undefined ? this.#word() : this.#string(closing)
  }

  #object(depth: number): Record<string, unknown> {
    const members: [string, unknown][] = []
    this.at++
    while (!this.#closes('}')) {
      const name = this.#name()
      if (!this.#takes(':')) throw new NoValue()
      members.push([name, this.#value(depth + 1)])
      this.#separator('}')
    }
    return Object.fromEntries(members)
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = []
    this.at++
    while (!this.#closes(']')) {
      items.push(this.#value(depth + 1))
      this.#separator(']')
    }
    return items
  }

  #arguments(): [string, unknown][] {
    const given: [string, unknown][] = []
    while (!this.#closes(')')) {
      this.#skipSpace()
      const name = this.#matched(/[\p{L}_][\p{L}\p{N}_]*(?=\s{0,8}[=:：])/uy)
      if (name !== '') this.#skipSpace()
      if (name !== '') this.at++
      given.push([name, this.#value(1)])
      this.#separator(')')
    }
    return given
  }

  #name(): string {
    this.#skipSpace()
    const closing = QUOTES[this.text[this.at] ?? '']
    if (closing === undefined) return this.#matched(NAME) || this.#fail()
    const name = this.#string(closing)
    return this.#isCut ? this.#fail() : name
  }

  /** Whether the bracket closes here, or the text is over. */
  #closes(bracket: string): boolean {
    if (this.#takes(bracket)) return true
    if (this.at >= this.text.length) this.#isCut = true
    return this.at >= this.text.length
  }

  #separator(bracket: string): void {
    this.#skipSpace()
    if (this.at < this.text.length && !this.#stands(bracket) && !this.#takes(',')) throw new NoValue()
  }

  #takes(char: string): boolean {
    this.#skipSpace()
    if (!this.#stands(char)) return false
    this.at++
    return true
  }

  #stands(char: string): boolean {
    const here = this.text[this.at]
    return here === char || (here !== undefined && here === FULL_WIDTH[char])
  }

  /** A text up to its closing quote, or up to three of them, where it begins with three. */
  #string(quote: string): string {
    const isTriple = this.text.startsWith(quote.repeat(3), this.at)
    const closing = isTriple ? quote.repeat(3) : quote
    const parts: string[] = []
    let from = (this.at += closing.length)
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]
      if (char === quote && (!isTriple || this.text.startsWith(closing, this.at))) {
        parts.push(this.text.slice(from, this.at))
        this.at += closing.length
        return parts.join('')
      }
      if (char !== '\\') continue
      parts.push(this.text.slice(from, this.at), this.#escape())
      from = this.at + 1
    }
    this.#isCut = true
    parts.push(this.text.slice(from))
    return parts.join('').toWellFormed()
  }

  /** The character that the escape here stands for; the reading stands on the last one of it afterwards. */
  #escape(): string {
    const kind = this.text[++this.at] ?? ''
    const behind = kind === 'u' ? this.text.slice(this.at + 1, this.at + 5) : ''
    const [hex = ''] = /^[0-9a-fA-F]*/.exec(behind) ?? []
    const isCut = kind === 'u' && hex.length < 4 && this.at + 1 + hex.length === this.text.length
    if (hex.length < 4 && !isCut) return escapedChar(kind)
    this.at += hex.length
    return isCut ? '' : String.fromCharCode(Number.parseInt(hex, 16))
  }

  #word(): unknown {
    const word = this.#matched(WORD)
    if (NUMBER.test(word)) return Number(word)
    return Object.hasOwn(WORDS, word) ? WORDS[word] : this.#fail()
  }

  #matched(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found = ''] = pattern.exec(this.text) ?? []
    this.at += found.length
    return found
  }

  #skipSpace(): void {
    while (SPACE.test(this.text[this.at] ?? '')) this.at++
  }

  #fail(): never {
    throw new NoValue()
  }
}
