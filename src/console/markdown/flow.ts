import { BlockSplitter, fenceEndFrom, tableHeadFrom } from './blocks.ts'
import { codeFrame } from './code.ts'
import { finishBlock } from './finish-block.ts'
import { blocksParts, Growing, listParts, paragraphParts, type GrowingParts, tableParts } from './growing.ts'
import { plainBlocks } from './plain-blocks.ts'
import { plainPart } from './plain-parts.ts'
import { elementsOf, marked } from './sanitised.ts'
import { Parser, type Token, type Tokens, type TokensList } from 'marked'

/** A block that is still being written is shown as plain text beyond this: what is rendered again with each piece stays short. */
const RENDERED_CHARS_MAX = 4_000
/** The same where only the last parts are rendered again: the rest is but read. */
const GROWING_CHARS_MAX = 16_000
/** So much longer than the last rendering of the tail took is waited before the next. */
const REST_FACTOR = 8

/** Markdown that grows, as elements. Complete blocks are rendered once; only the one being written is rendered again. */
export class MarkdownFlow {
  readonly #root: HTMLElement
  readonly #splitter = new BlockSplitter()
  #waiting: string[] = []
  #tail: HTMLElement | null = null
  /** The end of a block that is shown as plain text. */
  #raw: Text | null = null
  /** The tail, while it is one paragraph, list or table. */
  #growing: Growing | null = null
  /** Of the raw text, where it is code. */
  #codeFence: string | null = null
  /** Of the raw text, not shown yet. */
  #held = ''
  #frame = 0
  #restUntil = 0

  constructor(root: HTMLElement, text: string) {
    this.#root = root
    root.replaceChildren()
    this.#take([text])
  }

  /** Shows a piece with the next frame. */
  append(piece: string): void {
    this.#waiting.push(piece)
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#onFrame())
  }

  /** There is no more to come. */
  finish(): void {
    this.stop()
    this.#take(this.#waiting.splice(0))
    const [first, ...more] = this.#splitter.flush()
    if (first !== undefined) this.#complete(first)
    this.#root.append(...more.map((block) => this.#blockOf(marked.lexer(block), true)))
    this.#dropTail()
  }

  stop(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
  }

  #onFrame(): void {
    this.#frame = 0
    const now = performance.now()
    if (now < this.#restUntil) {
      this.#frame = requestAnimationFrame(() => this.#onFrame())
      return
    }
    this.#take(this.#waiting.splice(0))
    this.#restUntil = this.#raw ? 0 : now + REST_FACTOR * (performance.now() - now)
  }

  #take(pieces: readonly string[]): void {
    const piece = pieces.join('')
    const [first, ...more] = this.#splitter.push(piece)
    if (first === undefined) return this.#showTail(piece)
    this.#complete(first)
    this.#root.append(...more.map((block) => this.#blockOf(marked.lexer(block), true)))
    this.#showTail(null)
  }

  /** The block that was being written is whole: it is shown already, but for its end, and for what is done with whole code. */
  #complete(block: string): void {
    const tokens = marked.lexer(block)
    const isShown = this.#growing?.show(this.#partsOf(tokens)) === true && !this.#growing.element.querySelector('pre')
    if (isShown) this.#tail = null
    this.#dropTail()
    if (!isShown) this.#root.append(this.#blockOf(tokens, true))
  }

  /** `piece`: what is new of the tail; null: it is another. */
  #showTail(piece: string | null): void {
    if (this.#raw && piece !== null) return this.#growRaw(piece)
    const { tail, fence } = this.#splitter
    const isRead = tail.length <= GROWING_CHARS_MAX && (fence === null || !tail.trimStart().startsWith(fence))
    const shown = isRead ? tail.slice(0, openEndOf(tail, fence)) : tail
    const read = isRead ? marked.lexer(shown) : null
    const parts = read && this.#partsOf(read)
    const tokens = parts || tail.length <= RENDERED_CHARS_MAX ? read : null
    if (piece !== null && this.#growing?.show(parts)) return
    this.#dropTail()
    if (shown.trim() === '') return
    this.#tail = tokens ? this.#tailBlock(tokens, parts) : this.#rawBlock(tail, fence)
    this.#root.append(this.#tail)
  }

  #tailBlock(tokens: TokensList, parts: GrowingParts | null): HTMLElement {
    if (!parts) return this.#blockOf(tokens, false)
    const { within } = parts
    const block = within === null || within === 'p' ? blockRoom() : this.#blockOf(tokens, false)
    if (within === 'p') block.append(document.createElement('p'))
    const element = within === null ? block : block.querySelector<HTMLElement>(within)
    if (element) this.#growing = new Growing(element, parts)
    return block
  }

  /** What the next piece goes on with; null: blocks that are rendered again as a whole. */
  #partsOf(tokens: TokensList): GrowingParts | null {
    const blocks = tokens.filter(({ type }) => type !== 'space')
    const [first] = blocks
    if (!first) return null
    const isOne = blocks.length === 1
    if (isOne && first.type === 'paragraph') return paragraphParts(first.tokens ?? [], (some) => this.#nodesOf(some))
    // An address that stands apart may come later, and be that of an item before.
    if (Object.keys(tokens.links).length > 0) return null
    if (!isOne) return blocksParts(blocks, (block) => [...this.#blockOf([block], false).childNodes])
    const rowsOf = (some: Token, within: string) =>
      [...(this.#blockOf([some], false).querySelector(within)?.children ?? [])].map((row) => [row])
    if (first.type === 'list') return listParts(first as Tokens.List, rowsOf)
    return first.type === 'table' ? tableParts(first as Tokens.Table, rowsOf) : null
  }

  /** The nodes of each part. What is plain is made at once, the rest goes through the sanitiser together. */
  #nodesOf(parts: readonly Token[]): ChildNode[][] {
    const made = parts.map(plainPart)
    const others = parts.filter((_, index) => made[index] === null)
    const groups = others.length === 0 ? [] : this.#sanitised(others)
    return made.map((node) => (node === null ? (groups.shift() ?? []) : [node]))
  }

  #sanitised(parts: readonly Token[]): ChildNode[][] {
    const room = blockRoom()
    room.append(elementsOf(parts.map((part) => Parser.parseInline([part], marked.defaults)).join(BETWEEN)))
    finishBlock(room, this.#root, false)
    return nodesBetween(room)
  }

  /** What may be the end of the fence is held back until more tells. */
  #growRaw(piece: string): void {
    if (!this.#raw) return
    const text = this.#held + piece
    const fence = this.#codeFence
    const end = fence === null ? text.length : fenceEndFrom(text, fence, this.#raw.data === '')
    this.#raw.appendData(text.slice(0, end))
    this.#held = text.slice(end)
  }

  #rawBlock(text: string, fence: string | null): HTMLElement {
    const block = blockRoom()
    const isCode = fence !== null && text.startsWith(fence)
    this.#raw = document.createTextNode('')
    this.#codeFence = isCode ? fence : null
    this.#growRaw(isCode ? text.replace(/^.*\n?/, '') : text)
    if (isCode) {
      const code = document.createElement('pre')
      code.append(this.#raw)
      block.append(codeFrame(code, /^\S*/.exec(text.slice(fence.length).trimStart())?.[0] ?? ''))
      return block
    }
    const room = document.createElement('p')
    room.className = 'raw'
    room.append(this.#raw)
    block.append(room)
    return block
  }

  #blockOf(tokens: Token[], isComplete: boolean): HTMLElement {
    const block = blockRoom()
    block.append(...(plainBlocks(tokens) ?? [elementsOf(marked.parser(tokens))]))
    finishBlock(block, this.#root, isComplete)
    return block
  }

  #dropTail(): void {
    this.#tail?.remove()
    this.#tail = null
    this.#raw = null
    this.#codeFence = null
    this.#held = ''
    this.#growing = null
  }
}

/** Where in a block that is being written begins what no reader is to see yet. `fence`: that of code within it. */
const openEndOf = (tail: string, fence: string | null): number =>
  fence === null ? tableHeadFrom(tail) : fenceEndFrom(tail, fence, false)

/** What stands between the parts of a paragraph until they are apart: no part has such a line. */
const BETWEEN = '<hr>'

function nodesBetween(room: HTMLElement): ChildNode[][] {
  const groups: ChildNode[][] = [[]]
  for (const node of room.childNodes) {
    if (node.nodeName === 'HR') groups.push([])
    else groups.at(-1)?.push(node)
  }
  return groups
}

function blockRoom(): HTMLElement {
  const block = document.createElement('div')
  block.className = 'block'
  return block
}
