import * as z from 'zod'
import { type FileChange, changeProblem } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { defineTool } from '../define.ts'
import { PATH_PARAMETER, touchedPath, withPath, writtenPath } from './shared.ts'
import { CHANGE_TEXTS, TEXTS } from './texts.ts'

const content = z.string().max(LIMITS.text.contentCharsMax)

export const writeFile = defineTool({
  id: 'write_file',
  names: { 'zh-CN': '写入文件', en: 'write_file' },
  description: {
    'zh-CN': '在工作区新建文件，或整个覆盖已有的文件。',
    en: 'Create a file in the workspace, or replace a whole one.',
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
      description: { 'zh-CN': '文件的全部内容', en: 'all that the file is to hold' },
    },
  },
  run: (wanted, context) =>
    withPath(wanted.path, context, (path) => writeText({ path, text: wanted.content, isUntrusted: false }, context)),
})

export const deleteFile = defineTool({
  id: 'delete_file',
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
export async function writeText(
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
