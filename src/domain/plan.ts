import type { Money } from './usage.ts'

export type TaskStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled'

/** One sub-task of a plan, as SessionData and events show it. */
export interface PlanTask {
  id: string
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
}

export type PlanStatus = 'planning' | 'waiting' | 'running' | 'summarising' | 'completed' | 'failed' | 'cancelled'

export interface PlanData {
  round: number
  status: PlanStatus
  tasks: PlanTask[]
}

/** Who can do sub-tasks: an MCP server, a skill or the model alone. */
export interface Worker {
  name: string
  description: string
}

/** The worker that has no tools: the model itself. */
export const LLM_WORKER = 'llm_tool'

/** One entry of what a planner wrote. `dependsOn`: positions in the plan, from 0. */
export interface PlannedTask {
  name: string
  description: string
  dependsOn: number[]
}
