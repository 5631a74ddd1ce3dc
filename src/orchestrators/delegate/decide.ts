import type { OpenCall } from '../../domain/state.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { movesOfTasks } from '../plan/decide.ts'
import { isSettled, planOf, type TaskState } from '../plan/state.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** Begin the task of a call, or give the call the result of it. */
    delegate: { scope: string | null; callId: string; taskId: string | null }
    /** Give a call how tasks stand. */
    'task-status': { scope: string | null; callId: string }
    /** End the task that a call names. */
    'cancel-task': { scope: string | null; callId: string }
    /** End what was given away and is open, before the run ends. */
    'close-tasks': object
  }
}

declare module '../../domain/state.ts' {
  interface OpenCall {
    /** The task that a call for the status of tasks waits for; absent: all. */
    waitsFor?: string
  }
}

/** What a call of a tool for delegation needs; null: it is of another tool. One that waits for tasks needs nothing until they have ended. */
export function movesForCall({ id: callId, tool, status, waitsFor }: OpenCall, view: RunView): Move[] | null {
  const tasks = tasksOf(view)
  const at = { scope: null, callId }
  switch (tool) {
    case 'delegate': {
      const task = tasks.find((one) => one.callId === callId)
      if (task && !isSettled(task)) return []
      return [{ type: 'delegate', ...at, taskId: task?.id ?? null }]
    }
    case 'task_status': {
      const waits = status === 'started' && tasks.some((task) => isAwaited(task, waitsFor) && !isSettled(task))
      return waits ? [] : [{ type: 'task-status', ...at }]
    }
    case 'cancel_task':
      return [{ type: 'cancel-task', ...at }]
    default:
      return null
  }
}

function isAwaited({ id }: TaskState, waitsFor: string | undefined): boolean {
  return waitsFor === undefined || waitsFor === id
}

/** What tasks that an agent gave away need now. */
export function beside(view: RunView): { moves: Move[]; atEnd: Move[] } | null {
  const plan = view.run.orchestrator === 'plan' ? null : planOf(view.run, null)
  if (!plan || plan.tasks.every(isSettled)) return null
  return { moves: movesOfTasks(plan, view), atEnd: [{ type: 'close-tasks' }] }
}

function tasksOf({ run }: Pick<RunView, 'run'>): TaskState[] {
  return planOf(run, null)?.tasks ?? []
}
