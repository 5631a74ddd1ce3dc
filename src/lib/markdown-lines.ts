import { lowerBound } from './lower-bound.ts'

const QUOTE_PREFIX = /^(?: {0,3}> ?)+/
const BLANK_OR_FENCE = /^[ \t\r]*(?:$|`{3}|~{3})/
const LIST_ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t\r]|$)/
const ONE_LINE_BLOCK = /^[ \t]*(?:#{1,6}(?:[ \t\r]|$)|=+[ \t\r]*$|-+[ \t\r]*$|(?:[-_*][ \t\r]*){3,}$)/

/** Line starts of a text and, for each line, where the paragraph that it may belong to ends at the latest. */
export class MarkdownLines {
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
