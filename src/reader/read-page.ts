import { parseMediaType } from '../lib/content-type.ts'
import { byteSize } from '../lib/text.ts'
import { csvMarkdown } from './read-csv.ts'
import { decodeBytes } from './decode.ts'
import { NO_METADATA, type PageKind, type PageSource, type ReadPage } from './page.ts'
import { pageKind } from './page-kind.ts'
import { prettyJson } from './pretty-json.ts'
import { readXml } from './read-feed.ts'
import { readHtml } from './read-html.ts'

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
