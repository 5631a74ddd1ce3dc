import type { PageKind } from './page.ts'

const MARKDOWN: ReadonlySet<string> = new Set(['text/markdown', 'text/x-markdown'])
const CSV: ReadonlySet<string> = new Set(['text/csv', 'application/csv', 'text/tab-separated-values'])
const TEXTS = /^(?:text\/|application\/(?:javascript|ecmascript|x-sh|x-yaml|yaml|toml|sql|x-ndjson|graphql))/
const UNKNOWN: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'unknown/unknown'])
/** XHTML that is sent as XML. */
const IS_XHTML = /<(?:!doctype\s+html|html)[\s>]/i
const SNIFF_BYTES = 512

const SIGNATURES: readonly { type: string; start: string }[] = [
  { type: 'application/pdf', start: '%PDF-' },
  { type: 'image/png', start: '\u0089PNG' },
  { type: 'image/jpeg', start: '\u00ff\u00d8\u00ff' },
  { type: 'image/gif', start: 'GIF8' },
  { type: 'application/zip', start: 'PK\u0003\u0004' },
  { type: 'application/gzip', start: '\u001f\u008b' },
]

/** How a body is read and the media type that it really has: the declared one, or by its first bytes where there is none. */
export function pageKind(type: string, bytes: Uint8Array): { kind: PageKind; mediaType: string } {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFF_BYTES))
  const signature = SIGNATURES.find((candidate) => start.startsWith(candidate.start))
  if (signature !== undefined) return { kind: 'binary', mediaType: signature.type }
  return UNKNOWN.has(type) ? sniffed(start) : { kind: declaredKind(type, start), mediaType: type }
}

function declaredKind(type: string, start: string): PageKind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json'
  if (type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml')) {
    return type.startsWith('image/') ? 'binary' : IS_XHTML.test(start) ? 'html' : 'xml'
  }
  if (MARKDOWN.has(type)) return 'markdown'
  if (CSV.has(type)) return 'csv'
  return TEXTS.test(type) ? 'text' : 'binary'
}

/** Without a type: markup, JSON or text by how it begins; a NUL byte makes it binary (unless UTF-16 says why). */
function sniffed(start: string): { kind: PageKind; mediaType: string } {
  const isUtf16 = start.startsWith('\u00ff\u00fe') || start.startsWith('\u00fe\u00ff')
  if (start.includes('\0') && !isUtf16) return { kind: 'binary', mediaType: 'application/octet-stream' }
  const text = start.replace(/^(?:\u00ef\u00bb\u00bf)?\s+/, '')
  if (isHtml(text)) return { kind: 'html', mediaType: 'text/html' }
  if (/^<\?xml\s/i.test(text)) return { kind: 'xml', mediaType: 'application/xml' }
  return /^[[{]/.test(text)
    ? { kind: 'json', mediaType: 'application/json' }
    : { kind: 'text', mediaType: 'text/plain' }
}

function isHtml(start: string): boolean {
  return /<(?:!doctype\s+html|html|head|body|title|div|p|h1|table|meta|script)[\s>]/i.test(start)
}
