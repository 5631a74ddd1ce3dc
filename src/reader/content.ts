import type { Tree } from './build-tree.ts'
import { chooseContent, chooseHidden } from './choose-content.ts'
import { isListing } from './listing.ts'
import { type ElementNode, isBlock } from './node.ts'
import { pruneArticle, isMinor } from './prune.ts'
import { SIGN } from './signs.ts'
import type { SignReader } from './sign-reader.ts'
import { TAG } from './tags.ts'

/** Running text below this (letters, CJK counted twice) is too little to tell an article by. */
export const PROSE_CHARS_MIN = 250
/** Below it no part of a page is taken for its article. */
export const CONFIDENCE_MIN = 0.5
/** What it is worth that one part stands out on a page whose text is scattered over items. */
const LISTING_WORTH = 0.4

/** The element to read, with what does not belong to it left out; and how sure it is (0–1) that this is the article. */
interface Content {
  node: ElementNode
  confidence: number
}

/** The article of a page, or all of the page when no part stands out. */
export function findContent(tree: Tree, title: string | null): Content {
  const { root, signs } = tree
  const { node, share, proseChars } = chooseContent(root)
  const confidence = Math.min(share, proseChars / PROSE_CHARS_MIN, 1)
  const isSure = confidence >= CONFIDENCE_MIN
  if (isListing(isSure ? node : root)) {
    pruneListing(root, signs)
    return { node: root, confidence: LISTING_WORTH * confidence }
  }
  if (!isSure) return findHidden(tree, title) ?? whole(tree, confidence)
  pruneArticle({ node, title, signs })
  return { node, confidence }
}

function whole({ root, signs }: Tree, confidence: number): Content {
  pruneHidden(root, signs)
  return { node: root, confidence }
}

/** The article that a script would show. */
function findHidden({ root, signs }: Tree, title: string | null): Content | null {
  const hidden = chooseHidden(root)
  if (hidden === null || hidden.prose < PROSE_CHARS_MIN) return null
  hidden.signs &= ~SIGN.hidden
  const { node } = chooseContent(hidden)
  pruneArticle({ node, title, signs })
  return { node, confidence: CONFIDENCE_MIN }
}

type IsOut = (node: ElementNode) => boolean

/** Leave out of a whole page what nobody sees, and what asks for leave to track. */
export function pruneHidden(root: ElementNode, signs: SignReader): void {
  prune(root, (node) => isHidden(node, signs))
}

/** Leave out of a page of many items what surrounds them, but not what leads to more of them nor what readers wrote. */
function pruneListing(root: ElementNode, signs: SignReader): void {
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
