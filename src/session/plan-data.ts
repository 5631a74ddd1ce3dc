import {
  isSettled,
  type PlanData,
  type PlanStatus,
  type PlanTask,
  type TaskState,
  type TaskStatus,
} from '../domain/plan.ts'
import type { RunState } from '../domain/state.ts'
import type { Journal } from './journal.ts'

/** The plan of the newest run as SessionData shows it; null: it has none. */
export function planData(journal: Journal): PlanData | null {
  const { run } = journal.state
  if (!run?.plan) return null
  return { round: run.plan.round, status: statusOf(run), tasks: run.plan.tasks.map((task) => taskData(task, journal)) }
}

/** One task with its texts, which the log holds. */
export function taskData(state: TaskState, { log, state: { run } }: Pick<Journal, 'log' | 'state'>): PlanTask {
  const isOver = isSettled(state)
  const written = log.events(state.seq - 1, 1)[0]
  const known =
    written?.type === 'plan'
      ? written.plan.tasks.find(({ id }) => id === state.id)
      : written?.type === 'task-end'
        ? written.task
        : undefined
  return {
    id: state.id,
    round: state.round,
    name: state.name,
    worker: state.worker,
    description: known?.description ?? '',
    ...(state.dependsOn.length > 0 ? { depends_on: state.dependsOn } : {}),
    status: isOver ? state.status : openStatus(state, run),
    result: (isOver && known?.result) || null,
    error: (isOver && known?.error) || null,
    cost: state.costs.length === 1 ? (state.costs[0] ?? null) : null,
    started_time: timeOf(state.startedTime),
    ended_time: timeOf(state.endedTime),
  }
}

/** A task that its run left open when it ended is not at work. */
function openStatus({ id, status }: TaskState, run: RunState | null): TaskStatus {
  if (status !== 'running') return status
  if (run !== null && run.endSeq > 0) return 'pending'
  const calls = run?.scopes[id]?.calls ?? []
  return calls.length > 0 && calls.every((call) => call.status === 'asked') ? 'waiting' : 'running'
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function statusOf({ status, plan }: RunState): PlanStatus {
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return status
  if (status === 'interrupted' || plan?.stage === 'review') return 'waiting'
  if (plan?.stage === 'planned' || plan?.stage === 'edited') return 'running'
  return plan?.stage === 'direct' || plan?.stage === 'summary' ? 'summarising' : 'planning'
}
