import { createResolve, type Resolve } from './addresses.ts'
import { buildTree, type Tree } from './build-tree.ts'
import { chooseContent } from './choose-content.ts'
import { markdownOf } from './markdown.ts'
import { readMetadata } from './metadata.ts'
import { attribute, type ElementNode } from './node.ts'
import type { PageMetadata } from './page.ts'
import { plainText } from './plain-text.ts'
import { pruneArticle, pruneHidden } from './prune.ts'

/** Running text below this (letters, CJK counted twice) is too little to tell an article by. */
const PROSE_CHARS_MIN = 250
/** Share of the page's letters from which a text without much prose still is the article. */
const CONFIDENCE_MIN = 0.5

export interface ReadHtml extends PageMetadata {
  markdown: string
  text: string
  confidence: number
}

/** Read an HTML document that was found at `url`: its article, or all of it when no part stands out. */
export function readHtml(html: string, url: string): ReadHtml {
  const tree = buildTree(html)
  const resolve = resolveOf(tree, url)
  const { articleBody, ...metadata } = readMetadata(tree, resolve)
  const { node, confidence } = contentOf(tree, metadata.title)
  if (confidence < CONFIDENCE_MIN && (articleBody?.length ?? 0) >= PROSE_CHARS_MIN) {
    return { ...metadata, ...readBody(articleBody ?? '', resolve), confidence: CONFIDENCE_MIN }
  }
  return { ...metadata, markdown: markdownOf(node, resolve), text: plainText(node), confidence }
}

/** An article that only machines are told: text with line breaks, or HTML. */
function readBody(body: string, resolve: Resolve): { markdown: string; text: string } {
  if (!/<\/?[a-z]/i.test(body)) {
    const text = body.replace(/\r\n?/g, '\n').trim()
    return { markdown: text.replace(/\n+/g, '\n\n'), text }
  }
  const { root } = buildTree(body)
  pruneHidden(root)
  return { markdown: markdownOf(root, resolve), text: plainText(root) }
}

function resolveOf(tree: Tree, url: string): Resolve {
  for (const { name, attributes } of tree.head) {
    const base = name === 'base' ? attribute(attributes, 'href') : undefined
    if (base !== undefined) return createResolve(url, base)
  }
  return createResolve(url, undefined)
}

/** The element to read, with what does not belong to it left out. */
function contentOf({ root, signs }: Tree, title: string | null): { node: ElementNode; confidence: number } {
  const { node, share, proseChars } = chooseContent(root)
  const confidence = Math.min(share, proseChars / PROSE_CHARS_MIN, 1)
  if (confidence < CONFIDENCE_MIN) {
    pruneHidden(root)
    return { node: root, confidence }
  }
  pruneArticle({ node, title, signs })
  return { node, confidence }
}
