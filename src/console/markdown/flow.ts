import { BlockSplitter } from './blocks.ts'
import { finishBlock } from './finish-block.ts'
import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'

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

const TAGS = ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'del', 'code', 'pre', 'blockquote']
const LISTS_AND_TABLES = ['ul', 'ol', 'li', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span']

/** Attributes whose values are no addresses, and are not held against what addresses may be. */
const NO_ADDRESSES = ['align', 'start', 'type', 'checked', 'disabled']

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Markdown of untrusted origin: HTML in it is text, pictures are links that nobody follows by looking. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    image: ({ href, text }: Tokens.Image) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
    code: ({ text, lang }: Tokens.Code) =>
      `<pre title="${escaped((lang ?? '').trim())}"><code>${escaped(text)}</code></pre>`,
  },
})

/** Markdown as elements, through the sanitiser: no script, no style, no address but of the web and of mail. */
export function elementsOf(markdown: string): DocumentFragment {
  const html = marked.parse(markdown, { async: false })
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...TAGS, ...LISTS_AND_TABLES],
    ALLOWED_ATTR: ['href', 'title', ...NO_ADDRESSES],
    ADD_URI_SAFE_ATTR: NO_ADDRESSES,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  })
}
