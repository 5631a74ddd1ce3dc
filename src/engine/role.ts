import { promptTime } from '../agent/prompt-parts.ts'
import { memberText, partText, roleText } from '../agent/team-texts.ts'
import type { Language } from '../domain/language.ts'
import { cutText } from '../lib/text.ts'
import { inLanguage, type SkillDefinition, type SkillValue } from '../domain/skill.ts'
import { renderTemplate, valuesFor, type Variables } from '../skills/template.ts'
import { languageFor, languageTagOf, type MoveContext, timezoneOf } from './engine.ts'
import { type Worker, workerOf } from './worker/worker.ts'
import { LIMITS } from '../domain/limits.ts'

/** What takes the place of the role: the skill's prompt, else the session's character; null: the default. */
export function roleOf(context: MoveContext, { role, part, language }: Worker, task: string): string | null {
  const { engine, journal } = context
  if (role === null) return journal.record.character ?? engine.config.character ?? null
  const skill = 'skill' in role ? renderSkill(role.skill, { ...role.inputs, ...givenValues(context, task) }) : null
  if (part) return partText('member' in role ? memberText(role.member, language) : (skill ?? ''), part, language)
  return 'member' in role ? roleText(role.member, language) : skill
}

/** What every prompt of a skill can say of the session that it is for. */
export function givenValues({ engine, journal }: MoveContext, task: string): Record<string, SkillValue> {
  const { user, config } = journal.record
  return {
    user_input: task,
    user: user ?? '',
    language: languageTagOf(engine, config),
    time: promptTime(journal.now(), timezoneOf(engine, config)),
  }
}

export function renderSkill(
  skill: Pick<SkillDefinition, 'prompt' | 'inputs'>,
  values: Variables,
  missing?: (name: string) => string,
): string {
  return renderTemplate(skill.prompt, valuesFor(skill, values, missing))
}

/** The text of a skill for a model that asks for it, or the names of those that there are. An input that has no value is
 *  shown by its name. */
export async function skillText(
  context: MoveContext,
  name: string,
  task: string,
): Promise<{ text: string } | { names: string[] }> {
  const { engine, journal } = context
  const { tenant } = journal.record
  const language = languageFor(engine, journal.record)
  const found = await engine.skills.find(tenant, name)
  if (found) {
    const missing = (input: string) => `[${input}]`
    return { text: renderSkill(inLanguage(found, language), givenValues(context, task), missing) }
  }
  await engine.skills.load(tenant)
  return { names: engine.skills.summaries(tenant, language).map((skill) => skill.name) }
}

const LISTED = {
  'zh-CN': {
    title: '可用的技能',
    text: '任务与某个技能相符时，先用 use_skill 载入，再照着做。',
  },
  en: {
    title: 'Skills at hand',
    text: 'When the task fits one, load it with use_skill first, then follow it.',
  },
}

/** The skills that the model may load, for its prompt; nothing where it cannot. */
export function skillsPart(
  { engine, journal }: MoveContext,
  { offered, language }: Worker,
): { title: string; text: string }[] {
  if (!offered.some(({ id }) => id === 'use_skill')) return []
  const lines = engine.skills
    .summaries(journal.record.tenant, language)
    .map(({ name, description }) => `- ${name}: ${oneLine(description, language)}`)
  const { title, text } = LISTED[language]
  return lines.length === 0 ? [] : [{ title, text: `${text}\n\n${lines.join('\n')}` }]
}

/** Whether the list of skills has to be asked for before the prompt can be written. */
export function mustLoadSkills(context: MoveContext): boolean {
  const { engine, journal } = context
  if (engine.skills.isAtHand(journal.record.tenant)) return false
  return workerOf(context, null).offered.some(({ id }) => id === 'use_skill')
}

/** The first sentence, or its start. */
function oneLine(description: string, language: Language): string {
  const [sentence = ''] = description.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) |(?<=[。！？])/)
  return cutText(sentence.trim(), LIMITS.skill.listedDescriptionChars[language])
}
