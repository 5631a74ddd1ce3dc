import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { countElement, type Measure, measureText } from './amounts.ts'
import { attribute, type Attributes, createElement, type ElementNode, NO_ATTRIBUTES } from './node.ts'
import { keptAttribute } from './kept-attributes.ts'
import { SIGN, SignReader } from './signs.ts'
import { type ImpliedEnd, TAG, type Tag, TAG_COUNT, tagAt } from './tags.ts'

/** Elements nested deeper are flattened into their ancestor, so that every walk over the tree may recurse. */
const DEPTH_MAX = 256
/** Elements of one tree; more are flattened too. Bounds the memory that a page of start tags can take. */
const NODES_MAX = 200_000
/** Levels in which an implied end is looked for. */
const IMPLIED_DEPTH_MAX = 32
/** Attributes longer than this say nothing to a reader (data addresses). */
const ATTRIBUTE_CHARS_MAX = 4_096

/** Attributes of one element; more say nothing. */
const ATTRIBUTES_MAX = 32

/** Text of elements that are not read but tell about the page. */
export interface HeadItem {
  name: 'title' | 'meta' | 'link' | 'base' | 'json-ld' | 'html'
  attributes: Attributes
  text: string
}

/** The first elements that tell of the page, by what they tell. */
export interface Telling {
  heading: ElementNode | null
  byline: ElementNode | null
  time: ElementNode | null
}

export interface Tree {
  root: ElementNode
  head: HeadItem[]
  telling: Telling
  signs: SignReader
}

/** Letters that may be running text. */
const NAMED_CHARS_MIN = 40
/** Letters of a name, or a few. */
const BYLINE_CHARS_MAX = 200
const HEAD_ITEMS_MAX = 500
const NEW_LINE = 10
const SPACES = /\s+/g
const ROOT_TAG: Tag = { name: '#root', bits: TAG.block | TAG.scope, implied: null, wall: 0, index: TAG_COUNT - 1 }

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
  readonly #root = createElement(ROOT_TAG, NO_ATTRIBUTES, null)
  readonly #stack: ElementNode[] = [this.#root]
  /** Open elements by the index of their tag. */
  readonly #open = new Uint16Array(TAG_COUNT)
  /** Start tags beyond the depth, by name: their end tags end nothing. */
  readonly #flattened = new Map<string, number>()
  #flattenedCount = 0
  readonly #head: HeadItem[] = []
  readonly #telling: Telling = { heading: null, byline: null, time: null }
  readonly #signs = new SignReader()
  readonly #measure: Measure = { chars: 0, isCollapsed: true }
  #current: ElementNode = this.#root
  /** Elements on the stack whose content is not read, and those of them that are SVG; those in which white space counts. */
  #dropped = 0
  #foreign = 0
  #preformatted = 0
  #nodes = 0
  /** A title or JSON-LD script whose text is being gathered. */
  #item: HeadItem | null = null
  /** Text that was read and not yet put into the tree: `#text`, then the document from `#textStart` to `#textEnd`. */
  #text = ''
  #textStart = 0
  #textEnd = 0
  #tag: Tag = ROOT_TAG
  #attributes: string[] = []
  #attribute: string | null = null
  #value = ''

  constructor(html: string) {
    this.#html = html
  }

  finish(): Tree {
    this.#flushText()
    this.#popTo(1)
    countElement(this.#root)
    return { root: this.#root, head: this.#head, telling: this.#telling, signs: this.#signs }
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  ontext(start: number, end: number): void {
    if (this.#dropped > 0 && this.#item === null) return
    if (this.#textEnd === start && this.#textStart < start) this.#textEnd = end
    else {
      if (this.#textStart < this.#textEnd) this.#text += this.#html.slice(this.#textStart, this.#textEnd)
      this.#textStart = start
      this.#textEnd = end
    }
  }

  ontextentity(codepoint: number): void {
    if (this.#dropped > 0 && this.#item === null) return
    if (this.#textStart < this.#textEnd) this.#text += this.#html.slice(this.#textStart, this.#textEnd)
    this.#textStart = this.#textEnd
    this.#text += String.fromCodePoint(codepoint)
  }

  onopentagname(start: number, end: number): void {
    this.#tag = tagAt(this.#html, start, end)
    if (this.#attributes.length > 0) this.#attributes = []
  }

  onattribname(start: number, end: number): void {
    this.#attribute = keptAttribute(this.#html, start, end)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === null) return
    const piece = this.#html.slice(start, end)
    this.#value = this.#value === '' ? piece : this.#value + piece
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute !== null) this.#value += String.fromCodePoint(codepoint)
  }

  onattribend(): void {
    if (this.#attribute === null || this.#value.length > ATTRIBUTE_CHARS_MAX) return
    if (this.#attributes.length < 2 * ATTRIBUTES_MAX && attribute(this.#attributes, this.#attribute) === undefined)
      this.#attributes.push(this.#attribute, this.#value)
  }

  onselfclosingtag(): void {
    this.onopentagend()
    if (this.#foreign > 0) this.#close(this.#tag)
  }

  onopentagend(): void {
    const tag = this.#tag
    if (tag.name === 'html') return void this.#addHead('html', this.#attributes)
    if (this.#isFull(tag.bits)) return this.#flatten(tag)
    this.#flushText()
    if (this.#dropped === 0 && tag.implied !== null) this.#endImplied(tag.implied)
    if ((tag.bits & TAG.control) !== 0) this.#current.controls += 1
    if ((tag.bits & TAG.void) !== 0) return this.#addVoid(tag, this.#attributes)
    this.#push(tag, this.#attributes)
    if (tag.name === 'title' || tag.name === 'script') this.#beginItem(tag.name, this.#attributes)
  }

  onclosetag(start: number, end: number): void {
    this.#close(tagAt(this.#html, start, end))
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
    if (this.#stack.length < DEPTH_MAX && this.#nodes < NODES_MAX) return false
    return (bits & TAG.dropped) === 0 || this.#dropped > 0
  }

  #flatten({ name, bits }: Tag): void {
    if ((bits & TAG.block) !== 0 || name === 'br') this.ontextentity(NEW_LINE)
    if ((bits & TAG.void) !== 0) return
    this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1)
    this.#flattenedCount += 1
  }

  #push(tag: Tag, attributes: Attributes): void {
    this.#nodes += 1
    const node = createElement(tag, attributes.length === 0 ? NO_ATTRIBUTES : attributes, this.#current)
    if ((tag.bits & TAG.dropped) !== 0) this.#dropped += 1
    else if (this.#dropped === 0) this.#current.children.push(node)
    if (tag.name === 'svg') this.#foreign += 1
    else if (tag.name === 'pre') this.#preformatted += 1
    this.#open[tag.index] = (this.#open[tag.index] ?? 0) + 1
    this.#stack.push(node)
    this.#current = node
  }

  #popTo(length: number): void {
    for (let open = this.#stack.length; open > length; open -= 1) this.#pop()
  }

  #pop(): void {
    const node = this.#stack.pop()
    if (node === undefined) return
    const { tag } = node
    this.#open[tag.index] = (this.#open[tag.index] ?? 1) - 1
    if (tag.name === 'svg') this.#foreign -= 1
    else if (tag.name === 'pre') this.#preformatted -= 1
    if ((tag.bits & TAG.dropped) !== 0) {
      this.#dropped -= 1
      if (this.#dropped === 0 && node.parent !== null) node.parent.controls += node.controls
    } else if (this.#dropped === 0) this.#count(node)
    this.#current = this.#stack[this.#stack.length - 1] ?? this.#root
  }

  /** Where there is no running text names change no amount, and are read when somebody asks. */
  #count(node: ElementNode): void {
    if (node.attributes.length > 0) {
      const withNames = node.prose > 0 || node.ownChars >= NAMED_CHARS_MIN
      node.signs = this.#signs.read(node.attributes, withNames)
    }
    countElement(node)
    if (node.name === 'time') this.#telling.time ??= node
    if (node.chars === 0) return
    if (node.name === 'h1') this.#telling.heading ??= node
    if ((node.signs & SIGN.byline) !== 0 && node.chars <= BYLINE_CHARS_MAX) this.#telling.byline ??= node
  }

  #addVoid(tag: Tag, attributes: Attributes): void {
    const { name } = tag
    if (name === 'meta' || name === 'link' || name === 'base') this.#addHead(name, attributes)
    if ((name !== 'br' && name !== 'img' && name !== 'hr') || this.#dropped > 0) return
    if (name === 'hr') this.#current.hasBlock = true
    const node = createElement(tag, attributes, this.#current)
    if (attributes.length > 0) node.signs = this.#signs.read(attributes, false)
    this.#nodes += 1
    this.#current.children.push(node)
  }

  #endImplied(implied: ImpliedEnd): void {
    if (!this.#isAnyOpen(implied.endIndexes)) return
    const stack = this.#stack
    let length = stack.length
    const bottom = Math.max(length - IMPLIED_DEPTH_MAX, 1)
    for (let index = length - 1; index >= bottom; index -= 1) {
      const open = stack[index]?.name ?? ''
      if (implied.ends.has(open)) length = index
      else if (implied.until.has(open)) break
    }
    if (length < stack.length) this.#popTo(length)
  }

  #isAnyOpen(indexes: readonly number[]): boolean {
    for (const index of indexes) if (this.#open[index] !== 0) return true
    return false
  }

  #close(tag: Tag): void {
    if (this.#flattenedCount > 0 && this.#closeFlattened(tag.name)) return
    if (this.#open[tag.index] === 0) return
    const index = this.#indexToClose(tag)
    if (index === null) return
    this.#flushText()
    this.#popTo(index)
    if (tag.name === 'title' || tag.name === 'script') this.#item = null
  }

  #closeFlattened(name: string): boolean {
    const count = this.#flattened.get(name) ?? 0
    if (count === 0) return false
    this.#flattened.set(name, count - 1)
    this.#flattenedCount -= 1
    return true
  }

  /** Where the element lies that an end tag ends; null when a wall stands before it. */
  #indexToClose(tag: Tag): number | null {
    const stack = this.#stack
    for (let index = stack.length - 1; index > 0; index -= 1) {
      const open = stack[index]
      if (open === undefined || open.name === tag.name) return index
      if ((open.bits & tag.wall) !== 0) return null
    }
    return null
  }

  /** Put the text that was read into the tree; white space between elements is one space. */
  #flushText(): void {
    const start = this.#textStart
    const end = this.#textEnd
    if (this.#text === '') {
      if (start === end) return
      this.#textStart = end
      this.#addText(this.#html, start, end)
      return
    }
    const text = start < end ? this.#text + this.#html.slice(start, end) : this.#text
    this.#text = ''
    this.#textStart = end
    this.#addText(text, 0, text.length)
  }

  #addText(source: string, start: number, end: number): void {
    if (this.#item !== null) {
      this.#item.text += source.slice(start, end)
      return
    }
    const node = this.#current
    measureText(source, start, end, this.#measure)
    const { chars, isCollapsed } = this.#measure
    node.chars += chars
    node.ownChars += chars
    if (this.#preformatted > 0) node.children.push(source.slice(start, end))
    else if (chars === 0) addSpace(node)
    else node.children.push(isCollapsed ? source.slice(start, end) : source.slice(start, end).replace(SPACES, ' '))
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
    else if (attribute(attributes, 'type')?.toLowerCase().includes('ld+json') === true)
      this.#item = this.#addHead('json-ld', attributes)
  }
}

/** White space between elements: nothing at the start of a block and after a block, where it does not show. */
function addSpace({ bits, children }: ElementNode): void {
  const last = children[children.length - 1]
  if (last === ' ' || (last === undefined && (bits & TAG.block) !== 0)) return
  if (last === undefined || typeof last === 'string' || (last.bits & TAG.block) === 0) children.push(' ')
}
