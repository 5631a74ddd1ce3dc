import { countElement } from './amounts.ts'
import { codeInCell, joinCode } from './code-table.ts'
import { AttributeReader, SOFT_HYPHEN, TextReader } from './text-reader.ts'
import { PageHead } from './head.ts'
import {
  addChild,
  addSpace,
  collapse,
  attribute,
  type Attributes,
  createElement,
  type ElementNode,
  NO_ATTRIBUTES,
  setTag,
  withSingleSpaces,
} from './node.ts'
import { showsBreaks } from './line-breaks.ts'
import { OpenElements } from './open-elements.ts'
import { scanTokens, type TokenSink } from './scan-tokens.ts'
import { SignReader } from './sign-reader.ts'
import { SIGN } from './signs.ts'
import { ROOT_TAG, TAG, type Tag, tagAt } from './tags.ts'
import { keepShape } from './shapes.ts'

const BR = tagAt('br', 0, 2)
/** Elements of a tree up to which lines of text may add to them. */
const LINES_MAX = 50_000
const LINE_BREAK = /\r\n?|\n/
const DIV = tagAt('div', 0, 3)
const BUTTON = tagAt('button', 0, 6)
/** Buttons that are read. */
const HEADING_BUTTON: Tag = { ...BUTTON, bits: 0 }
const QUESTION_BUTTON: Tag = { ...BUTTON, bits: TAG.block }
const QUESTION = /faq|accordion|question/i

/** Headings that may be the title of a page. */
const HEADINGS_MAX = 12
/** Letters that may be running text. */
const NAMED_CHARS_MIN = 40
/** Letters that say who is quoted. */
const WHO_CHARS_MAX = 100

export interface Tree {
  root: ElementNode
  /** Letters outside of what is said to those who run no scripts. */
  shownChars: number
  head: PageHead
  /** The first headings of the first rank. */
  headings: readonly ElementNode[]
  /** Some of its running text is named as what readers wrote. */
  hasComments: boolean
  signs: SignReader
  /** What elements say by `itemtype` that they are, each as often as it is said. */
  itemTypes: readonly string[]
}

/** Letters of a page below which what it says to those who run no scripts may be all that it says. */
const SCRIPTED_CHARS_MAX = 1_000
const NOSCRIPT = /<(\/?)noscript(?=[\s/>])/gi
/** Build the light tree of an HTML document; linear in its length whatever it holds. A page of scripts is read as who runs none would see it, if it
 *  says more to them. */
export function buildTree(source: string): Tree {
  const html = source.replaceAll(SOFT_HYPHEN, '')
  const tree = parse(html)
  if (tree.root.chars > SCRIPTED_CHARS_MAX || html.search(NOSCRIPT) < 0) return tree
  const unscripted = parse(html.replace(NOSCRIPT, '<$1div'))
  return unscripted.root.chars > 2 * tree.root.chars ? { ...unscripted, shownChars: tree.shownChars } : tree
}

function parse(html: string): Tree {
  const builder = new TreeBuilder(html)
  scanTokens(html, builder)
  return builder.finish()
}

class TreeBuilder implements TokenSink {
  readonly #root = createElement(ROOT_TAG, NO_ATTRIBUTES, null)
  readonly #open = new OpenElements(this.#root)
  readonly #head = new PageHead()
  readonly #headings: ElementNode[] = []
  #hasComments = false
  #hasCodeCell = false
  readonly #signs = new SignReader()
  readonly #text: TextReader
  readonly #attributes: AttributeReader

  constructor(html: string) {
    this.#text = new TextReader(html)
    this.#attributes = new AttributeReader(html)
  }

  finish(): Tree {
    this.#flushText()
    this.#popTo(1)
    countElement(this.#root)
    const root = this.#root
    const told = { head: this.#head, headings: this.#headings, hasComments: this.#hasComments, signs: this.#signs }
    const { itemTypes } = this.#attributes
    return { root, shownChars: root.chars, ...told, itemTypes }
  }

  isForeign(): boolean {
    return this.#open.foreign > 0
  }

  onText(start: number, end: number): void {
    if (this.#open.dropped === 0 || this.#head.open !== null) this.#text.add(start, end)
  }

  onAttribute(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    this.#attributes.add(nameStart, nameEnd, valueStart, valueEnd)
  }

  onStartTag(tag: Tag, isSelfClosing: boolean): void {
    this.#begin(tag, this.#attributes.take())
    if (isSelfClosing && this.#open.foreign > 0) this.onEndTag(tag)
  }

  onEndTag(tag: Tag): void {
    if (this.#open.endFlattened(tag.name)) return
    const depth = this.#open.depthAfterEnd(tag)
    if (depth === null) return
    this.#flushText()
    this.#popTo(depth)
    this.#head.end(tag.name)
  }

  #begin(tag: Tag, attributes: Attributes): void {
    if (tag.name === 'html') return this.#head.add('html', attributes)
    if (this.#open.isFull(tag.bits)) return this.#flatten(tag)
    this.#flushText()
    const open = this.#open
    if (open.dropped === 0 && tag.implied !== null) this.#popTo(open.depthAfterImplied(tag.implied))
    if (tag.name === 'button' && open.dropped === 0) {
      const shown = shownButton(open.current, attributes)
      if (shown !== null) return this.#push(shown, attributes)
    }
    const isTask = tag.name === 'input' && isTaskBox(attributes)
    if ((tag.bits & TAG.control) !== 0 && !isTask) open.current.controls += 1
    if (isTask && open.dropped === 0) this.#addMark(attribute(attributes, 'checked') === undefined ? '[ ] ' : '[x] ')
    if ((tag.bits & TAG.void) !== 0) return this.#addVoid(tag, attributes)
    this.#push(tag, attributes)
    if ((tag.bits & TAG.dropped) !== 0 && open.foreign === 0) this.#head.begin(tag.name, attributes)
  }

  #addMark(mark: string, node = this.#open.current): void {
    addChild(node, mark)
    const chars = mark.replaceAll(' ', '').length
    node.chars += chars
    node.ownChars += chars
  }

  /** A formula that a script would draw stands where it would be. */
  #addFormula(kind: 'tex' | 'display-tex'): void {
    const sign = kind === 'tex' ? '$' : '$$'
    const formula = collapse(this.#text.take())
    const { parent } = this.#open.current
    if (parent === null || this.#open.dropped > 1 || formula === '') return
    const last = parent.children.findLast((child) => child !== ' ')
    // What is shown until the script draws it.
    if (typeof last === 'object' && attribute(last.attributes, 'class') === 'MathJax_Preview') last.signs |= SIGN.hidden
    this.#addMark(sign + formula + sign, parent)
  }

  #flatten({ name, bits }: Tag): void {
    const isRead = this.#open.dropped === 0 || this.#head.open !== null
    if (isRead && ((bits & TAG.block) !== 0 || name === 'br')) this.#text.addBreak()
    if ((bits & TAG.void) === 0) this.#open.flatten(name)
  }

  #push(tag: Tag, attributes: Attributes): void {
    const { current, dropped } = this.#open
    const node = createElement(tag, attributes, current)
    if (dropped === 0 && (tag.bits & TAG.dropped) === 0) addChild(current, node)
    this.#open.push(node)
    if (tag.name === 'td' && attributes.length > 0 && dropped === 0) this.#beginCode(node)
  }

  #beginCode(cell: ElementNode): void {
    const code = codeInCell(cell)
    if (code === null || this.#open.isFull(code.bits)) return
    addChild(cell, code)
    this.#open.push(code)
    this.#hasCodeCell = true
  }

  #popTo(depth: number): void {
    for (let count = this.#open.depth; count > depth; count -= 1) this.#pop()
  }

  #pop(): void {
    const node = this.#open.pop()
    if (node === null || this.#open.dropped > 0) return
    if ((node.bits & TAG.dropped) === 0) this.#count(node)
    else if (node.parent !== null) node.parent.controls += node.controls
  }

  /** Where there is no running text names change no amount, and are read when somebody asks. */
  #count(node: ElementNode): void {
    if (node.attributes.length > 0) {
      const withNames = node.prose > 0 || node.ownChars >= NAMED_CHARS_MIN || node.name === 'body'
      node.signs |= this.#signs.read(node.attributes, withNames)
      // The page as a whole is named after what is shown over it.
      if (node.name === 'body') node.signs &= ~SIGN.consent
      else if (node.name === 'aside') takeIn(node)
    }
    if (this.#hasCodeCell && node.name === 'table') {
      joinCode(node)
      this.#hasCodeCell = false
    }
    countElement(node)
    if (node.prose > 0 && (node.signs & SIGN.comments) !== 0) this.#hasComments = true
    if (node.name === 'h1' && node.chars > 0 && this.#headings.length < HEADINGS_MAX) this.#headings.push(node)
  }

  #addVoid(tag: Tag, attributes: Attributes): void {
    const { name } = tag
    if (name !== 'br' && name !== 'img' && name !== 'hr') return this.#head.add(name, attributes)
    if (this.#open.dropped > 0) return
    const { current } = this.#open
    if (name === 'hr') current.hasBlock = true
    const node = createElement(tag, attributes, current)
    if (attributes.length > 0) node.signs = this.#signs.read(attributes, false)
    this.#open.nodes += 1
    addChild(current, node)
  }

  /** Put the text that was read into the tree; white space between elements is one space. */
  #flushText(): void {
    const text = this.#text
    if (text.isEmpty) return
    if (this.#head.open !== null) return this.#tellHead()
    const { current, preformatted } = this.#open
    const chars = text.measure()
    current.chars += chars
    current.ownChars += chars
    if (preformatted > 0) addChild(current, text.take())
    else if (chars > 0 && this.#attributes.mayShowBreaks && showsBreaks(current)) this.#addLines(text.take())
    else if (chars > 0) addChild(current, text.takeCollapsed())
    else {
      text.drop()
      addSpace(current)
    }
  }

  /** Text whose line breaks are shown; at the beginning of a block there is nothing that they would part. */
  #addLines(text: string): void {
    const { current, nodes } = this.#open
    const lines = text.split(LINE_BREAK, LINES_MAX)
    if (nodes + lines.length >= LINES_MAX) return addChild(current, withSingleSpaces(text))
    lines.forEach((line, index) => {
      if (index > 0 && (current.children.length > 0 || (current.bits & TAG.block) === 0))
        this.#addVoid(BR, NO_ATTRIBUTES)
      if (line !== '') addChild(current, withSingleSpaces(line))
    })
  }

  /** A script means what is written, a title what its references stand for. */
  #tellHead(): void {
    if (this.#head.open === 'tex' || this.#head.open === 'display-tex') return this.#addFormula(this.#head.open)
    if (this.#head.open === 'title') this.#text.measure()
    this.#head.addText(this.#text.take())
  }
}

/** What a post quotes, or shows of what it links to, and notes of a text are part of it; who is quoted stands above the quote. */
function takeIn(aside: ElementNode): void {
  if (!/(?:^|\s)(?:quote|onebox|footnote|footnote-list)(?:\s|$)/.test(attribute(aside.attributes, 'class') ?? ''))
    return
  setTag(aside, DIV)
  const inner = aside.children.filter((child) => typeof child !== 'string')
  const [who, quote] = inner
  if (who === undefined || inner.length !== 2 || quote?.name !== 'blockquote' || who.chars > WHO_CHARS_MAX) return
  aside.children = [quote]
  who.parent = quote
  quote.children = [who, ...quote.children]
  quote.hasBlock = true
  quote.chars += who.chars
}

/** What opens the text below it is a heading of it, or a question that it answers. */
function shownButton(current: ElementNode, attributes: Attributes): Tag | null {
  if (isBeginOfHeading(current)) return HEADING_BUTTON
  return QUESTION.test(attribute(attributes, 'class') ?? '') ? QUESTION_BUTTON : null
}

function isBeginOfHeading({ bits, chars, name, parent }: ElementNode): boolean {
  if (chars > 0) return false
  return (bits & TAG.heading) !== 0 || (name === 'span' && parent !== null && isBeginOfHeading(parent))
}

/** A box that nobody can press shows whether an item of a list is done. */
function isTaskBox(attributes: Attributes): boolean {
  return attribute(attributes, 'type') === 'checkbox' && attribute(attributes, 'disabled') !== undefined
}

// With what it holds.
keepShape(new TreeBuilder(''))
