import * as z from 'zod'
import { type FileChange, changeProblem } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { defineTool } from '../define.ts'
import { PATH_PARAMETER, touchedPath, withPath, writtenPath } from './shared.ts'
import { CHANGE_TEXTS, TEXTS } from './texts.ts'
import { decodedText } from '../../lib/content-type.ts'

const content = z.string().max(LIMITS.text.contentCharsMax)

export const writeFile = defineTool({
  id: 'write_file',
  names: { 'zh-CN': '写入文件', en: 'write_file' },
  description: {
    'zh-CN': '在工作区新建或覆盖一个文件。',
    en: 'Create or replace a file of the workspace.',
  },
  risk: 'write',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input: z.strictObject({ path: writtenPath, content }),
  parameters: {
    path: PATH_PARAMETER,
    content: {
      names: { 'zh-CN': '内容', en: 'content' },
      description: { 'zh-CN': '全部内容', en: 'all that it is to hold' },
    },
  },
  run: (wanted, context) =>
    withPath(wanted.path, context, (path) => writeText({ path, text: wanted.content, isUntrusted: false }, context)),
})

export const deleteFile = defineTool({
  id: 'delete_file',
  needs: 'files',
  names: { 'zh-CN': '删除文件', en: 'delete_file' },
  description: { 'zh-CN': '删除工作区中的一个文件。', en: 'Delete a file of the workspace.' },
  risk: 'destructive',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input: z.strictObject({ path: writtenPath }),
  parameters: { path: PATH_PARAMETER },
  run: ({ path: written }, context) =>
    withPath(written, context, async (path) => {
      const { files, language } = context
      const change: FileChange = { action: 'delete', path, base: files.stat(path)?.sha256 ?? null }
      return outcomeOf(change, TEXTS[language].deleted(path), context)
    }),
})

/** Write a text. What untrusted text may have dictated is untrusted itself. `isUntrusted`: what it is made of is. */
async function writeText(
  { path, text, isUntrusted, message }: { path: string; text: string; isUntrusted: boolean; message?: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { files, language, tainted } = context
  const bytes = new TextEncoder().encode(text)
  const base = files.stat(path)?.sha256 ?? null
  const change: FileChange = {
    action: 'write',
    path,
    bytes,
    sha256: await sha256Hex(bytes),
    untrusted: isUntrusted || tainted,
    base,
  }
  return outcomeOf(change, message ?? TEXTS[language].written(path, byteSize(bytes.byteLength), base === null), context)
}

function outcomeOf(change: FileChange, message: string, { files, language }: ToolContext): ToolOutcome {
  const problem = changeProblem(files, change)
  return problem
    ? { ok: false, reason: CHANGE_TEXTS[language][problem] }
    : { ok: true, content: message, files: [change] }
}

const text = z.string().max(LIMITS.text.contentCharsMax)
const input = z.strictObject({
  path: writtenPath,
  old: text.min(1),
  new: text,
  all: z.boolean('true | false').optional(),
})

export const editFile = defineTool({
  id: 'edit_file',
  needs: 'files',
  names: { 'zh-CN': '编辑文件', en: 'edit_file' },
  description: {
    'zh-CN': '把工作区文件中的一段原文换成新文；原文必须与文件完全一致，而且只出现一次。',
    en: 'Replace a text in a file of the workspace by another; the old one must be exactly as in the file, and unique.',
  },
  risk: 'write',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input,
  parameters: {
    path: PATH_PARAMETER,
    old: { names: { 'zh-CN': '原文', en: 'old' }, description: { 'zh-CN': '要换掉的文字', en: 'the text to replace' } },
    new: {
      names: { 'zh-CN': '新文', en: 'new' },
      description: { 'zh-CN': '换成的文字', en: 'what comes in its place' },
    },
    all: {
      names: { 'zh-CN': '全部', en: 'all' },
      description: { 'zh-CN': 'true 表示替换所有出现之处', en: 'true: replace wherever it occurs' },
    },
  },
  run: (wanted, context) => withPath(wanted.path, context, (path) => edit(path, wanted, context)),
})

async function edit(
  path: string,
  { old, new: replacement, all }: z.infer<typeof input>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const entry = context.files.stat(path)
  const bytes = context.files.read(path)
  if (!entry || !bytes) return { ok: false, reason: CHANGE_TEXTS[context.language].missing }
  const known = decodedText(bytes)
  if (!known) return { ok: false, reason: texts.notText(path, entry.contentType, byteSize(entry.size)) }
  if (known.charset !== 'utf-8') return { ok: false, reason: texts.notUtf8(known.charset) }
  if (old === replacement) return { ok: false, reason: texts.same }
  const parts = splitAt(known.text, old) ?? splitAt(known.text, withCrLf(old))
  if (!parts) return { ok: false, reason: texts.noMatch }
  const count = parts.parts.length - 1
  if (count > 1 && all !== true) return { ok: false, reason: texts.manyMatches(count) }
  const joint = parts.old === old ? replacement : withCrLf(replacement)
  const written = parts.parts.join(joint)
  return writeText({ path, text: written, isUntrusted: entry.untrusted, message: texts.edited(path, count) }, context)
}

/** The text around each occurrence; null: there is none. */
function splitAt(whole: string, old: string): { old: string; parts: string[] } | null {
  const parts = whole.split(old)
  return parts.length > 1 ? { old, parts } : null
}

/** Files of some systems end their lines otherwise than what is shown of them. */
function withCrLf(written: string): string {
  return written.replace(/\r?\n/g, '\r\n')
}
