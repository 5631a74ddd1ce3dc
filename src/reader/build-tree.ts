import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { countElement, countText } from './amounts.ts'
import { type Attributes, createElement, type ElementNode, NO_ATTRIBUTES } from './node.ts'
import { impliedEnd, TAG, tagBits, wallOf } from './tags.ts'

/** Elements nested deeper are flattened into their ancestor, so that every walk over the tree may recurse. */
const DEPTH_MAX = 256
/** Elements of one tree; more are flattened too. Bounds the memory that a page of start tags can take. */
const NODES_MAX = 200_000
/** Levels in which an implied end is looked for. */
const IMPLIED_DEPTH_MAX = 32
/** Attributes longer than this say nothing to a reader (data addresses). */
const ATTRIBUTE_CHARS_MAX = 4_096

const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'href src alt title class id role hidden aria-hidden aria-modal style lang datetime rel property name content itemprop ' +
    'http-equiv type data-src data-original data-lazy-src srcset colspan start data-lang data-language cite alttext'
  ).split(' '),
)

/** Text of elements that are not read but tell about the page. */
export interface HeadItem {
  name: 'title' | 'meta' | 'link' | 'base' | 'json-ld' | 'html'
  attributes: Attributes
  text: string
}

export interface Tree {
  root: ElementNode
  head: HeadItem[]
}

const HEAD_ITEMS_MAX = 500
const NEW_LINE = 10

/** Build the light tree of an HTML document in one pass; linear in its length whatever it holds. */
export function buildTree(html: string): Tree {
  const builder = new TreeBuilder(html)
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, builder)
  tokenizer.write(html)
  tokenizer.end()
  return builder.finish()
}

class TreeBuilder implements TokenizerCallbacks {
  readonly #html: string
  readonly #root = createElement('#root', TAG.block | TAG.scope, null)
  readonly #stack: ElementNode[] = [this.#root]
  readonly #open = new Map<string, number>()
  /** Start tags beyond the depth, by name: their end tags end nothing. */
  readonly #flattened = new Map<string, number>()
  readonly #head: HeadItem[] = []
  #current: ElementNode = this.#root
  /** Elements on the stack whose content is not read, and those of them that are SVG. */
  #dropped = 0
  #foreign = 0
  #nodes = 0
  /** A title or JSON-LD script whose text is being gathered. */
  #item: HeadItem | null = null
  #text = ''
  #name = ''
  #attributes: Record<string, string> | null = null
  #attribute: string | null = null
  #value = ''

  constructor(html: string) {
    this.#html = html
  }

  finish(): Tree {
    this.#flushText()
    this.#popTo(1)
    return { root: this.#root, head: this.#head }
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  ontext(start: number, end: number): void {
    if (this.#dropped === 0 || this.#item !== null) this.#text += this.#html.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    if (this.#dropped === 0 || this.#item !== null) this.#text += String.fromCodePoint(codepoint)
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase()
    this.#attributes = null
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    this.#attribute = KEPT_ATTRIBUTES.has(name) ? name : null
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== null) this.#value += this.#html.slice(start, end)
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute !== null) this.#value += String.fromCodePoint(codepoint)
  }

  onattribend(): void {
    if (this.#attribute === null || this.#value.length > ATTRIBUTE_CHARS_MAX) return
    this.#attributes ??= {}
    this.#attributes[this.#attribute] ??= this.#value
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end)
    if (this.#foreign > 0) this.#close(this.#name)
  }

  onopentagend(_end: number): void {
    const name = this.#name
    const bits = tagBits(name)
    const attributes = this.#attributes ?? NO_ATTRIBUTES
    if (name === 'html') return void this.#addHead('html', attributes)
    if (this.#isFull(bits)) return this.#flatten(name, bits)
    this.#flushText()
    if (this.#dropped === 0) this.#endImplied(name, bits)
    if ((bits & TAG.void) !== 0) return this.#addVoid(name, bits, attributes)
    this.#push(name, bits, attributes)
    this.#beginItem(name, attributes)
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#html.slice(start, end).toLowerCase())
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset)
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Whether an element would be one too many or too deep. One whose content is not read always finds room. */
  #isFull(bits: number): boolean {
    if ((bits & TAG.dropped) !== 0 && this.#dropped === 0) return false
    return this.#stack.length >= DEPTH_MAX || this.#nodes >= NODES_MAX
  }

  #flatten(name: string, bits: number): void {
    if ((bits & TAG.block) !== 0 || name === 'br') this.ontextentity(NEW_LINE)
    if ((bits & TAG.void) === 0) this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1)
  }

  #push(name: string, bits: number, attributes: Attributes): void {
    this.#nodes += 1
    const node = createElement(name, bits, this.#current)
    node.attributes = attributes
    if ((bits & TAG.dropped) !== 0) this.#dropped += 1
    else if (this.#dropped === 0) this.#current.children.push(node)
    if (name === 'svg') this.#foreign += 1
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
    this.#stack.push(node)
    this.#current = node
  }

  #popTo(length: number): void {
    for (let open = this.#stack.length; open > length; open -= 1) this.#pop()
  }

  #pop(): void {
    const node = this.#stack.pop()
    if (node === undefined) return
    this.#open.set(node.name, (this.#open.get(node.name) ?? 1) - 1)
    if (node.name === 'svg') this.#foreign -= 1
    if ((node.bits & TAG.dropped) !== 0) this.#dropped -= 1
    else if (this.#dropped === 0) countElement(node)
    this.#current = this.#stack.at(-1) ?? this.#root
  }

  #addVoid(name: string, bits: number, attributes: Attributes): void {
    if (name === 'meta' || name === 'link' || name === 'base') this.#addHead(name, attributes)
    if (this.#dropped > 0 || (bits & TAG.dropped) !== 0) return
    this.#nodes += 1
    const node = createElement(name, bits, this.#current)
    node.attributes = attributes
    if (name === 'img') node.images = 1
    this.#current.children.push(node)
    countElement(node)
  }

  #endImplied(name: string, bits: number): void {
    const implied = impliedEnd(name, bits)
    if (implied === null) return
    let length = this.#stack.length
    const bottom = Math.max(this.#stack.length - IMPLIED_DEPTH_MAX, 1)
    for (let index = this.#stack.length - 1; index >= bottom; index -= 1) {
      const open = this.#stack[index]?.name ?? ''
      if (implied.ends.has(open)) length = index
      else if (implied.until.has(open)) break
    }
    this.#popTo(length)
  }

  #close(name: string): void {
    if ((this.#flattened.get(name) ?? 0) > 0) {
      this.#flattened.set(name, (this.#flattened.get(name) ?? 1) - 1)
      return
    }
    if ((this.#open.get(name) ?? 0) === 0) return
    this.#flushText()
    const index = this.#indexToClose(name, tagBits(name))
    if (index === null) return
    this.#popTo(index)
    this.#endItem(name)
  }

  /** Where the element lies that an end tag ends; null when a wall stands before it. */
  #indexToClose(name: string, bits: number): number | null {
    const wall = wallOf(name, bits)
    for (let index = this.#stack.length - 1; index > 0; index -= 1) {
      const open = this.#stack[index]
      if (open === undefined || open.name === name) return index
      if ((open.bits & wall) !== 0) return null
    }
    return null
  }

  #flushText(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    if (this.#item !== null) {
      this.#item.text += text
      return
    }
    this.#current.children.push(text)
    countText(this.#current, text)
  }

  #addHead(name: HeadItem['name'], attributes: Attributes): HeadItem | null {
    if (this.#head.length >= HEAD_ITEMS_MAX) return null
    const item: HeadItem = { name, attributes, text: '' }
    this.#head.push(item)
    return item
  }

  #beginItem(name: string, attributes: Attributes): void {
    if (this.#foreign > 0) return
    if (name === 'title') this.#item = this.#addHead('title', attributes)
    const isJsonLd = name === 'script' && attributes['type']?.toLowerCase().includes('ld+json') === true
    if (isJsonLd) this.#item = this.#addHead('json-ld', attributes)
  }

  #endItem(name: string): void {
    if (name === 'title' || name === 'script') this.#item = null
  }
}
