import * as z from 'zod'
import { filePath, type Files } from '../../domain/file.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { fence } from '../../lib/fence.ts'
import { PATH_TEXTS, TEXTS } from './texts.ts'

/** A path as a model writes it; whether it is one is told in the session's language. */
export const writtenPath = z.string().max(2_000)

export const PATH_PARAMETER = {
  names: { 'zh-CN': '路径', en: 'path' },
  description: {
    'zh-CN': '相对路径，如 docs/报告.md',
    en: 'relative path, such as docs/report.md',
  },
} as const

/** Do something with the path that was written; else say why it is none. */
export async function withPath(
  written: string,
  { language }: ToolContext,
  work: (path: string) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const checked = filePath(written)
  return checked.ok ? work(checked.path) : { ok: false, reason: PATH_TEXTS[language][checked.problem] }
}

/** The paths that a call touches, for rules of config. */
export function touchedPath(args: Record<string, unknown>): { paths: string[] } {
  const checked = typeof args['path'] === 'string' ? filePath(args['path']) : null
  return { paths: checked?.ok ? [checked.path] : [] }
}

/** The same of a call that means a folder and all that is in it. */
export function touchedFolder(args: Record<string, unknown>): { paths: string[] } {
  const written = typeof args['path'] === 'string' ? args['path'].trim().replace(/\/+$/, '') : ''
  return { paths: touchedPath({ path: written }).paths.flatMap((path) => [path, `${path}/`]) }
}

/** A result with text of files in it; between markers when some of it may come from outside. */
export async function fileReport(
  { heading, body, isUntrusted }: { heading: string; body: string; isUntrusted: boolean },
  { language, sessionId, callId }: ToolContext,
): Promise<ToolOutcome> {
  if (!isUntrusted) return { ok: true, content: `${heading}\n${body}` }
  const { untrusted, begin, end } = TEXTS[language]
  const fenced = await fence(body, begin, end, `${sessionId}\n${callId}`)
  return { ok: true, content: `${heading}\n${untrusted}\n${fenced}`, untrusted: true, essence: `${heading}\n${body}` }
}

/** A workspace in which a list leaves out what a call may not show. What a call names is decided on before it is made. */
export function visibleFiles(files: Files, mayShow: (path: string) => boolean): Files {
  return {
    list: (query) => files.list(query).filter(({ path }) => mayShow(path)),
    stat: (path) => files.stat(path),
    read: (path) => files.read(path),
    total: () => files.total(),
  }
}
