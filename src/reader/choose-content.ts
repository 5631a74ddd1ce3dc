import { proseWeight } from './amounts.ts'
import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** Share of the running text of an element that a child needs to stand for it. */
const DESCENT_SHARE = 0.85
/** Share of the running text of the whole page that the choice never falls below. */
const TOTAL_SHARE = 0.6

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
    node = best
  }
  return { node, share: total === 0 ? 0 : Math.min(node.prose / total, 1), proseChars: node.prose }
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
