import { type FileEntry, filePath, type Files } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { matchesGlob } from '../../lib/glob.ts'
import { TEXTS } from './answer-texts.ts'
import { fileReport } from './shared.ts'
import { PATH_TEXTS } from './texts.ts'

const { mapCharsMax, mapLinesMax, filesMax } = LIMITS.files
/** Beside the names, for the heading. */
const HEADING_CHARS = 500

/** Name the files of a folder, with their sizes. */
export function listFolder(path: string | undefined, context: ToolContext): ToolOutcome | Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const chosen = filesIn(context.files, path)
  if (typeof chosen === 'string') return { ok: false, reason: PATH_TEXTS[context.language][chosen] }
  if (chosen.length === 0) return { ok: true, content: path ? texts.folderMissing(path) : texts.nothing }
  const lines = fitting(chosen.map((entry) => `${entry.path}  ${byteSize(entry.size)}`))
  const left = chosen.length - lines.length
  const size = byteSize(chosen.reduce((sum, entry) => sum + entry.size, 0))
  const body = [...lines, ...(left > 0 ? [texts.moreFiles(left)] : [])].join('\n')
  const isUntrusted = chosen.some(({ untrusted }) => untrusted)
  return fileReport({ heading: texts.listing(chosen.length, size), body, isUntrusted }, context)
}

function fitting(lines: readonly string[]): string[] {
  let chars = HEADING_CHARS
  const over = lines.findIndex((line, index) => (chars += line.length + 1) > mapCharsMax || index >= mapLinesMax - 8)
  return over < 0 ? [...lines] : lines.slice(0, over)
}

/** The files in a folder, of a path, or that fit a pattern, in the order of their paths; else why there can be none. */
export function filesIn(files: Files, written: string | undefined) {
  const all = files.list({ limit: filesMax })
  const wanted = written?.trim().replace(/\/+$/, '') ?? ''
  if (wanted === '' || wanted === '.') return all
  const checked = filePath(wanted)
  if (!checked.ok) return checked.problem
  return all.filter(({ path }) => belongs(path, checked.path))
}

function belongs(path: FileEntry['path'], wanted: string): boolean {
  if (!wanted.includes('*')) return path === wanted || path.startsWith(`${wanted}/`)
  // `**/` stands for no folder too.
  return [wanted, wanted.replace(/^\*\*\//, ''), wanted.replaceAll('/**/', '/')].some((pattern) =>
    matchesGlob(path, pattern, '/'),
  )
}
