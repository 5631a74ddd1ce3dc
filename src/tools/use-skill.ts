import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import { defineTool } from './define.ts'

/** Gives the model the text of a skill, whose name and description its prompt has. */
export const useSkill = defineTool({
  id: 'use_skill',
  names: { 'zh-CN': '使用技能', en: 'use_skill' },
  description: {
    'zh-CN': '载入一个技能的完整说明，然后照着做。名称见“可用的技能”。',
    en: 'Loads the full text of a skill, to be followed from then on. The names are under "Skills at hand".',
  },
  risk: 'read',
  idempotent: true,
  output: { charsMax: LIMITS.skill.promptCharsMax, strategy: 'none' },
  input: z.strictObject({ name: z.string().trim().min(1).max(64) }),
  parameters: {
    name: {
      names: { 'zh-CN': '名称', en: 'name' },
      description: { 'zh-CN': '技能的名称', en: 'the name of the skill' },
    },
  },
  run: async ({ name }, context) => {
    const { language } = context
    const found = await context.skill(name)
    if ('text' in found) return { ok: true, content: found.text }
    const names = found.names.join(language === 'en' ? ', ' : '、')
    const reason = {
      'zh-CN': `没有名为“${name}”的技能，可用的有：${names}`,
      en: `no skill "${name}"; there are: ${names}`,
    }
    return { ok: false, reason: reason[language] }
  },
})
