import type { InputIssue } from '../domain/errors.ts'
import type { Language } from '../domain/language.ts'
import type { SkillDefinition, SkillFile } from '../domain/skill.ts'
import { type SkillSurroundings, isKnownTool } from './check-skill.ts'

/** The key of a SKILL.md whose names may mean tools that are not here. */
export const ALLOWED_TOOLS = 'allowed-tools'

/** What stands between names; white space within brackets belongs to a name, as in `Bash(git add *)`. */
const NAME = /(?:[^\s,()]|\([^)]*\)?)+/g

/** `allowed-tools`: a list, or a text with white space or commas between the names. */
export function namesIn(tools: unknown): unknown {
  return typeof tools === 'string' ? (tools.match(NAME) ?? []) : (tools ?? [])
}

/** What of the names that an author allowed means a tool here, and what does not. A name with a pattern, which would bound the calls, means
 *  none: it is not held here. */
export function splitTools(names: readonly string[], isTool: (name: string) => boolean) {
  return { known: names.filter(isTool), unknown: names.filter((name) => !isTool(name)) }
}

const TEXTS = {
  'zh-CN': {
    unknown: (name: string) => `这里没有工具 ${name}；技能照常可用，只是没有它`,
    pattern: (name: string) => `${name}：这里不支持带括号的限定，工具未提供；请只写工具名`,
    model: (alias: string) => `这里没有模型 ${alias}；技能无法运行`,
    scripts: (count: number) => `scripts/ 中有 ${count} 个脚本：这里不会运行脚本，模型只能用 read_skill_file 阅读它们`,
    bytes: (count: number) => `有 ${count} 个文件不是文字：模型只知道它们的名称和大小`,
  },
  en: {
    unknown: (name: string) => `there is no tool ${name} here; the skill works without it`,
    pattern: (name: string) =>
      `${name}: a name with a pattern is not held here, so the tool is left out; write the name alone`,
    model: (alias: string) => `there is no model ${alias} here; the skill cannot run`,
    scripts: (count: number) =>
      `${count} in scripts/: scripts are not run here; the model can only read them, with read_skill_file`,
    bytes: (count: number) => `${count} files are no text: the model is told their names and sizes only`,
  },
} as const satisfies Record<Language, object>

/** What of a skill that can be used does not work here. */
export function warningsOf(
  { tools, model, extra, files = [] }: Pick<SkillDefinition, 'tools' | 'model' | 'extra' | 'files'>,
  around: Pick<SkillSurroundings, 'tools' | 'hasModel'>,
  language: Language,
): InputIssue[] {
  const texts = TEXTS[language]
  const isTool = (name: string) => isKnownTool(name, around)
  const written = namesIn(extra?.[ALLOWED_TOOLS])
  const allowed = Array.isArray(written) ? written.filter((name) => typeof name === 'string') : []
  const lacking = (path: string, names: readonly string[]) =>
    splitTools(names, isTool).unknown.map((name) => ({
      path,
      message:
        name.includes('(') && isTool(name.slice(0, name.indexOf('('))) ? texts.pattern(name) : texts.unknown(name),
    }))
  const scripts = files.filter(isScript).length
  const bytes = files.filter(({ text }) => !text).length
  return [
    ...lacking('tools', tools),
    ...lacking(ALLOWED_TOOLS, allowed),
    ...(model === null || around.hasModel(model) ? [] : [{ path: 'model', message: texts.model(model) }]),
    ...(scripts > 0 ? [{ path: 'scripts', message: texts.scripts(scripts) }] : []),
    ...(bytes > 0 ? [{ path: 'files', message: texts.bytes(bytes) }] : []),
  ]
}

/** Files that other agents would run. */
export function isScript({ path }: Pick<SkillFile, 'path'>): boolean {
  return path.startsWith('scripts/')
}
