import type { Resolve } from './addresses.ts'
import type { Tree } from './build-tree.ts'
import type { PageHead, Telling } from './head.ts'
import { attribute, collapse, type ElementNode, rawText } from './node.ts'
import { type PageMetadata, NO_METADATA } from './page.ts'
import { isObject } from '../lib/json.ts'

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

const JSON_LD_CHARS_MAX = 512 * 1_024
/** Objects that are looked at in one block, whatever it holds. */
const OBJECTS_MAX = 200

const WORKS = /Article|BlogPosting|Posting|Report|WebPage|Recipe|Product|Book|Movie|QAPage|HowTo|Review|VideoObject$/i

/** Metadata, and the article itself where a page tells it to machines. */
interface LinkedData extends PageMetadata {
  articleBody: string | null
}

const NO_LINKED_DATA: LinkedData = { ...NO_METADATA, articleBody: null }

type Json = Record<string, unknown>

/** What a page says of itself in JSON-LD; nothing where it is broken or too long. `title` as `<title>` has it. */
function readJsonLd(text: string, title: string): LinkedData {
  if (text.length > JSON_LD_CHARS_MAX) return NO_LINKED_DATA
  const objects = objectsIn(parse(text))
  const work =
    objects.find((object) => isWork(object, /Article|Posting|Report/i)) ?? objects.find((o) => isWork(o, WORKS))
  if (work === undefined) return NO_LINKED_DATA
  return {
    title: titleOf(work, title),
    byline: nameOf(work['author']),
    publishedTime: stringOf(work['datePublished']),
    language: stringOf(work['inLanguage']),
    site: nameOf(work['publisher']),
    canonicalUrl: null,
    articleBody: stringOf(work['articleBody']) ?? stringOf(work['text']),
  }
}

/** The headline, or the name where that alone is in the page's title: a headline may be a description. */
function titleOf(work: Json, title: string): string | null {
  const headline = stringOf(work['headline'])
  const name = stringOf(work['name'])
  const isNamed = name !== null && headline !== null && title.includes(name) && !title.includes(headline)
  return isNamed ? name : (headline ?? name)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^<!(?:\[CDATA\[|--)|(?:\]\]|--)>$/gi, ''))
  } catch {
    return null
  }
}

/** The object, those of an array, and those of `@graph`. */
function objectsIn(value: unknown): Json[] {
  const found: Json[] = []
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && found.length < OBJECTS_MAX) {
    const next = waiting.shift()
    if (Array.isArray(next)) waiting.push(...next.slice(0, OBJECTS_MAX))
    else if (isObject(next)) {
      found.push(next)
      if (Array.isArray(next['@graph'])) waiting.push(next['@graph'])
    }
  }
  return found
}

function isWork(object: Json, kinds: RegExp): boolean {
  const type = object['@type']
  return (Array.isArray(type) ? type : [type]).some((kind) => typeof kind === 'string' && kinds.test(kind))
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The name of a person or organisation, or the names of several. */
function nameOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const names = value.slice(0, 10).map(nameOf)
    return names.filter((name) => name !== null).join(', ') || null
  }
  return isObject(value) ? stringOf(value['name']) : stringOf(value)
}
