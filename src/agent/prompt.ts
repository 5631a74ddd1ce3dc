import { PROMPTS, type PromptTemplates } from '../../configs/prompts/index.ts'
import type { PromptLayout } from '../domain/config.ts'
import type { Language } from '../domain/language.ts'
import type { Protocol } from '../domain/model.ts'
import type { FinishMode } from '../domain/skill.ts'
import type { JsonSchema, Tool } from '../domain/tool.ts'
import {
  languageName,
  promptTime,
  escapeSections,
  inlineSection,
  replaceSection,
  section,
  SECTIONS,
  ENVIRONMENT,
  TOOL_GUIDE,
  fillTemplate,
} from './prompt-parts.ts'
import { type Guided, toolGuide } from './tool-guide.ts'

/** The name that a session has when it is not given another character. */
const DEFAULT_CHARACTER = 'yaa'

export interface PromptInput {
  task: string
  /** The whole text of the role section; null, empty or `yaa`: the default role. */
  character: string | null
  language: Language
  /** The BCP 47 tag that the user asked for, which need not be a language of the product. */
  languageTag: string
  /** IANA name. */
  timezone: string
  /** Unix milliseconds. */
  now: number
  /** What the agent runs on, such as `Cloudflare Workers (workerd)`. */
  runtime: string
  /** The user's own instructions; empty: none. */
  instructions: string
  tools: readonly Tool[]
  protocol: Protocol
  finish: FinishMode
  /** The answer has to be JSON that fits it; null: any answer. */
  outputSchema: JsonSchema | null
  layout: PromptLayout
  /** Further parts of the custom instructions, such as what is remembered of the user. */
  extra?: readonly { title: string; text: string }[]
}

/** The system prompt of one user task: what is the same for all sessions of a config first, the time and the task last, so that services
 *  can keep the beginning; or in the order of the seed. Texts of users and tools in it can open or close no section. */
export function generatePrompt(input: PromptInput): string {
  const templates = PROMPTS[input.language]
  const isSeed = input.layout === 'seed'
  const time = promptTime(input.now, input.timezone, isSeed ? 'second' : 'minute')
  const insides = [
    role(input, templates),
    toolGuide(input),
    templates.goal,
    fillTemplate(templates.environment, { runtime: input.runtime, time }),
    instructions(input, templates.instructions),
  ]
  const [task, ...names] = SECTIONS[input.language]
  const sections = names.map((name, index) => section(name, escapeSections(insides[index] ?? '')))
  const said = inlineSection(task, escapeSections(input.task.trim()))
  if (isSeed) return [said, ...sections].join('\n')
  const [environment = '', ...own] = sections.splice(ENVIRONMENT - 1)
  return [...sections, ...own, environment, said].join('\n')
}

/** A stored prompt with the tool guide of another protocol in place of its own; a prompt that has no tool guide stays. */
export function forProtocol(prompt: string, guided: Guided): string {
  const guide = escapeSections(toolGuide(guided))
  const names = [guided.language, ...Object.keys(SECTIONS).filter(isLanguage)].map((one) => SECTIONS[one][TOOL_GUIDE])
  for (const name of names) {
    const replaced = replaceSection(prompt, name, guide)
    if (replaced !== null) return replaced
  }
  return prompt
}

function role({ character, outputSchema }: PromptInput, templates: PromptTemplates): string {
  const given = character?.trim() ?? ''
  const text = given === '' || given === DEFAULT_CHARACTER ? templates.role : given
  return outputSchema === null
    ? text
    : `${text.trim()}\n\n${fillTemplate(templates.output, { schema: JSON.stringify(outputSchema) })}`
}

function instructions(input: PromptInput, template: string): string {
  const { languageTag, language } = input
  const preference = fillTemplate(template, { languageTag, languageName: languageName(languageTag, language) })
  const own = input.instructions.trim()
  const ownTitle = { 'zh-CN': '## 用户的指示', en: "## The user's instructions" }[language]
  const extra = (input.extra ?? []).map(({ title, text }) => `## ${title}\n\n${text.trim()}`)
  return [preference, ...(own === '' ? [] : [`${ownTitle}\n\n${own}`]), ...extra].join('\n\n')
}

function isLanguage(key: string): key is Language {
  return Object.hasOwn(SECTIONS, key)
}
