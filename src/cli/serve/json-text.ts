import { usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

/** What a text of JSON that a person named holds; throws a usage error of one line that says where it is none. */
export function parsedJson(name: string, text: string, texts: TerminalTexts): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const before = text.slice(0, faultIn(text)).split('\n')
    throw usageError(texts.told(name, texts.notJson(before.length, (before.at(-1) ?? '').length + 1)))
  }
}

/** The first character that no JSON can have there. The engine names its place only for some faults, in words of its own: it is the one
 *  after the longest start of the text of which nothing is wrong but that it ends. */
function faultIn(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isStart(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Whether a text is JSON as far as it goes. */
function isStart(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const [, at] = / at position (\d+)/.exec(message) ?? []
    return at === undefined ? /Unexpected end/.test(message) : Number(at) >= text.length
  }
}
