import { planIn } from '../../agent/plan-answer.ts'
import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  LLM_WORKER,
  newPlan,
  type PlanData,
  type PlannedTask,
  type PlanTask,
  type TaskStatus,
  type Worker,
} from '../../domain/plan.ts'
import { newId } from '../../lib/id.ts'
import { taskData } from '../plan-data.ts'
import { signatureOf } from '../fold/plan.ts'
import { keptSkills } from '../workers.ts'
import type { MoveContext, Outcome } from './job.ts'

/** What a planner's answer, or the JSON of a human, leaves; nothing, where it holds no plan. */
export function answerOutcome(text: string, workers: readonly Worker[], context: MoveContext): Outcome {
  const plan = planIn(text)
  if (plan === null) return { events: [] }
  const { tasksMax, tasksTotalMax } = LIMITS.plan
  const room = Math.min(tasksMax, tasksTotalMax - (context.journal.state.run?.plan?.tasks.length ?? 0))
  const told: NewEvent[] = [
    ...(plan.hasCycle
      ? [errorOf('plan_cycle', 'Sub-tasks of the plan need each other; they are run as they come.')]
      : []),
    ...(plan.tasks.length > room
      ? [errorOf('plan_too_long', `Only the first ${room} sub-tasks of the plan are run.`)]
      : []),
  ]
  const { events, ...kept } = planOutcome(plan.tasks.slice(0, room), workers, context)
  return { ...kept, events: [...told, ...events] }
}

/** A plan of the next round, an empty one too. What was planned before in the same words is not run again. */
export function planOutcome(
  planned: readonly PlannedTask[],
  workers: readonly Worker[],
  context: MoveContext,
): Outcome {
  const { journal } = context
  const known = journal.state.run?.plan ?? newPlan()
  const round = known.round + 1
  const names = new Set(workers.map(({ name }) => name))
  const earlier = new Map(
    known.tasks.flatMap(({ id, signature, status }) => (isAgain(status) ? [] : [[signature, id] as const])),
  )
  const drafts = planned.map((one) => {
    const worker = names.has(one.name) ? one.name : LLM_WORKER
    const signature = signatureOf({ worker, description: one.description })
    const id = newId('tsk', journal.now())
    const same = earlier.get(signature)
    earlier.set(signature, same ?? id)
    return { one, id, worker, same }
  })
  const tasks = drafts.map(({ one, id, worker, same }): PlanTask => {
    const needed = one.dependsOn.flatMap((at) => drafts[at]?.same ?? drafts[at]?.id ?? [])
    const depends = needed.length === 0 ? {} : { depends_on: [...new Set(needed)] }
    return { ...newTask(one, round), id, worker, ...depends, status: same === undefined ? 'pending' : 'skipped' }
  })
  const before = known.tasks.map((task) => shortened(taskData(task, journal)))
  const isNew = tasks.some(({ status }) => status === 'pending')
  const plan: PlanData = { round, status: isNew ? 'running' : 'summarising', tasks: [...before, ...tasks] }
  const strangers = new Set(planned.map(({ name }) => name).filter((name) => !names.has(name)))
  return {
    events: [...[...strangers].map(unknownWorker), { type: 'plan', plan }],
    ...keptSkills([...known.tasks, ...tasks], context),
  }
}

function newTask({ name, description }: PlannedTask, round: number): Omit<PlanTask, 'id' | 'worker' | 'status'> {
  return { round, name, description, result: null, error: null, cost: null, started_time: null, ended_time: null }
}

/** What was cancelled, or stands in for another, is no earlier work of the same words. */
function isAgain(status: TaskStatus): boolean {
  return status === 'cancelled' || status === 'skipped'
}

/** Results are whole in `task-end`; each plan event repeats their start only. */
function shortened(task: PlanTask): PlanTask {
  const max = LIMITS.plan.repeatedResultChars
  const { result } = task
  return result !== null && result.length > max ? { ...task, result: `${result.slice(0, max).toWellFormed()}…` } : task
}

function unknownWorker(name: string): NewEvent {
  return errorOf('unknown_worker', `There is no worker "${name.slice(0, 100)}"; ${LLM_WORKER} does its sub-task.`)
}

function errorOf(code: string, detail: string): NewEvent {
  return { type: 'error', code, detail }
}
