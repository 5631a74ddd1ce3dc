import type { Language } from '../domain/language.ts'
import { inLanguage, type Skill, type SkillDefinition } from '../domain/skill.ts'
import { byName } from './registry.ts'
import { inputSchema } from './variables.ts'

/** A skill as GET shows it: what POST takes, and where it comes from. */
export function shownSkill(skill: Skill, language: Language) {
  return {
    object: 'skill',
    ...inLanguage(skill, language),
    source: skill.source,
    languages: Object.keys(skill.texts),
    input_schema: inputSchema(skill.definition),
  }
}

/** A page of the list, by name and without prompts: the tenant's own, and the shipped ones that it does not replace.
 *  `last`: the name behind which there is more, null if there is none. `own`: those behind `after`, one more than the page holds if there are so many. */
export function mergedPage(
  shipped: ReadonlyMap<string, Skill>,
  own: readonly Omit<SkillDefinition, 'prompt'>[],
  { after, limit, language }: { after: string; limit: number; language: Language },
) {
  const names = new Set(own.map(({ name }) => name))
  const others = [...shipped.values()].filter(({ definition: { name } }) => name > after && !names.has(name))
  const mine: Skill[] = own.map((one) => ({ definition: { ...one, prompt: '' }, texts: {}, source: 'tenant' }))
  const all = [...others, ...mine].map((skill) => withoutPrompt(shownSkill(skill, language))).toSorted(byName)
  const data = all.slice(0, limit)
  return { data, last: all.length > limit ? (data.at(-1)?.name ?? null) : null }
}

function withoutPrompt<T extends { prompt: string }>(shown: T): Omit<T, 'prompt'> {
  const { prompt: _, ...others } = shown
  return others
}
