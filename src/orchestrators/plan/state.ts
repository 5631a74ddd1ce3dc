import type { PlanPurpose, TaskStatus } from '../../domain/plan.ts'
import { MAIN, type RunState } from '../../domain/state.ts'
import type { Money } from '../../domain/usage.ts'

declare module '../../domain/state.ts' {
  interface BranchState {
    /** Of a run, or of a role's turn, that plans; absent: it does not. */
    plan?: PlanState
  }
}

/** One sub-task in the fold of the log, which holds no text of it. */
export interface TaskState {
  id: string
  round: number
  name: string
  worker: string
  /** The call by which an agent gave it away. */
  callId?: string
  /** Equal for sub-tasks that are the same: worker and description but for white space. */
  signature: string
  /** Ids of tasks whose results it is given. */
  dependsOn: string[]
  /** Absent: 0. */
  priority?: number
  /** Absent: as the limits of the run have it. */
  timeoutMs?: number
  /** Milliseconds that the run had been active when it began; absent: it has not, or began under an earlier release. */
  activeMsBefore?: number
  /** Somebody is asked about so much in it, since the run had been active so long; absent: nobody is. */
  held?: { asked: number; activeMs: number }
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

/** For how long a sub-task was at work while its run was active, `activeMs` by now; null: it was not begun. */
export function workedMs({ activeMsBefore, held }: TaskState, activeMs: number): number | null {
  return activeMsBefore === undefined ? null : (held?.activeMs ?? activeMs) - activeMsBefore
}

/** Whether a sub-task is over, in whichever way. */
export function isSettled({ status }: Pick<TaskState, 'status'>): boolean {
  return status !== 'pending' && status !== 'running'
}

type Scopes = Pick<RunState, 'scopes'>

/** A sub-task, and whose plan it is of. `owner`: the branch of a role, or null for the run itself. */
export interface OwnedTask {
  owner: string | null
  plan: PlanState
  task: TaskState
}

/** The plan of the run (null) or of a role; null: it has none. */
export function planOf({ scopes }: Scopes, owner: string | null): PlanState | null {
  return scopes[owner ?? MAIN]?.plan ?? null
}

/** All plans of a run with their owners, the run's own first. */
export function plansIn({ scopes }: Scopes): { owner: string | null; plan: PlanState }[] {
  return Object.entries(scopes).flatMap(([scope, { plan }]) => (plan ? [{ owner: scope || null, plan }] : []))
}

/** The sub-task that a branch is; null: it is none. */
export function taskIn(run: Scopes, scope: string | null): OwnedTask | null {
  if (scope === null) return null
  for (const { owner, plan } of plansIn(run)) {
    const task = plan.tasks.find(({ id }) => id === scope)
    if (task) return { owner, plan, task }
  }
  return null
}

/** Every sub-task of a run with whose it is. */
export function tasksIn(run: Scopes): OwnedTask[] {
  return plansIn(run).flatMap(({ owner, plan }) => plan.tasks.map((task) => ({ owner, plan, task })))
}
