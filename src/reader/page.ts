import { decodeBytes } from './decode.ts'
import type { PageType } from './page-type.ts'

const TEXT_KINDS = ['html', 'json', 'text', 'markdown', 'csv', 'xml', 'feed', 'sitemap'] as const
export const PAGE_KINDS = [...TEXT_KINDS, 'pdf', 'docx', 'xlsx', 'pptx', 'epub', 'binary'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

/** What a server sent. `bytes` without transfer or content encoding; `contentType` as in the header. */
export interface PageSource {
  bytes: Uint8Array
  contentType: string | null
  url: string
  /** Of all of it in bytes, where only its beginning was read. */
  size?: number | null
}

/** What is known of a page beside its text. Addresses are absolute; times of HTML pages are ISO 8601, those of feeds as they are written. */
export interface PageMetadata {
  title: string | null
  byline: string | null
  publishedTime: string | null
  language: string | null
  site: string | null
  canonicalUrl: string | null
}

/** A page as text. `text` is its content without markup; `markdown` also has who wrote the posts of a thread and when, what machines are told of a product, and code and captions between texts. `confidence` 0–1: how sure it is that boilerplate is out and the rest in. */
export interface ReadPage extends PageMetadata {
  kind: PageKind
  mediaType: string
  confidence: number
  /** What an HTML page is for. */
  type?: PageType | undefined
  markdown: string
  text: string
}

export const NO_METADATA: PageMetadata = {
  title: null,
  byline: null,
  publishedTime: null,
  language: null,
  site: null,
  canonicalUrl: null,
}

const MARKDOWN: ReadonlySet<string> = new Set(['text/markdown', 'text/x-markdown'])
const CSV: ReadonlySet<string> = new Set(['text/csv', 'application/csv', 'text/tab-separated-values'])
const TEXTS = /^(?:text\/|application\/(?:javascript|ecmascript|x-sh|x-yaml|yaml|toml|sql|x-ndjson|graphql))/
/** Types that servers give to whatever they do not know; what is markup beyond doubt is read as such. */
const CARELESS: ReadonlySet<string> = new Set(['text/html', 'text/plain'])
const NO_TEXT = /^(?:image|audio|video|font|model)\//
const UNKNOWN: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'unknown/unknown'])
/** XHTML that is sent as XML. */
const IS_XHTML = /<(?:!doctype\s+html|html)[\s>]/i
const IS_DOCUMENT = /^(?:<\?xml\s[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html)[\s>]/i
const IS_FEED = /^(?:<\?xml[\s?][^>]*>\s*)?(?:<[!?][^>]*>\s*)*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)[\s>]/i
const IS_MARKUP = /^<(?:!doctype|!--|\/?[a-z][a-z0-9]*[\s/>])/i
const SNIFF_BYTES = 512
/** Characters that no text holds; a page has a few at most by accident. */
const CONTROL = /\p{Cc}/gu
const USUAL_CONTROLS = '\t\n\v\f\r\u001b\u0085'
const CONTROLS_MAX = 4

/** Bytes, as Latin-1, by which formats are told; `at`: where they stand. */
const SIGNATURES: readonly { type: string; bytes: string; at: number }[] = [
  { type: 'application/pdf', bytes: '%PDF-', at: 0 },
  { type: 'image/png', bytes: '\u0089PNG', at: 0 },
  { type: 'image/jpeg', bytes: '\u00ff\u00d8\u00ff', at: 0 },
  { type: 'image/gif', bytes: 'GIF8', at: 0 },
  { type: 'image/webp', bytes: 'WEBP', at: 8 },
  { type: 'application/zip', bytes: 'PK\u0003\u0004', at: 0 },
  { type: 'application/gzip', bytes: '\u001f\u008b', at: 0 },
]

/** How a body is read and the media type that it really has: the declared one, or by its first bytes where it is missing or wrong. */
export function pageKind(type: string, bytes: Uint8Array): { kind: PageKind; mediaType: string } {
  const raw = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFF_BYTES))
  const signature = SIGNATURES.find(({ bytes: wanted, at }) => raw.startsWith(wanted, at))
  if (signature !== undefined) return { kind: 'binary', mediaType: signature.type }
  const start = decodeBytes(bytes.subarray(0, SNIFF_BYTES), null).trimStart()
  if (UNKNOWN.has(type)) return sniffed(start)
  if (!CARELESS.has(type)) return { kind: declaredKind(type, start), mediaType: type }
  if (isBinary(start)) return { kind: 'binary', mediaType: 'application/octet-stream' }
  if (IS_DOCUMENT.test(start)) return { kind: 'html', mediaType: 'text/html' }
  if (IS_FEED.test(start)) return { kind: 'xml', mediaType: 'application/xml' }
  return { kind: type === 'text/html' ? 'html' : 'text', mediaType: type }
}

function declaredKind(type: string, start: string): PageKind {
  if (type === 'application/xhtml+xml') return 'html'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json'
  if (NO_TEXT.test(type)) return 'binary'
  if (type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml')) {
    return IS_XHTML.test(start) ? 'html' : 'xml'
  }
  if (MARKDOWN.has(type)) return 'markdown'
  if (CSV.has(type)) return 'csv'
  return TEXTS.test(type) || !(start.includes('\0') || isBinary(start)) ? 'text' : 'binary'
}

/** Without a type: JSON, markup or text by how it begins; a NUL makes it binary. */
function sniffed(start: string): { kind: PageKind; mediaType: string } {
  if (start.includes('\0')) return { kind: 'binary', mediaType: 'application/octet-stream' }
  if (/^[[{]/.test(start)) return { kind: 'json', mediaType: 'application/json' }
  if (IS_DOCUMENT.test(start)) return { kind: 'html', mediaType: 'text/html' }
  if (/^<\?xml\s/i.test(start) || IS_FEED.test(start)) return { kind: 'xml', mediaType: 'application/xml' }
  if (IS_MARKUP.test(start)) return { kind: 'html', mediaType: 'text/html' }
  return { kind: 'text', mediaType: 'text/plain' }
}

function isBinary(start: string): boolean {
  return (start.match(CONTROL) ?? []).filter((character) => !USUAL_CONTROLS.includes(character)).length > CONTROLS_MAX
}
