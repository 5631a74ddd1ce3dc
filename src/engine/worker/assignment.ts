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

/** The assignments of each session by who works, for as long as neither its record nor the tools change: a change makes a new record. */
const MADE = new WeakMap<ExecutionContext['record'], { tools: readonly Tool[]; byKey: Map<string, Assignment> }>()

/** An assignment that bounds no calls and asks for no form of the answer. */
const UNBOUNDED = { toolTurnsMax: null, toolCallsMax: null, outputSchema: null, mayBeEmpty: false } as const

/** What a branch is given: by the session, its skill, the worker or the role that works in it. `scope` null: the run's own branch. */
export function assignmentOf(about: ExecutionContext, scope: string | null): Assignment {
  const { engine, record } = about
  const executor = executorOf(about, scope)
  const key = JSON.stringify([
    scope === null,
    executor.isPart,
    executor.worker,
    executor.crew,
    executor.member?.name,
    executor.action,
  ])
  const known = MADE.get(record)
  const made = known?.tools === engine.tools ? known : { tools: engine.tools, byKey: new Map<string, Assignment>() }
  if (made !== known) MADE.set(record, made)
  const assignment = made.byKey.get(key) ?? make(workContextOf(about, executor), executor)
  made.byKey.set(key, assignment)
  const schema = scope === null ? schemaOf(about) : undefined
  return schema === undefined ? assignment : { ...assignment, outputSchema: schema }
}

/** The schema that the answer of the run has to fit: that of its message, else that of its session; undefined: neither has one. */
function schemaOf({ record, state: { run } }: ExecutionContext): Assignment['outputSchema'] | undefined {
  return run?.outputSchema === undefined ? record.outputSchema : run.outputSchema
}

function make(workContext: WorkContext, executor: Executor): Assignment {
  return withClientTools(workContext, given(workContext, executor))
}

/** Whoever works in a run may call the tools of its caller, even where the assignment has no other tools. */
function withClientTools({ engine, record }: WorkContext, assignment: Assignment): Assignment {
  const { tools } = assignment
  const isMore = (tool: Tool) => tool.client !== undefined && !tools.includes(tool)
  const more = engine.tools.some(isMore) ? enabledTools(engine.tools, settingsOf(engine, record)).filter(isMore) : []
  return more.length === 0 ? assignment : { ...assignment, tools: sharedList([...tools, ...more]) }
}

function given(workContext: WorkContext, executor: Executor): Assignment {
  const { worker, member, isPart } = executor
  const work =
    worker !== null
      ? ofWorker(workContext, worker, member)
      : member
        ? ofMember(workContext, executor)
        : ofSession(workContext)
  if (!isPart) return work
  const calls = work.toolCallsMax ?? limitsOf(workContext.engine, workContext.record).max_task_tool_calls
  const part = member?.actions.find(({ name }) => worker === null && name === executor.action)
  return { ...work, finish: 'no_call', toolCallsMax: calls, mayBeEmpty: true, ...(part ? { part } : {}) }
}

/** What an action of a role is given: the tools that it names, or those of its skill, and the control tools. An action without tools is one model
 *  call. */
function ofMember(workContext: WorkContext, { member, action }: Pick<Executor, 'member' | 'action'>): Assignment {
  const { engine, record } = workContext
  const skill = memberSkill(record, member)
  const names = member?.actions.find(({ name }) => name === action)?.tools ?? skill?.tools ?? []
  const enabled = enabledTools(engine.tools, settingsIn(workContext, skill))
  const isNamed = (tool: Tool) => names.some((name) => means(name, tool))
  const isOwn = (tool: Tool) => isNamed(tool) || readsFiles(tool, skill, names)
  const tools = enabled.some(isOwn) ? enabled.filter((tool) => tool.control || isOwn(tool) || isAid(tool)) : []
  return {
    role: skill && skill.prompt !== '' ? { skill, inputs: {} } : member && { member },
    model: modelOfMember(workContext, member),
    tools: sharedList(tools),
    toolNames: names,
    finish: 'no_call',
    ...UNBOUNDED,
    toolCallsMax: member?.limits?.max_tool_calls ?? limitsOf(engine, record).max_task_tool_calls,
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

/** The settings of tools in a branch: those of the server, the session, and the skills that work in it. */
export function settingsFor(about: ExecutionContext, scope: string | null): ToolSettings {
  const { engine, record } = about
  const executor = executorOf(about, scope)
  const workContext = workContextOf(about, executor)
  const own = memberSkill(workContext.record, executor.member)
  const skill = executor.worker === null ? null : workerSkill(engine, record, executor.worker)
  return settingsIn(workContext, own, skill)
}

/** What a worker of a plan is given: its own tools and the control tools; the worker that is the model alone has no tools. In the plan of a team member
 *  it works with the member's model, unless it has its own, and under the permissions of the member's skill. */
function ofWorker(workContext: WorkContext, worker: string, member: TeamRole | null): Assignment {
  const { engine, record } = workContext
  const own = memberSkill(record, member)
  const skill = workerSkill(engine, record, worker)
  const settings = settingsIn(workContext, own, skill)
  const enabled = enabledTools(engine.tools, settings)
  const model = member && (skill?.model ?? null) === null ? { model: modelOfMember(workContext, member) } : {}
  if (skill)
    return {
      ...ofSkill({ ...workContext, record: { ...record, skill: { definition: skill, inputs: {} } } }, enabled),
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
    ...UNBOUNDED,
    ...model,
  }
}

function ofSession(workContext: WorkContext): Assignment {
  const { engine, record } = workContext
  const enabled = enabledTools(engine.tools, settingsOf(engine, record))
  if (record.skill) return ofSkill({ ...workContext, record: { ...record, skill: record.skill } }, enabled)
  const preset = record.config.tools_preset ?? engine.config.tools_preset ?? presetFor(workContext)
  const isIn = preset === 'small' ? (tool: Tool) => isSmall(tool, workContext) : () => true
  return {
    role: null,
    model: modelConfigOf(record),
    tools: sharedList(enabled.filter((tool) => (tool.optIn ? isWished(tool, settingsOf(engine, record)) : isIn(tool)))),
    toolNames: null,
    finish: 'tool',
    ...UNBOUNDED,
  }
}

/** The tools where nobody says which: a narrow window would have no room left beside all of them. */
function presetFor({ engine, record }: WorkContext): ToolsPreset {
  const choice = engine.chooseModel(modelConfigOf(record))
  return choice.ok && choice.spec.contextTokens < LIMITS.model.narrowWindowTokens ? 'small' : 'all'
}

/** The tools that a small window has room for: control tools, those that read on in results, one that reads pages, and those that the config names
 *  as enabled. */
function isSmall(tool: Tool, { engine, record }: WorkContext): boolean {
  const named = [engine.config.tools, record.config.tools].some((tools) => tools?.[tool.id]?.enabled === true)
  return tool.control || isAid(tool) || named || tool.id === 'web_access'
}

type SkillContext = WorkContext & { record: { skill: SessionSkill } }

/** What a skill is given of the tools that it may use. */
function ofSkill({ record }: SkillContext, enabled: readonly Tool[]): Assignment {
  const { definition, inputs } = record.skill
  const tools = toolsOf(definition, enabled)
  const finish = tools.some(({ control }) => !control) ? definition.finish : 'no_call'
  return {
    role: definition.prompt === '' ? null : { skill: definition, inputs },
    model: modelConfigOf(record),
    tools: sharedList(finish === 'tool' ? tools : tools.filter(({ control }) => !control)),
    toolNames: definition.tools,
    finish,
    ...UNBOUNDED,
    toolTurnsMax: definition.max_tool_iterations,
    outputSchema: definition.output_schema,
  }
}

/** The model of a branch. */
export function modelOf({ engine, journal }: MoveContext, scope: string | null): ModelChoice {
  return engine.chooseModel(assignmentOf({ engine, record: journal.record, state: journal.state }, scope).model)
}

/** The tools that a skill names, and the control tools. A skill that names all of them (`*`) is not given `use_skill`, nor tools that are to be
 *  asked for. */
function toolsOf(skill: SkillDefinition, enabled: readonly Tool[]): Tool[] {
  const { tools } = skill
  const isNamed = (tool: Tool) =>
    tools.some((name) => means(name, tool) && (name !== '*' || (tool.id !== 'use_skill' && !tool.optIn))) ||
    readsFiles(tool, skill, tools) ||
    (isAid(tool) && (tools.length > 0 || skill.files !== undefined))
  return enabled.filter((tool) => tool.control || isNamed(tool))
}

/** Whether a tool helps with results that were cut, or with finding tools. */
function isAid({ needs }: Tool): boolean {
  return needs === 'cut_result' || needs === 'many_tools'
}

/** Whether a tool reads the files of the skill, or of those that it may load. */
function readsFiles({ needs }: Tool, skill: SkillDefinition | null, names: readonly string[]): boolean {
  return needs === 'skill_files' && (skill?.files !== undefined || names.includes('use_skill'))
}
