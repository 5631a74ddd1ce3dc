import * as z from 'zod'
import { LIMITS } from './limits.ts'
import { skillName, type SkillDefinition } from './skill.ts'
import { type StepDefinition, stepList } from './workflow-step.ts'
import { onDemand, record } from '../lib/shape.ts'

/** A workflow as data: steps that are done in an order, what each is given, and what comes of all. */

const workflowName = skillName

const schema = z.record(z.string(), z.unknown())

/** A workflow as its author writes it. */
export const workflowDefinition = /* @__PURE__ */ onDemand(() =>
  z.strictObject({
    name: workflowName,
    description: z.string().trim().min(1).max(LIMITS.skill.descriptionCharsMax),
    /** JSON Schema of an object. */
    inputs: schema.optional(),
    /** It is a tool of our MCP server. */
    expose: z.boolean().optional(),
    steps: stepList,
    /** What a run gives, by a template; not given: the output of the last step. */
    output: z.unknown().optional(),
  }),
)
export interface WorkflowDefinition {
  name: string
  description: string
  inputs?: Record<string, unknown> | undefined
  expose?: boolean | undefined
  steps: StepDefinition[]
  output?: unknown
}

/** One in a list of names. */
export interface NamedWorkflow {
  name: string
  description: string
  source: 'shipped' | 'tenant'
  isExposed: boolean
}

/** The same as a body: its steps are looked at as a whole, so that what is wrong names step and field. */
export const workflowBody = /* @__PURE__ */ onDemand(() =>
  z.strictObject({
    name: workflowName.optional(),
    description: z.string().trim().min(1).max(LIMITS.skill.descriptionCharsMax),
    inputs: schema.optional(),
    expose: z.boolean().optional(),
    steps: z.array(record()).min(1).max(LIMITS.workflow.stepsMax),
    output: z.unknown().optional(),
  }),
)

export type NewWorkflow = z.input<ReturnType<typeof workflowBody>>

/** One version of a workflow, as it is kept. Versions count from 1 and are never changed. */
export interface StoredWorkflow {
  definition: WorkflowDefinition
  version: number
  source: 'shipped' | 'tenant'
  /** Unix ms; null: it comes with the product. */
  createdTime: number | null
}

/** What runs of a session begin with: the workflow and those within it, as they were then, and the inputs. */
export interface WorkflowSpec {
  name: string
  version: number
  /** By name, those within it too. */
  definitions: Record<string, WorkflowDefinition>
  inputs: Record<string, unknown>
  /** Of a session: the inputs of each run are read of its task. */
  byTask?: true
}

/** The same as a log has it. */
export const workflowSpec = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    name: workflowName,
    version: z.int().min(0),
    definitions: z.record(workflowName, record()).refine(areWhole, 'workflows as they are kept'),
    inputs: record(),
  }),
)

/** Whether each is as it would be kept: with all that is not said in it filled in. */
function areWhole(definitions: Record<string, unknown>): boolean {
  return Object.values(definitions).every((one) => {
    const parsed = workflowDefinition().safeParse(one)
    return parsed.success && JSON.stringify(parsed.data) === JSON.stringify(one)
  })
}

/** What stands before the name of a workflow that is given a task. */
export const WORKFLOW_WORKER = 'workflow/'

/** Who does an agent step: a skill that is made of it. No skill of anybody has such a name. */
export function workerOfStep(workflow: string, step: string): string {
  return `${workflow}.${step}`
}

/** The workflow of such a worker. */
export function workflowOfWorker(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

export function isWorkerOfStep(name: string): boolean {
  return name.includes('.')
}

/** Skills that do agent steps, by `workerOfStep`. */
export type StepWorkers = Record<string, SkillDefinition>
