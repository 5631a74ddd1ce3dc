import { proseWeight } from './amounts.ts'
import { attribute, type ElementNode } from './node.ts'
import { SIGN } from './signs.ts'
import { TAG } from './tags.ts'

/** Share of its running text that an article has in one place, at least. */
const DENSE_SHARE_MIN = 0.2
/** Share of links from which scattered text is a list of other pages. */
const LINK_SHARE_MIN = 0.18
const PARAGRAPHS_MIN = 4
/** Contributions that make a thread, and the share of the running text that they hold. */
const POSTS_MIN = 3
const POSTS_SHARE_MIN = 0.6
/** Share of the running text of an element that a child needs to be looked into. */
const DESCENT_SHARE = 0.6
const POST = /(?:^|[\s_-])(?:posts?|post(?:bit|body|container|row)|answers?|repl(?:y|ies)|message|msg)(?:$|[\s_-])/i

/** Running text beside comments from which they are written below an article, and not what the page is about. */
const ARTICLE_PROSE_MIN = 250

/** Whether the running text of an element is scattered over items: teasers with links, or what several people wrote. `hasComments`: of its page. */
export function isListing(node: ElementNode, hasComments: boolean): boolean {
  return isTeasers(node) || holdsThread(node) || (hasComments && isDiscussion(node))
}

function isTeasers({ dense, prose, linkChars, chars, paragraphs }: ElementNode): boolean {
  return paragraphs >= PARAGRAPHS_MIN && dense < DENSE_SHARE_MIN * prose && linkChars >= LINK_SHARE_MIN * chars
}

function isDiscussion(node: ElementNode): boolean {
  const { comments, weighted } = commentsIn(node)
  return comments >= ARTICLE_PROSE_MIN && node.prose - weighted < ARTICLE_PROSE_MIN
}

/** Running text of the comments in an element, and what of it the element counts as its own. */
function commentsIn(node: ElementNode): { comments: number; weighted: number } {
  const sum = { comments: 0, weighted: 0 }
  const visit = (within: ElementNode, weight: number): void => {
    for (const child of within.children) {
      if (typeof child === 'string' || child.prose === 0) continue
      const childWeight = weight * proseWeight(child)
      if ((child.signs & SIGN.comments) === 0) visit(child, childWeight)
      else {
        sum.comments += child.prose
        sum.weighted += childWeight * child.prose
      }
    }
  }
  visit(node, 1)
  return sum
}

/** Whether what several people wrote is most of the running text of an element, and no list of other pages. `hasComments`: of its page. */
export function isThread(node: ElementNode, hasComments: boolean): boolean {
  return (!isTeasers(node) && holdsThread(node)) || (hasComments && isDiscussion(node))
}

function holdsThread(node: ElementNode): boolean {
  for (let within: ElementNode | null = node; within !== null; within = largestChild(within)) {
    if (holdsPosts(within)) return true
  }
  return false
}

function holdsPosts(node: ElementNode): boolean {
  let posts = 0
  let prose = 0
  for (const child of node.children) {
    if (typeof child === 'string' || !isPost(child)) continue
    posts += 1
    prose += child.prose
  }
  return posts >= POSTS_MIN && prose >= POSTS_SHARE_MIN * node.prose
}

/** A contribution names who wrote it, nearly always with a link. */
function isPost({ bits, prose, linkChars, attributes }: ElementNode): boolean {
  const isMade = (bits & TAG.block) !== 0 && prose > 0 && linkChars > 0
  return isMade && POST.test(`${attribute(attributes, 'class') ?? ''} ${attribute(attributes, 'id') ?? ''}`)
}

function largestChild(node: ElementNode): ElementNode | null {
  for (const child of node.children) {
    if (typeof child !== 'string' && proseWeight(child) * child.prose >= DESCENT_SHARE * node.prose) return child
  }
  return null
}
