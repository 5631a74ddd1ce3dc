import { parseMediaType } from '../lib/content-type.ts'
import { byteSize } from '../lib/text.ts'
import { csvMarkdown } from './read-csv.ts'
import { decodeBytes } from './decode.ts'
import { NO_METADATA, type PageKind, type PageSource, type ReadPage, pageKind, type PageMetadata } from './page.ts'
import { readXml } from './read-feed.ts'
import { createResolve, type Resolve } from './addresses.ts'
import { buildTree } from './build-tree.ts'
import { CONFIDENCE_MIN, findContent, PROSE_CHARS_MIN, pruneAround, pruneHidden, showFolded } from './content.ts'
import type { PageHead } from './head.ts'
import { markdownOf } from './markdown.ts'
import { readMetadata } from './metadata.ts'
import { createModel, keepLearned, type Model } from './learned.ts'
import { TABLE } from './model/table.ts'
import { plainText } from './plain-text.ts'
import { isListing, isThread } from './listing.ts'
import { readStandfirst, withStandfirst } from './standfirst.ts'
import { withProduct } from './product-facts.ts'
import { showBylines, showWriters } from './writers.ts'
import { type PageType, pageTypeOf } from './page-type.ts'

/** Servers send JSON as these too. */
const MAY_BE_JSON: ReadonlySet<string> = new Set(['text/html', 'text/plain'])

/**
 * Read what a server sent as text: HTML as the Markdown of its article, JSON with indents, feeds and sitemaps as lists, CSV as a table, other text as
 * it is, anything else as a line with its type and size. Never throws; linear in the size of the body.
 */
export function readPage(source: PageSource): ReadPage {
  const { kind, mediaType } = pageKind(parseMediaType(source.contentType).type, source.bytes)
  if (kind === 'binary')
    return plain(kind, mediaType, `[${mediaType}, ${byteSize(source.size ?? source.bytes.byteLength)}]`)
  const text = decodeBytes(source.bytes, source.contentType)
  const json = kind === 'json' || MAY_BE_JSON.has(mediaType) ? prettyJson(text) : null
  if (json !== null) return plain('json', kind === 'json' ? mediaType : 'application/json', json)
  if (kind === 'html') return { kind, mediaType, ...readHtml(text, source.url) }
  if (kind === 'xml') return withText({ mediaType, confidence: 1, ...readXml(text, source.url) })
  if (kind === 'csv') return readCsv(text, mediaType)
  return plain(kind === 'json' ? 'text' : kind, mediaType, text)
}

function readCsv(text: string, mediaType: string): ReadPage {
  const table = csvMarkdown(text.replace(/\r\n?/g, '\n'))
  return table === null ? plain('text', mediaType, text) : { ...plain('csv', mediaType, table), text: text.trim() }
}

function plain(kind: PageKind, mediaType: string, text: string): ReadPage {
  return withText({ ...NO_METADATA, kind, mediaType, confidence: 1, markdown: text.replace(/\r\n?/g, '\n').trim() })
}

function withText(page: Omit<ReadPage, 'text'>): ReadPage {
  return { ...page, text: page.markdown }
}

export interface ReadHtml extends PageMetadata {
  markdown: string
  text: string
  confidence: number
  type: PageType
}

let shipped: Model | undefined

/** What was learned is unpacked when a page is read for the first time. */
function shippedModel(): Model {
  shipped ??= createModel(TABLE)
  return shipped
}

/** Read an HTML document that was found at `url`: its article, or all of it when no part stands out. */
export function readHtml(html: string, url: string, model: Model = shippedModel()): ReadHtml {
  const tree = buildTree(html)
  const resolve = createResolve(url, tree.head.base)
  const { articleBody, product, titleInHead, heading, types, innerTypes, texts, ...metadata } = readMetadata(
    tree,
    resolve,
    url,
  )
  const content = findContent(tree, titleInHead)
  const { node, confidence } = content
  const type = pageTypeOf({
    tree,
    html,
    url,
    types,
    isListing: () => isListing(tree.root, tree.hasComments),
    isThread: () => content.isListing && isThread(tree.root, tree.hasComments),
    isSure: confidence >= CONFIDENCE_MIN,
    isByline: metadata.byline !== null,
    isDated: metadata.publishedTime !== null,
  })
  const isOfThread = type.name === 'forum'
  const isLive = types.includes('LiveBlogPosting')
  const address = metadata.canonicalUrl ?? url
  const about = { title: metadata.title, address, types: innerTypes, texts, isThread: isOfThread, isLive }
  const sought = { signs: tree.signs, type: type.name, byline: metadata.byline }
  const standfirst = heading === null ? null : readStandfirst(heading, sought, resolve)
  const kept = keepLearned(tree, content, model, about)
  if (kept === null && node === tree.root && !content.isListing) pruneAround(tree)
  if (kept === null) showFolded(node, tree.signs)
  const read = kept === null ? node : tree.root
  const illustrations = kept?.illustrations ?? []
  for (const element of illustrations) element.skipped = true
  const text = plainText(read)
  for (const element of illustrations) element.skipped = false
  const body = articleBody ?? ''
  if (confidence < CONFIDENCE_MIN && body.length >= Math.max(PROSE_CHARS_MIN, BODY_SHARE_MIN * text.length)) {
    const told: PageType = type.name === 'shell' ? { name: 'article', sure: CONFIDENCE_MIN } : type
    return { ...metadata, ...readBody(body, resolve), confidence: CONFIDENCE_MIN, type: told }
  }
  if (isOfThread || isLive) {
    if (kept !== null) showWriters(kept)
    else showBylines(read)
  }
  const markdown = withStandfirst(markdownOf(read, resolve), standfirst, text) || leadsTo(tree.head, resolve)
  if (product === null || !OF_PRODUCTS.has(type.name)) return { ...metadata, markdown, text, confidence, type }
  const isTold = type.name === 'shell' && product.description.length >= PROSE_CHARS_MIN
  const told: PageType = isTold ? { name: 'product', sure: CONFIDENCE_MIN } : type
  return { ...metadata, markdown: withProduct(markdown, product, text), text, confidence, type: told }
}

/** The address that an empty page leads on to, or those of its frames, as links. */
function leadsTo({ meta, frames }: PageHead, resolve: Resolve): string {
  const next = /^[\d.\s]*[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec(meta.get('refresh') ?? '')?.[1]
  const addresses = [next, ...frames].map(resolve).filter((address) => address !== null)
  return addresses.map((address) => `[${address}](${address})`).join('\n\n')
}

/** Kinds of pages that may be about one product; what reviews one is not. */
const OF_PRODUCTS: ReadonlySet<PageType['name']> = new Set(['product', 'collection', 'shell'])

/** What machines are told is read where the page itself says little more: in a thread it is the first post alone. */
const BODY_SHARE_MIN = 0.8

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

const INDENT_LEVELS_MAX = 20
/** In a longer text lines are not indented: that would take many times its room. */
const INDENTED_CHARS_MAX = 1_000_000
/** Tokens that are joined at once, so that no list of all of them is held. */
const TOKENS_PER_PIECE = 4_096
/** What ends a number or a word. */
const END = /[\s[\]{},:"]/g

/** JSON with an element or a bracket on each line and indents, every number and string as it was written; null when it is no object or list. */
export function prettyJson(text: string): string | null {
  if (!isJson(text)) return null
  const indents = indentsFor(text)
  let pretty = ''
  let piece: string[] = []
  let depth = 0
  /** A bracket was opened just now: what follows is on a line of its own unless it closes it. */
  let isFirst = false
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at)
    const token = text.slice(at, end)
    at = end
    if (WHITE.has(token)) continue
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth -= 1
    if (isFirst !== isClosing) piece.push(lineAt(depth, indents))
    isFirst = token === '{' || token === '['
    if (isFirst) depth += 1
    piece.push(token === ':' ? ': ' : token)
    if (token === ',') piece.push(lineAt(depth, indents))
    if (piece.length < TOKENS_PER_PIECE) continue
    pretty += piece.join('')
    piece = []
  }
  return (pretty + piece.join('')).trimStart()
}

const WHITE: ReadonlySet<string> = new Set([' ', '\n', '\r', '\t'])

/** The position behind the string, number, word, sign or white space that begins at `start` in a text that is JSON. */
function tokenEnd(text: string, start: number): number {
  const first = text[start] ?? ''
  if (first === '"') return stringEnd(text, start)
  if (!/[\w+-]/.test(first)) return start + 1
  END.lastIndex = start
  return END.exec(text)?.index ?? text.length
}

/** The position behind the quote that ends the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    let before = at - 1
    while (text[before] === '\\') before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The line break and indent of each depth; deeper ones have the last. */
function indentsFor(text: string): readonly string[] {
  const levels = text.length > INDENTED_CHARS_MAX ? 1 : INDENT_LEVELS_MAX + 1
  return Array.from({ length: levels }, (_, depth) => `\n${'  '.repeat(depth)}`)
}

function lineAt(depth: number, indents: readonly string[]): string {
  return indents[Math.min(depth, indents.length - 1)] ?? '\n'
}
