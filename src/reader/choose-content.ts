import { proseWeight } from './amounts.ts'
import { attribute, type ElementNode } from './node.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'

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
export interface Choice {
  node: ElementNode
  share: number
  proseChars: number
}

/** Choose the element that holds the article: down from the root for as long as one child holds nearly all running text. */
export function chooseContent(root: ElementNode): Choice {
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
export function chooseHidden(root: ElementNode): ElementNode | null {
  let node: ElementNode | null = root
  while (node !== null && (node.signs & SIGN.hidden) === 0) node = largestChild(node, HIDDEN_SHARE_MIN * root.chars)
  return node
}

function largestChild(node: ElementNode, charsMin: number): ElementNode | null {
  for (const child of node.children) if (typeof child !== 'string' && child.chars >= charsMin) return child
  return null
}
