import type { RoleStep } from './team.ts'
import type { Money } from './usage.ts'

export type TaskStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled'

/** One sub-task of a plan, as SessionData and events show it. */
export interface PlanTask {
  id: string
  /** The role of a team whose plan it is of; absent: the run itself. */
  owner?: string
  round: number
  /** What the planner wrote, and who ran it. */
  name: string
  worker: string
  description: string
  /** Ids of tasks whose results it is given. */
  depends_on?: string[]
  status: TaskStatus
  result: string | null
  error: string | null
  cost: Money | null
  started_time: string | null
  ended_time: string | null
  /** In SessionData, while a team works at it. */
  team?: TaskTeam
}

/** Where a team stands that works at a sub-task. */
export interface TaskTeam {
  round: number
  n_round: number
  investment: Money | null
  spent: Money | null
  /** Of the investment; null: there is none. */
  left: Money | null
  roles: { name: string; state: RoleStep; cost: Money | null }[]
}

export type PlanStatus = 'planning' | 'waiting' | 'running' | 'summarising' | 'completed' | 'failed' | 'cancelled'

export interface PlanData {
  round: number
  status: PlanStatus
  tasks: PlanTask[]
}

/** Who can do sub-tasks: an MCP server, a skill or the model alone. */
export interface PlanWorker {
  name: string
  description: string
  /** Why it cannot be given work at the moment, for the planner; absent: it can. */
  unavailable?: string
}

/** The worker that has no tools: the model itself. */
export const LLM_WORKER = 'llm_tool'

/** One entry of what a planner wrote. `dependsOn`: positions in the plan, from 0. */
export interface PlannedTask {
  name: string
  description: string
  dependsOn: number[]
}

/** What the model is asked for outside of any sub-task. */
export type PlanPurpose = 'plan' | 'repair' | 'direct' | 'summary'
/** The same, and the worker of a whole run. */
export type CallPurpose = PlanPurpose | 'route'
