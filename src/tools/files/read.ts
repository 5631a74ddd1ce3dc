import { IMAGE_TYPES } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { decodedText } from '../../lib/content-type.ts'
import { TEXTS } from './answer-texts.ts'
import { fileReport, withPath } from './shared.ts'
import { CHANGE_TEXTS } from './texts.ts'

const { pageCharsMax, pageLinesMax } = LIMITS.files

export interface PartWanted {
  path: string
  /** The first line, from 1, and how many. */
  offset?: number | undefined
  limit?: number | undefined
}

/** A file whose lines are read, and whether they may come from outside. */
interface WholeFile {
  path: string
  bytes: Uint8Array
  contentType: string
  untrusted: boolean
}

/** Lines of a file of the workspace, as many as a page takes. */
export function readPart(wanted: PartWanted, context: ToolContext): ToolOutcome | Promise<ToolOutcome> {
  return withPath(wanted.path, context, (path): ToolOutcome | Promise<ToolOutcome> => {
    const entry = context.files.stat(path)
    const bytes = context.files.read(path)
    if (!entry || !bytes) return { ok: false, reason: CHANGE_TEXTS[context.language].missing }
    const file = { path, bytes, contentType: entry.contentType, untrusted: entry.untrusted }
    if (context.vision && IMAGE_TYPES.has(entry.contentType)) return shownImage(file, context)
    return DOCUMENT.test(entry.contentType) ? readDocument(file, wanted, context) : readLines(file, wanted, context)
  })
}

/** Documents whose text our reader has. */
const DOCUMENT = /^application\/(?:pdf|epub\+zip|vnd\.openxmlformats-officedocument\.)/

/** An image, which the model is shown beside a line about it. */
function shownImage({ path, bytes, contentType, untrusted }: WholeFile, { language }: ToolContext): ToolOutcome {
  const size = bytes.byteLength
  const marks = untrusted ? { untrusted: true as const } : {}
  return {
    ok: true,
    content: TEXTS[language].image(path, contentType, byteSize(size)),
    ...marks,
    images: [{ type: 'image', path, media_type: contentType, size, ...marks }],
  }
}

/** Lines of the text of a document, as the reader has it. */
async function readDocument(file: WholeFile, wanted: PartWanted, context: ToolContext): Promise<ToolOutcome> {
  const { readSource } = await import('../../reader/read-source.ts')
  const { kind, markdown } = await readSource({ bytes: file.bytes, contentType: file.contentType, url: '' })
  if (kind === 'binary')
    return { ok: false, reason: TEXTS[context.language].notText(file.path, file.contentType, markdown) }
  return readLines({ ...file, bytes: new TextEncoder().encode(markdown) }, wanted, context)
}

/** Lines of any file, likewise. */
export function readLines(
  { path, bytes, contentType, untrusted }: WholeFile,
  { offset = 1, limit = pageLinesMax }: Omit<PartWanted, 'path'>,
  context: ToolContext,
): ToolOutcome | Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const text = decodedText(bytes)?.text
  if (text === undefined) return { ok: false, reason: texts.notText(path, contentType, byteSize(bytes.byteLength)) }
  if (text === '') return { ok: true, content: `${texts.lines(path, 0, 0, 0)}\n${texts.emptyFile}` }
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  if (offset > lines.length) return { ok: false, reason: texts.beyond(lines.length) }
  const page = pageOf(lines.slice(offset - 1, offset - 1 + Math.min(limit, pageLinesMax)))
  const last = offset + page.length - 1
  const heading =
    texts.lines(path, offset, last, lines.length) + (last < lines.length ? ` ${texts.more(last + 1)}` : '')
  return fileReport({ heading, body: page.join('\n'), isUntrusted: untrusted }, context)
}

/** As many of the lines as fit; one at least. A line that is longer is cut as every long result is, and can be read on. */
function pageOf(lines: readonly string[]): string[] {
  let chars = 0
  const over = lines.findIndex((one) => (chars += one.length + 1) > pageCharsMax)
  return lines.slice(0, over < 0 ? lines.length : Math.max(1, over))
}
