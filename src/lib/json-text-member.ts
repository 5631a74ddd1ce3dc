type State = 'start' | 'key' | 'in-key' | 'colon' | 'value' | 'in-text' | 'skip' | 'comma' | 'over'

const SPACE = /\s/
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ESCAPED_AS_ITSELF = /^["'`“”\\/\s]?$/
/** The longest escape, `\uXXXX`. */
const ESCAPE_CHARS = 6

/** Reads one text member at the top of a JSON object that arrives in pieces of any length: `{"reason":"Hel` gives `Hel`. The
 *  first member that has one of the names and is a text counts. What is no JSON (RFC 8259) gives no more text. Linear. */
export class JsonTextMember {
  readonly #names: ReadonlySet<string>
  #state: State = 'start'
  /** What cannot be read before more of it has come: an escape, or the first half of a surrogate pair. */
  #held = ''
  #key = ''
  /** Of a value that is passed over: how deep it is nested, and whether a text in it is open. */
  #depth = 0
  #inSkippedText = false

  constructor(names: ReadonlySet<string>) {
    this.#names = names
  }

  /** The text that this piece adds to the member; unescaped, no surrogate pair is parted. */
  push(piece: string): string {
    const json = this.#held + piece
    this.#held = ''
    let text = ''
    let at = 0
    while (at < json.length && this.#state !== 'over') {
      if (this.#state === 'in-key' || this.#state === 'in-text') {
        const read = readText(json, at)
        if (this.#state === 'in-key') this.#key += read.text
        else text += read.text
        if (!read.closed) {
          this.#held = json.slice(read.end)
          if (read.broken) this.#state = 'over'
          break
        }
        this.#state = this.#state === 'in-key' ? 'colon' : 'over'
        at = read.end
      } else at = this.#state === 'skip' ? this.#skip(json, at) : this.#step(json, at)
    }
    return text
  }

  /** One character between keys and values; gives where to go on. */
  #step(json: string, at: number): number {
    const char = json[at] ?? ''
    if (SPACE.test(char)) return at + 1
    this.#state = this.#after(char)
    return this.#state === 'skip' ? at : at + 1
  }

  #after(char: string): State {
    switch (this.#state) {
      case 'start':
        return char === '{' ? 'key' : 'over'
      case 'key':
        this.#key = ''
        return char === '"' ? 'in-key' : 'over'
      case 'colon':
        return char === ':' ? 'value' : 'over'
      case 'comma':
        return char === ',' ? 'key' : 'over'
      default:
        return char === '"' && this.#names.has(this.#key) ? 'in-text' : 'skip'
    }
  }

  /** Pass over a value that is not wanted, up to the comma or bracket behind it. */
  #skip(json: string, from: number): number {
    for (let at = from; at < json.length; at++) {
      const char = json[at]
      if (this.#inSkippedText) {
        if (char === '\\' && at + 1 === json.length) {
          this.#held = char
          return json.length
        }
        if (char === '\\') at++
        else if (char === '"') this.#inSkippedText = false
      } else if (char === '"') this.#inSkippedText = true
      else if (char === '{' || char === '[') this.#depth++
      else if (this.#depth > 0 && (char === '}' || char === ']')) this.#depth--
      else if (this.#depth === 0 && (char === ',' || char === '}')) {
        this.#state = 'comma'
        return at
      }
    }
    return json.length
  }
}

interface TextRead {
  text: string
  /** Behind the closing quote; without one, where what could not be read yet begins. */
  end: number
  closed: boolean
  /** What stands there is in no JSON text. */
  broken: boolean
}

/** The inside of a JSON text from `from` on, as far as it is there. */
function readText(json: string, from: number): TextRead {
  let text = ''
  let at = from
  for (;;) {
    const mark = nextMark(json, at)
    text += json.slice(at, mark)
    if (mark === json.length) return heldBack(text, mark)
    if (json[mark] === '"') return { text, end: mark + 1, closed: true, broken: false }
    const escape = readEscape(json, mark)
    if (escape === null) {
      const isCut = json.length - mark < ESCAPE_CHARS
      return isCut ? heldBack(text, mark) : { text, end: mark, closed: false, broken: true }
    }
    text += escape.char
    at = escape.end
  }

  /** The first half of a pair stays behind, with what comes after it. */
  function heldBack(read: string, end: number): TextRead {
    const isHalf = /[\uD800-\uDBFF]$/.test(read)
    if (!isHalf) return { text: read, end, closed: false, broken: false }
    const start = json[end - 1] === read.at(-1) ? end - 1 : end - ESCAPE_CHARS
    return { text: read.slice(0, -1), end: start, closed: false, broken: false }
  }
}

function nextMark(json: string, from: number): number {
  for (let at = from; at < json.length; at++) if (json[at] === '"' || json[at] === '\\') return at
  return json.length
}

/** What a backslash with this character behind it stands for. Of a formula or a path (`\(x\)`, `C:\Users`), which models write so, it is part. */
export function escapedChar(kind: string): string {
  return ESCAPED[kind] ?? (ESCAPED_AS_ITSELF.test(kind) ? kind : `\\${kind}`)
}

/** Null: it is not whole, or no escape. */
function readEscape(json: string, at: number): { char: string; end: number } | null {
  const kind = json[at + 1]
  if (kind === undefined) return null
  if (kind !== 'u') return { char: escapedChar(kind), end: at + 2 }
  const hex = json.slice(at + 2, at + ESCAPE_CHARS)
  return /^[0-9a-fA-F]{4}$/.test(hex)
    ? { char: String.fromCharCode(Number.parseInt(hex, 16)), end: at + ESCAPE_CHARS }
    : null
}
