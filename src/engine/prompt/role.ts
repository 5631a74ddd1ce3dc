import { promptTime } from '../../agent/prompt-parts.ts'
import { memberText, partText, roleText } from '../../agent/team-texts.ts'
import type { Language } from '../../domain/language.ts'
import type { SkillFileFound, Tool } from '../../domain/tool.ts'
import { byteSize, cutText } from '../../lib/text.ts'
import { inLanguage, type SkillDefinition, type SkillValue } from '../../domain/skill.ts'
import { inputsInText, renderTemplate, templateFault, valuesFor, type Variables } from '../../skills/template.ts'
import { earlierAnswers } from './earlier.ts'
import type { MoveContext } from '../engine.ts'
import { languageFor, languageTagOf, timezoneOf } from '../settings.ts'
import { assignmentOf } from '../worker/assignment.ts'
import { skillOf, type Worker } from '../worker/worker.ts'
import { LIMITS } from '../../domain/limits.ts'

/** What takes the place of the role: the skill's prompt, else the session's character; null: the default. */
export function roleOf(context: MoveContext, { role, part, language, scope }: Worker, task: string): string | null {
  const { engine, journal } = context
  if (role === null) return journal.record.character ?? engine.config.character ?? null
  const isOfSession = scope === null && journal.record.skill !== null
  const read = 'skill' in role && !isOfSession ? inputsInText(role.skill, task) : {}
  const inputs = 'skill' in role ? { ...read, ...role.inputs, ...inputsOfBranch(context, scope) } : {}
  const skill = 'skill' in role ? skillPrompt(context, role.skill, inputs, language, task) : null
  if (part) return partText('member' in role ? memberText(role.member, language) : (skill ?? ''), part, language)
  return 'member' in role ? roleText(role.member, language) : skill
}

function skillPrompt(
  context: MoveContext,
  skill: Pick<SkillDefinition, 'prompt' | 'inputs'>,
  inputs: Record<string, SkillValue>,
  language: Language,
  task: string,
): string {
  const given = { ...inputs, ...givenValues(context, task), ...historyValue(context, skill, language) }
  return renderSkill(skill, given)
}

/** Inputs that whoever gave the work of a branch gives its skill. */
function inputsOfBranch(context: MoveContext, scope: string | null): Record<string, SkillValue> {
  if (scope === null) return {}
  const given = context.engine.orchestrators.all.map(({ inputs }) => inputs?.(context, scope))
  return Object.assign({}, ...given)
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

/** The prompt of a skill; one that is no template any more is told as it was written. */
function renderSkill(
  skill: Pick<SkillDefinition, 'prompt' | 'inputs'>,
  values: Variables,
  missing?: (name: string) => string,
): string {
  return templateFault(skill.prompt) === null
    ? renderTemplate(skill.prompt, valuesFor(skill, values, missing))
    : skill.prompt
}

/** What keeps the prompt of a worker's skill from being a template; null: nothing. A definition is checked when it is stored, but one that
 *  an earlier release stored may not be what this one reads. */
export function brokenTemplate({ role }: Pick<Worker, 'role'>): string | null {
  return role !== null && 'skill' in role ? templateFault(role.skill.prompt) : null
}

/** Whether a worker's prompt repeats what was said before in the session. */
export function tellsHistory({ role }: Pick<Worker, 'role'>): boolean {
  return role !== null && 'skill' in role && usesHistory(role.skill)
}

/** An input of that name, which skills of earlier releases may have, is the author's own. */
function usesHistory({ prompt, inputs }: Pick<SkillDefinition, 'prompt' | 'inputs'>): boolean {
  return /\{\{[{&#^/]?\s*history\s*\}/.test(prompt) && !inputs.some(({ name }) => name === 'history')
}

/** The earlier tasks of the session and what was answered, for the prompt of a skill; empty where there are none. */
function historyValue(
  context: MoveContext,
  skill: Pick<SkillDefinition, 'prompt' | 'inputs'>,
  language: Language,
): Record<string, SkillValue> {
  if (!usesHistory(skill)) return {}
  const { user, answer } = HISTORY[language]
  const { historyChars } = LIMITS.skill
  const short = (text: string) => (text.length > historyChars ? `${text.slice(0, historyChars).toWellFormed()}…` : text)
  const lines = earlierAnswers(context).map((one) => `${user(short(one.question))}\n${answer(short(one.answer))}`)
  return { history: lines.join('\n\n') }
}

const HISTORY = {
  'zh-CN': { user: (words: string) => `用户说：${words}`, answer: (words: string) => `你答：${words}` },
  en: { user: (words: string) => `The user said: ${words}`, answer: (words: string) => `You answered: ${words}` },
} as const satisfies Record<Language, object>

/** The text of a skill for a model that asks for it, or the names of those that there are. An input that has no value is
 *  shown by its name. */
export async function skillText(
  context: MoveContext,
  name: string,
  task: string,
): Promise<{ text: string; hasFiles: boolean } | { names: string[] }> {
  const { engine, journal } = context
  const { tenant } = journal.record
  const language = languageFor(engine, journal.record)
  const found = await engine.skills.find(tenant, name)
  if (found) {
    const missing = (input: string) => `[${input}]`
    const spoken = inLanguage(found, language)
    const given = { ...givenValues(context, task), ...historyValue(context, spoken, language) }
    const text = renderSkill(spoken, given, missing)
    const [files] = filesPart(found.definition, language)
    const told = files ? `${text}\n\n${files.title}\n${FILES[language].ofSkill(name)}${files.text}` : text
    return { text: told, hasFiles: files !== undefined }
  }
  await engine.skills.load(tenant)
  return { names: engine.skills.summaries(tenant, language).map((skill) => skill.name) }
}

/** A file for a call of a branch: of its own skill, or of any where it may load skills. */
export async function skillFile(
  { engine, journal }: MoveContext,
  { role, tools }: Pick<Worker, 'role' | 'tools'>,
  name: string | null,
  path: string,
): Promise<SkillFileFound> {
  const { tenant } = journal.record
  const own = skillOf(role)?.name ?? null
  const mayLoad = mayLoadSkills(tools)
  const wanted = name ?? own
  const found = wanted === null || (wanted !== own && !mayLoad) ? null : await engine.skills.find(tenant, wanted)
  if (found === null) {
    if (mayLoad) await engine.skills.load(tenant)
    const others = mayLoad ? engine.skills.summaries(tenant, languageFor(engine, journal.record)) : []
    return { names: [...new Set([...(own === null ? [] : [own]), ...others.map((one) => one.name)])] }
  }
  const bytes = await engine.skills.file(tenant, found, path)
  const { name: skill, files = [] } = found.definition
  return bytes ? { bytes } : { skill, paths: files.map((file) => file.path) }
}

const FILES = {
  'zh-CN': {
    title: '技能自带的文件',
    text: '需要时用 read_skill_file 阅读，一次一个。scripts/ 中的脚本在这里不会运行：请读懂后，用你自己的工具做同样的事；做不到就如实告诉用户。',
    ofSkill: (name: string) => `阅读时给出技能 ${name}。`,
    bytes: '（不是文字，无法阅读）',
    more: (count: number) => `……另有 ${count} 个`,
  },
  en: {
    title: 'Files of the skill',
    text: 'Read them with read_skill_file when you need them, one at a time. Scripts in scripts/ are not run here: read them, and do the same with your own tools; if you cannot, tell the user so.',
    ofSkill: (name: string) => `Give skill ${name} when you read one. `,
    bytes: ' (no text, cannot be read)',
    more: (count: number) => `… and ${count} more`,
  },
} as const satisfies Record<Language, object>

/** The files of a skill, for whoever works by it; nothing of one that has none. */
function filesPart(
  { files = [] }: Pick<SkillDefinition, 'files'>,
  language: Language,
): { title: string; text: string }[] {
  if (files.length === 0) return []
  const texts = FILES[language]
  const { filesListedMax } = LIMITS.skill
  const lines = files
    .slice(0, filesListedMax)
    .map(({ path, size, text }) => `- ${path}, ${byteSize(size)}${text ? '' : texts.bytes}`)
  const left = files.length - lines.length
  return [{ title: texts.title, text: [texts.text, '', ...lines, ...(left > 0 ? [texts.more(left)] : [])].join('\n') }]
}

/** The files of the skill that a branch works by, for its prompt. */
export function skillFilesPart({ role, language, offered }: Worker): { title: string; text: string }[] {
  const skill = skillOf(role)
  return skill && offered.some(({ needs }) => needs === 'skill_files') ? filesPart(skill, language) : []
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
  if (!mayLoadSkills(offered)) return []
  const lines = engine.skills
    .summaries(journal.record.tenant, language)
    .map(({ name, description }) => `- ${name}: ${oneLine(description, language)}`)
  const { title, text } = LISTED[language]
  return lines.length === 0 ? [] : [{ title, text: `${text}\n\n${lines.join('\n')}` }]
}

export function mayLoadSkills(tools: readonly Pick<Tool, 'id'>[]): boolean {
  return tools.some(({ id }) => id === 'use_skill')
}

/** A stored prompt without its list of skills. */
export function withoutSkills(prompt: string): string {
  return Object.values(LISTED).reduce((kept, { title, text }) => {
    const begin = kept.indexOf(`## ${title}\n\n${text}\n`)
    const list = begin < 0 ? null : /\n\n(?:- .*(?:\n|$))+\n?/.exec(kept.slice(begin))
    return list === null ? kept : kept.slice(0, begin) + kept.slice(begin + list.index + list[0].length)
  }, prompt)
}

/** Whether the list of skills has to be asked for before the prompt of a branch can be written. */
export function mustLoadSkills(context: MoveContext, scope: string | null): boolean {
  const { engine, journal } = context
  const { record, state } = journal
  return !engine.skills.isAtHand(record.tenant) && mayLoadSkills(assignmentOf({ engine, record, state }, scope).tools)
}

/** The first sentence, or its start. */
function oneLine(description: string, language: Language): string {
  const [sentence = ''] = description.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) |(?<=[。！？])/)
  return cutText(sentence.trim(), LIMITS.skill.listedDescriptionChars[language])
}
