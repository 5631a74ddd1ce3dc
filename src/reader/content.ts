import { isFolded } from './blocks.ts'
import type { Tree } from './build-tree.ts'
import { isListing } from './listing.ts'
import { attribute, type ElementNode, isBlock } from './node.ts'
import { isMinor, pruneArticle } from './prune.ts'
import { SIGN } from './signs.ts'
import type { SignReader } from './sign-reader.ts'
import { TAG } from './tags.ts'
import { proseWeight } from './amounts.ts'

/** Running text below this (letters, CJK counted twice) is too little to tell an article by. */
export const PROSE_CHARS_MIN = 250
/** Below it no part of a page is taken for its article. */
export const CONFIDENCE_MIN = 0.5
/** What it is worth that one part stands out on a page whose text is scattered over items. */
const LISTING_WORTH = 0.4

/** The element to read, with what does not belong to it left out; and how sure it is (0–1) that this is the article. */
export interface ChosenContent {
  node: ElementNode
  confidence: number
  /** Its text is scattered over items. */
  isListing: boolean
  /** It is hidden until a script shows it. */
  isWaiting: boolean
}

/** The article of a page, or all of the page when no part stands out. */
export function findContent(tree: Tree, title: string | null): ChosenContent {
  const { root, signs, hasComments } = tree
  const { node, share, proseChars } = chooseContent(root)
  const confidence = Math.min(share, proseChars / PROSE_CHARS_MIN, 1)
  const isSure = confidence >= CONFIDENCE_MIN
  if (isListing(isSure ? node : root, hasComments)) {
    pruneListing(root, signs)
    return { node: root, confidence: LISTING_WORTH * confidence, isListing: true, isWaiting: false }
  }
  if (!isSure) return findHidden(tree, title) ?? whole(tree, confidence)
  pruneArticle({ node, title, signs })
  return { node, confidence, isListing: false, isWaiting: false }
}

function whole({ root, signs }: Tree, confidence: number): ChosenContent {
  pruneHidden(root, signs)
  return { node: root, confidence, isListing: false, isWaiting: false }
}

/** The article that a script would show. */
function findHidden({ root, signs }: Tree, title: string | null): ChosenContent | null {
  const hidden = chooseHidden(root)
  if (hidden === null || hidden.prose < PROSE_CHARS_MIN) return null
  hidden.signs &= ~SIGN.hidden
  const { node } = chooseContent(hidden)
  pruneArticle({ node, title, signs })
  return { node, confidence: CONFIDENCE_MIN, isListing: false, isWaiting: true }
}

/** Show what opens at a press in what the rules chose. */
export function showFolded(node: ElementNode, signs: SignReader): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    if (child.skipped && (child.signs & SIGN.hidden) !== 0 && isFolded(child)) {
      child.skipped = false
      pruneHidden(child, signs)
    } else if (!child.skipped) showFolded(child, signs)
  }
}

type IsOut = (node: ElementNode) => boolean

/** Leave out of a whole page what nobody sees, and what asks for leave to track. */
export function pruneHidden(root: ElementNode, signs: SignReader): void {
  prune(root, (node) => isHidden(node, signs))
}

/** Share of the letters of a whole page that are left, at least, when what surrounds them is left out. */
const WHOLE_SHARE_MIN = 0.2

/** Leave out of a whole page what surrounds its text. A page without a heading of the first rank may be nothing else. */
export function pruneAround({ root, signs, headings }: Tree): void {
  if (headings.length === 0) return
  const isOut = (node: ElementNode) => (node.bits & TAG.paragraph) === 0 && isAround(node) && isMinor(node, root)
  prune(root, (node) => isHidden(node, signs) || isOut(node))
  if (shownChars(root) < WHOLE_SHARE_MIN * root.chars) pruneHidden(root, signs)
}

function shownChars(node: ElementNode): number {
  let chars = node.ownChars
  for (const child of node.children) if (typeof child !== 'string' && !child.skipped) chars += shownChars(child)
  return chars
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

/** Share of the running text of an element that a child needs to stand for it. */
const DESCENT_SHARE = 0.85
/** Share of the running text of the whole page that the choice never falls below. */
const TOTAL_SHARE = 0.6

/** Running text from which an element goes on with an article, the share of it in one place, and that of links. */
const SEQUEL_PROSE_MIN = 300
const SEQUEL_DENSE_SHARE_MIN = 0.5
const SEQUEL_LINK_SHARE_MAX = 0.1
/** Running text below this is no long article. */
const SHORT_PROSE = 1_000

/** Where the content lies, and how much of the page's running text it holds (0–1). */
interface Choice {
  node: ElementNode
  share: number
  proseChars: number
}

/** Choose the element that holds the article: down from the root for as long as one child holds nearly all running text. */
function chooseContent(root: ElementNode): Choice {
  const total = root.prose
  let node = root
  for (;;) {
    const best = bestChild(node)
    const amount = best === null ? 0 : proseOf(best)
    if (best === null || amount < DESCENT_SHARE * node.prose || amount < TOTAL_SHARE * total) break
    if ((best.bits & TAG.paragraph) !== 0 && best.name !== 'td' && best.name !== 'th') break
    if (isGoneOn(node, best)) break
    node = best
  }
  node = node.prose < SHORT_PROSE ? mainAround(node) : node
  return { node, share: total === 0 ? 0 : Math.min(node.prose / total, 1), proseChars: Math.min(node.prose, total) }
}

/** Whether the text of `best` goes on in an element of the same kind beside it. */
function isGoneOn(node: ElementNode, best: ElementNode): boolean {
  return node.children.some(
    (child) => typeof child !== 'string' && child !== best && child.name === best.name && isText(child),
  )
}

function isText(node: ElementNode): boolean {
  const isDense = proseOf(node) >= SEQUEL_PROSE_MIN && node.dense >= SEQUEL_DENSE_SHARE_MIN * node.prose
  return isDense && node.linkChars <= SEQUEL_LINK_SHARE_MAX * node.chars
}

/** Where there is little running text, the rest of what its author calls the main part belongs to it. */
function mainAround(node: ElementNode): ElementNode {
  for (let around: ElementNode | null = node; around !== null; around = around.parent) {
    if (around.name === 'main' || attribute(around.attributes, 'role') === 'main') return around
  }
  return node
}

function bestChild(node: ElementNode): ElementNode | null {
  let best: ElementNode | null = null
  for (const child of node.children) {
    if (typeof child !== 'string' && (best === null || proseOf(child) > proseOf(best))) best = child
  }
  return best
}

function proseOf(node: ElementNode): number {
  return proseWeight(node) * node.prose
}

/** Share of the letters of a page from which hidden text is what its scripts would show. */
const HIDDEN_SHARE_MIN = 0.5

/** The element with most of a page's text that waits to be shown by a script; null when there is none. */
function chooseHidden(root: ElementNode): ElementNode | null {
  let node: ElementNode | null = root
  while (node !== null && (node.signs & SIGN.hidden) === 0) node = largestChild(node, HIDDEN_SHARE_MIN * root.chars)
  return node
}

function largestChild(node: ElementNode, charsMin: number): ElementNode | null {
  for (const child of node.children) if (typeof child !== 'string' && child.chars >= charsMin) return child
  return null
}
