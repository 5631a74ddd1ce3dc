const INDENT_LEVELS_MAX = 20
/** In a longer text lines are not indented: that would take many times its room. */
const INDENTED_CHARS_MAX = 1_000_000
/** Tokens that are joined at once, so that no list of all of them is held. */
const TOKENS_PER_PIECE = 4_096
/** What ends a number or a word. */
const END = /[\s[\]{},:"]/g

/** JSON with an element or a bracket on each line and indents, every number and string as it was written; null when it is no object or list. */
export function prettyJson(text: string): string | null {
  if (!isJson(text)) return null
  const indents = indentsFor(text)
  let pretty = ''
  let piece: string[] = []
  let depth = 0
  /** A bracket was opened just now: what follows is on a line of its own unless it closes it. */
  let isFirst = false
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at)
    const token = text.slice(at, end)
    at = end
    if (WHITE.has(token)) continue
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth -= 1
    if (isFirst !== isClosing) piece.push(lineAt(depth, indents))
    isFirst = token === '{' || token === '['
    if (isFirst) depth += 1
    piece.push(token === ':' ? ': ' : token)
    if (token === ',') piece.push(lineAt(depth, indents))
    if (piece.length < TOKENS_PER_PIECE) continue
    pretty += piece.join('')
    piece = []
  }
  return (pretty + piece.join('')).trimStart()
}

const WHITE: ReadonlySet<string> = new Set([' ', '\n', '\r', '\t'])

/** The position behind the string, number, word, sign or white space that begins at `start` in a text that is JSON. */
function tokenEnd(text: string, start: number): number {
  const first = text[start] ?? ''
  if (first === '"') return stringEnd(text, start)
  if (!/[\w+-]/.test(first)) return start + 1
  END.lastIndex = start
  return END.exec(text)?.index ?? text.length
}

/** The position behind the quote that ends the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    let before = at - 1
    while (text[before] === '\\') before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The line break and indent of each depth; deeper ones have the last. */
function indentsFor(text: string): readonly string[] {
  const levels = text.length > INDENTED_CHARS_MAX ? 1 : INDENT_LEVELS_MAX + 1
  return Array.from({ length: levels }, (_, depth) => `\n${'  '.repeat(depth)}`)
}

function lineAt(depth: number, indents: readonly string[]): string {
  return indents[Math.min(depth, indents.length - 1)] ?? '\n'
}
