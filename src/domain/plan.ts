import * as z from 'zod'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { PLAN_LIMITS } from './plan-limits.ts'
import { ROLE_STEPS } from './role.ts'
import { money } from './usage.ts'

export const TASK_STATUSES = ['pending', 'running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

const PLAN_STATUSES = ['planning', 'waiting', 'running', 'summarising', 'completed', 'failed', 'cancelled'] as const
export type PlanStatus = (typeof PLAN_STATUSES)[number]

export const taskPriority = /* @__PURE__ */ z.int().min(-PLAN_LIMITS.plan.priorityMax).max(PLAN_LIMITS.plan.priorityMax)

/** Where a team stands that works at a sub-task. */
const taskTeam = /* @__PURE__ */ onDemand(() => {
  const cost = money.nullable()
  return z.object({
    round: count(),
    n_round: count(),
    investment: cost,
    spent: cost,
    /** Of the investment; null: there is none. */
    left: cost,
    roles: z.array(z.object({ name: z.string(), state: z.enum(ROLE_STEPS), cost })),
  })
})
export type TaskTeam = ShapeOf<typeof taskTeam>

/** One sub-task of a plan, as SessionData and events show it. */
export const planTask = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    /** The role of a team whose plan it is of; absent: the run itself. */
    owner: z.string().exactOptional(),
    round: count(),
    /** What the planner wrote, and who ran it. */
    name: z.string(),
    worker: z.string(),
    description: z.string(),
    /** The call by which an agent gave it away; absent: a planner did. */
    call_id: z.string().exactOptional(),
    /** Ids of tasks whose results it is given. */
    depends_on: z.array(z.string()).exactOptional(),
    /** Of tasks whose turn it is, those of the highest begin first; absent: 0. */
    priority: taskPriority.exactOptional(),
    /** Milliseconds that it may take while the run is active; absent: as `limits.task_timeout_ms` has it. */
    timeout_ms: count().exactOptional(),
    status: z.enum(TASK_STATUSES),
    result: z.string().nullable(),
    error: z.string().nullable(),
    cost: money.nullable(),
    started_time: time().nullable(),
    ended_time: time().nullable(),
    /** In SessionData, while a team works at it. */
    team: taskTeam().exactOptional(),
  }),
)
export type PlanTask = ShapeOf<typeof planTask>

/** The sub-tasks of a run, or of a role's turn, as they stand. */
export const planShape = /* @__PURE__ */ onDemand(() =>
  z.object({ round: count(), status: z.enum(PLAN_STATUSES), tasks: z.array(planTask()) }),
)
export type PlanData = ShapeOf<typeof planShape>

/** Who can do sub-tasks: an MCP server, a skill or the model alone. */
export interface PlanWorker {
  name: string
  description: string
  /** Why it cannot be given work at the moment, for the planner; absent: it can. */
  unavailable?: string
}

/** The worker that has no tools: the model itself. */
export const LLM_WORKER = 'llm_tool'
/** The worker that is the agent itself, with its tools. */
export const SELF_WORKER = 'self'

/** One entry of what a planner wrote. `dependsOn`: positions in the plan, from 0. */
export interface PlannedTask {
  name: string
  description: string
  dependsOn: number[]
  priority?: number
  timeoutMs?: number
}

/** What the model is asked for outside of any sub-task. */
const PLAN_PURPOSES = ['plan', 'repair', 'direct', 'summary'] as const
export type PlanPurpose = (typeof PLAN_PURPOSES)[number]
/** The same, and the worker of a whole run. */
export const CALL_PURPOSES = [...PLAN_PURPOSES, 'route'] as const
export type CallPurpose = (typeof CALL_PURPOSES)[number]
