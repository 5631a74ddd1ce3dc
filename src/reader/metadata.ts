import type { Resolve } from './addresses.ts'
import type { HeadItem } from './build-tree.ts'
import { readJsonLd } from './json-ld.ts'
import { collapse, type ElementNode, rawText } from './node.ts'
import { NO_METADATA, type PageMetadata } from './page.ts'

const CHARS_MAX = 500
const BYLINE_CHARS_MAX = 100

/** `<meta>` names (or properties) by what they tell, the most reliable first. */
const META_NAMES = {
  title: ['og:title', 'dc.title', 'dcterms.title', 'parsely-title', 'twitter:title', 'weibo:article:title'],
  byline: ['author', 'dc.creator', 'dcterms.creator', 'parsely-author', 'article:author_name', 'byl'],
  publishedTime: [
    'article:published_time',
    'datepublished',
    'pubdate',
    'parsely-pub-date',
    'dc.date',
    'dcterms.created',
    'date',
  ],
  language: ['og:locale', 'content-language', 'dc.language'],
  site: ['og:site_name', 'application-name'],
  canonicalUrl: ['og:url'],
} as const

/** What a page tells of itself: JSON-LD and `<meta>` first, then what its elements mean, then its title. */
export function readMetadata(head: readonly HeadItem[], root: ElementNode, resolve: Resolve): PageMetadata {
  const meta = metaValues(head)
  const fromMeta = (names: readonly string[]) =>
    names.map((name) => meta.get(name)).find((value) => value !== undefined)
  const ld = head.find((item) => item.name === 'json-ld' && readJsonLd(item.text) !== NO_METADATA)
  const said = ld === undefined ? NO_METADATA : readJsonLd(ld.text)
  const seen = readElements(root)
  const byline = said.byline ?? fromMeta(META_NAMES.byline) ?? seen.byline
  return {
    title: clean(fromMeta(META_NAMES.title) ?? said.title ?? pageTitle(head, seen.heading) ?? seen.heading),
    byline: isAddress(byline) ? seen.byline : clean(byline),
    publishedTime: clean(said.publishedTime ?? fromMeta(META_NAMES.publishedTime) ?? seen.time),
    language: clean(htmlLanguage(head) ?? said.language ?? fromMeta(META_NAMES.language)?.replace('_', '-')),
    site: clean(fromMeta(META_NAMES.site) ?? said.site),
    canonicalUrl: canonical(head, resolve) ?? resolve(fromMeta(META_NAMES.canonicalUrl)),
  }
}

function metaValues(head: readonly HeadItem[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { name, attributes } of head) {
    const content = attributes['content']?.trim() ?? ''
    if (name !== 'meta' || content === '') continue
    const names = `${attributes['property'] ?? ''} ${attributes['name'] ?? ''} ${attributes['itemprop'] ?? ''} ${attributes['http-equiv'] ?? ''}`
    for (const key of names.toLowerCase().split(/\s+/)) if (!values.has(key)) values.set(key, content)
  }
  return values
}

/** The `<title>` without the site's name behind a separator, when the page's heading shows that it is one. */
function pageTitle(head: readonly HeadItem[], heading: string | null): string | null {
  const title = collapse(head.find((item) => item.name === 'title')?.text ?? '')
  if (title === '') return null
  const hasHeading = heading !== null && heading.length >= 4 && heading.length < title.length && title.includes(heading)
  return hasHeading ? heading : title
}

function htmlLanguage(head: readonly HeadItem[]): string | undefined {
  return head.find((item) => item.name === 'html' && item.attributes['lang'] !== undefined)?.attributes['lang']
}

function canonical(head: readonly HeadItem[], resolve: Resolve): string | null {
  const link = head.find((item) => item.name === 'link' && item.attributes['rel']?.toLowerCase() === 'canonical')
  return resolve(link?.attributes['href'])
}

interface Seen {
  heading: string | null
  byline: string | null
  time: string | null
}

/** The first heading of the page, the first author named by markup, the first time. */
function readElements(root: ElementNode): Seen {
  const seen: Seen = { heading: null, byline: null, time: null }
  const visit = (node: ElementNode): void => {
    const { attributes, name } = node
    if (name === 'h1') seen.heading ??= shortText(node, CHARS_MAX)
    if (isAuthor(node)) seen.byline ??= shortText(node, BYLINE_CHARS_MAX)
    if (name === 'time') seen.time ??= attributes['datetime'] ?? shortText(node, BYLINE_CHARS_MAX)
    for (const child of node.children) if (typeof child !== 'string') visit(child)
  }
  visit(root)
  return seen
}

function isAuthor({ attributes }: ElementNode): boolean {
  if (attributes['rel'] === 'author' || attributes['itemprop']?.includes('author') === true) return true
  return /\b(?:byline|author)\b/i.test(attributes['class'] ?? '')
}

/** The text of a small element; null when it is empty or not small. */
function shortText(node: ElementNode, charsMax: number): string | null {
  if (node.chars === 0 || node.chars > charsMax * 2) return null
  const text = collapse(rawText(node))
  return text.length <= charsMax ? text : null
}

function isAddress(text: string | null | undefined): boolean {
  return /^https?:/.test(text ?? '')
}

function clean(text: string | null | undefined): string | null {
  const short = collapse((text ?? '').slice(0, CHARS_MAX))
  return short === '' ? null : short
}
