import type { Resolve } from './addresses.ts'
import type { HeadItem, Telling, Tree } from './build-tree.ts'
import { type LinkedData, NO_LINKED_DATA, readJsonLd } from './json-ld.ts'
import { attribute, collapse, type ElementNode, rawText } from './node.ts'
import type { PageMetadata } from './page.ts'

const CHARS_MAX = 500
const BYLINE_CHARS_MAX = 100
const TITLE_CHARS_MAX = 2_000

/** `<meta>` names (or properties) by what they tell, the most reliable first. */
const META_NAMES = {
  title: [
    'og:title',
    'dc.title',
    'dcterm.title',
    'dcterms.title',
    'parsely-title',
    'twitter:title',
    'weibo:article:title',
  ],
  byline: ['author', 'dc.creator', 'dcterm.creator', 'dcterms.creator', 'parsely-author', 'article:author_name', 'byl'],
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
export function readMetadata(
  { head, telling }: Tree,
  resolve: Resolve,
): PageMetadata & Pick<LinkedData, 'articleBody'> {
  const meta = metaValues(head)
  const fromMeta = (names: readonly string[]) =>
    names.map((name) => meta.get(name)).find((value) => value !== undefined)
  const said = fromJsonLd(head, titleText(head))
  const seen = readElements(telling)
  const site = fromMeta(META_NAMES.site) ?? said.site
  const named = fromMeta(META_NAMES.title) ?? said.title
  const title = named ?? (withoutLastPart(titleText(head)) || seen.heading)
  const byline = said.byline ?? fromMeta(META_NAMES.byline) ?? seen.byline
  return {
    title: clean(withoutSite(title, seen.heading, site)),
    byline: cleanByline(isAddress(byline) ? seen.byline : byline),
    publishedTime: clean(said.publishedTime ?? fromMeta(META_NAMES.publishedTime) ?? seen.time),
    language: clean(htmlLanguage(head) ?? said.language ?? fromMeta(META_NAMES.language)?.replace('_', '-')),
    site: clean(site),
    articleBody: said.articleBody,
    canonicalUrl: canonical(head, resolve) ?? resolve(fromMeta(META_NAMES.canonicalUrl)),
  }
}

/** Of the first block that speaks of the page. */
function fromJsonLd(head: readonly HeadItem[], title: string): LinkedData {
  for (const item of head) {
    const said = item.name === 'json-ld' ? readJsonLd(item.text, title) : NO_LINKED_DATA
    if (said !== NO_LINKED_DATA) return said
  }
  return NO_LINKED_DATA
}

/** What stands before the last separator of a title, and what behind it. */
const LAST_PART = /^(.+)\s+[|–—·»-]\s+([^|–—·»]{1,60})$/
const NAMING = ['property', 'name', 'itemprop', 'http-equiv'] as const

function metaValues(head: readonly HeadItem[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { name, attributes } of head) {
    const content = name === 'meta' ? (attribute(attributes, 'content')?.trim() ?? '') : ''
    if (content === '') continue
    for (const naming of NAMING) {
      const names = attribute(attributes, naming)?.toLowerCase()
      if (names === undefined) continue
      for (const key of names.includes(' ') ? names.split(/\s+/) : [names]) addValue(values, key, content)
    }
  }
  return values
}

/** Some write `dc:title`, most `dc.title`; the first value of a name counts. */
function addValue(values: Map<string, string>, name: string, content: string): void {
  const key = name.startsWith('dc') ? name.replace(':', '.') : name
  if (!values.has(key)) values.set(key, content)
}

/** The text of `<title>`. */
function titleText(head: readonly HeadItem[]): string {
  return collapse(head.find((item) => item.name === 'title')?.text.slice(0, TITLE_CHARS_MAX) ?? '')
}

/** A title without the site's name behind it: that which is known, or what follows the page's heading. */
function withoutSite(title: string | null, heading: string | null, site: string | null): string | null {
  const parts = title === null ? null : LAST_PART.exec(title)
  if (title === null || parts === null) return title
  const [, bare = '', last = ''] = parts
  const isHeading = heading !== null && heading.length >= 4 && title.startsWith(heading) && bare.startsWith(heading)
  if (isHeading) return heading
  return site !== null && last.toLowerCase() === site.toLowerCase() ? bare : title
}

/** A `<title>` ends in the name of its site, if what follows its last separator is short beside the rest. */
function withoutLastPart(title: string): string {
  const [, bare = '', last = ''] = LAST_PART.exec(title) ?? []
  return bare.split(' ').length >= 4 && last.split(' ').length <= 2 ? bare : title
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

/** A name without the word before it and the marks around it. */
function cleanByline(text: string | null | undefined): string | null {
  return clean(text?.replace(/^\s*by:?\s+/i, '').replace(/^[\s—–|·,-]+|[\s—–|·,-]+$/g, ''))
}

function clean(text: string | null | undefined): string | null {
  const short = collapse((text ?? '').slice(0, CHARS_MAX))
  return short === '' ? null : short
}
