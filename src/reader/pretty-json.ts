const INDENT_LEVELS_MAX = 20
/** A longer text is left as it came: indents would only take room. */
const CHARS_MAX = 2_000_000

/** JSON with line breaks and indents, every number and string as it was written; null when it is no JSON. */
export function prettyJson(text: string): string | null {
  if (!isJson(text)) return null
  if (text.length > CHARS_MAX) return text
  // Tokens: strings, brackets, commas, colons, and what lies between (numbers and words).
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []
  let depth = 0
  const parts = tokens.map((token, index) => {
    const isOpening = token === '{' || token === '['
    if (isOpening && isClosing(tokens[index + 1])) return token
    if (isOpening) return token + lineAt((depth += 1))
    if (isClosing(token)) return isEmptyPair(tokens[index - 1], token) ? token : lineAt((depth -= 1)) + token
    if (token === ',') return token + lineAt(depth)
    return token === ':' ? ': ' : token
  })
  return parts.join('')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}

function isEmptyPair(before: string | undefined, closing: string): boolean {
  return before === (closing === '}' ? '{' : '[')
}

function lineAt(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, INDENT_LEVELS_MAX))}`
}
