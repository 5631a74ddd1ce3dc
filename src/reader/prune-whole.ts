import { type ElementNode, isBlock } from './node.ts'
import { isMinor } from './prune.ts'
import type { SignReader } from './sign-reader.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'

type IsOut = (node: ElementNode) => boolean

/** Leave out of a whole page what nobody sees, and what asks for leave to track. */
export function pruneHidden(root: ElementNode, signs: SignReader): void {
  prune(root, (node) => isHidden(node, signs))
}

/** Leave out of a page of many items what surrounds them, but not what leads to more of them nor what readers wrote. */
export function pruneListing(root: ElementNode, signs: SignReader): void {
  prune(root, (node) => isHidden(node, signs) || (isAround(node) && isMinor(node, root)))
}

function prune(node: ElementNode, isOut: IsOut): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    child.skipped = isOut(child)
    if (!child.skipped && child.children.length > 0) prune(child, isOut)
  }
}

function isHidden(node: ElementNode, signs: SignReader): boolean {
  return ((isBlock(node) ? signs.readNames(node) : node.signs) & (SIGN.hidden | SIGN.consent)) !== 0
}

function isAround(node: ElementNode): boolean {
  const { bits, signs } = node
  if (!isBlock(node) || (signs & (SIGN.pagination | SIGN.comments)) !== 0) return false
  return (bits & TAG.boilerplate) !== 0 || (signs & (SIGN.boilerplate | SIGN.surroundings)) !== 0
}
