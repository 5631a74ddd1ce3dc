/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import * as z from 'zod'
import { alias } from './config.ts'
import { LIMITS } from './limits.ts'
import { STAGES } from './run.ts'
import { skillName } from './skill.ts'
import type { SkillDefinition } from './skill.ts'
import { type TeamInput, teamInput } from './team.ts'
import { type Permission, PERMISSIONS } from './tool.ts'
import { count, listPage, onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { textLike } from '../lib/zod.ts'

/** A workflow as data: steps that are done in an order, what each is given, and what comes of all. */

export const STEP_TYPES = ['agent', 'tool', 'if', 'switch', 'map', 'parallel', 'wait', 'workflow', 'set'] as const
export type StepType = (typeof STEP_TYPES)[number]

/** What becomes of a map when one of its items fails. */
export const ON_ERROR = ['stop', 'skip', 'collect'] as const
export type OnError = (typeof ON_ERROR)[number]

export const STEP_STATUSES = ['running', 'retrying', 'completed', 'failed', 'skipped', 'cancelled'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

export const workflowName = skillName

/** It is a key of the log's state, and a word of expressions. */
const stepId = textLike(
  /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u,
  'up to 64 letters, digits, _ and -, the first no digit',
).refine((id) => !(id in {}), 'another id: this one means something else already')

const { workflow: MAX } = LIMITS
const expression = z.string().min(1).max(MAX.expressionCharsMax)
const template = z.string().max(MAX.templateCharsMax)
/** Any JSON; its texts are templates. */
const values = z.record(z.string().min(1).max(LIMITS.text.nameCharsMax), z.unknown())
const schema = z.record(z.string(), z.unknown())
const duration = z.int().min(0).max(MAX.waitMsMax)
const toolName = z.string().min(1).max(128)

const retry = z.strictObject({
  /** Tries after the first. */
  times: z.int().min(1).max(MAX.retriesMax),
  delay_ms: duration.default(0),
  /** Each wait is so many times the one before. */
  backoff: z.number().min(1).max(MAX.backoffMax).default(1),
})
export type Retry = z.output<typeof retry>

const steps: z.ZodType<StepDefinition[]> = z.lazy(() => z.array(step()).min(1).max(MAX.stepsMax))

const common = {
  id: stepId,
  /** Ids of steps of the same list that go before it; not given: the one above. */
  depends_on: z.array(z.string().max(64)).max(MAX.stepsMax).optional(),
  /** It is skipped where this does not hold. */
  when: expression.optional(),
  retry: retry.optional(),
  timeout_ms: z.int().min(1).max(MAX.waitMsMax).optional(),
  /** What undoes it, when a later step fails for good. */
  rollback: steps.optional(),
  /** JSON Schema of its output. */
  output: schema.optional(),
}

const agentStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('agent'),
    /** What it is asked. */
    prompt: template.default(''),
    skill: z.string().min(1).max(64).optional(),
    /** Inputs of the skill. */
    inputs: values.optional(),
    team: teamInput.optional(),
    plan: z.literal(true).optional(),
    model: alias.optional(),
    tools: z.array(toolName).max(LIMITS.skill.toolsMax).optional(),
    permissions: z.record(toolName, z.enum(PERMISSIONS)).optional(),
    limits: z
      .strictObject({
        /** Replies with calls, after which it has to answer. */
        max_tool_iterations: z.int().min(1).max(LIMITS.skill.toolIterationsMax).optional(),
        max_tokens: z.int().min(1).max(1_000_000).optional(),
      })
      .optional(),
  })

const toolStep = () =>
  z.strictObject({ ...common, type: z.literal('tool'), tool: toolName, arguments: values.default({}) })

const ifStep = () =>
  z.strictObject({ ...common, type: z.literal('if'), condition: expression, then: steps, else: steps.optional() })

const switchStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('switch'),
    value: expression,
    /** The first that fits is done: by a glob that the value fits, or by what it equals. */
    cases: z
      .array(
        z
          .strictObject({
            matches: z.union([z.string().max(200), z.array(z.string().max(200)).min(1).max(50)]).optional(),
            equals: z.unknown().optional(),
            steps,
          })
          .refine((one) => (one.matches === undefined) !== (one.equals === undefined), {
            path: ['matches'],
            error: 'either matches or equals',
          }),
      )
      .min(1)
      .max(MAX.casesMax),
    default: steps.optional(),
  })

const mapStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('map'),
    /** A list. Its steps see `item` and `index`. */
    over: expression,
    concurrency: z.int().min(1).max(MAX.concurrencyMax).default(1),
    on_error: z.enum(ON_ERROR).default('stop'),
    steps,
  })

const parallelStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('parallel'),
    branches: z.array(steps).min(2).max(MAX.branchesMax),
  })

const WAITS = ['for_ms', 'until', 'approval', 'question', 'webhook_key', 'session', 'signal'] as const
const OF_OTHERS = ['deadline_ms', 'default'] as const

const waitStep = () =>
  z
    .strictObject({
      ...common,
      type: z.literal('wait'),
      for_ms: duration.optional(),
      /** A time of RFC 3339. */
      until: template.min(1).optional(),
      /** What somebody is to agree to. */
      approval: template.min(1).optional(),
      /** What somebody is asked. `form`: JSON Schema that the answer fits. */
      question: z
        .strictObject({
          text: template.min(1),
          options: z.array(z.string().min(1).max(200)).min(1).max(50).optional(),
          form: schema.optional(),
        })
        .optional(),
      /** The key of webhooks of which a delivery is awaited. */
      webhook_key: template.min(1).optional(),
      /** The id of a session whose run is to be over. */
      session: template.min(1).optional(),
      /** The name under which something from outside is awaited. */
      signal: template.min(1).optional(),
      /** How long somebody, or something from outside, is awaited, and what it gives then; without that the step fails. */
      deadline_ms: duration.min(1).optional(),
      default: z.unknown().optional(),
    })
    .refine((one) => WAITS.filter((name) => one[name] !== undefined).length === 1, {
      path: ['for_ms'],
      error: `one of ${WAITS.join(', ')}`,
    })
    .superRefine((one, context) => {
      const wrong = one.for_ms === undefined && one.until === undefined ? [] : OF_OTHERS
      for (const name of wrong)
        if (one[name] !== undefined)
          context.addIssue({ code: 'custom', path: [name], message: 'nothing: it waits for a time' })
    })

const workflowStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('workflow'),
    workflow: z.string().min(1).max(64),
    inputs: values.default({}),
  })

const setStep = () => z.strictObject({ ...common, type: z.literal('set'), values })

const step = /* @__PURE__ */ onDemand(
  (): z.ZodType<StepDefinition> =>
    z.discriminatedUnion('type', [
      agentStep(),
      toolStep(),
      ifStep(),
      switchStep(),
      mapStep(),
      parallelStep(),
      waitStep(),
      workflowStep(),
      setStep(),
    ]) as unknown as z.ZodType<StepDefinition>,
)

/** What every step may say. */
interface CommonStep {
  id: string
  depends_on?: string[] | undefined
  when?: string | undefined
  retry?: Retry | undefined
  timeout_ms?: number | undefined
  rollback?: StepDefinition[] | undefined
  output?: Record<string, unknown> | undefined
}

export type AgentStep = CommonStep & {
  type: 'agent'
  prompt: string
  skill?: string | undefined
  inputs?: Record<string, unknown> | undefined
  team?: TeamInput | undefined
  plan?: true | undefined
  model?: string | undefined
  tools?: string[] | undefined
  permissions?: Record<string, Permission> | undefined
  limits?: { max_tool_iterations?: number | undefined; max_tokens?: number | undefined } | undefined
}
export type ToolStep = CommonStep & { type: 'tool'; tool: string; arguments: Record<string, unknown> }
export type WaitStep = CommonStep & {
  type: 'wait'
  for_ms?: number | undefined
  until?: string | undefined
  approval?: string | undefined
  question?: { text: string; options?: string[] | undefined; form?: Record<string, unknown> | undefined } | undefined
  webhook_key?: string | undefined
  session?: string | undefined
  signal?: string | undefined
  deadline_ms?: number | undefined
  default?: unknown
}
export type IfStep = CommonStep & {
  type: 'if'
  condition: string
  then: StepDefinition[]
  else?: StepDefinition[] | undefined
}
export type SwitchStep = CommonStep & {
  type: 'switch'
  value: string
  cases: { matches?: string | string[] | undefined; equals?: unknown; steps: StepDefinition[] }[]
  default?: StepDefinition[] | undefined
}
export type MapStep = CommonStep & {
  type: 'map'
  over: string
  concurrency: number
  on_error: OnError
  steps: StepDefinition[]
}
export type ParallelStep = CommonStep & { type: 'parallel'; branches: StepDefinition[][] }
export type NestedStep = CommonStep & { type: 'workflow'; workflow: string; inputs: Record<string, unknown> }
export type SetStep = CommonStep & { type: 'set'; values: Record<string, unknown> }

export type StepDefinition =
  | AgentStep
  | ToolStep
  | IfStep
  | SwitchStep
  | MapStep
  | ParallelStep
  | WaitStep
  | NestedStep
  | SetStep

/** A workflow as its author writes it. */
export const workflowDefinition = /* @__PURE__ */ onDemand(() =>
  z.strictObject({
    name: workflowName,
    description: z.string().trim().min(1).max(LIMITS.skill.descriptionCharsMax),
    /** JSON Schema of an object. */
    inputs: schema.optional(),
    /** It is a tool of our MCP server. */
    expose: z.boolean().optional(),
    steps,
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
    steps: z.array(record()).min(1).max(MAX.stepsMax),
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

export function isWorkerOfStep(name: string): boolean {
  return name.includes('.')
}

/** Skills that do agent steps, by `workerOfStep`. */
export type StepWorkers = Record<string, SkillDefinition>

/** Lists of steps that stand within one: what is done of it, and in which field each stands. `rollback` is not among them. */
export function bodiesOf(one: StepDefinition): { field: string; steps: StepDefinition[] }[] {
  switch (one.type) {
    case 'if':
      return [{ field: 'then', steps: one.then }, ...(one.else ? [{ field: 'else', steps: one.else }] : [])]
    case 'switch':
      return [
        ...one.cases.map((each, index) => ({ field: `cases.${index}.steps`, steps: each.steps })),
        ...(one.default ? [{ field: 'default', steps: one.default }] : []),
      ]
    case 'map':
      return [{ field: 'steps', steps: one.steps }]
    case 'parallel':
      return one.branches.map((branch, index) => ({ field: `branches.${index}`, steps: branch }))
    default:
      return []
  }
}

/** One step of a run, as clients see it. `step`: its path: `review`, `each[3].read`. */
export const stepView = /* @__PURE__ */ onDemand(() =>
  z.object({
    step: z.string(),
    type: z.enum(STEP_TYPES),
    status: z.enum(['pending', 'waiting', ...STEP_STATUSES]),
    attempt: count(),
    depends_on: z.array(z.string()),
    /** The path of the step that it stands in; null: it stands in none. */
    parent: z.string().nullable(),
    /** The branch that its messages are of; null: it has none. */
    scope: z.string().nullable(),
    /** Seqs of the events that hold its input and its output; null: there is none yet. */
    start_seq: z.int().nullable(),
    end_seq: z.int().nullable(),
    started_time: time().nullable(),
    ended_time: time().nullable(),
    /** Of a map. `ends`: seq of the end of each item, 0: it has not ended. `wrong`: numbers of those that failed, from 0. */
    items: z
      .object({ total: count(), done: count(), failed: count(), ends: z.array(count()), wrong: z.array(count()) })
      .exactOptional(),
    /** Of a step that is undone, or is to be, when a later one failed for good. `failed`: it could not be undone. */
    rollback: z.enum(['waiting', 'running', 'done', 'failed']).exactOptional(),
    /** Of a step of a rollback: the path of the step that it undoes. */
    undoes: z.string().exactOptional(),
    error: z.string().nullable(),
  }),
)
export type StepView = ShapeOf<typeof stepView>

/** Where the workflow of a session's newest run stands. */
export const workflowView = /* @__PURE__ */ onDemand(() =>
  z.object({
    name: z.string(),
    version: count(),
    stage: z.enum(STAGES),
    steps: z.array(stepView()),
  }),
)
export type WorkflowView = ShapeOf<typeof workflowView>

/** A workflow as GET shows it. */
export const workflowInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('workflow'),
    name: z.string(),
    version: count(),
    description: z.string(),
    source: z.enum(['shipped', 'tenant']),
    created_time: time().nullable(),
    inputs: record().exactOptional(),
    expose: z.boolean().exactOptional(),
    steps: z.array(record()),
    output: z.unknown().optional(),
  }),
)
export type WorkflowInfo = ShapeOf<typeof workflowInfo>

/** The same in a list. */
export const listedWorkflow = /* @__PURE__ */ onDemand(() => workflowInfo().omit({ steps: true, output: true }))
export type ListedWorkflow = ShapeOf<typeof listedWorkflow>
export const listedWorkflows = /* @__PURE__ */ onDemand(() => listPage(listedWorkflow()))
