import type { Assignment } from '../domain/assignment.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { RunState } from '../domain/state.ts'
import type { TeamRole } from '../domain/team.ts'
import type { Tool } from '../domain/tool.ts'
import { means } from '../skills/names.ts'
import { enabledTools } from '../tools/enabled.ts'
import type { ToolSettings } from '../tools/registry.ts'
import { sharedList } from '../tools/shared-list.ts'
import { limitsOf, modelConfigOf, settingsOf, type Engine, type ModelChoice } from './engine.ts'
import type { MoveContext } from './moves/job.ts'
import { workerSkill } from './workers.ts'

/** Whose work it is. */
export interface Workplace {
  engine: Pick<Engine, 'config' | 'tools' | 'skills'>
  record: Pick<SessionRecord, 'config' | 'skill' | 'team' | 'workers'>
  run: Pick<RunState, 'plan' | 'worker' | 'scopes'> | null
}

/** Assignments of a session, by worker or role, as long as neither its config nor the tools change. */
const MADE = new WeakMap<Workplace['record'], { tools: readonly Tool[]; byKey: Map<string, Assignment> }>()

/** What a line of work is given. `scope`: null for the run's own, which is the session's, its skill's or the picked worker's. */
export function assignmentOf({ engine, record, run }: Workplace, scope: string | null): Assignment {
  const worker = scope === null ? run?.worker : run?.plan?.tasks.find(({ id }) => id === scope)?.worker
  const member = record.team?.roles.find(({ name }) => name === scope)
  const action = member && run?.scopes[member.name]?.action
  const key = JSON.stringify([scope === null, worker, member?.name, action])
  const known = MADE.get(record)
  const made = known?.tools === engine.tools ? known : { tools: engine.tools, byKey: new Map<string, Assignment>() }
  if (made !== known) MADE.set(record, made)
  const place = { engine, record }
  const assignment =
    made.byKey.get(key) ?? (member ? ofMember(place, member, action) : make(place, worker ?? null, scope))
  made.byKey.set(key, assignment)
  return assignment
}

function make(place: Omit<Workplace, 'run'>, worker: string | null, scope: string | null): Assignment {
  if (worker === null) return ofSession(place)
  const given = ofWorker(place, worker)
  if (scope === null) return given
  const calls = limitsOf(place.engine, place.record).max_task_tool_calls
  return { ...given, finish: 'no_call', toolCallsMax: calls, mayBeEmpty: true }
}

/** What a role's action is given: exactly its tools, or those of its skill, and those that steer; without any it is one call. */
function ofMember(
  { engine, record }: Omit<Workplace, 'run'>,
  member: TeamRole,
  action: string | undefined,
): Assignment {
  const skill = member.skill === undefined ? undefined : record.team?.skills[member.skill]
  const names = member.actions.find(({ name }) => name === action)?.tools ?? skill?.tools ?? []
  const enabled = enabledTools(engine.tools, settingsOf(engine, record))
  const isNamed = (tool: Tool) => names.some((name) => means(name, tool)) && skill?.permissions[tool.id] !== 'deny'
  const tools = enabled.some(isNamed) ? enabled.filter((tool) => tool.control || isNamed(tool) || isAid(tool)) : []
  const { max_tool_calls: calls, max_tokens: tokens } = member.limits ?? {}
  const { llm, ...session } = modelConfigOf(
    skill ? { config: record.config, skill: { definition: skill, inputs: {} } } : record,
  )
  const isOwn = member.model === undefined || llm?.api_url === undefined
  return {
    role: skill && skill.prompt !== '' ? { skill, inputs: {} } : { member },
    model: {
      ...session,
      ...(member.model === undefined ? {} : { model: member.model }),
      llm: { ...(isOwn ? llm : {}), ...(tokens === undefined ? {} : { max_tokens: tokens }) },
    },
    tools: sharedList(tools),
    finish: 'no_call',
    toolTurnsMax: null,
    toolCallsMax: calls ?? limitsOf(engine, record).max_task_tool_calls,
    outputSchema: null,
    mayBeEmpty: false,
  }
}

/** What is said of tools in a line of work: by the server, the session, and the skill that does it. */
export function settingsFor({ engine, record, run }: Workplace, scope: string | null): ToolSettings {
  const worker = scope === null ? run?.worker : run?.plan?.tasks.find(({ id }) => id === scope)?.worker
  const definition = worker ? workerSkill(engine, record, worker) : null
  return settingsOf(engine, definition ? { ...record, skill: { definition, inputs: {} } } : record)
}

/** A worker's own tools, and those that steer; those of the model itself are none. */
function ofWorker({ engine, record }: Omit<Workplace, 'run'>, worker: string): Assignment {
  const skill = workerSkill(engine, record, worker)
  if (skill) return ofSession({ engine, record: { ...record, skill: { definition: skill, inputs: {} } } })
  const enabled = enabledTools(engine.tools, settingsOf(engine, record))
  const own = enabled.filter(({ server }) => server === worker)
  const tools = own.length === 0 ? [] : enabled.filter((tool) => tool.control || tool.server === worker || isAid(tool))
  const model = modelConfigOf(record)
  const finish = tools.length === 0 ? 'no_call' : 'tool'
  return {
    role: null,
    model,
    tools: sharedList(tools),
    finish,
    toolTurnsMax: null,
    toolCallsMax: null,
    outputSchema: null,
    mayBeEmpty: false,
  }
}

function ofSession({ engine, record }: Omit<Workplace, 'run'>): Assignment {
  const enabled = enabledTools(engine.tools, settingsOf(engine, record))
  const model = modelConfigOf(record)
  if (!record.skill)
    return {
      role: null,
      model,
      tools: sharedList(enabled),
      finish: 'tool',
      toolTurnsMax: null,
      toolCallsMax: null,
      outputSchema: null,
      mayBeEmpty: false,
    }
  const { definition, inputs } = record.skill
  const tools = toolsOf(definition, enabled)
  const finish = tools.some(({ control }) => !control) ? definition.finish : 'no_call'
  return {
    role: definition.prompt === '' ? null : { skill: definition, inputs },
    model,
    tools: sharedList(finish === 'tool' ? tools : tools.filter(({ control }) => !control)),
    finish,
    toolTurnsMax: definition.max_tool_iterations,
    toolCallsMax: null,
    outputSchema: definition.output_schema,
    mayBeEmpty: false,
  }
}

/** The model of a line of work. */
export function modelOf({ engine, journal }: MoveContext, scope: string | null): ModelChoice {
  return engine.chooseModel(assignmentOf({ engine, record: journal.record, run: journal.state.run }, scope).model)
}

/** The tools that a skill names, and those that steer; a skill that takes all of them needs no other skill. */
function toolsOf({ tools }: SkillDefinition, enabled: readonly Tool[]): Tool[] {
  const isNamed = (tool: Tool) =>
    tools.some((name) => means(name, tool) && (name !== '*' || tool.id !== 'use_skill')) ||
    (isAid(tool) && tools.length > 0)
  return enabled.filter((tool) => tool.control || isNamed(tool))
}

/** What helps with results and tools of any kind, where there is need of it. */
function isAid({ needs }: Tool): boolean {
  return needs === 'cut_result' || needs === 'many_tools'
}
