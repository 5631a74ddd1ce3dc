import { BlockSplitter } from './blocks.ts'
import { codeFrame } from './code.ts'
import { htmlText } from './frame.ts'
import { FOOTNOTES } from './footnotes.ts'
import { FORMULAS } from './maths.ts'
import { finishBlock } from './finish-block.ts'
import { GrowingParagraph } from './growing-paragraph.ts'
import { plainBlocks } from './plain-blocks.ts'
import { plainPart } from './plain-parts.ts'
import DOMPurify from 'dompurify'
import { Marked, Parser, type Token, type Tokens } from 'marked'

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
  /** The tail, while it is one paragraph. */
  #paragraph: GrowingParagraph<Token> | null = null
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

  /** The block that was being written is whole. A paragraph is shown already, but for its end. */
  #complete(block: string): void {
    const tokens = marked.lexer(block)
    const parts = this.#paragraph && paragraphIn(tokens)
    if (parts) {
      this.#paragraph?.show(parts)
      this.#tail = null
    }
    this.#dropTail()
    if (!parts) this.#root.append(this.#blockOf(tokens, true))
  }

  /** `piece`: what is new of the tail; null: it is another. */
  #showTail(piece: string | null): void {
    if (this.#raw && piece !== null) return this.#raw.appendData(piece)
    const { tail, fence } = this.#splitter
    const isRaw = fence !== null || tail.length > RENDERED_CHARS_MAX
    const tokens = isRaw ? [] : marked.lexer(tail)
    const parts = paragraphIn(tokens)
    if (parts && piece !== null && this.#paragraph) return this.#paragraph.show(parts)
    this.#dropTail()
    if (tail.trim() === '') return
    if (parts) this.#tail = this.#paragraphBlock(parts)
    else this.#tail = isRaw ? this.#rawBlock(tail, fence) : this.#blockOf(tokens, false)
    this.#root.append(this.#tail)
  }

  #paragraphBlock(parts: readonly Token[]): HTMLElement {
    const block = blockRoom()
    this.#paragraph = new GrowingParagraph((some) => this.#nodesOf(some))
    this.#paragraph.show(parts)
    block.append(this.#paragraph.element)
    return block
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

  #rawBlock(text: string, fence: string | null): HTMLElement {
    const block = blockRoom()
    const isCode = fence !== null && text.startsWith(fence)
    this.#raw = document.createTextNode(isCode ? text.replace(/^.*\n?/, '') : text)
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
    this.#paragraph = null
  }
}

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

const TAGS = ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'del', 'code', 'pre', 'blockquote']
const LISTS_AND_TABLES = ['ul', 'ol', 'li', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span', 'sup']

/** Attributes whose values are no addresses, and are not held against what addresses may be. */
const NO_ADDRESSES = ['align', 'start', 'type', 'checked', 'disabled']

/** Markdown of untrusted origin: HTML in it is text, pictures are links that nobody follows by looking. */
const marked = new Marked({
  gfm: true,
  extensions: [...FORMULAS, ...FOOTNOTES],
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => htmlText(text),
    image: ({ href, text }: Tokens.Image) => `<a href="${htmlText(href)}">${htmlText(text === '' ? href : text)}</a>`,
    code: ({ text, lang }: Tokens.Code) =>
      `<pre title="${htmlText((lang ?? '').trim())}"><code>${htmlText(text)}</code></pre>`,
  },
})

/** The inline parts of what is one paragraph and nothing else; null: it is something else. */
function paragraphIn(tokens: readonly Token[]): readonly Token[] | null {
  const [first, ...rest] = tokens.filter(({ type }) => type !== 'space')
  return first?.type === 'paragraph' && rest.length === 0 ? (first.tokens ?? []) : null
}

const SANITISED = {
  ALLOWED_TAGS: [...TAGS, ...LISTS_AND_TABLES],
  ALLOWED_ATTR: ['href', 'title', ...NO_ADDRESSES],
  ADD_URI_SAFE_ATTR: NO_ADDRESSES,
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
}

/** HTML as elements, through the sanitiser: no script, no style, no address but of the web and of mail. */
const elementsOf = (html: string): DocumentFragment => DOMPurify.sanitize(html, SANITISED)
