import { fail, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { taskIn, isSettled } from '../../orchestrators/plan/state.ts'
import { cancelledTask, closedTaskEvents } from '../../orchestrators/plan/task.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { taskData } from '../../orchestrators/plan/view.ts'
import { isActive } from '../../log/branches.ts'

/** End one task of a plan; the others and the run go on. */
export function cancelTask(journal: Journal, engine: Engine, taskId: string, mode: RunMode): Result<NewEvent[]> {
  const task = find(journal, taskId)
  if (!task) return fail({ code: 'not_found', what: `task ${taskId}` })
  const { status } = journal.state
  if (isSettled(task)) return fail({ code: 'nothing_to_continue', status: task.status, task: taskId })
  if (status !== 'in_progress' && status !== 'interrupted') return fail({ code: 'nothing_to_continue', status })
  return ok([
    ...closedTaskEvents({ journal, engine }, taskId),
    cancelledTask(task, { journal, engine }),
    ...resumed(journal, mode),
  ])
}

/** Do one task once more that failed or was cancelled; the run goes on from there, also when it had ended. */
export function retryTask(journal: Journal, engine: Engine, taskId: string, mode: RunMode): Result<NewEvent[]> {
  const task = find(journal, taskId)
  if (!task) return fail({ code: 'not_found', what: `task ${taskId}` })
  if (task.status !== 'failed' && task.status !== 'cancelled')
    return fail({ code: 'nothing_to_continue', status: task.status, task: taskId })
  return ok([
    ...resumed(journal, mode),
    { type: 'task-retry', scope: taskId, task: taskData(task, { journal, engine }) },
  ])
}

function find({ state }: Journal, taskId: string) {
  return state.run && taskIn(state.run, taskId)?.task
}

function resumed({ state }: Journal, mode: RunMode): NewEvent[] {
  if (isActive(state) || !state.run) return []
  const isOver = state.status !== 'in_progress' && state.status !== 'interrupted'
  return [
    isOver
      ? { type: 'run-start', orchestrator: state.run.orchestrator, mode, resumed: true }
      : { type: 'run-resume', mode },
  ]
}
