/** Letters that are written from right to left; digits among them are not. */
const RIGHT = String.raw`\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc`
const LEFT = String.raw`[[\p{L}\p{N}]--[${RIGHT}]]`
const TO_LEFT = new RegExp(`[${RIGHT}]`)
const RIGHT_LETTERS = new RegExp(`[${RIGHT}]`, 'g')
const LEFT_LETTERS = new RegExp(LEFT, 'gv')
const RIGHT_RUN = new RegExp(String.raw`[${RIGHT}](?:[^\p{L}\p{N}]*[${RIGHT}])*`, 'gv')
/** Words and numbers, with the signs that belong to a number. */
const LEFT_RUN = new RegExp(String.raw`[%€]?${LEFT}(?:[^\t${RIGHT}]*${LEFT})?[$£#]?`, 'gv')
/** Letters of what is one line. */
const LINE_CHARS_MAX = 10_000
/** Forms of letters for print: several in one, or one by its place in a word. */
const FORMS = /[\ufb00-\ufdff\ufe70-\ufefc]/

export function hasRightToLeft(text: string): boolean {
  return TO_LEFT.test(text)
}

/** What one sign of a font stands for, as it stands on the page: several letters in one from left to right. */
export function letterShown(text: string): string {
  const plain = FORMS.test(text) ? text.normalize('NFKC') : text
  return plain.length > 1 && TO_LEFT.test(plain) ? reversed(plain) : plain
}

/** A line as it stands on the page, from left to right, in the order in which it is read; and the other way round. */
export function inReadingOrder(line: string, isFromRight = isMostlyFromRight(line)): string {
  if (line.length > LINE_CHARS_MAX || !TO_LEFT.test(line)) return line
  return isFromRight ? reversed(line).replace(LEFT_RUN, reversed) : line.replace(RIGHT_RUN, reversed)
}

/** Whether lines of a text begin at the right. */
export function isMostlyFromRight(text: string): boolean {
  const right = text.match(RIGHT_LETTERS)?.length ?? 0
  return right > 0 && right >= (text.match(LEFT_LETTERS)?.length ?? 0)
}

/** Marks stay behind the letter that they belong to. */
function reversed(text: string): string {
  return Array.from(text.matchAll(/[^]\p{M}*/gu), ([letter]) => letter)
    .toReversed()
    .join('')
}
