import { isBoilerplate, isHidden, nameHint } from './hints.ts'
import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** An element that holds this share of the article is not taken out by its name or look. */
const KEPT_SHARE = 0.4

/** Leave out what nobody sees. */
export function pruneHidden(node: ElementNode): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    child.skipped = isHidden(child)
    if (!child.skipped) pruneHidden(child)
  }
}

/** Leave out of an article what is hidden, boilerplate by tag, role or name, or a block of links. */
export function pruneArticle(article: ElementNode): void {
  pruneIn(article, article.chars)
}

function pruneIn(node: ElementNode, articleChars: number): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    child.skipped = isHidden(child) || (child.chars < KEPT_SHARE * articleChars && isSurroundings(child))
    if (!child.skipped) pruneIn(child, articleChars)
  }
}

function isSurroundings(node: ElementNode): boolean {
  if (isBoilerplate(node)) return true
  const hint = nameHint(node)
  const isInline = (node.bits & TAG.block) === 0 && !node.hasBlock
  if (hint === -1 && !isInline && (node.bits & TAG.paragraph) === 0) return true
  return isLinkBlock(node, hint)
}

function isLinkBlock(node: ElementNode, hint: number): boolean {
  if ((node.bits & TAG.block) === 0 || node.chars === 0) return false
  const linkShare = node.linkChars / node.chars
  if ((node.bits & TAG.list) !== 0)
    return linkShare > 0.7 && node.chars < 50 * node.children.filter((child) => typeof child !== 'string').length
  if (node.name === 'div' || node.name === 'section' || node.name === 'form') {
    return linkShare > (hint === 1 ? 0.7 : 0.5)
  }
  return false
}
