import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** First code unit of the scripts in which one character says about as much as two letters. */
const CJK_START = 0x2e80
const CJK_END = 0xffee

const MARKS: ReadonlySet<number> = new Set(',.;:!?，。、；：！？،۔।'.split('').map((mark) => mark.charCodeAt(0)))

/** Count a piece of text for the element that holds it. */
export function countText(node: ElementNode, text: string): void {
  let chars = 0
  let marks = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit <= 0x20 || unit === 0xa0) continue
    chars += unit >= CJK_START && unit <= CJK_END ? 2 : 1
    if (MARKS.has(unit)) marks += 1
  }
  node.chars += chars
  node.ownChars += chars
  node.marks += marks
}

/** Add what a finished element holds to its parent. */
export function countElement(node: ElementNode): void {
  const { parent } = node
  if (parent === null) return
  if (node.name === 'a') {
    node.linkChars = node.chars
    node.ownLinkChars = node.ownChars
  }
  const isBlock = (node.bits & TAG.block) !== 0
  parent.chars += node.chars
  parent.linkChars += node.linkChars
  parent.marks += node.marks
  parent.images += node.images
  parent.hasBlock ||= isBlock || node.hasBlock
  if (isBlock) return
  parent.ownChars += node.ownChars
  parent.ownLinkChars += node.ownLinkChars
}
