/** What a block is by the lines that have come: words, which a fence or a list ends with no blank line between; a list; code; or what has HTML
 *  or a formula, in which fences and lists may be but text. */
type BlockKind = 'words' | 'list' | 'code' | 'opaque'

/** Splits Markdown that arrives in pieces into blocks that nothing behind them can change: at blank lines outside of fences, but
 *  not within a list, and where a fence or a list begins. Each character is looked at once, so the cost does not grow with the length. */
export class BlockSplitter {
  #line = ''
  /** Lines of the block that is not complete yet. */
  #block = ''
  #fence: string | null = null
  #isBlank = false
  /** Null: nothing of the block has come but blank lines. */
  #kind: BlockKind | null = null

  /** Text of the block that is being written. */
  get tail(): string {
    return this.#block + this.#line
  }

  /** The mark of the fence that is open, such as three backticks; null: none. */
  get fence(): string | null {
    return this.#fence
  }

  /** Blocks that a piece completes. */
  push(piece: string): string[] {
    const complete: string[] = []
    const lines = piece.split('\n')
    lines.forEach((part, index) => {
      this.#line += part
      if (index < lines.length - 1) this.#endLine(complete)
    })
    // What a line goes on with tells only whether it goes on with a list.
    if (this.#kind !== 'list') this.#endBlock(complete)
    return complete
  }

  /** The blocks that are left at the end. */
  flush(): string[] {
    const rest: string[] = []
    this.#endLine(rest)
    if (this.#block.trim() !== '') rest.push(this.#block)
    this.#begin('')
    this.#fence = null
    return rest
  }

  #endLine(complete: string[]): void {
    const line = this.#line
    this.#line = ''
    if (this.#fence !== null) return this.#endFenced(line, complete)
    this.#endBlock(complete, line)
    this.#fence = FENCE.exec(line)?.[1] ?? null
    if (this.#kind === 'words' && (this.#fence !== null || LIST.test(line))) this.#finish(complete)
    const isBlank = line.trim() === ''
    this.#isBlank = isBlank && this.#kind !== null
    if (!isBlank) this.#kind = kindWith(line, this.#kind)
    this.#block += `${line}\n`
  }

  #endFenced(line: string, complete: string[]): void {
    this.#block += `${line}\n`
    if (this.#fence === null || !closes(line, this.#fence)) return
    this.#fence = null
    if (this.#kind === 'code') this.#finish(complete)
  }

  #finish(complete: string[]): void {
    complete.push(this.#block)
    this.#begin('')
  }

  /** Ends the block behind which a blank line and then this one stand. */
  #endBlock(complete: string[], line = this.#line): void {
    if (!this.#isBlank || line.trim() === '' || this.#continuesList(line)) return
    this.#finish(complete)
  }

  #continuesList(line: string): boolean {
    return this.#kind === 'list' && (/^\s/.test(line) || isListItem(line))
  }

  #begin(block: string): void {
    this.#block = block
    this.#isBlank = false
    this.#kind = null
  }
}

/** `before`: what it was without the line, which is not blank. */
function kindWith(line: string, before: BlockKind | null): BlockKind {
  if (before !== null && before !== 'words') return before
  if (before === null && FENCE.test(line)) return 'code'
  if (before === null && isListItem(line)) return 'list'
  return (before === null && /^\s*</.test(line)) || /\$\$|\\\[/.test(line) ? 'opaque' : 'words'
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/

const isListItem = (line: string) => /^\s{0,3}([-*+]|\d{1,9}[.)])(\s|$)/.test(line)

/** A list that may begin below words. Source: CommonMark 0.31 §5.2: it has words of its own, and counts from 1. */
const LIST = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/

/** Where in code that is being written a line begins that may be, or become, the end of its fence: no reader is to see that. Its length
 *  where there is none. `isStart`: the text is the beginning of the code. */
export function fenceEndFrom(text: string, fence: string, isStart: boolean): number {
  const mark = fence.startsWith('~') ? '~' : '`'
  const found = new RegExp(String.raw`${isStart ? '(?:^|\n)' : '\n'} {0,3}${mark}{0,20}[ \t]{0,3}\n{0,4}$`).exec(text)
  return found?.index ?? text.length
}

/** Where the head of a table begins that may be at the end of a text: until the line of marks below it has come, it would be read as words.
 *  The length of the text where there is none. */
export function tableHeadFrom(text: string): number {
  const last = lineFrom(text, text.length)
  const above = lineFrom(text, last - 1)
  const before = lineFrom(text, above - 1)
  const isRow = (begin: number, end: number) => begin < end && text[begin] === '|'
  if (isRow(last, text.length) && !isRow(above, last)) return last
  const isHead = isRow(above, last) && !isRow(before, above) && /^[\s|:-]*$/.test(text.slice(last))
  return isHead ? above : text.length
}

/** Where the line begins that ends there. */
const lineFrom = (text: string, end: number) => (end <= 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1)

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === (fence[0] ?? '').repeat(mark.length)
}
