import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { decodedText } from '../../lib/content-type.ts'
import { defineTool } from '../define.ts'
import { PATH_PARAMETER, fileReport, touchedPath, withPath, writtenPath } from './shared.ts'
import { CHANGE_TEXTS, TEXTS } from './texts.ts'

const { pageCharsMax, pageLinesMax, readCharsMax, readLinesMax } = LIMITS.files

const EXPECTED = '1, 2, 3 …'
const line = z.coerce.number(EXPECTED).int(EXPECTED).min(1, EXPECTED).optional()
const input = z.strictObject({ path: writtenPath, offset: line, limit: line })

export const readFile = defineTool({
  id: 'read_file',
  needs: 'files',
  provenance: 'workspace',
  names: { 'zh-CN': '读取文件', en: 'read_file' },
  description: {
    'zh-CN': '读取工作区中一个文字文件；长文件分段给出。',
    en: 'Read a text file of the workspace; a long one in parts.',
  },
  risk: 'read',
  idempotent: true,
  sequential: true,
  output: { charsMax: readCharsMax, linesMax: readLinesMax },
  effects: touchedPath,
  input,
  parameters: {
    path: PATH_PARAMETER,
    offset: {
      names: { 'zh-CN': '起始行', en: 'offset' },
      description: { 'zh-CN': '从第几行读起，默认 1', en: 'the line to begin with, default 1' },
    },
    limit: {
      names: { 'zh-CN': '行数', en: 'limit' },
      description: { 'zh-CN': `最多读几行，至多 ${pageLinesMax}`, en: `lines to read, at most ${pageLinesMax}` },
    },
  },
  run: (wanted, context) => withPath(wanted.path, context, (path) => read(path, wanted, context)),
})

async function read(
  path: string,
  { offset = 1, limit = pageLinesMax }: z.infer<typeof input>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const entry = context.files.stat(path)
  const bytes = context.files.read(path)
  if (!entry || !bytes) return { ok: false, reason: CHANGE_TEXTS[context.language].missing }
  const text = decodedText(bytes)?.text
  if (text === undefined) return { ok: false, reason: texts.notText(path, entry.contentType, byteSize(entry.size)) }
  if (text === '') return { ok: true, content: `${texts.lines(path, 0, 0, 0)}\n${texts.emptyFile}` }
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  if (offset > lines.length) return { ok: false, reason: texts.beyond(lines.length) }
  const page = pageOf(lines.slice(offset - 1, offset - 1 + Math.min(limit, pageLinesMax)))
  const last = offset + page.length - 1
  const heading =
    texts.lines(path, offset, last, lines.length) + (last < lines.length ? ` ${texts.more(last + 1)}` : '')
  return fileReport({ heading, body: page.join('\n'), isUntrusted: entry.untrusted }, context)
}

/** As many of the lines as fit; one at least. A line that is longer is cut as every long result is, and can be read on. */
function pageOf(lines: readonly string[]): string[] {
  let chars = 0
  const over = lines.findIndex((one) => (chars += one.length + 1) > pageCharsMax)
  return lines.slice(0, over < 0 ? lines.length : Math.max(1, over))
}
