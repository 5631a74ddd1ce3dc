import { FenceState } from './markdown-fence.ts'

/** What is the same from wherever a Markdown text is read: its lines and its runs of backticks. */
export class MarkdownCode {
  readonly text: string
  readonly lines: MarkdownLines
  /** Start of each run of backticks, in order, and beside it its length. */
  readonly runStarts: number[] = []
  readonly runLengths: number[] = []
  readonly #startsByLength = new Map<number, number[]>()

  constructor(text: string) {
    this.text = text
    this.lines = new MarkdownLines(text)
    for (const { 0: run, index } of text.matchAll(/`+/g)) this.#addRun(index, run.length)
  }

  /** A reader for which the text begins at `from`. */
  cursor(from: number): CodeCursor {
    return new CodeCursor(this, from)
  }

  /** The start of the first run of exactly `length` backticks in [from, before), or -1. */
  findRun(length: number, from: number, before: number): number {
    const starts = this.#startsByLength.get(length) ?? []
    const start = starts[lowerBound(starts, from)]
    return start === undefined || start >= before ? -1 : start
  }

  #addRun(start: number, length: number): void {
    this.runStarts.push(start)
    this.runLengths.push(length)
    const same = this.#startsByLength.get(length)
    if (same === undefined) this.#startsByLength.set(length, [start])
    else same.push(start)
  }
}

/** Tells for ascending positions whether they are in a code fence or a code span (CommonMark 0.31.2 §4.5, §6.1); an
 *  unclosed fence reaches to the end. The cost is that of the text passed. */
export class CodeCursor {
  readonly #code: MarkdownCode
  readonly #fences: FenceState
  #line: number
  #run: number
  #spanEnd = 0

  constructor(code: MarkdownCode, from: number) {
    this.#code = code
    this.#fences = new FenceState(code.text)
    this.#line = code.lines.lineAt(from)
    this.#run = lowerBound(code.runStarts, from)
    this.#fences.enter(from, this.#lineEnd())
  }

  /** `at` is never less than in the call before. */
  isCode(at: number): boolean {
    this.#advance(at)
    return this.#fences.fenced || at < this.#spanEnd
  }

  /** Like `isCode`, for a text that would end at `at`: a fence whose last line ends there is over. */
  isCodeAtEnd(at: number): boolean {
    return this.isCode(at) && !this.#fences.closesAt(at)
  }

  /** Leave out what is between the last position and `at`: go on there with neither fence nor span open. */
  resume(at: number): void {
    this.#line = this.#code.lines.lineAt(at)
    this.#run = lowerBound(this.#code.runStarts, at)
    this.#spanEnd = 0
    this.#fences.resume(at, this.#lineEnd())
  }

  #advance(at: number): void {
    const { starts } = this.#code.lines
    for (let next = starts[this.#line + 1]; next !== undefined && next <= at; next = starts[this.#line + 1]) {
      this.#passRuns(next)
      this.#line++
      this.#fences.enter(next, this.#lineEnd())
    }
    this.#passRuns(at)
  }

  #passRuns(before: number): void {
    const { runStarts, runLengths } = this.#code
    for (let start = runStarts[this.#run]; start !== undefined && start < before; start = runStarts[this.#run]) {
      if (!this.#fences.fenced && start >= this.#spanEnd) this.#openSpan(start, runLengths[this.#run] ?? 0)
      this.#run++
    }
  }

  #openSpan(run: number, runLength: number): void {
    const escaped = isEscaped(this.#code.text, run) ? 1 : 0
    const length = runLength - escaped
    if (length === 0) return
    const paragraphEnd = this.#code.lines.paragraphEnds[this.#line] ?? 0
    const closing = this.#code.findRun(length, run + runLength, paragraphEnd)
    if (closing >= 0) this.#spanEnd = closing + length
  }

  #lineEnd(): number {
    const next = this.#code.lines.starts[this.#line + 1]
    return next === undefined ? this.#code.text.length : next - 1
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - slashes - 1] === '\\') slashes++
  return slashes % 2 === 1
}

const QUOTE_PREFIX = /^(?: {0,3}> ?)+/
const BLANK_OR_FENCE = /^[ \t\r]*(?:$|`{3}|~{3})/
const LIST_ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t\r]|$)/
const ONE_LINE_BLOCK = /^[ \t]*(?:#{1,6}(?:[ \t\r]|$)|=+[ \t\r]*$|-+[ \t\r]*$|(?:[-_*][ \t\r]*){3,}$)/

/** Line starts of a text and, for each line, where the paragraph that it may belong to ends at the latest. */
class MarkdownLines {
  readonly starts: number[] = [0]
  /** By line: the start of the next line that cannot carry a paragraph on, or the text's length. */
  readonly paragraphEnds: number[] = []

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1)
    const breaks = this.#breaks(text)
    let end = text.length
    for (let line = this.starts.length - 1; line >= 0; line--) {
      this.paragraphEnds[line] = end
      if (breaks[line] === true) end = this.starts[line] ?? 0
    }
  }

  /** The line that holds position `at`. */
  lineAt(at: number): number {
    return lowerBound(this.starts, at + 1) - 1
  }

  #breaks(text: string): boolean[] {
    const breaks: boolean[] = []
    let quoted = false
    this.starts.forEach((start, line) => {
      const raw = text.slice(start, (this.starts[line + 1] ?? text.length + 1) - 1)
      const rest = raw.replace(QUOTE_PREFIX, '')
      const isQuoted = rest.length < raw.length
      const alone = ONE_LINE_BLOCK.test(rest)
      breaks[line] = breaks[line] === true || alone || (isQuoted && !quoted) || startsBlock(rest)
      if (alone) breaks[line + 1] = true
      quoted = isQuoted
    })
    return breaks
  }
}

function startsBlock(line: string): boolean {
  return BLANK_OR_FENCE.test(line) || LIST_ITEM.test(line)
}

/** The index of the first of the sorted `values` that is not less than `wanted`; their number if there is none. */
export function lowerBound(values: readonly number[], wanted: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
