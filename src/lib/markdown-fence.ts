/** Containers that are followed into each other; deeper nesting is read as text. */
const CONTAINERS_MAX = 32
const QUOTE = 0

interface Fence {
  char: string
  length: number
  /** Containers that the fence is in. */
  depth: number
}

/** Follows Markdown text line by line and knows whether a line is fenced code (CommonMark 0.31.2 §4.5), in block quotes
 *  (§5.1) and list items (§5.2) too. A line costs time in proportion to its length. */
export class FenceState {
  readonly #text: string
  /** Widths of the open list items, `QUOTE` for a block quote, outermost first. */
  #containers: number[] = []
  #fence: Fence | null = null
  #content = 0
  /** Whether the current line belongs to a fence, its first and last line included. */
  fenced = false

  constructor(text: string) {
    this.#text = text
  }

  /** Go to the line from `start` to `end`. */
  enter(start: number, end: number): void {
    const matched = this.#continued(start, end)
    if (this.#fence !== null && matched >= this.#fence.depth) return this.#enterFenced(end)
    this.#fence = null
    this.#containers.length = matched
    this.#openContainers(end)
    this.#openFence(end)
  }

  /** Go on at `start`, in the middle of a line, as if a line within the same containers began there. */
  resume(start: number, end: number): void {
    this.#fence = null
    this.#content = start
    this.#openFence(end)
  }

  /** What would close the fence that is open after the current line; null: none is. */
  get closing(): string | null {
    return this.#fence === null ? null : this.#fence.char.repeat(this.#fence.length)
  }

  /** Whether the fence that is open would end here if the line ended at `at`. */
  closesAt(at: number): boolean {
    return this.#fence !== null && this.fenced && this.#isClosing(this.#fence, at)
  }

  #enterFenced(end: number): void {
    this.fenced = true
    if (this.#fence !== null && this.#isClosing(this.#fence, end)) this.#fence = null
  }

  #isClosing(fence: Fence, end: number): boolean {
    const start = this.#indented(this.#content, end, 3)
    const run = runLength(this.#text, start, end, fence.char)
    return run >= fence.length && this.#text.slice(start + run, end).trim() === ''
  }

  /** How many of the open containers the line carries on; leaves `#content` after their markers. */
  #continued(start: number, end: number): number {
    this.#content = start
    let matched = 0
    for (const width of this.#containers) {
      const next = width === QUOTE ? this.#afterQuote(end) : this.#afterIndent(width, end)
      if (next < 0) break
      this.#content = next
      matched++
    }
    return matched
  }

  #openContainers(end: number): void {
    while (this.#containers.length < CONTAINERS_MAX) {
      const quote = this.#afterQuote(end)
      const item = quote < 0 ? this.#itemWidth(end) : QUOTE
      if (item < 0) return
      this.#containers.push(item)
      this.#content = quote < 0 ? Math.min(end, this.#content + item) : quote
    }
  }

  #openFence(end: number): void {
    this.fenced = false
    const start = this.#indented(this.#content, end, 3)
    const char = this.#text[start] ?? ''
    if (start >= end || (char !== '`' && char !== '~')) return
    const length = runLength(this.#text, start, end, char)
    if (length < 3 || (char === '`' && this.#text.slice(start + length, end).includes('`'))) return
    this.#fence = { char, length, depth: this.#containers.length }
    this.fenced = true
  }

  #afterQuote(end: number): number {
    const at = this.#indented(this.#content, end, 3)
    if (at >= end || this.#text[at] !== '>') return -1
    return at + 1 < end && this.#text[at + 1] === ' ' ? at + 2 : at + 1
  }

  #afterIndent(width: number, end: number): number {
    const at = this.#indented(this.#content, end, width)
    if (at - this.#content >= width || this.#text[this.#content] === '\t') return at
    return this.#text.slice(at, end).trim() === '' ? at : -1
  }

  /** Width of a list marker with the space around it, or -1 if the line has none here. */
  #itemWidth(end: number): number {
    const head = this.#text.slice(this.#content, Math.min(end, this.#content + 24))
    const marker = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?=([ \t]{0,5})(\S?))/.exec(head)
    if (marker === null) return -1
    const [found, space = '', next = ''] = marker
    if (space === '' && next !== '') return -1
    return found.length + (next === '' || space.length > 4 ? 1 : space.length)
  }

  /** The position after at most `max` spaces. */
  #indented(start: number, end: number, max: number): number {
    let at = start
    while (at < end && at - start < max && this.#text[at] === ' ') at++
    return at < end && max > 3 && this.#text[at] === '\t' ? at + 1 : at
  }
}

function runLength(text: string, start: number, end: number, char: string): number {
  let at = start
  while (at < end && text[at] === char) at++
  return at - start
}
