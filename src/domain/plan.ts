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
export type PlanPurpose = 'plan' | 'repair' | 'direct' | 'summary' | 'route'

/** One sub-task in the fold of the log, which holds no text of it. */
export interface TaskState {
  id: string
  round: number
  name: string
  worker: string
  /** Equal for sub-tasks that are the same: worker and description but for white space. */
  signature: string
  /** Ids of tasks whose results it is given. */
  dependsOn: string[]
  status: Exclude<TaskStatus, 'waiting'>
  /** Seq of the newest event that holds all of it. */
  seq: number
  /** What it cost so far, one amount a currency. */
  costs: Money[]
  /** Unix ms; null: not yet. */
  startedTime: number | null
  endedTime: number | null
}

/** Where a plan stands: who is asked next, and whether an answer came. */
export interface PlanState {
  round: number
  /** `planned`: the newest answer holds a plan; `review`: it waits for a human; `refused`: they want another. */
  stage: 'new' | PlanPurpose | 'planned' | 'review' | 'edited' | 'refused'
  /** True once the call of this stage was answered. */
  answered: boolean
  /** Seq of the human's decision on the newest plan; 0: none. */
  decisionSeq: number
  tasks: TaskState[]
}

export function newPlan(): PlanState {
  return { round: 0, stage: 'new', answered: false, decisionSeq: 0, tasks: [] }
}

/** Whether the newest answer of the planner holds work that was not planned before in the same words. */
export function hasNewTasks({ round, tasks }: Pick<PlanState, 'round' | 'tasks'>): boolean {
  return tasks.some((task) => task.round === round && task.status !== 'skipped')
}

/** Whether its answer was written because there may be no more rounds, with work left to ask about. */
export function isOutOfRounds(plan: PlanState, roundsMax: number): boolean {
  return plan.stage === 'summary' && plan.answered && hasNewTasks(plan) && plan.round >= roundsMax
}

/** Whether a sub-task is over, in whichever way. */
export function isSettled({ status }: Pick<TaskState, 'status'>): boolean {
  return status !== 'pending' && status !== 'running'
}
