/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import * as z from 'zod'
import { alias } from './config.ts'
import { LIMITS } from './limits.ts'
import { type TeamInput, teamInput } from './team.ts'
import { type Permission, PERMISSIONS } from './tool.ts'
import { onDemand } from '../lib/shape.ts'
import { textLike } from '../lib/zod.ts'

/** A step of a workflow as its author writes it, by its type. */

export const STEP_TYPES = ['agent', 'tool', 'if', 'switch', 'map', 'parallel', 'wait', 'workflow', 'set'] as const
export type StepType = (typeof STEP_TYPES)[number]

/** What becomes of a map when one of its items fails. */
const ON_ERROR = ['stop', 'skip', 'collect'] as const
export type OnError = (typeof ON_ERROR)[number]

export const STEP_STATUSES = ['running', 'retrying', 'completed', 'failed', 'skipped', 'cancelled'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

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

/** Steps of a list. */
export const stepList: z.ZodType<StepDefinition[]> = z.lazy(() => z.array(step()).min(1).max(MAX.stepsMax))

const common = {
  id: stepId,
  /** Ids of steps of the same list that go before it; not given: the one above. */
  depends_on: z.array(z.string().max(64)).max(MAX.stepsMax).optional(),
  /** It is skipped where this does not hold. */
  when: expression.optional(),
  retry: retry.optional(),
  timeout_ms: z.int().min(1).max(MAX.waitMsMax).optional(),
  /** What undoes it, when a later step fails for good. */
  rollback: stepList.optional(),
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
  z.strictObject({ ...common, type: z.literal('if'), condition: expression, then: stepList, else: stepList.optional() })

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
            steps: stepList,
          })
          .refine((one) => (one.matches === undefined) !== (one.equals === undefined), {
            path: ['matches'],
            error: 'either matches or equals',
          }),
      )
      .min(1)
      .max(MAX.casesMax),
    default: stepList.optional(),
  })

const mapStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('map'),
    /** A list. Its steps see `item` and `index`. */
    over: expression,
    concurrency: z.int().min(1).max(MAX.concurrencyMax).default(1),
    on_error: z.enum(ON_ERROR).default('stop'),
    steps: stepList,
  })

const parallelStep = () =>
  z.strictObject({
    ...common,
    type: z.literal('parallel'),
    branches: z.array(stepList).min(2).max(MAX.branchesMax),
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
