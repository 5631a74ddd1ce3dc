import type { TextRange, TextUnit } from '../domain/tool.ts'
import { graphemeStart } from '../lib/text.ts'
import { FenceState } from '../lib/markdown-fence.ts'

/** Share of a unit's limit from which on it ends where a paragraph or an item begins, and where any line does. */
const SOFT_SHARE = 0.5
const HARD_SHARE = 0.8
const CONTEXT_CHARS_MAX = 300
/** Brackets of JSON that are remembered as context, innermost ones. */
const LEVELS_MAX = 3
const LEVELS_KEPT_MAX = 64
const HEADING = /^(#{1,6}) /
/** An item of a list that stands in no other. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)]) /
const TABLE_RULE = /^\|?[ :-]*-{3}[ :|-]*$/
const OPENS = /^( *)(?:"[^"]*": ?)?[[{]$/
const CLOSES = /^( *)[\]}],?$/

/** The sections of a text: what stands under a heading, the longer ones between their paragraphs, items, rows and lines. A fence
 *  stays whole if it can. Linear in the length of the text. */
export function sections(text: string, charsMax: number): TextUnit[] {
  return unitsOf(text, { charsMax, softChars: charsMax * SOFT_SHARE })
}

/** Each item of a list, or paragraph, by itself. */
export function items(text: string, charsMax: number): TextUnit[] {
  return unitsOf(text, { charsMax, softChars: 0 })
}

interface Size {
  charsMax: number
  /** A unit of so many characters ends at the next place where one may begin. */
  softChars: number
}

function unitsOf(text: string, size: Size): TextUnit[] {
  const walk = new Walk(text, size)
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    walk.line(start, end)
    start = end + 1
  }
  return walk.end()
}

interface Heading {
  level: number
  range: TextRange
}

/** Goes through a text line by line and ends a unit wherever one should. */
class Walk {
  readonly #text: string
  readonly #size: Size
  readonly #units: TextUnit[] = []
  readonly #fences: FenceState
  #headings: Heading[] = []
  /** Lines of JSON that opened a bracket, by the indentation of what closes it. */
  #levels: Heading[] = []
  #tableHead: TextRange | null = null
  #before: TextRange = { start: 0, end: 0 }
  #start = 0
  #end = 0
  #context: readonly TextRange[] = []

  constructor(text: string, size: Size) {
    this.#text = text
    this.#size = size
    this.#fences = new FenceState(text)
  }

  line(start: number, end: number): void {
    const wasInFence = this.#fences.closing !== null
    this.#fences.enter(start, end)
    const head =
      wasInFence || this.#fences.fenced ? '' : this.#text.slice(start, Math.min(end, start + CONTEXT_CHARS_MAX))
    const heading = HEADING.exec(head)?.[1] ?? null
    if (this.#endsBefore({ start, end }, head, heading !== null, wasInFence)) this.#cut(start)
    this.#note(head, heading, { start, end })
    if (this.#start === start) this.#context = this.#contextNow()
    if (end - this.#start > this.#size.charsMax) this.#cutLong(end)
    this.#end = end
    this.#before = { start, end }
  }

  end(): TextUnit[] {
    this.#cut(this.#text.length)
    return this.#units
  }

  /** Whether a unit ends before a line. */
  #endsBefore({ start, end }: TextRange, head: string, isHeading: boolean, isInFence: boolean): boolean {
    const { charsMax, softChars } = this.#size
    const length = start - this.#start
    if (isInFence) return length > charsMax
    if (isHeading || length + end - start > charsMax) return true
    const mayBegin = head === '' || ITEM.test(head)
    return (mayBegin && length > softChars) || length > charsMax * HARD_SHARE
  }

  /** Remember what the next units belong to; a line that is long is text. */
  #note(head: string, heading: string | null, range: TextRange): void {
    if (range.end - range.start >= CONTEXT_CHARS_MAX) return
    if (heading !== null) {
      this.#headings = [
        ...this.#headings.filter(({ level }) => level < heading.length),
        { level: heading.length, range },
      ]
      this.#levels = []
    }
    if (!head.startsWith('|')) this.#tableHead = null
    else if (TABLE_RULE.test(head)) this.#tableHead = { start: this.#before.start, end: range.end }
    const [, opening] = OPENS.exec(head) ?? []
    const [, closing] = CLOSES.exec(head) ?? []
    const indent = opening ?? closing
    if (indent === undefined) return
    this.#levels = this.#levels.filter(({ level }) => level < indent.length).slice(-LEVELS_KEPT_MAX)
    if (opening !== undefined) this.#levels.push({ level: indent.length, range })
  }

  #contextNow(): TextRange[] {
    const table = this.#tableHead
    const isShort = table !== null && table.end - table.start <= CONTEXT_CHARS_MAX
    return [...this.#headings, ...this.#levels.slice(-LEVELS_MAX)]
      .map(({ range }) => range)
      .concat(isShort ? [table] : [])
  }

  #cut(at: number): void {
    const { start, end } = trimmed(this.#text, this.#start, Math.min(at, Math.max(this.#end, this.#start)))
    if (end > start) this.#units.push({ start, end, context: this.#context.filter((range) => range.start < start) })
    this.#start = at
    this.#end = at
    this.#context = this.#contextNow()
  }

  /** A line that is longer than a unit comes in pieces, between sentences where it can. */
  #cutLong(end: number): void {
    const { charsMax } = this.#size
    while (end - this.#start > charsMax) {
      const piece = this.#text.slice(this.#start, this.#start + charsMax)
      const sentence = Math.max(...['。', '！', '？', '. ', '; ', '；'].map((mark) => piece.lastIndexOf(mark)))
      const wanted = sentence > charsMax / 2 ? sentence + 1 : charsMax
      const at = graphemeStart(this.#text, this.#start + wanted)
      this.#end = at > this.#start ? at + Number(this.#text[at] === ' ') : this.#start + charsMax
      this.#cut(this.#end)
    }
  }
}

/** Without empty lines around it. */
function trimmed(text: string, start: number, end: number): TextRange {
  let from = start
  let to = end
  while (from < to && isLineEnd(text, from)) from++
  while (to > from && /\s/.test(text[to - 1] ?? '')) to--
  return { start: from, end: to }
}

function isLineEnd(text: string, at: number): boolean {
  const unit = text[at]
  return unit === '\n' || unit === '\r'
}
