import type { Resolve } from './addresses.ts'
import type { HeadItem, Telling, Tree } from './build-tree.ts'
import { readJsonLd } from './json-ld.ts'
import { attribute, collapse, type ElementNode, rawText } from './node.ts'
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
export function readMetadata({ head, telling }: Tree, resolve: Resolve): PageMetadata {
  const meta = metaValues(head)
  const fromMeta = (names: readonly string[]) =>
    names.map((name) => meta.get(name)).find((value) => value !== undefined)
  const said = fromJsonLd(head)
  const seen = readElements(telling)
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

/** Of the first block that speaks of the page. */
function fromJsonLd(head: readonly HeadItem[]): PageMetadata {
  for (const item of head) {
    const said = item.name === 'json-ld' ? readJsonLd(item.text) : NO_METADATA
    if (said !== NO_METADATA) return said
  }
  return NO_METADATA
}

const NAMING = ['property', 'name', 'itemprop', 'http-equiv'] as const

function metaValues(head: readonly HeadItem[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { name, attributes } of head) {
    const content = name === 'meta' ? (attribute(attributes, 'content')?.trim() ?? '') : ''
    if (content === '') continue
    for (const naming of NAMING) {
      const names = attribute(attributes, naming)?.toLowerCase()
      if (names === undefined) continue
      for (const key of names.includes(' ') ? names.split(/\s+/) : [names])
        if (!values.has(key)) values.set(key, content)
    }
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
  for (const item of head) {
    const language = item.name === 'html' ? attribute(item.attributes, 'lang') : undefined
    if (language !== undefined) return language
  }
  return undefined
}

function canonical(head: readonly HeadItem[], resolve: Resolve): string | null {
  const link = head.find(
    (item) => item.name === 'link' && attribute(item.attributes, 'rel')?.toLowerCase() === 'canonical',
  )
  return link === undefined ? null : resolve(attribute(link.attributes, 'href'))
}

interface Seen {
  heading: string | null
  byline: string | null
  time: string | null
}

/** The first heading of the page, the first author named by markup, the first time. */
function readElements({ heading, byline, time }: Telling): Seen {
  return {
    heading: heading && shortText(heading, CHARS_MAX),
    byline: byline && shortText(byline, BYLINE_CHARS_MAX),
    time: time && (attribute(time.attributes, 'datetime') ?? shortText(time, BYLINE_CHARS_MAX)),
  }
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
