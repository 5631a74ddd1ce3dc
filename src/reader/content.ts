import type { Tree } from './build-tree.ts'
import { chooseContent, chooseHidden } from './choose-content.ts'
import { isListing } from './listing.ts'
import type { ElementNode } from './node.ts'
import { pruneArticle } from './prune.ts'
import { pruneHidden, pruneListing } from './prune-whole.ts'
import { SIGN } from './signs.ts'

/** Running text below this (letters, CJK counted twice) is too little to tell an article by. */
export const PROSE_CHARS_MIN = 250
/** Below it no part of a page is taken for its article. */
export const CONFIDENCE_MIN = 0.5
/** What it is worth that one part stands out on a page whose text is scattered over items. */
const LISTING_WORTH = 0.4

/** The element to read, with what does not belong to it left out; and how sure it is (0–1) that this is the article. */
export interface Content {
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
