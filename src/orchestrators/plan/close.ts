import type { NewEvent } from '../../domain/event.ts'
import { branchesOf } from '../../domain/lineage.ts'
import { closedBranchEvents } from '../../engine/closing.ts'
import type { Closing, LogContext, MoveContext } from '../../engine/engine.ts'
import { isSettled, plansIn, taskIn, tasksIn, type TaskState } from './state.ts'
import { planData, taskData } from './view.ts'

/** A run that is cancelled, or left behind, gives up its plans. Nobody decided in a copy what its log says that was decided: a plan that
 *  somebody edited stays what the planner wrote; and where plans are looked at, the planner is asked anew. */
export function closePlans(context: LogContext, why: Closing): NewEvent[] {
  if (why === 'copied') return uneditedPlans(context)
  if (why === 'copied-rest' && !context.journal.record.config.plan?.review) return []
  return cancelledTasks(context)
}

function uneditedPlans(context: LogContext): NewEvent[] {
  const { run } = context.journal.state
  const edited = run ? plansIn(run).filter(({ plan }) => plan.stage === 'edited') : []
  return edited.flatMap(({ owner }): NewEvent[] => {
    const plan = planData(context, owner)
    return plan ? [{ type: 'plan', scope: owner, plan }] : []
  })
}

/** The ends of all sub-tasks that are open. Those within others come first. */
function cancelledTasks(context: LogContext): NewEvent[] {
  const { run } = context.journal.state
  const open = run ? tasksIn(run).filter(({ task }) => !isSettled(task)) : []
  const within = open.filter(({ owner }) => owner !== null)
  return [...within, ...open.filter(({ owner }) => owner === null)].map(({ task }) => cancelledTask(task, context))
}

export function cancelledTask(task: TaskState, context: LogContext): NewEvent {
  const ended = new Date(context.journal.now()).toISOString()
  return {
    type: 'task-end',
    scope: task.id,
    task: { ...taskData(task, context), status: 'cancelled', ended_time: ended },
  }
}

/** The events that leave nothing open in a sub-task, nor in whoever works at it. */
export function closedTaskEvents(context: MoveContext, id: string): NewEvent[] {
  const { journal, engine } = context
  const { run } = journal.state
  if (!run) return []
  const lines = [...branchesOf(run, id).filter((line) => line !== id), id]
  return lines.flatMap((line) => {
    const within = line === id ? null : taskIn(run, line)
    const isOpen = within !== null && !isSettled(within.task)
    return [...closedBranchEvents(journal, engine, line), ...(isOpen ? [cancelledTask(within.task, context)] : [])]
  })
}
