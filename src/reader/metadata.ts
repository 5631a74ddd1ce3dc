import type { Resolve } from './addresses.ts'
import type { Tree } from './build-tree.ts'
import type { PageHead, Telling } from './head.ts'
import { type LinkedData, NO_LINKED_DATA, readJsonLd } from './json-ld.ts'
import { attribute, collapse, type ElementNode, rawText } from './node.ts'
import type { PageMetadata } from './page.ts'

const CHARS_MAX = 500
const BYLINE_CHARS_MAX = 100
const TITLE_CHARS_MAX = 2_000

/** What a page tells of itself: JSON-LD and `<meta>` first, then what its elements mean, then its title. */
export function readMetadata(
  { head, telling }: Tree,
  resolve: Resolve,
): PageMetadata & Pick<LinkedData, 'articleBody'> {
  const { meta } = head
  const titled = clean(head.title?.slice(0, TITLE_CHARS_MAX)) ?? ''
  const said = fromJsonLd(head, titled)
  const seen = readElements(telling)
  const site = meta.get('site') ?? said.site
  const title = meta.get('title') ?? said.title ?? (withoutLastPart(titled) || seen.heading)
  const byline = said.byline ?? meta.get('byline') ?? seen.byline
  return {
    title: clean(withoutSite(title, seen.heading, site)),
    byline: cleanByline(isAddress(byline) ? seen.byline : byline),
    publishedTime: clean(said.publishedTime ?? meta.get('publishedTime') ?? seen.time),
    language: clean(head.language ?? said.language ?? meta.get('language')?.replace('_', '-')),
    site: clean(site),
    articleBody: said.articleBody,
    canonicalUrl: resolve(head.canonical) ?? resolve(meta.get('canonicalUrl')),
  }
}

/** Of the first block that speaks of the page. */
function fromJsonLd({ jsonLd }: PageHead, title: string): LinkedData {
  for (const text of jsonLd) {
    const said = readJsonLd(text, title)
    if (said !== NO_LINKED_DATA) return said
  }
  return NO_LINKED_DATA
}

/** What stands before the last separator of a title, and what behind it. */
const LAST_PART = /^(.+)\s+[|–—·»-]\s+([^|–—·»]{1,60})$/

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
  return text === null || text === undefined
    ? null
    : clean(text.replace(/^\s*by:?\s+/i, '').replace(/^[\s—–|·,-]+|[\s—–|·,-]+$/g, ''))
}

function clean(text: string | null | undefined): string | null {
  return (text && collapse(text.slice(0, CHARS_MAX))) || null
}
