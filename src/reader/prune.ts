import { proseWeight } from './amounts.ts'
import { collapse, type ElementNode, isBlock, rawText } from './node.ts'
import type { SignReader } from './sign-reader.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'

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
interface Article {
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
  if ((bits & TAG.boilerplate) !== 0 || (signs & SIGN.boilerplate) !== 0)
    return node.parent?.name !== 'blockquote' && isMinor(node, article)
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
  if (!isMade || node.prose >= node.controls * CONTROL_PROSE || node.prose >= KEPT_SHARE * article.prose) return false
  return node.name === 'form' || !holdsCode(node)
}

/** Tabs over code may be made of fields. */
function holdsCode(node: ElementNode): boolean {
  return node.children.some((child) => typeof child !== 'string' && (child.name === 'pre' || holdsCode(child)))
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

/** Share of the words of a heading and of the page's title that both have when they say the same. */
const SHARED_SHARE = 0.75
const CHARS_MAX = 600
const WORDS = /[\p{L}\p{N}]+/gu

/** Whether a heading of the first or second rank is the title of the page, which is told apart from the text. */
export function isTitle(heading: ElementNode, title: string): boolean {
  if ((heading.name !== 'h1' && heading.name !== 'h2') || heading.chars === 0 || heading.chars > CHARS_MAX) return false
  const text = collapse(rawText(heading)).toLowerCase()
  const wanted = title.toLowerCase()
  if (text === wanted) return true
  return (
    heading.name === 'h1' && (startsWithWords(wanted, text) || startsWithWords(text, wanted) || isAlike(text, wanted))
  )
}

/** `whole` is `part`, a separator, and more. */
function startsWithWords(whole: string, part: string): boolean {
  return part.length >= 4 && whole.startsWith(part) && !/[\p{L}\p{N}]/u.test(whole[part.length] ?? '')
}

function isAlike(one: string, other: string): boolean {
  const words = new Set(one.match(WORDS) ?? [])
  const others = new Set(other.match(WORDS) ?? [])
  if (words.size < 3 || others.size < 3) return false
  const shared = [...words].filter((word) => others.has(word)).length
  return shared >= SHARED_SHARE * words.size && shared >= SHARED_SHARE * others.size
}

/** Blocks of one kind, each with a link and a few words, from which they are a list of other pages. */
const ITEMS_MIN = 3
const ITEM_CHARS_MAX = 400
/** Linked letters of one, which make a headline. */
const HEADLINE_CHARS_MIN = 15
/** Share of an element that its items hold, and share of links in them. */
const ITEMS_SHARE = 0.8
const LINK_SHARE_MIN = 0.2

/** Whether an element is a list of other pages: blocks alike, each with a linked headline or picture and perhaps a summary. */
function isTeaserList(node: ElementNode): boolean {
  if (node.linkChars < LINK_SHARE_MIN * node.chars || node.children.length < ITEMS_MIN || node.name === 'ol')
    return false
  let items = 0
  let chars = 0
  for (const child of node.children) {
    if (typeof child === 'string' || !isTeaser(child)) continue
    items += 1
    chars += child.chars
  }
  return items >= ITEMS_MIN && chars >= ITEMS_SHARE * node.chars
}

function isTeaser({ bits, name, linkChars, chars, hasBlock }: ElementNode): boolean {
  if (linkChars < HEADLINE_CHARS_MIN || chars > ITEM_CHARS_MAX || (bits & TAG.heading) !== 0) return false
  return hasBlock && (name === 'div' || name === 'li' || name === 'article' || name === 'section' || name === 'a')
}

/** Letters and paragraphs from which scattered text with links is a stream of other pages, and the shares of both in it. */
const STREAM_CHARS_MIN = 300
/** Share of its running text that an article has in one place. */
const ARTICLE_DENSE_SHARE_MIN = 0.25
const STREAM_PARAGRAPHS_MIN = 3
const STREAM_PROSE_SHARE_MIN = 0.25
const STREAM_LINK_SHARE_MIN = 0.12

/** Whether the running text of an element is scattered over items with links, while that of the article is not. */
function isStream(node: ElementNode, article: ElementNode): boolean {
  if (node.dense > 0.1 * node.prose || node.chars < STREAM_CHARS_MIN || article.dense < STREAM_CHARS_MIN) return false
  if (article.dense < ARTICLE_DENSE_SHARE_MIN * article.prose) return false
  if (node.paragraphs < STREAM_PARAGRAPHS_MIN || (node.bits & TAG.scope) !== 0) return false
  return node.prose >= STREAM_PROSE_SHARE_MIN * node.chars && node.linkChars >= STREAM_LINK_SHARE_MIN * node.chars
}
