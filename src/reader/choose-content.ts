import { isBoilerplate, isHidden, nameHint } from './hints.ts'
import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** Letters from which a block counts as running text rather than a label. */
const PARAGRAPH_CHARS = 40
/** Running text that is not in an element made for it has to be longer. */
const LOOSE_CHARS = 80
/** Share of links from which text is a list of links. */
const LINK_SHARE_MAX = 0.4
/** Share of the running text of an element that a child needs to stand for it. */
const DESCENT_SHARE = 0.85
/** Share of the running text of the whole page that the choice never falls below. */
const TOTAL_SHARE = 0.6

/** What running text counts for in an element that is named as surroundings. */
const SURROUNDINGS_WEIGHT = 0.2

/** Where the content lies, and how much of the page's running text it holds (0–1). */
export interface Choice {
  node: ElementNode
  share: number
  proseChars: number
}

/** Choose the element that holds the article: down from the root for as long as one child holds nearly all running text. */
export function chooseContent(root: ElementNode): Choice {
  const prose = new Map<ElementNode, number>()
  const total = weighProse(root, prose)
  let node = root
  for (;;) {
    const best = bestChild(node, prose)
    const amount = best === null ? 0 : (prose.get(best) ?? 0)
    if (best === null || amount < DESCENT_SHARE * (prose.get(node) ?? 0) || amount < TOTAL_SHARE * total) break
    if ((best.bits & TAG.paragraph) !== 0 && best.name !== 'td' && best.name !== 'th') break
    node = best
  }
  const proseChars = prose.get(node) ?? 0
  return { node, share: total === 0 ? 0 : Math.min(proseChars / total, 1), proseChars }
}

function bestChild(node: ElementNode, prose: ReadonlyMap<ElementNode, number>): ElementNode | null {
  let best: ElementNode | null = null
  for (const child of node.children) {
    if (typeof child === 'string') continue
    if (best === null || (prose.get(child) ?? 0) > (prose.get(best) ?? 0)) best = child
  }
  return best
}

/** Running text of an element and, in the map, of all in it; nothing for what is boilerplate by its look. */
function weighProse(node: ElementNode, prose: Map<ElementNode, number>): number {
  if (node.chars < PARAGRAPH_CHARS || isBoilerplate(node) || isHidden(node)) return 0
  let amount = ownProse(node)
  for (const child of node.children) {
    if (typeof child !== 'string' && (child.hasBlock || (child.bits & TAG.block) !== 0))
      amount += weighProse(child, prose)
  }
  prose.set(node, amount)
  return nameHint(node) === -1 ? amount * SURROUNDINGS_WEIGHT : amount
}

function ownProse(node: ElementNode): number {
  const least = (node.bits & TAG.paragraph) !== 0 ? PARAGRAPH_CHARS : LOOSE_CHARS
  if (node.ownChars < least || (node.bits & TAG.heading) !== 0) return 0
  return node.ownLinkChars > LINK_SHARE_MAX * node.ownChars ? 0 : node.ownChars
}
