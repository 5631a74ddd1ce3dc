import type { InputIssue } from '../domain/errors.ts'
import type { Language } from '../domain/language.ts'
import type { Skill, SkillDefinition, SkillText } from '../domain/skill.ts'
import { checkSkill, type CheckedSkill, type SkillSurroundings } from './check-skill.ts'
import { readSkillFile } from './skill-file.ts'

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
