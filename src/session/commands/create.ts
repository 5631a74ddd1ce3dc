import { type Content, contentText, toldText } from '../../domain/content.ts'
import { inputWords } from '../../domain/content-input.ts'
import { type AppError, invalid, ok, type Result } from '../../domain/errors.ts'
import { type SessionConfig, unmasked } from '../../domain/config.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { GivenMessage } from '../../domain/message.ts'
import type { NewMessageInput, NewSession } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { OrchestratorName } from '../../domain/run.ts'
import type { SessionSkill } from '../../domain/skill.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Cast } from '../../engine/work.ts'
import { chosenOrchestrator, orchestratorsFor, schemaMisfit } from '../../engine/orchestrator-of.ts'
import { languageFor, modelConfigOf } from '../../engine/settings.ts'
import { checkConfig, checkReach } from '../../run/setup/check-config.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { cutText, graphemesOf } from '../../lib/text.ts'
import { schemaProblem } from '../../skills/output-schema.ts'
import { inLanguageOfTask, sessionSkillOf } from './skill.ts'

/** Whom a new session is cast with: its skill, and whom orchestrators bring. */
export async function castOf(
  engine: Engine,
  tenant: string,
  input: NewSession,
  skill: SessionSkill | null,
): Promise<Result<Cast>> {
  const loading = orchestratorsFor(engine, input, skill)
  if (loading) await loading
  const spoken = inLanguageOfTask(input)
  let cast: Cast = { skill }
  for (const one of engine.orchestrators.all) {
    const found = await one.cast?.(engine, tenant, spoken, skill)
    if (found && !found.ok) return found
    cast = { ...cast, ...found?.value }
  }
  return ok(cast)
}

/** Whether a session may be made of this input; null: it may. */
export function checkNewSession(engine: Engine, input: NewSession, cast: Cast = {}): AppError | null {
  const { all } = engine.orchestrators
  const chosen = chosenOrchestrator(engine, input, cast)
  const { skill = null } = cast
  const names = all.flatMap(({ name, isBeside }) => (isBeside ? [] : [name]))
  if (!names.includes(chosen)) return invalid([{ path: 'orchestrator', message: `one of ${names.join(', ')}` }]).error
  const wrong = all.flatMap(({ name, issues }) => issues?.(input, cast, name === chosen) ?? [])
  if (wrong.length > 0) return invalid(wrong).error
  const unusable = schemaRefusal(engine, chosen, input.output_schema)
  if (unusable) return unusable
  return checkConfig(engine, modelConfigOf({ config: input.config ?? {}, skill }))
}

/** Why runs of an orchestrator cannot be held to a schema; null: they can, or are not to be. */
export function schemaRefusal(
  { orchestrators }: Pick<Engine, 'orchestrators'>,
  orchestrator: OrchestratorName,
  schema: NewSession['output_schema'],
): AppError | null {
  if (!schema) return null
  const message = schemaMisfit(orchestrators, orchestrator) ?? schemaProblem(schema)
  return message === null ? null : invalid([{ path: 'output_schema', message }]).error
}

/** Why a message cannot begin a run of a session; null: it can. */
export function taskRefusal(
  { engine, record }: { engine: Engine; record: SessionRecord },
  { inputs }: Pick<NewMessageInput, 'inputs'>,
  content: Content,
): AppError | null {
  const { taskIssues } = engine.orchestrators.find(record.orchestrator) ?? {}
  const words = toldText(content, languageFor(engine, record))
  const none = inputs === undefined ? [] : [{ path: 'inputs', message: 'nothing: only a workflow has inputs' }]
  const wrong = taskIssues ? taskIssues(record, { words, inputs }) : none
  return wrong.length > 0 ? invalid(wrong, taskIssues ? MISFIT : undefined).error : null
}

const MISFIT = 'The inputs do not fit the workflow; see errors.'

/** Whether a session that is made of this input later could be made now; null: it could. */
export async function checkStart(engine: Engine, tenant: string, input: NewSession): Promise<AppError | null> {
  const skill = await sessionSkillOf(engine, tenant, input)
  if (!skill.ok) return skill.error
  const cast = await castOf(engine, tenant, input, skill.value)
  if (!cast.ok) return cast.error
  const elsewhere = await checkReach(engine, tenant, input.config)
  return elsewhere ?? checkNewSession(engine, input, cast.value)
}

export function newRecord(
  engine: Engine,
  { id, tenant, generation }: { id: string; tenant: string; generation?: number | undefined },
  input: NewSession,
  now: number,
  cast: Cast = {},
): SessionRecord {
  return {
    id,
    tenant,
    title: input.title ?? titleOf(firstWords(input), cast.workflow),
    character: input.character ?? null,
    orchestrator: chosenOrchestrator(engine, input, cast),
    skill: cast.skill ?? null,
    ...(cast.team ? { team: cast.team } : {}),
    ...(cast.workflow ? { workflow: cast.workflow } : {}),
    ...(cast.workers ? { workers: cast.workers } : {}),
    user: input.user ?? null,
    metadata: input.metadata ?? {},
    config: withTitles(unmasked(input.config ?? {}, {}), input, engine),
    ...(input.output_schema ? { outputSchema: input.output_schema } : {}),
    createdTime: now,
    ...(generation === undefined ? {} : { generation }),
    ...(input.place && Object.keys(input.place).length > 0 ? { place: input.place } : {}),
  }
}

/** Who names the session: nobody is asked for a title that was given, or where the server's config leaves it at the first words. */
function withTitles(
  { titles, ...config }: SessionConfig,
  { title }: NewSession,
  { config: server }: Engine,
): SessionConfig {
  const byModel = title === undefined && server.titles !== 'task' && (titles ?? server.titles) === 'model'
  return byModel ? { ...config, titles: 'model' } : config
}

function firstWords({ task, messages = [] }: NewSession): string {
  return inputWords(task ?? messages.find(({ role }) => role === 'user')?.content ?? '')
}

/** What the user said first. */
export function firstTask(messages: readonly GivenMessage[]): string {
  return contentText(messages.find((message) => message.role === 'user')?.content ?? '', null)
}

/** As much of a title as fits. */
export function fittingTitle(text: string): string {
  const { titleCharsMax } = LIMITS.text
  return text.length <= titleCharsMax ? text : cutText(text, titleCharsMax - 1)
}

/** The start of a task's first line, as a title; of one that is nothing but inputs of a workflow the name of that. */
export function titleOf(task: string, workflow?: { name: string }): string {
  if (workflow && isObject(parseJson(task))) return workflow.name
  const line = fittingTitle(task.trim().split('\n', 1)[0] ?? '')
  const max = LIMITS.text.titleFromTaskChars
  if (line.length <= max) return line
  const parts = graphemesOf(line)
  return parts.length <= max ? line : `${parts.slice(0, max - 1).join('')}…`
}
