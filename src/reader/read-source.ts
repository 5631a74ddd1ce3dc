import { byteSize } from '../lib/text.ts'
import { parseMediaType } from '../lib/content-type.ts'
import { buildTree } from './build-tree.ts'
import type { Archive } from './formats/archive.ts'
import { markdownOf } from './markdown.ts'
import { NO_METADATA, type PageKind, type PageMetadata, type PageSource, type ReadPage } from './page.ts'
import { plainText } from './plain-text.ts'
import { readPage } from './read-page.ts'

/** Read what a server sent as text, documents too: PDF, Word, Excel, PowerPoint and EPUB. What reads these is loaded when one of them comes. Never rejects. */
export async function readSource(source: PageSource): Promise<ReadPage> {
  const { bytes } = source
  const pdf = pdfStart(source)
  if (pdf >= 0) return readPdf(pdf === 0 ? source : { ...source, bytes: bytes.subarray(pdf) })
  if (startsWith(bytes, 'PK\u0003\u0004')) return readArchive(source)
  return readPage(source)
}

const PDF_AT_MAX = 1_024

/** Where a PDF begins: what is said to be one may have a few bytes of something else before it. -1: nowhere. */
function pdfStart({ bytes, contentType }: PageSource): number {
  if (startsWith(bytes, '%PDF-')) return 0
  if (!/pdf|octet-stream/i.test(contentType ?? '')) return -1
  return new TextDecoder('latin1').decode(bytes.subarray(0, PDF_AT_MAX)).indexOf('%PDF-')
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  return signature.split('').every((character, at) => bytes[at] === character.charCodeAt(0))
}

/** A line in place of what cannot be read, with its type, its size and why. */
function unread({ bytes, size }: PageSource, mediaType: string, why: string): ReadPage {
  const line = `[${[mediaType, byteSize(size ?? bytes.byteLength), why].filter((part) => part !== '').join(', ')}]`
  return { ...NO_METADATA, kind: 'binary', mediaType, confidence: 1, markdown: line, text: line }
}

const WHY = {
  locked: 'encrypted',
  too_large: 'unpacks to too much',
  cut: 'too large to be read',
  too_complex: 'too large or too complex to be read',
  broken: 'broken',
}

const PDF = 'application/pdf'

async function readPdf(source: PageSource): Promise<ReadPage> {
  const { pdfText } = await import('./formats/pdf/pdf.ts')
  const outcome = pdfText(source.bytes)
  if (!outcome.ok) return unread(source, PDF, WHY[outcome.problem])
  const { pages, markdown, ...metadata } = outcome.pdf
  if (markdown === '') return unread(source, PDF, `${pages} ${pages === 1 ? 'page' : 'pages'} without text`)
  return { ...metadata, kind: 'pdf', mediaType: PDF, confidence: 1, markdown, text: markdown }
}

type Format = 'docx' | 'xlsx' | 'pptx' | 'epub'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const TYPES: Readonly<Record<Format, string>> = {
  docx: `${OFFICE}.wordprocessingml.document`,
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  pptx: `${OFFICE}.presentationml.presentation`,
  epub: 'application/epub+zip',
}
/** The part by which each is known, whatever the server calls it. */
const PARTS: readonly (readonly [string, Format])[] = [
  ['word/document.xml', 'docx'],
  ['xl/workbook.xml', 'xlsx'],
  ['ppt/presentation.xml', 'pptx'],
  ['META-INF/container.xml', 'epub'],
]

async function readArchive(source: PageSource): Promise<ReadPage> {
  const { openArchive } = await import('./formats/archive.ts')
  const archive = openArchive(source.bytes)
  const format = PARTS.find(([part]) => archive?.has(part))?.[1]
  if (archive === null || format === undefined) {
    const declared = parseMediaType(source.contentType).type
    const isDocument = Object.values(TYPES).includes(declared)
    // The list of what is in a zip stands at its end.
    const isCut = (source.size ?? 0) > source.bytes.byteLength
    const why = isCut ? WHY.cut : isDocument ? WHY.broken : ''
    return unread(source, isDocument ? declared : 'application/zip', why)
  }
  const read = format === 'epub' ? await readBook(archive) : await readOffice(archive, format)
  if (read === 'encrypted') return unread(source, TYPES[format], WHY.locked)
  if (read === null || read.markdown === '')
    return unread(source, TYPES[format], archive.isCut ? WHY.too_large : 'no text')
  return { ...read, kind: format satisfies PageKind, mediaType: TYPES[format], confidence: 1 }
}

type ReadText = PageMetadata & Pick<ReadPage, 'markdown' | 'text'>

async function readBook(archive: Archive): Promise<ReadText | 'encrypted' | null> {
  const { epubText } = await import('./formats/epub.ts')
  return epubText(archive)
}

async function readOffice(archive: Archive, format: 'docx' | 'xlsx' | 'pptx'): Promise<ReadText | null> {
  const html = await htmlOf(archive, format)
  if (html === null) return null
  const { root } = buildTree(html)
  // What a document links to is an address or nothing.
  const markdown = markdownOf(root, (address) =>
    /^(?:https?|mailto):/i.test(address ?? '') ? (address ?? null) : null,
  )
  return { ...(await archive.metadata()), markdown, text: plainText(root) }
}

async function htmlOf(archive: Archive, format: 'docx' | 'xlsx' | 'pptx'): Promise<string | null> {
  if (format === 'docx') return (await import('./formats/docx.ts')).docxHtml(archive)
  if (format === 'xlsx') return (await import('./formats/xlsx.ts')).xlsxHtml(archive)
  return (await import('./formats/pptx.ts')).pptxHtml(archive)
}
