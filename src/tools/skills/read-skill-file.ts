import { filePath } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { contentTypeOf } from '../../lib/content-type.ts'
import { type PartWanted, readLines } from '../files/read.ts'

const TEXTS = {
  'zh-CN': {
    outside: '路径只能是技能文件夹里的相对路径，如 references/指南.md；文件夹之外没有文件。',
    missing: (path: string, skill: string, paths: string) => `技能 ${skill} 没有文件 ${path}，可用的有：${paths}`,
    noFiles: (skill: string) => `技能 ${skill} 没有自带文件。`,
    unknown: (names: string) => `请用“技能”参数给出技能的名称，可用的有：${names}`,
    between: '、',
  },
  en: {
    outside:
      'The path is a relative one within the folder of the skill, such as references/guide.md; there are no files outside it.',
    missing: (path: string, skill: string, paths: string) => `skill ${skill} has no file ${path}; there are: ${paths}`,
    noFiles: (skill: string) => `skill ${skill} has no files.`,
    unknown: (names: string) => `name the skill with \`skill\`; there are: ${names}`,
    between: ', ',
  },
} as const satisfies Record<Language, object>

/** Lines of a file of a skill. Its author is somebody else: what it says is material, and marked so. */
export async function readOfSkill(
  wanted: PartWanted & { skill?: string | undefined },
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const checked = filePath(wanted.path)
  if (!checked.ok) return { ok: false, reason: texts.outside }
  const { path } = checked
  const found = await context.skillFile(wanted.skill ?? null, path)
  if ('names' in found) return { ok: false, reason: texts.unknown(found.names.join(texts.between)) }
  if ('bytes' in found)
    return readLines(
      { path, bytes: found.bytes, contentType: contentTypeOf(path, found.bytes), untrusted: true },
      wanted,
      context,
    )
  const paths = found.paths.slice(0, LIMITS.skill.filesListedMax).join(texts.between)
  const reason = paths === '' ? texts.noFiles(found.skill) : texts.missing(path, found.skill, paths)
  return { ok: false, reason }
}
