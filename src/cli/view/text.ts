import pc from 'picocolors'

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g
// eslint-disable-next-line no-control-regex
const CONTROLS_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g

/** Without control and direction characters: what a page or a model writes must not steer the terminal. Line breaks become
 *  spaces unless they are kept. */
export function visible(text: string, keepLines = false): string {
  const plain = text.replaceAll(/\r\n?/g, '\n')
  return keepLines ? plain.replaceAll(CONTROLS_BUT_LINES, '') : plain.replaceAll(CONTROLS, ' ')
}

/** A time as a list has it, in the zone of the terminal. */
export function localTime(time: string): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

const CHARS_MAX = 160

/** The start of a text on one line. */
export function excerpt(text: string, charsMax: number = CHARS_MAX): string {
  const flat = visible(text.slice(0, charsMax * 4)).trim()
  return flat.length > charsMax ? `${flat.slice(0, charsMax)}…` : flat
}

/** A text of a list, on one line: its start at a terminal, the whole elsewhere. */
export const oneLine = (text: string, { isTTY }: { isTTY?: boolean }): string =>
  excerpt(text, isTTY ? CHARS_MAX : text.length)

/** Characters that take two columns (East Asian Width W and F, emoji), and that a line may break after. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const ZERO = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u
// eslint-disable-next-line no-control-regex
const UNITS = /\u001b\[[0-9;]*m|\n| +|[^\s\u001b]|\s/gu
/** A line does not begin with these (CJK closing punctuation), nor is it broken before them. */
const NOT_FIRST = /^[，。、；：？！）】》」』”’…,.;:?!)\]}]/u

/** Columns that a text without line breaks takes in a terminal. */
export function columnsOf(text: string): number {
  let columns = 0
  // eslint-disable-next-line no-control-regex
  for (const char of text.replaceAll(/\u001b\[[0-9;]*m/g, '')) columns += widthOf(char)
  return columns
}

/** A text on one line, cut to so many columns. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let used = 0
  let shown = ''
  for (const char of text) {
    used += widthOf(char)
    if (used > columns - 1) break
    shown += char
  }
  return `${shown.trimEnd()}…`
}

/** Lines of which none is wider than `columns`; what has no place to break is broken anywhere. */
export function brokenTo(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line]
  const lines: string[] = []
  let used = 0
  let shown = ''
  // Colours take no room.
  // eslint-disable-next-line no-control-regex
  for (const [unit] of line.matchAll(/\u001b\[[0-9;]*m|[^]/gu)) {
    const width = unit.startsWith('\u001b') ? 0 : widthOf(unit)
    if (used + width > columns) {
      lines.push(shown)
      shown = ''
      used = 0
    }
    shown += unit
    used += width
  }
  return [...lines, shown]
}

const widthOf = (char: string) => (ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1)

/** A space at which a line is broken only where what it holds together is wider than the line. No text has it. */
const GLUE = '\ufdd0'

/** What is to stand on one line. */
export const glued = (text: string) => text.replaceAll(' ', GLUE)
export const unglued = (text: string) => text.replaceAll(GLUE, ' ')

/** Breaks a text, which may hold colours, into lines of at most `columns`: between words, and between Chinese characters. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  const next = () => {
    lines.push(line.trimEnd())
    line = ''
    used = 0
  }
  const words = wordsOf(text).flatMap((word) => (columnsOf(word) > columns ? unglued(word).split(/( +)/) : word))
  for (const word of words) {
    const width = columnsOf(word)
    if (word === '\n') next()
    else if (used > 0 && used + width > columns && word.trim() !== '') {
      next()
      line = word
      used = width
    } else if (used > 0 || word.trim() !== '') {
      line += word
      used += width
    }
  }
  next()
  return lines
}

/** A longer word is written as it comes: nobody waits for all of a line of data, which is looked through anew with each piece. */
const HELD_CHARS_MAX = 400

/** Breaks a text that comes in pieces between words, as `wrap` does: what may be written of it, the last word once it is whole. */
export function wrappedFlow(columns: () => number): { push: (text: string) => string; flush: () => string } {
  let used = 0
  let held = ''
  const placed = (word: string): string => {
    const width = columnsOf(word)
    const isOver = used > 0 && used + width >= columns()
    used = word === '\n' ? 0 : isOver ? (word.trim() === '' ? 0 : width) : used + width
    if (word === '\n' || !isOver) return word
    return word.trim() === '' ? '\n' : `\n${word}`
  }
  return {
    push: (text) => {
      const words = wordsOf(held + text)
      const last = words.at(-1) ?? ''
      held = last.length > HELD_CHARS_MAX || last.trim() === '' ? '' : (words.pop() ?? '')
      return words.map(placed).join('')
    },
    flush: () => {
      const last = held === '' ? '' : placed(held)
      used = 0
      held = ''
      return last
    },
  }
}

/** Pieces between which a line may be broken: runs of spaces, single wide characters, words with what sticks to them. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let open = false
  for (const [unit] of text.matchAll(UNITS)) {
    const space = unit === '\n' || unit.trim() === ''
    const wide = WIDE.test(unit)
    const sticks =
      !space && (unit.startsWith('\u001b') || NOT_FIRST.test(unit) || !wide) && (open || NOT_FIRST.test(unit))
    if (sticks && words.length > 0 && words.at(-1)?.trim() !== '') words[words.length - 1] += unit
    else words.push(unit)
    open = !space && !wide
  }
  return words
}

export type Colors = ReturnType<typeof pc.createColors>

/** Colours for one stream: a terminal that did not refuse them (NO_COLOR, TERM=dumb); FORCE_COLOR says yes. */
export function colorsFor(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): Colors {
  if (env['NO_COLOR']) return pc.createColors(false)
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return pc.createColors(true)
  return pc.createColors(stream.isTTY === true && env['TERM'] !== 'dumb')
}
