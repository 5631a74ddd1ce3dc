import { type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import { type Language, languageOf } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { NewSession } from '../../domain/session-input.ts'
import { inLanguage, type SessionSkill, type SkillDefinition } from '../../domain/skill.ts'
import { type AgentStep } from '../../domain/workflow-step.ts'
import {
  type StepWorkers,
  type StoredWorkflow,
  workerOfStep,
  type WorkflowDefinition,
  type WorkflowSpec,
} from '../../domain/workflow.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Cast } from '../../engine/work.ts'
import { languageTagOf } from '../../engine/settings.ts'
import { inputWords } from '../../domain/content-input.ts'
import { inputIssues, inputsOfWords, templateIssues } from './inputs.ts'
import { checkWorkflow, type CheckedWorkflow } from './check.ts'
import { stepsIn } from './order.ts'
import { type WorkflowSurroundings } from './check-others.ts'

const UNKNOWN = invalid([{ path: 'workflow', message: 'no workflow of that name; see GET /v1/workflows' }])

/** What a workflow of a tenant may refer to here. */
function surroundingsOf(engine: Engine, tenant: string, language: Language): WorkflowSurroundings {
  return {
    tools: engine.tools,
    hasModel: (alias) => engine.chooseModel({ model: alias }).ok,
    skill: async (name) => (await engine.skills.find(tenant, name))?.definition ?? null,
    teamIssues: (team) => engine.skills.teamIssues(tenant, team),
    workflow: async (name) => (await engine.workflows(tenant, name, language))?.definition ?? null,
  }
}

/** A workflow that a tenant writes, checked as a whole. */
export function checkFor(engine: Engine, tenant: string, given: unknown, language: Language): Promise<CheckedWorkflow> {
  return checkWorkflow(given, surroundingsOf(engine, tenant, language))
}

/** The workflow that a new session names, with all that it needs as it is at this moment; null: it names none. */
export async function workflowCast(
  engine: Engine,
  tenant: string,
  input: Pick<NewSession, 'workflow' | 'inputs' | 'config' | 'task'>,
): Promise<Result<Pick<Cast, 'workflow' | 'workers'>>> {
  const { workflow: name, inputs: given, task } = input
  if (name === undefined) return ok({})
  const language = languageOf(languageTagOf(engine, input.config ?? {}))
  const stored = await engine.workflows(tenant, name, language)
  if (!stored) return UNKNOWN
  // What it names may be gone by now.
  const checked = await checkFor(engine, tenant, stored.definition, language)
  if (!checked.ok) return invalid(under('workflow', checked.issues), 'The workflow does not fit any more; see errors.')
  const byTask = given === undefined && stored.definition.inputs !== undefined
  const inputs = given ?? (byTask && task !== undefined ? inputsOfWords(stored.definition, inputWords(task)) : {})
  const wrong = byTask && task === undefined ? [] : inputIssues(stored.definition, inputs)
  if (wrong.length > 0) return invalid(wrong, 'The inputs do not fit the workflow; see errors.')
  const definitions = await definitionsOf(engine, tenant, stored, language)
  const { name: own } = stored.definition
  const spec: WorkflowSpec = { name: own, version: stored.version, definitions, inputs, ...(byTask ? { byTask } : {}) }
  const { bundleCharsMax: max } = LIMITS.workflow
  if (JSON.stringify(spec).length > max)
    return invalid([{ path: 'workflow', message: `with its inputs at most ${max} characters` }])
  return ok({ workflow: spec, workers: await workersOf(engine, tenant, definitions, language) })
}

/** What a new session is asked for, with the workflow that its skill names. Inputs of the skill are those of the workflow; of one that declares
 *  none, its words are. */
export function withSkill(input: NewSession, skill: SessionSkill | null): NewSession {
  const { workflow } = skill?.definition ?? {}
  if (!skill || workflow === undefined || input.workflow !== undefined) return input
  const declared = skill.definition.inputs.length > 0 ? { inputs: skill.inputs } : {}
  return { ...declared, ...input, workflow }
}

/** What is wrong with a skill that runs a workflow, which is found by its name. */
export async function workflowSkillIssues(
  { orchestrator, workflow, inputs }: SkillDefinition,
  find: (name: string) => Promise<WorkflowDefinition | null>,
): Promise<InputIssue[]> {
  if (workflow === undefined)
    return orchestrator === 'workflow' ? [{ path: 'workflow', message: 'the workflow that it runs' }] : []
  const found = await find(workflow)
  if (!found) return [{ path: 'workflow', message: `no workflow ${workflow} here; see GET /v1/workflows` }]
  const declared = inputs.length > 0 ? Object.fromEntries(inputs.map(({ name }) => [name, null])) : null
  return templateIssues(found, declared)
}

function under(member: string, issues: readonly InputIssue[]): InputIssue[] {
  return issues.map(({ path, message }) => ({ path: `${member}.${path}`, message }))
}

/** The workflow and those within it, by name. */
async function definitionsOf(
  engine: Engine,
  tenant: string,
  { definition }: StoredWorkflow,
  language: Language,
): Promise<Record<string, WorkflowDefinition>> {
  const found: Record<string, WorkflowDefinition> = { [definition.name]: definition }
  const open = [definition]
  for (let one = open.pop(); one; one = open.pop()) {
    for (const { step } of stepsIn(one)) {
      if (step.type !== 'workflow' || Object.hasOwn(found, step.workflow)) continue
      const nested = await engine.workflows(tenant, step.workflow, language)
      if (!nested) continue
      found[step.workflow] = nested.definition
      open.push(nested.definition)
    }
  }
  return found
}

/** A skill for each agent step: the one that it names with what the step says otherwise, or one made of the step alone. */
async function workersOf(
  engine: Engine,
  tenant: string,
  definitions: Record<string, WorkflowDefinition>,
  language: Language,
): Promise<StepWorkers> {
  const made = Object.entries(definitions).flatMap(([name, definition]) =>
    stepsIn(definition).flatMap(({ step }) => (step.type === 'agent' ? [{ name, step }] : [])),
  )
  const workers = await Promise.all(
    made.map(async ({ name, step }) => {
      const skill = step.skill === undefined ? null : await engine.skills.find(tenant, step.skill)
      const base = skill ? inLanguage(skill, language) : skillOfStep(step)
      return [workerOfStep(name, step.id), withStep(base, step)] as const
    }),
  )
  return Object.fromEntries(workers)
}

function skillOfStep({ id, plan, team }: AgentStep): SkillDefinition {
  return {
    name: id,
    version: '1',
    description: id,
    orchestrator: plan ? 'plan' : team ? 'team' : 'agent',
    prompt: '',
    tools: [],
    model: null,
    temperature: null,
    max_tokens: null,
    max_tool_iterations: LIMITS.workflow.toolIterations,
    finish: 'tool',
    worker: false,
    expose: false,
    permissions: {},
    inputs: [],
    team: team ?? null,
    output_schema: null,
  }
}

function withStep(skill: SkillDefinition, { model, tools, permissions, limits, output }: AgentStep): SkillDefinition {
  return {
    ...skill,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(permissions === undefined ? {} : { permissions: { ...skill.permissions, ...permissions } }),
    ...(limits?.max_tokens === undefined ? {} : { max_tokens: limits.max_tokens }),
    ...(limits?.max_tool_iterations === undefined ? {} : { max_tool_iterations: limits.max_tool_iterations }),
    ...(output === undefined ? {} : { output_schema: output }),
  }
}
