import type { InputIssue } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { orchestratorOfSkill, type SkillDefinition } from '../../domain/skill.ts'
import type { TeamInput } from '../../domain/team.ts'
import type { Tool } from '../../domain/tool.ts'
import type { AgentStep, NestedStep } from '../../domain/workflow-step.ts'
import type { WorkflowDefinition } from '../../domain/workflow.ts'
import { memberOf } from '../../lib/json.ts'
import { stepsIn } from './order.ts'

/** What a workflow may refer to on a server. */
export interface WorkflowSurroundings {
  tools: readonly Tool[]
  hasModel(alias: string): boolean
  skill(name: string): Promise<SkillDefinition | null>
  /** What is wrong with a team that a step names or brings along; paths begin with `team`. */
  teamIssues(team: TeamInput): Promise<InputIssue[]>
  /** The newest version of another workflow. */
  workflow(name: string): Promise<WorkflowDefinition | null>
}

/** What is wrong with the skills, the teams and the other workflows that it names. */
export async function otherIssues(definition: WorkflowDefinition, around: WorkflowSurroundings): Promise<InputIssue[]> {
  const all = stepsIn(definition)
  const found = await Promise.all(
    all.map(async ({ step, path }) => {
      if (step.type === 'agent' && step.team) return under(path, await around.teamIssues(step.team))
      if (step.type === 'agent') return skillIssues(step, path, around)
      if (step.type === 'workflow') return nestedIssues(step, path, definition, around)
      return []
    }),
  )
  return found.flat()
}

function under(path: string, issues: readonly InputIssue[]): InputIssue[] {
  return issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` }))
}

async function skillIssues(step: AgentStep, path: string, around: WorkflowSurroundings): Promise<InputIssue[]> {
  if (step.skill === undefined) return []
  const skill = await around.skill(step.skill)
  if (!skill) return [{ path: `${path}.skill`, message: `no skill ${step.skill} here; see GET /v1/skills` }]
  if (orchestratorOfSkill(skill) === 'workflow')
    return [
      {
        path: `${path}.skill`,
        message: `a skill without a workflow: ${step.skill} runs one; use a step of type workflow`,
      },
    ]
  const names = skill.inputs.map(({ name }) => name)
  const given = Object.keys(step.inputs ?? {})
  const missing = skill.inputs.filter((one) => one.required && one.default === null && !given.includes(one.name))
  return [
    ...given
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: `${path}.inputs.${name}`,
        message: `not an input of ${step.skill}; it has ${names.join(', ') || 'none'}`,
      })),
    ...missing
      .filter(({ name }) => name !== 'user_input' || step.prompt === '')
      .map(({ name }) => ({ path: `${path}.inputs.${name}`, message: `the skill ${step.skill} needs it` })),
  ]
}

async function nestedIssues(
  { workflow: name, inputs }: NestedStep,
  path: string,
  definition: WorkflowDefinition,
  around: WorkflowSurroundings,
): Promise<InputIssue[]> {
  const at = `${path}.workflow`
  const nested = name === definition.name ? definition : await around.workflow(name)
  if (!nested) return [{ path: at, message: `no workflow ${name} here; see GET /v1/workflows` }]
  const within = await withinEachOther(name, definition, around)
  if (within !== null) return [{ path: at, message: within }]
  const required: unknown = memberOf(nested.inputs, 'required')
  const missing = Array.isArray(required) ? required.map(String).filter((one) => !Object.hasOwn(inputs, one)) : []
  return missing.map((one) => ({ path: `${path}.inputs.${one}`, message: `the workflow ${name} needs it` }))
}

/** Why a workflow cannot stand in another: it comes back to it, or is too deep; null: it can. */
async function withinEachOther(
  first: string,
  definition: WorkflowDefinition,
  around: WorkflowSurroundings,
): Promise<string | null> {
  const { depthMax, definitionsMax } = LIMITS.workflow
  const seen = new Set<string>()
  const follow = async (name: string, way: readonly string[]): Promise<string | null> => {
    const path = [...way, name]
    if (name === definition.name) return `no cycle: ${path.join(' → ')}`
    if (path.length > depthMax) return `workflows within each other at most ${depthMax} deep`
    if (seen.has(name)) return null
    seen.add(name)
    if (seen.size > definitionsMax) return `at most ${definitionsMax} other workflows in all`
    const found = await around.workflow(name)
    for (const { step } of found ? stepsIn(found) : []) {
      const problem = step.type === 'workflow' ? await follow(step.workflow, path) : null
      if (problem !== null) return problem
    }
    return null
  }
  return follow(first, [definition.name])
}
