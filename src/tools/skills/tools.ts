import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { defineTool } from '../define.ts'
import { LINES, writtenPath } from '../files/tools.ts'

const skillName = z.string().trim().min(1).max(64)

/** Gives the model the text of a skill, whose name and description its prompt has. */
const useSkill = defineTool({
  id: 'use_skill',
  names: { 'zh-CN': '使用技能', en: 'use_skill' },
  description: {
    'zh-CN': '载入一个技能的说明，然后照着做。',
    en: 'Load a skill, to be followed from then on.',
  },
  risk: 'read',
  idempotent: true,
  output: { charsMax: LIMITS.skill.promptCharsMax, strategy: 'none' },
  input: z.strictObject({ name: skillName }),
  parameters: {
    name: {
      names: { 'zh-CN': '名称', en: 'name' },
      description: { 'zh-CN': '技能的名称', en: 'its name' },
    },
  },
  run: async ({ name }, context) => {
    const { language } = context
    const found = await context.skill(name)
    if ('text' in found)
      return { ok: true, content: found.text, ...(found.hasFiles ? { foundTools: [READ_SKILL_FILE] } : {}) }
    const names = found.names.join(language === 'en' ? ', ' : '、')
    const reason = {
      'zh-CN': `没有名为“${name}”的技能，可用的有：${names}`,
      en: `no skill "${name}"; there are: ${names}`,
    }
    return { ok: false, reason: reason[language] }
  },
})

const { readCharsMax, readLinesMax } = LIMITS.files

/** What a call that loads a skill with files has offered from then on. */
const READ_SKILL_FILE = 'read_skill_file'

/** Gives the model a file of the folder of a skill that it works by. Nothing of a skill is ever run. */
const readSkillFile = defineTool({
  id: READ_SKILL_FILE,
  needs: 'skill_files',
  names: { 'zh-CN': '读取技能文件', en: 'read_skill_file' },
  description: {
    'zh-CN': '读取技能自带的一个文字文件；长文件分段给出。脚本只能阅读，不会运行。',
    en: 'Read a text file of the skill; a long one in parts. Scripts can be read, but are not run.',
  },
  risk: 'read',
  idempotent: true,
  output: { charsMax: readCharsMax, linesMax: readLinesMax },
  input: z.strictObject({ path: writtenPath, skill: skillName.optional(), ...LINES.input }),
  parameters: {
    path: {
      names: { 'zh-CN': '路径', en: 'path' },
      description: { 'zh-CN': '如 references/指南.md', en: 'such as references/guide.md' },
    },
    skill: {
      names: { 'zh-CN': '技能', en: 'skill' },
      description: { 'zh-CN': '技能的名称；默认是当前的技能', en: 'its name; default: the skill that you work by' },
    },
    ...LINES.parameters,
  },
  run: async (wanted, context) => (await import('./read-skill-file.ts')).readOfSkill(wanted, context),
})

/** The tools of skills. */
export const SKILL_TOOLS = [useSkill, readSkillFile] as const
