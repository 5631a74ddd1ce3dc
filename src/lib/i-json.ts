/** Where a JSON text is no I-JSON; `path` in dotted form. */
export interface IJsonFault {
  path: string
  message: string
}

/** An object or array that the scan is in. */
interface Container {
  /** Names so far; null: it is an array. */
  names: Set<string> | null
  /** The member or element that is read. */
  at: string | number
  /** A name comes next. */
  awaitsName: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const LONE_SURROGATE = 'a lone surrogate: text that is not Unicode'

/** Why a valid JSON text is read differently by different readers: an object has a name twice, or a text has half of a character
 *  (`surrogates: false`: these are let through). Null: it is I-JSON. Linear. Source: RFC 7493 §2.1, §2.3. */
export function iJsonFault(text: string, { surrogates = true } = {}): IJsonFault | null {
  const within: Container[] = []
  // UTF-8 has no lone surrogates: only an escape can be one.
  const looksAtTexts = surrogates && /\\u[dD][89a-fA-F]/.test(text)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const inside = within.at(-1)
    if (code === QUOTE) {
      const end = endOfText(text, at)
      const isName = inside?.awaitsName === true
      const fault =
        isName || looksAtTexts ? faultOfText(valueOf(text, at, end), isName ? inside : null, looksAtTexts) : null
      if (fault !== null) return { path: within.map((one) => one.at).join('.'), message: fault }
      at = end
    } else if (code === OPEN_OBJECT) within.push({ names: new Set(), at: '', awaitsName: true })
    else if (code === OPEN_ARRAY) within.push({ names: null, at: 0, awaitsName: false })
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) within.pop()
    else if (code === COLON && inside) inside.awaitsName = false
    else if (code === COMMA && inside) {
      if (typeof inside.at === 'number') inside.at++
      else inside.awaitsName = true
    }
  }
  return null
}

/** `object`: of which the text is a name. */
function faultOfText(value: string, object: Container | null, looksAtTexts: boolean): string | null {
  if (object) object.at = value
  if (looksAtTexts && !value.isWellFormed()) return LONE_SURROGATE
  if (object?.names?.has(value)) return 'the only member of this name'
  object?.names?.add(value)
  return null
}

/** The quote that ends the text which begins at `start`: an even number of backslashes stands before it. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
}

function valueOf(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end)
  return inner.includes('\\') ? JSON.parse(`"${inner}"`) : inner
}
