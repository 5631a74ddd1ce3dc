import { proseWeight } from './amounts.ts'
import { type ElementNode, isBlock } from './node.ts'
import type { SignReader } from './sign-reader.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'
import { isStream, isTeaserList } from './teasers.ts'
import { isTitle } from './title.ts'

/** An element that holds this share of the article is not taken out by its name or look. */
const KEPT_SHARE = 0.4
/** Running text that has to be left before comments that are most of it are taken out. */
const REST_PROSE_MIN = 250
const REST_SHARE_MIN = 0.25
/** Running text beside which a show of pictures is left out. */
const GALLERY_REST_PROSE_MIN = 1_000
/** Captions that make one. */
const GALLERY_CAPTIONS_MIN = 5
/** Letters of running text that one field or button is worth. */
const CONTROL_PROSE = 80
const BYLINE_CHARS_MAX = 100

/** What an article is pruned by. `title`: told apart from the text, so not repeated in it. */
export interface Article {
  node: ElementNode
  title: string | null
  signs: SignReader
}

/** Leave out of an article what is hidden, its title, boilerplate by tag, role or name, forms, and blocks of links. */
export function pruneArticle(article: Article): void {
  pruneIn(article.node, article)
}

function pruneIn(node: ElementNode, article: Article): void {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    child.skipped = isOut(child, article)
    if (!child.skipped && child.children.length > 0) pruneIn(child, article)
  }
}

function isOut(node: ElementNode, { node: article, title, signs: reader }: Article): boolean {
  const { bits } = node
  if ((node.signs & (SIGN.hidden | SIGN.consent)) !== 0) return true
  if ((bits & TAG.heading) !== 0) return title !== null && isTitle(node, title)
  const isInline = !isBlock(node)
  const signs = isInline ? node.signs : reader.readNames(node)
  if ((signs & SIGN.consent) !== 0) return true
  if ((bits & TAG.boilerplate) !== 0 || (signs & SIGN.boilerplate) !== 0) return isMinor(node, article)
  if ((signs & SIGN.byline) !== 0 && node.chars <= BYLINE_CHARS_MAX && !isWithinText(node)) return true
  if (isInline) return false
  if ((signs & SIGN.surroundings) !== 0 && (bits & TAG.paragraph) === 0) return isMinor(node, article)
  return isOutByLook(node, article)
}

function isOutByLook(node: ElementNode, article: ElementNode): boolean {
  if ((node.signs & SIGN.gallery) !== 0 && isBeside(node, article)) return true
  if (isStream(node, article)) return true
  if (node.chars >= KEPT_SHARE * article.chars) return false
  return isForm(node, article) || isLinkBlock(node) || isTeaserList(node)
}

/** Whether an element that looks like no part of the article is small, or comments without which there still is one. */
export function isMinor(node: ElementNode, article: ElementNode): boolean {
  if (node.chars < KEPT_SHARE * article.chars) return true
  const rest = article.prose - proseWeight(node) * node.prose
  return (node.signs & SIGN.comments) !== 0 && rest >= REST_PROSE_MIN && rest >= REST_SHARE_MIN * node.prose
}

/** Whether the captions of a show of pictures are less than the text that they stand in. */
function isBeside(node: ElementNode, article: ElementNode): boolean {
  if (node.paragraphs < GALLERY_CAPTIONS_MIN) return false
  return article.prose - node.prose >= Math.max(GALLERY_REST_PROSE_MIN, node.prose)
}

function isWithinText({ parent }: ElementNode): boolean {
  return parent !== null && (parent.bits & TAG.paragraph) !== 0 && parent.ownChars > 2 * BYLINE_CHARS_MAX
}

/** Fields and buttons with the labels that belong to them. */
function isForm(node: ElementNode, article: ElementNode): boolean {
  if (node.controls === 0 || (node.bits & TAG.paragraph) !== 0) return false
  const isMade = node.name === 'form' || node.name === 'fieldset' || node.controls > 1
  return isMade && node.prose < node.controls * CONTROL_PROSE && node.prose < KEPT_SHARE * article.prose
}

function isLinkBlock(node: ElementNode): boolean {
  if ((node.bits & TAG.block) === 0 || node.chars === 0) return false
  const linkShare = node.linkChars / node.chars
  if ((node.bits & TAG.list) !== 0)
    return linkShare > 0.6 && node.chars < 50 * node.children.filter((child) => typeof child !== 'string').length
  if (node.name === 'div' || node.name === 'section' || node.name === 'form') {
    return linkShare > ((node.signs & SIGN.content) !== 0 ? 0.7 : 0.5)
  }
  return false
}
