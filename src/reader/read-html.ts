import { createResolve, type Resolve } from './addresses.ts'
import { buildTree } from './build-tree.ts'
import { CONFIDENCE_MIN, findContent, PROSE_CHARS_MIN, pruneHidden } from './content.ts'
import { markdownOf } from './markdown.ts'
import { readMetadata } from './metadata.ts'
import type { PageMetadata } from './page.ts'
import { plainText } from './plain-text.ts'

export interface ReadHtml extends PageMetadata {
  markdown: string
  text: string
  confidence: number
}

/** Read an HTML document that was found at `url`: its article, or all of it when no part stands out. */
export function readHtml(html: string, url: string): ReadHtml {
  const tree = buildTree(html)
  const resolve = createResolve(url, tree.head.base)
  const { articleBody, ...metadata } = readMetadata(tree, resolve)
  const { node, confidence } = findContent(tree, metadata.title)
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
  const { root, signs } = buildTree(body)
  pruneHidden(root, signs)
  return { markdown: markdownOf(root, resolve), text: plainText(root) }
}
