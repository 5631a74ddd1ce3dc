import type { ToolsPreset } from '../../domain/config.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelChoice } from '../../domain/model.ts'
import type { Assignment } from '../../domain/assignment.ts'
import type { SessionSkill, SkillDefinition } from '../../domain/skill.ts'
import type { TeamRole } from '../../domain/team.ts'
import type { Tool } from '../../domain/tool.ts'
import { serverPrefix } from '../../domain/tool-id.ts'
import { means } from '../../skills/check-skill.ts'
import { enabledTools, isWished, sharedList, type ToolSettings } from '../../tools/registry.ts'
import { executorOf, type WorkContext, workContextOf, settingsIn, memberSkill, workerSkill } from './executor.ts'
import type { ExecutionContext, MoveContext } from '../engine.ts'
import type { Executor } from '../work.ts'
import { limitsOf, modelConfigOf, settingsOf } from '../settings.ts'

/** Assignments of a session, by worker or role, as long as neither its config nor the tools change. */
const MADE = new WeakMap<ExecutionContext['record'], { tools: readonly Tool[]; byKey: Map<string, Assignment> }>()

/** What a branch is given. `scope`: null for the run's own, which is the session's, its skill's or the picked worker's. */
export function assignmentOf(about: ExecutionContext, scope: string | null): Assignment {
  const { engine, record } = about
  const doer = executorOf(about, scope)
  const key = JSON.stringify([scope === null, doer.isPart, doer.worker, doer.crew, doer.member?.name, doer.action])
  const known = MADE.get(record)
  const made = known?.tools === engine.tools ? known : { tools: engine.tools, byKey: new Map<string, Assignment>() }
  if (made !== known) MADE.set(record, made)
  const assignment = made.byKey.get(key) ?? make(workContextOf(about, doer), doer)
  made.byKey.set(key, assignment)
  const schema = scope === null ? schemaOf(about) : undefined
  return schema === undefined ? assignment : { ...assignment, outputSchema: schema }
}

/** What the answer of the run has to fit, by its message, else by its session; undefined: neither says. */
function schemaOf({ record, state: { run } }: ExecutionContext): Assignment['outputSchema'] | undefined {
  return run?.outputSchema === undefined ? record.outputSchema : run.outputSchema
}

function make(place: WorkContext, doer: Executor): Assignment {
  return withClientTools(place, given(place, doer))
}

/** The tools of the run's caller are for whoever works in the run, those too that have no other tools. */
function withClientTools({ engine, record }: WorkContext, assignment: Assignment): Assignment {
  const { tools } = assignment
  const isMore = (tool: Tool) => tool.client !== undefined && !tools.includes(tool)
  const more = engine.tools.some(isMore) ? enabledTools(engine.tools, settingsOf(engine, record)).filter(isMore) : []
  return more.length === 0 ? assignment : { ...assignment, tools: sharedList([...tools, ...more]) }
}

function given(place: WorkContext, doer: Executor): Assignment {
  const { worker, member, isPart } = doer
  const work = worker !== null ? ofWorker(place, worker, member) : member ? ofMember(place, doer) : ofSession(place)
  if (!isPart) return work
  const calls = work.toolCallsMax ?? limitsOf(place.engine, place.record).max_task_tool_calls
  const part = member?.actions.find(({ name }) => worker === null && name === doer.action)
  return { ...work, finish: 'no_call', toolCallsMax: calls, mayBeEmpty: true, ...(part ? { part } : {}) }
}

/** What a role's action is given: exactly its tools, or those of its skill, and those that steer; without any it is one call. */
function ofMember(place: WorkContext, { member, action }: Pick<Executor, 'member' | 'action'>): Assignment {
  const { engine, record } = place
  const skill = memberSkill(record, member)
  const names = member?.actions.find(({ name }) => name === action)?.tools ?? skill?.tools ?? []
  const enabled = enabledTools(engine.tools, settingsIn(place, skill))
  const isNamed = (tool: Tool) => names.some((name) => means(name, tool))
  const isOwn = (tool: Tool) => isNamed(tool) || readsFiles(tool, skill, names)
  const tools = enabled.some(isOwn) ? enabled.filter((tool) => tool.control || isOwn(tool) || isAid(tool)) : []
  return {
    role: skill && skill.prompt !== '' ? { skill, inputs: {} } : member && { member },
    model: modelOfMember(place, member),
    tools: sharedList(tools),
    toolNames: names,
    finish: 'no_call',
    toolTurnsMax: null,
    toolCallsMax: member?.limits?.max_tool_calls ?? limitsOf(engine, record).max_task_tool_calls,
    outputSchema: null,
    mayBeEmpty: false,
  }
}

/** The model that a role names, else its skill's, else the session's. A key of the session's own model is not for another. */
function modelOfMember({ record, crew }: WorkContext, member: TeamRole | null): Assignment['model'] {
  const skill = memberSkill(record, member) ?? crew
  const { max_tokens: tokens } = member?.limits ?? {}
  const { llm, ...session } = modelConfigOf(
    skill ? { config: record.config, skill: { definition: skill, inputs: {} } } : record,
  )
  const isOwn = member?.model === undefined || llm?.api_url === undefined
  return {
    ...session,
    ...(member?.model === undefined ? {} : { model: member.model }),
    llm: { ...(isOwn ? llm : {}), ...(tokens === undefined ? {} : { max_tokens: tokens }) },
  }
}

/** What is said of tools in a branch: by the server, the session, and the skills that do it. */
export function settingsFor(about: ExecutionContext, scope: string | null): ToolSettings {
  const { engine, record } = about
  const doer = executorOf(about, scope)
  const place = workContextOf(about, doer)
  const own = memberSkill(place.record, doer.member)
  const skill = doer.worker === null ? null : workerSkill(engine, record, doer.worker)
  return settingsIn(place, own, skill)
}

/** A worker's own tools, and those that steer; those of the model itself are none. For a member it works with the member's model,
 *  if it has none of its own, and by the word of the member's skill. */
function ofWorker(place: WorkContext, worker: string, member: TeamRole | null): Assignment {
  const { engine, record } = place
  const own = memberSkill(record, member)
  const skill = workerSkill(engine, record, worker)
  const settings = settingsIn(place, own, skill)
  const enabled = enabledTools(engine.tools, settings)
  const model = member && (skill?.model ?? null) === null ? { model: modelOfMember(place, member) } : {}
  if (skill)
    return {
      ...ofSkill({ ...place, record: { ...record, skill: { definition: skill, inputs: {} } } }, enabled),
      ...model,
    }
  const isOwn = ({ server }: Tool) => server === worker
  const tools = enabled.some(isOwn) ? enabled.filter((tool) => tool.control || isOwn(tool) || isAid(tool)) : []
  return {
    role: member && { member },
    model: modelConfigOf(record),
    tools: sharedList(tools),
    toolNames: [`${serverPrefix(worker)}*`],
    finish: tools.length === 0 ? 'no_call' : 'tool',
    toolTurnsMax: null,
    toolCallsMax: null,
    outputSchema: null,
    mayBeEmpty: false,
    ...model,
  }
}

function ofSession(place: WorkContext): Assignment {
  const { engine, record } = place
  const enabled = enabledTools(engine.tools, settingsOf(engine, record))
  if (record.skill) return ofSkill({ ...place, record: { ...record, skill: record.skill } }, enabled)
  const preset = record.config.tools_preset ?? engine.config.tools_preset ?? presetFor(place)
  const isIn = preset === 'small' ? (tool: Tool) => isSmall(tool, place) : () => true
  return {
    role: null,
    model: modelConfigOf(record),
    tools: sharedList(enabled.filter((tool) => (tool.optIn ? isWished(tool, settingsOf(engine, record)) : isIn(tool)))),
    toolNames: null,
    finish: 'tool',
    toolTurnsMax: null,
    toolCallsMax: null,
    outputSchema: null,
    mayBeEmpty: false,
  }
}

/** The tools where nobody says which: a narrow window would have no room left beside all of them. */
function presetFor({ engine, record }: WorkContext): ToolsPreset {
  const choice = engine.chooseModel(modelConfigOf(record))
  return choice.ok && choice.spec.contextTokens < LIMITS.model.narrowWindowTokens ? 'small' : 'all'
}

/** What a small window has room for: what steers, what reads on, one tool to read pages, and what the config names as enabled. */
function isSmall(tool: Tool, { engine, record }: WorkContext): boolean {
  const named = [engine.config.tools, record.config.tools].some((tools) => tools?.[tool.id]?.enabled === true)
  return tool.control || isAid(tool) || named || tool.id === 'web_access'
}

type SkillPlace = WorkContext & { record: { skill: SessionSkill } }

/** What a skill is given of the tools that it may use. */
function ofSkill({ record }: SkillPlace, enabled: readonly Tool[]): Assignment {
  const { definition, inputs } = record.skill
  const tools = toolsOf(definition, enabled)
  const finish = tools.some(({ control }) => !control) ? definition.finish : 'no_call'
  return {
    role: definition.prompt === '' ? null : { skill: definition, inputs },
    model: modelConfigOf(record),
    tools: sharedList(finish === 'tool' ? tools : tools.filter(({ control }) => !control)),
    toolNames: definition.tools,
    finish,
    toolTurnsMax: definition.max_tool_iterations,
    toolCallsMax: null,
    outputSchema: definition.output_schema,
    mayBeEmpty: false,
  }
}

/** The model of a branch. */
export function modelOf({ engine, journal }: MoveContext, scope: string | null): ModelChoice {
  return engine.chooseModel(assignmentOf({ engine, record: journal.record, state: journal.state }, scope).model)
}

/** The tools that a skill names, and those that steer; a skill that takes all of them needs no other skill. */
function toolsOf(skill: SkillDefinition, enabled: readonly Tool[]): Tool[] {
  const { tools } = skill
  const isNamed = (tool: Tool) =>
    tools.some((name) => means(name, tool) && (name !== '*' || (tool.id !== 'use_skill' && !tool.optIn))) ||
    readsFiles(tool, skill, tools) ||
    (isAid(tool) && (tools.length > 0 || skill.files !== undefined))
  return enabled.filter((tool) => tool.control || isNamed(tool))
}

/** What helps with results and tools of any kind, where there is need of it. */
function isAid({ needs }: Tool): boolean {
  return needs === 'cut_result' || needs === 'many_tools'
}

/** Whether a tool reads the files of the skill, or of those that it may load. */
function readsFiles({ needs }: Tool, skill: SkillDefinition | null, names: readonly string[]): boolean {
  return needs === 'skill_files' && (skill?.files !== undefined || names.includes('use_skill'))
}
