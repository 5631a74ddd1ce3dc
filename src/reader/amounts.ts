import { type ElementNode, isRareSpace } from './node.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'

/** First and last code unit of the scripts in which one character says about as much as two letters. */
const CJK_START = 0x2e80
const CJK_END = 0xffee

/** Letters from which a block counts as running text rather than a label. */
const PARAGRAPH_CHARS = 40
/** Running text that is not in an element made for it has to be longer. */
const LOOSE_CHARS = 80
/** Running text that is long enough to be an article's by itself. */
const DENSE_CHARS = 400
/** Share of links from which text is a list of links. */
const LINK_SHARE_MAX = 0.4
/** What running text counts for in an element that is named as surroundings. */
const SURROUNDINGS_WEIGHT = 0.2

/** Letters of a piece of a document, whether its white space is already collapsed, and whether it may hold character references. */
export interface TextMeasure {
  chars: number
  isCollapsed: boolean
  hasReference: boolean
}

const SPACE = 0x20
const AMPERSAND = 0x26
const ASCII_END = 0x7f

/** TextMeasure `text` from `start` to `end` into `measure`. */
export function measureText(text: string, start: number, end: number, measure: TextMeasure): void {
  let chars = end - start
  let isCollapsed = true
  let hasReference = false
  let spaceIndex = -2
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit > ASCII_END) {
      const weight = weightOf(unit)
      if (weight === 0) isCollapsed = false
      chars += weight - 1
    } else if (unit <= SPACE) {
      if (unit !== SPACE || spaceIndex === index - 1) isCollapsed = false
      spaceIndex = index
      chars -= 1
    } else if (unit === AMPERSAND) hasReference = true
  }
  measure.chars = chars
  measure.isCollapsed = isCollapsed
  measure.hasReference = hasReference
}

/** Letters that a character beyond ASCII counts for. */
function weightOf(unit: number): number {
  if (isRareSpace(unit)) return 0
  return unit >= CJK_START && unit <= CJK_END ? 2 : 1
}

/** Add what a finished element holds to its parent. */
export function countElement(node: ElementNode): void {
  const { parent, bits } = node
  if (node.name === 'a') {
    node.linkChars = node.chars
    node.ownLinkChars = node.ownChars
  }
  const isBlock = (bits & TAG.block) !== 0
  if (isBlock) countProse(node)
  if (parent === null) return
  parent.chars += node.chars
  parent.linkChars += node.linkChars
  parent.controls += node.controls
  if (node.prose > 0) addProse(parent, node)
  if (isBlock || node.hasBlock) parent.hasBlock = true
  if (isBlock) return
  parent.ownChars += node.ownChars
  parent.ownLinkChars += node.ownLinkChars
}

function countProse(node: ElementNode): void {
  const own = ownProse(node)
  if (own > 0) {
    node.prose += own
    node.paragraphs += 1
    if (own >= DENSE_CHARS) node.dense += own
    else if (node.parent !== null) {
      node.parent.ownParagraphs += 1
      node.parent.ownParagraphChars += own
    }
  }
  if (node.ownParagraphs > 1) node.dense += node.ownParagraphChars
}

function addProse(parent: ElementNode, node: ElementNode): void {
  const weight = proseWeight(node)
  parent.prose += weight * node.prose
  parent.dense += weight * node.dense
  parent.paragraphs += node.paragraphs
}

/** What the running text in an element counts for around it. */
export function proseWeight({ bits, signs }: ElementNode): number {
  if ((bits & TAG.boilerplate) !== 0 || (signs & (SIGN.hidden | SIGN.boilerplate | SIGN.consent)) !== 0) return 0
  return (signs & SIGN.surroundings) !== 0 ? SURROUNDINGS_WEIGHT : 1
}

function ownProse(node: ElementNode): number {
  const least = (node.bits & TAG.paragraph) !== 0 ? PARAGRAPH_CHARS : LOOSE_CHARS
  if (node.ownChars < least || (node.bits & TAG.heading) !== 0) return 0
  return node.ownLinkChars > LINK_SHARE_MAX * node.ownChars ? 0 : node.ownChars
}
