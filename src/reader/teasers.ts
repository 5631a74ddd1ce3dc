import type { ElementNode } from './node.ts'
import { TAG } from './tags.ts'

/** Blocks of one kind, each with a link and a few words, from which they are a list of other pages. */
const ITEMS_MIN = 3
const ITEM_CHARS_MAX = 400
/** Linked letters of one, which make a headline. */
const HEADLINE_CHARS_MIN = 15
/** Share of an element that its items hold, and share of links in them. */
const ITEMS_SHARE = 0.8
const LINK_SHARE_MIN = 0.2

/** Whether an element is a list of other pages: blocks alike, each with a linked headline or picture and perhaps a summary. */
export function isTeaserList(node: ElementNode): boolean {
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
export function isStream(node: ElementNode, article: ElementNode): boolean {
  if (node.dense > 0.1 * node.prose || node.chars < STREAM_CHARS_MIN || article.dense < STREAM_CHARS_MIN) return false
  if (article.dense < ARTICLE_DENSE_SHARE_MIN * article.prose) return false
  if (node.paragraphs < STREAM_PARAGRAPHS_MIN || (node.bits & TAG.scope) !== 0) return false
  return node.prose >= STREAM_PROSE_SHARE_MIN * node.chars && node.linkChars >= STREAM_LINK_SHARE_MIN * node.chars
}
