import { inputWords } from '../../domain/content-input.ts'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { languageOf, languageOfWords } from '../../domain/language.ts'
import type { NewSession, SkillRun, StatelessInput } from '../../domain/session-input.ts'
import { inLanguage, type SessionSkill } from '../../domain/skill.ts'
import { readInput } from '../../skills/template.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageTagOf } from '../../engine/settings.ts'

const UNKNOWN = invalid([{ path: 'skill', message: 'no skill of that name; see GET /v1/skills' }])

/** What a session is made with when it runs a skill, and the message that begins its run. */
export interface TakenSkill {
  skill: SessionSkill
  message: string
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
  const read = readInput(definition, input)
  if (!read.ok) return invalid(read.issues, 'The input does not fit the skill; see errors.')
  const { user_input: _, ...inputs } = read.inputs
  return ok({ skill: { definition, inputs }, message: read.message })
}
