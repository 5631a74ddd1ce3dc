import { type BytesPartInput, bytesPartInput, type ContentInput, inputWords } from '../../domain/content-input.ts'
import { fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import { languageOf, languageOfWords } from '../../domain/language.ts'
import type { NewSession, SkillRun, StatelessInput } from '../../domain/session-input.ts'
import { inLanguage, type SessionSkill, type SkillDefinition } from '../../domain/skill.ts'
import { issuesOf } from '../../lib/zod.ts'
import { readInput } from '../../skills/template.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageTagOf } from '../../engine/settings.ts'

const UNKNOWN = invalid([{ path: 'skill', message: 'no skill of that name; see GET /v1/skills' }])

/** What a session is made with when it runs a skill, and the message that begins its run. */
export interface TakenSkill {
  skill: SessionSkill
  message: string
  content: ContentInput
  /** Where each part of the content is in the input. */
  pathOf: (index: number) => string
  /** Inputs that are files, in the order of the parts that bring them, which are the last of the content. */
  files: string[]
}

/** A run of a skill that was asked for by its name. */
export type NamedRun = SkillRun & { name: string }

/** The skill that a new session names, as it is at this moment; null: it names none. */
export async function sessionSkillOf(
  engine: Engine,
  tenant: string,
  input: Pick<NewSession, 'skill' | 'task' | 'config'>,
): Promise<Result<SessionSkill | null>> {
  const { skill: name, task } = input
  if (name === undefined) return ok(null)
  const taken = await takeSkill(engine, tenant, {
    name,
    input: inputWords(task ?? ''),
    config: inLanguageOfTask(input).config,
  })
  if (taken.ok) return ok(taken.value.skill)
  if (taken.error.code !== 'not_found') return taken
  return UNKNOWN
}

/** A session that names no language is cast in that of its task. */
export function inLanguageOfTask<T extends Pick<NewSession, 'task' | 'config'>>(input: T): T {
  const language = input.config?.language ?? languageOfWords(inputWords(input.task ?? ''))
  return language === null ? input : { ...input, config: { ...input.config, language } }
}

/** The skill of a session that its caller keeps; which inputs its run began with is not known any more. */
export async function namedSkill(
  engine: Engine,
  tenant: string,
  { skill: name, config }: Pick<StatelessInput, 'skill' | 'config'>,
): Promise<Result<SessionSkill | null>> {
  if (name === null || name === undefined) return ok(null)
  const found = await engine.skills.find(tenant, name)
  if (!found) return UNKNOWN
  return ok({ definition: inLanguage(found, languageOf(languageTagOf(engine, config ?? {}))), inputs: {} })
}

/** The skill that a run names, with the inputs of the run. */
export async function takeSkill(
  engine: Engine,
  tenant: string,
  { name, input, config }: Pick<NamedRun, 'name' | 'input' | 'config'>,
): Promise<Result<TakenSkill>> {
  const found = await engine.skills.find(tenant, name)
  if (!found) return fail({ code: 'not_found', what: 'skill' })
  const definition = inLanguage(found, languageOf(languageTagOf(engine, config ?? {})))
  const given = Array.isArray(input) ? inputWords(input) : input
  const files = filesIn(definition, given)
  const read = readInput(definition, typeof given === 'string' ? given : { ...given, ...files.names })
  const issues = [...files.issues, ...(read.ok ? [] : read.issues)]
  if (!read.ok || issues.length > 0) return invalid(issues, 'The input does not fit the skill; see errors.')
  const { user_input: _, ...inputs } = read.inputs
  const names = Object.keys(files.names)
  const parts: ContentInput = [{ type: 'text', text: read.message }, ...files.parts]
  return ok({
    skill: { definition, inputs },
    message: Array.isArray(input) ? inputWords(input) : read.message,
    content: Array.isArray(input) ? input : names.length > 0 ? parts : read.message,
    pathOf: (index) => (Array.isArray(input) ? `input.${index}` : `input.${names[index - 1] ?? 'user_input'}`),
    files: names,
  })
}

interface InputFiles {
  parts: BytesPartInput[]
  /** What each is called, by its input. */
  names: Record<string, string>
  issues: InputIssue[]
}

/** The files among the inputs of a run. */
function filesIn({ inputs }: SkillDefinition, given: string | Record<string, unknown>): InputFiles {
  const found: InputFiles = { parts: [], names: {}, issues: [] }
  for (const { name, type } of inputs) {
    const value = type === 'file' && typeof given !== 'string' && Object.hasOwn(given, name) ? given[name] : null
    if (value === null || value === undefined) continue
    const read = bytesPartInput.safeParse(value)
    if (!read.success) found.issues.push(...issuesOf(read.error, `input.${name}`))
    else found.parts.push(read.data)
    found.names[name] = (read.success ? read.data.name : null) ?? name
  }
  return found
}
