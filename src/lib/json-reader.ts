import { iJsonFault } from './i-json.ts'

/** Why a text is not read any further: it is no JSON, is nested too deep, holds one value that is too long, or an object with a name
 *  twice: `path` in the value, or among the elements, that was read. */
export class JsonReadError extends Error {
  readonly reason: 'syntax' | 'levels' | 'chars' | 'twice'
  readonly path: string

  constructor(reason: JsonReadError['reason'], path = '') {
    super(reason)
    this.reason = reason
    this.path = path
  }
}

interface Limits {
  /** UTF-16 units of one value that is read whole. */
  charsMax: number
  /** Arrays and objects within each other. */
  levelsMax: number
}

/** Some elements of an array in a row. */
export interface Elements {
  /** Of the first. */
  index: number
  values: unknown[]
  /** UTF-16 units of their JSON. */
  chars: number
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
/** Where in a value a piece ends. */
interface Inside {
  depth: number
  inText: boolean
  /** The next character belongs to the backslash before it. */
  isEscaped: boolean
}

const begun = (): Inside => ({ depth: 0, inText: false, isEscaped: false })

/** Elements are parsed together while they are no longer than this; above, that is no quicker. */
const BATCH_CHARS = 16_384
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** What ends a number or a word: a comma, a colon, white space. */
const BETWEEN: ReadonlySet<number> = new Set([0x2c, 0x3a, 0x20, 0x09, 0x0a, 0x0d])

/** Reads a JSON text (RFC 8259) that comes in pieces of any length. Whoever reads goes into the objects and arrays that may be large,
 *  and takes the values in them one by one: no more than one value and one piece is held. Linear. */
export class JsonReader {
  readonly #pieces: AsyncIterator<string>
  readonly #limits: Limits
  #piece = ''
  #at = 0
  /** Objects and arrays that the reader is in. */
  #level = 0

  constructor(pieces: AsyncIterator<string>, limits: Limits) {
    this.#pieces = pieces
    this.#limits = limits
  }

  /** What begins the value that comes: `{`, `[`, or another character. */
  async peek(): Promise<string> {
    for (;;) {
      this.#at = this.#behindSpace(this.#at)
      const char = this.#piece[this.#at]
      if (char !== undefined) return char
      await this.#more()
    }
  }

  /** The names of the object that comes. Behind each stands its value, which is to be read before the next name. */
  async *members(): AsyncGenerator<string, void, void> {
    await this.#enter('{')
    if ((await this.peek()) !== '}') {
      do {
        if ((await this.peek()) !== '"') throw new JsonReadError('syntax')
        const name: string = parsed(await this.text())
        await this.#take(':')
        yield name
      } while (await this.#goesOn())
    }
    await this.#leave('}')
  }

  /** The elements of the array that comes: one, and as many behind it as the piece has whole. */
  async *elements(): AsyncGenerator<Elements, void, void> {
    await this.#enter('[')
    if ((await this.peek()) !== ']') {
      let index = 0
      do {
        const text = await this.text()
        if (text === '') throw new JsonReadError('syntax')
        const behind = this.#wholeElements()
        const values = elementsOf(`[${text}${behind}]`, index)
        yield { index, values, chars: text.length + behind.length }
        index += values.length
      } while (await this.#goesOn())
    }
    await this.#leave(']')
  }

  /** The value that comes. */
  async value(): Promise<unknown> {
    return parsed(await this.text())
  }

  /** The text of the value that comes, which may be no JSON inside. */
  async text(): Promise<string> {
    await this.peek()
    const inside = begun()
    const { charsMax } = this.#limits
    const before: string[] = []
    let chars = 0
    for (;;) {
      const end = this.#endOf(inside)
      chars += (end ?? this.#piece.length) - this.#at
      if (chars > charsMax) throw new JsonReadError('chars')
      before.push(this.#piece.slice(this.#at, end ?? undefined))
      this.#at = end ?? this.#piece.length
      if (end !== null) return before.length === 1 ? (before[0] ?? '') : before.join('')
      await this.#more()
    }
  }

  /** Nothing comes any more. */
  async end(): Promise<void> {
    for (;;) {
      if (!/^[ \t\n\r]*$/.test(this.#piece.slice(this.#at))) throw new JsonReadError('syntax')
      const next = await this.#pieces.next()
      if (next.done) return
      this.#piece = next.value
      this.#at = 0
    }
  }

  async #more(): Promise<void> {
    const next = await this.#pieces.next()
    if (next.done) throw new JsonReadError('syntax')
    this.#piece = next.value
    this.#at = 0
  }

  async #take(char: string): Promise<void> {
    if ((await this.peek()) !== char) throw new JsonReadError('syntax')
    this.#at++
  }

  async #enter(char: '{' | '['): Promise<void> {
    await this.#take(char)
    this.#level++
  }

  async #leave(char: '}' | ']'): Promise<void> {
    await this.#take(char)
    this.#level--
  }

  /** Whether another one follows in this object or array. */
  async #goesOn(): Promise<boolean> {
    const isComma = (await this.peek()) === ','
    if (isComma) this.#at++
    return isComma
  }

  /** The text of the elements that stand whole in this piece behind the one before, with the comma before each; not much at a time. */
  #wholeElements(): string {
    const from = this.#at
    for (;;) {
      const comma = this.#behindSpace(this.#at)
      if (this.#piece[comma] !== ',' || comma - from > BATCH_CHARS) break
      const before = this.#at
      this.#at = this.#behindSpace(comma + 1)
      const end = this.#endOf(begun())
      this.#at = end ?? before
      if (end === null) break
    }
    return this.#piece.slice(from, this.#at)
  }

  #behindSpace(from: number): number {
    let at = from
    while (isSpace(this.#piece.charCodeAt(at))) at++
    return at
  }

  /** Where the value ends in this piece; null: behind it. */
  #endOf(inside: Inside): number | null {
    const piece = this.#piece
    const depthMax = this.#limits.levelsMax - this.#level
    let { depth, inText } = inside
    let at = inside.isEscaped ? this.#at + 1 : this.#at
    for (; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (inText) {
        if (code === BACKSLASH) at++
        else if (code === QUOTE) {
          inText = false
          if (depth === 0) return at + 1
        }
      } else if (code === QUOTE) inText = true
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (++depth > depthMax) throw new JsonReadError('levels')
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        if (depth === 0) return at
        if (--depth === 0) return at + 1
      } else if (depth === 0 && BETWEEN.has(code)) return at
    }
    inside.depth = depth
    inside.inText = inText
    inside.isEscaped = at > piece.length
    return null
  }
}

/** The value of a JSON text. */
function parsed(text: string) {
  const value = whole(text)
  const fault = iJsonFault(text, { surrogates: false })
  if (fault) throw new JsonReadError('twice', fault.path)
  return value
}

/** The values of an array whose first element has this index in the array that it is a part of. */
function elementsOf(text: string, index: number): unknown[] {
  const values: unknown[] = whole(text)
  const [, at = '', rest = ''] = /^(\d+)(.*)$/s.exec(iJsonFault(text, { surrogates: false })?.path ?? '') ?? []
  if (at !== '') throw new JsonReadError('twice', `${index + Number(at)}${rest}`)
  return values
}

function whole(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonReadError('syntax')
  }
}
