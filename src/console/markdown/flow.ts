import { BlockSplitter } from './blocks.ts'
import { elementsOf } from './html.ts'
import { finishBlock } from './finish-block.ts'

/** A block that is still being written is shown as plain text beyond this: what is rendered again with each piece stays short. */
const RENDERED_CHARS_MAX = 4_000
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
    this.#dropTail()
    this.#root.append(...this.#splitter.flush().map((block) => blockOf(block, true)))
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
    const complete = this.#splitter.push(piece)
    if (complete.length > 0) {
      this.#dropTail()
      this.#root.append(...complete.map((block) => blockOf(block, true)))
    }
    this.#showTail(complete.length > 0 ? null : piece)
  }

  /** `piece`: what is new of the tail; null: it is another. */
  #showTail(piece: string | null): void {
    if (this.#raw && piece !== null) return this.#raw.appendData(piece)
    const { tail, fence } = this.#splitter
    this.#dropTail()
    if (tail.trim() === '') return
    const isRaw = fence !== null || tail.length > RENDERED_CHARS_MAX
    this.#tail = isRaw ? this.#rawBlock(tail, fence) : blockOf(tail, false)
    this.#root.append(this.#tail)
  }

  #rawBlock(text: string, fence: string | null): HTMLElement {
    const block = document.createElement('div')
    block.className = 'block'
    const isCode = fence !== null && text.startsWith(fence)
    const room = document.createElement(isCode ? 'pre' : 'p')
    room.className = 'raw'
    this.#raw = document.createTextNode(isCode ? text.replace(/^.*\n/, '') : text)
    room.append(this.#raw)
    block.append(room)
    return block
  }

  #dropTail(): void {
    this.#tail?.remove()
    this.#tail = null
    this.#raw = null
  }
}

function blockOf(markdown: string, isComplete: boolean): HTMLElement {
  const block = document.createElement('div')
  block.className = 'block'
  block.append(elementsOf(markdown))
  finishBlock(block, isComplete)
  return block
}
