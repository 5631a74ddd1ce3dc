import type { InputIssue } from '../domain/errors.ts'
import type { Language } from '../domain/language.ts'
import type { Skill, SkillDefinition, SkillText } from '../domain/skill.ts'
import { checkSkill, type CheckedSkill, type SkillSurroundings } from './check-skill.ts'
import { isMap, isScalar, parseDocument, type Document } from 'yaml'
import { LIMITS } from '../domain/limits.ts'
import { isDeeper, isObject, parseJson } from '../lib/json.ts'

/** The texts of one skill's folder: `SKILL.md` is in English, `SKILL.zh-CN.md` says the same in Chinese. */
export type SkillFiles = Readonly<Record<Language, string>>

/** A skill that is left out, and why. `path`: folder, language and field. */
export interface SkillProblem extends InputIssue {
  skill: string
}

export interface ShippedSkills {
  skills: ReadonlyMap<string, Skill>
  problems: readonly SkillProblem[]
}

/** The skills that come with the product; a bad one is named and left out, whatever is wrong with it. */
export function shippedSkills(files: Readonly<Record<string, SkillFiles>>, around: SkillSurroundings): ShippedSkills {
  const skills = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  for (const [name, texts] of Object.entries(files)) {
    const read = readSkill(name, texts, around)
    if (read.ok) skills.set(name, read.skill)
    else problems.push(...read.issues.map((issue) => ({ skill: name, ...issue })))
  }
  for (const [name, { definition }] of skills) problems.push(...castProblems(name, definition, skills, around))
  for (const { skill } of problems) skills.delete(skill)
  return { skills, problems }
}

/** Roles of a shipped skill's team can be shipped skills only. */
function castProblems(
  skill: string,
  { team }: SkillDefinition,
  skills: ReadonlyMap<string, Skill>,
  around: SkillSurroundings,
): SkillProblem[] {
  if (team === null) return []
  const isTeam = (name: string) => (skills.get(name)?.definition.team ?? null) !== null
  return around.teamIssues(team, { hasSkill: (name) => skills.has(name), isTeam }).map((issue) => ({ skill, ...issue }))
}

/** A SKILL.md, read and checked. */
export function checkSkillFile(text: string, around: SkillSurroundings): CheckedSkill {
  const read = readSkillFile(text)
  return read.ok ? checkSkill(read.value, around) : read
}

function readSkill(
  name: string,
  files: SkillFiles,
  around: SkillSurroundings,
): { ok: true; skill: Skill } | { ok: false; issues: InputIssue[] } {
  const main = checkSkillFile(files.en, around)
  if (!main.ok) return main
  if (main.skill.name !== name) return { ok: false, issues: [{ path: 'name', message: `${name}, as its folder` }] }
  const chinese = translated(main.skill, files['zh-CN'], around)
  if (!chinese.ok) return { ok: false, issues: chinese.issues.map((one) => ({ ...one, path: `zh-CN: ${one.path}` })) }
  const texts = { en: textOf(main.skill), 'zh-CN': textOf(chinese.skill) }
  return { ok: true, skill: { definition: main.skill, texts, source: 'shipped' } }
}

/** A translation has a name, a description and a prompt; everything else is said once, in SKILL.md. */
function translated(main: SkillDefinition, file: string, around: SkillSurroundings): CheckedSkill {
  const read = readSkillFile(file)
  return read.ok ? checkSkill({ ...main, ...read.value }, around) : read
}

function textOf({ description, prompt }: SkillDefinition): SkillText {
  return { description, prompt }
}

type ReadFile = { ok: true; value: Record<string, unknown> } | { ok: false; issues: InputIssue[] }

/** Front matter between lines of three dashes, and the body behind it. */
const PARTS = /^\uFEFF?---[^\S\n]*\n([\s\S]*?)\n---[^\S\n]*(?:\n([\s\S]*))?$/

/** Keys of the Agent Skills format that say nothing about a run. */
const UNUSED: ReadonlySet<string> = new Set(['license', 'compatibility'])

/** What `metadata` may say about a run; its other keys are the author's own. */
const SETTINGS = [
  'version',
  'orchestrator',
  'model',
  'temperature',
  'max_tokens',
  'max_tool_iterations',
  'finish',
  'worker',
  'permissions',
  'inputs',
  'team',
  'output_schema',
] as const

/** The settings that are texts, whatever they look like in YAML. */
const TEXTS: ReadonlySet<string> = new Set(['version', 'orchestrator', 'model', 'finish'])

/** A SKILL.md as the object that JSON would be, not yet checked field by field. Source: agentskills.io, "Specification". */
export function readSkillFile(text: string): ReadFile {
  const [, head, body = ''] = PARTS.exec(text.replaceAll('\r\n', '\n')) ?? []
  if (head === undefined)
    return refused('', 'a SKILL.md: YAML between two lines of three dashes, then the prompt in Markdown')
  const { frontMatterCharsMax } = LIMITS.skill
  if (head.length > frontMatterCharsMax) return refused('', `front matter of at most ${frontMatterCharsMax} characters`)
  const document = parse(head)
  if (document === null) return refused('', 'YAML that is not nested so deep')
  const [error] = document.errors
  if (error) return refused('', `YAML that can be read: ${error.message.split('\n', 1)[0]}`)
  return isMap(document.contents)
    ? fieldsOf(document, body.trim())
    : refused('', 'front matter with name and description')
}

/** Null: nested so deep that it cannot be read. */
function parse(head: string): Document | null {
  try {
    return parseDocument(head)
  } catch {
    return null
  }
}

function fieldsOf(document: Document, prompt: string): ReadFile {
  const values = plain(document)
  if (values === null) return refused('', 'fewer aliases in the YAML')
  if (isDeeper(values, LIMITS.http.jsonDepthMax)) return refused('', 'YAML that is not nested so deep')
  const { name, description, metadata = {}, 'allowed-tools': tools, ...others } = values
  const unknown = Object.keys(others).filter((key) => !UNUSED.has(key))
  if (unknown.length > 0) return { ok: false, issues: unknown.map((path) => ({ path, message: 'unknown field' })) }
  if (!isObject(metadata)) return refused('metadata', 'an object')
  const settings = SETTINGS.flatMap((key) =>
    metadata[key] === undefined ? [] : [[key, setting(document, key, metadata[key])]],
  )
  return {
    ok: true,
    value: {
      name,
      description,
      prompt,
      ...(tools === undefined ? {} : { tools: listOf(tools) }),
      ...Object.fromEntries(settings),
    },
  }
}

/** `version: 1.0` is the text `1.0`; a number, truth value or object may also be written as a text, as the format has it. */
function setting(document: Document, key: string, value: unknown): unknown {
  if (!TEXTS.has(key)) return typeof value === 'string' ? (parseJson(value) ?? value) : value
  const node = document.getIn(['metadata', key], true)
  return typeof value !== 'string' && isScalar(node) ? (node.source ?? String(value)) : value
}

/** `allowed-tools`: a list, or a text with white space or commas between the names. */
function listOf(tools: unknown): unknown {
  return typeof tools === 'string' ? tools.split(/[\s,]+/).filter((name) => name !== '') : (tools ?? [])
}

/** Null: aliases that multiply. */
function plain(document: Document): Record<string, unknown> | null {
  try {
    const values: unknown = document.toJS({ maxAliasCount: 50 })
    return isObject(values) ? values : {}
  } catch {
    return null
  }
}

function refused(path: string, message: string): ReadFile {
  return { ok: false, issues: [{ path, message }] }
}
