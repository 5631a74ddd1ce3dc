import { SEAM } from './bylines.ts'
import { codeOf, LetterFilter } from './letter-filter.ts'
import { createElement, type ElementNode, NO_ATTRIBUTES, type PageNode, withSingleSpaces } from './node.ts'
import { keepShape } from './shapes.ts'
import { ROOT_TAG, TAG } from './tags.ts'
import { unitAt } from './units.ts'

/** What is looked at in one direction. */
interface Bounds {
  elements: number
  lines: number
}

const AFTER: Bounds = { elements: 80, lines: 24 }
const BEFORE: Bounds = { elements: 40, lines: 8 }
/** Of a page of which nothing is known; what stands behind that tells nothing of it as a whole. */
const WHOLE: Bounds = { elements: 800, lines: 250 }

const LINE_CHARS_MAX = 400
/** Letters of an element that names an author or a day. */
const NAMING_CHARS_MAX = 240
const AUTHOR_NAMES =
  /(?:^|[\s_-])(?:author|authors|byline|by-line|writer|contributor|creator|posted-?by|poster|user-?name|autor|autora|auteur|verfasser|redakteur)(?:s?$|[\s_-])/i
const DAY_NAMES = /date|time|publish|posted|updated|datum|fecha|meta/i
/** Beginnings of those words, or of what stands behind a dash or a blank in them. */
const NAMING_WORDS =
  'auth byli line writ cont crea post user name auto aute verf reda date time publ upda datu fech meta'.split(' ')
const MAY_NAME = new LetterFilter(NAMING_WORDS.map(codeOf))

/** What a page shows in one place that may tell its author and its day: elements that name them, and lines of text. */
export interface Around {
  authors: ElementNode[]
  days: ElementNode[]
  lines: string[]
}

const AUTHOR = 1
const DAY = 2

/** Whether classes name an author or a day, as bits; they repeat within a page. */
class TellingNames {
  readonly #known = new Map<string, number>()

  of(written: string): number {
    const known = this.#known.get(written)
    if (known !== undefined) return known
    const told = MAY_NAME.mayHold(written) ? toldBy(written) : 0
    this.#known.set(written, told)
    return told
  }
}

function toldBy(written: string): number {
  return (AUTHOR_NAMES.test(written) ? AUTHOR : 0) | (DAY_NAMES.test(written) ? DAY : 0)
}

/** Looks at what one page shows. */
export class PageLook {
  readonly #root: ElementNode
  readonly #names = new TellingNames()
  #whole: Around | null = null

  constructor(root: ElementNode) {
    this.#root = root
  }

  /** What stands behind a title, then before it, the nearest first. */
  around(title: ElementNode): Around {
    const found: Around = { authors: [], days: [], lines: [] }
    const preformatted = preformattedAround(title)
    const after = new Walk(found, this.#names, 1, AFTER, preformatted)
    after.visit(title)
    after.goOn(title)
    new Walk(found, this.#names, -1, BEFORE, preformatted).goOn(title)
    return found
  }

  /** What the page shows, in its order. */
  whole(): Around {
    if (this.#whole !== null) return this.#whole
    const found: Around = { authors: [], days: [], lines: [] }
    const walk = new Walk(found, this.#names, 1, WHOLE)
    walk.visit(this.#root)
    walk.endLine()
    this.#whole = found
    return found
  }
}

const SPACE = 0x20

/** Goes through a page in its order, or against it. */
class Walk {
  readonly #found: Around
  readonly #step: 1 | -1
  readonly #names: TellingNames
  #left: Bounds
  #line = ''
  #chars = 0
  /** A space stands where the next text is added; two spaces stand together in the line. */
  #isAtSpace = false
  #isSpaced = false
  /** Elements around in which white space is as it is written. */
  #preformatted: number
  /** An element ended, and nothing has parted it from what comes. */
  #isSeam = false

  constructor(found: Around, names: TellingNames, step: 1 | -1, bounds: Bounds, preformatted = 0) {
    this.#preformatted = preformatted
    this.#found = found
    this.#names = names
    this.#step = step
    this.#left = { ...bounds }
  }

  get #isOver(): boolean {
    return this.#left.elements <= 0 || this.#left.lines <= 0
  }

  /** From an element to the end of the page, without the element itself. */
  goOn(from: ElementNode): void {
    for (let node = from; node.parent !== null && !this.#isOver; node = node.parent) {
      const { children } = node.parent
      for (
        let at = children.indexOf(node) + this.#step;
        at >= 0 && at < children.length && !this.#isOver;
        at += this.#step
      ) {
        this.#visitAny(children[at] ?? '')
      }
      if (node.parent.name === 'pre') this.#preformatted -= 1
      if ((node.parent.bits & TAG.block) !== 0) this.endLine()
    }
    this.endLine()
  }

  visit(node: ElementNode): void {
    this.#left.elements -= 1
    if (this.#isOver) return
    see(node, this.#found, this.#names)
    const isApart = (node.bits & TAG.block) !== 0 || node.name === 'br'
    if (isApart) this.endLine()
    if (node.name === 'pre') this.#preformatted += 1
    const { children } = node
    for (let count = 0, at = this.#step === 1 ? 0 : children.length - 1; count < children.length; count += 1) {
      this.#visitAny(children[at] ?? '')
      at += this.#step
    }
    if (node.name === 'pre') this.#preformatted -= 1
    if (isApart) this.endLine()
    else if (node.chars > 0) this.#isSeam = true
  }

  endLine(): void {
    this.#isSeam = false
    if (this.#chars === 0) return
    let text = this.#chars > 2 * LINE_CHARS_MAX ? '' : this.#line
    if (this.#isSpaced) text = withSingleSpaces(text)
    text = text.trim()
    this.#line = ''
    this.#chars = 0
    this.#isAtSpace = false
    this.#isSpaced = false
    if (text === '' || text.length > LINE_CHARS_MAX || this.#left.lines <= 0) return
    this.#left.lines -= 1
    this.#found.lines.push(text)
  }

  #visitAny(child: PageNode): void {
    if (typeof child === 'string') return this.#add(child)
    if (this.#isSeam && child.chars > 0) this.#add(SEAM)
    this.visit(child)
  }

  #add(text: string): void {
    this.#isSeam = false
    if (this.#chars > 2 * LINE_CHARS_MAX) return
    const { length } = text
    if (length === 0) return
    const isForward = this.#step === 1
    if (this.#preformatted > 0 && text.includes('  ')) this.#isSpaced = true
    if (this.#isAtSpace && unitAt(text, isForward ? 0 : length - 1) === SPACE) this.#isSpaced = true
    this.#isAtSpace = unitAt(text, isForward ? length - 1 : 0) === SPACE
    this.#chars += length
    this.#line = isForward ? this.#line + text : text + this.#line
  }
}

function preformattedAround({ parent }: ElementNode): number {
  return parent === null ? 0 : preformattedAround(parent) + (parent.name === 'pre' ? 1 : 0)
}

function see(node: ElementNode, { authors, days }: Around, names: TellingNames): void {
  const { name, attributes, chars } = node
  if (name === 'time') days.push(node)
  if (attributes.length === 0 || chars > NAMING_CHARS_MAX) return
  let told = 0
  for (let index = 0; index < attributes.length; index += 2) {
    const value = attributes[index + 1] ?? ''
    switch (attributes[index]) {
      case 'class':
        if (chars > 0) told |= names.of(value)
        break
      case 'rel':
        if (value === 'author' && chars > 0) told |= AUTHOR
        break
      case 'itemprop':
        if (value === 'author' && chars > 0) told |= AUTHOR
        else if (value.startsWith('date')) told |= DAY
        break
      default:
    }
  }
  if ((told & AUTHOR) !== 0) authors.push(node)
  if ((told & DAY) !== 0 && name !== 'time') days.push(node)
}

/** The text of an element as it is shown: what stands on lines of its own is apart. `seam`: between elements that nothing parts. */
export function shownText(node: ElementNode, seam = ''): string {
  let text = ''
  let isSeam = false
  for (const child of node.children) {
    if (typeof child === 'string') {
      text += child
      isSeam = false
      continue
    }
    const isApart = (child.bits & TAG.block) !== 0 || child.name === 'br'
    if (isSeam && child.chars > 0 && text !== '') text += seam
    text += isApart ? ` ${shownText(child, seam)} ` : shownText(child, seam)
    isSeam = isSeam || child.chars > 0
  }
  return text
}

keepShape(new PageLook(createElement(ROOT_TAG, NO_ATTRIBUTES, null)))
keepShape(new Walk({ authors: [], days: [], lines: [] }, new TellingNames(), 1, WHOLE))
