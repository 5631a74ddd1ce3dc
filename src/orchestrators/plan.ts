import { hasNewTasks, isSettled, newPlan, type PlanPurpose, type PlanState, type TaskState } from '../domain/plan.ts'
import { MAIN, newScope, type ScopeState } from '../domain/state.ts'
import { decideScope } from './agent.ts'
import type { Move, RunView } from './move.ts'
import { settle } from './parallel.ts'

type End = Extract<Move, { type: 'end' }>

/** A planner says what is to be done, workers do it, what is left is asked again, and one answer ends it (formats.md 6). */
export function decidePlan(view: RunView): Move[] {
  const { run, limits } = view
  if (run.phase !== 'active') return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure) return [failed('failed', run.failure.code)]
  const plan = run.plan ?? newPlan()
  if (isAsking(plan)) return ask(plan.stage, view)
  switch (plan.stage) {
    case 'new':
      return ask('plan', view)
    case 'refused':
      return askForMore(plan, view)
    case 'plan':
      return ask('repair', view)
    case 'repair':
      return plan.round === 0 ? [COMPLETED] : [{ type: 'take-plan' }]
    case 'edited':
      return [{ type: 'take-plan' }]
    case 'review':
      return [{ type: 'wait' }]
    case 'direct':
    case 'route':
      return [COMPLETED]
    case 'summary':
      return [
        hasNewTasks(plan) && plan.round >= limits.maxPlanRounds ? failed('max_rounds', 'max_plan_rounds') : COMPLETED,
      ]
    case 'planned':
      return decideWork(plan, view)
  }
}

const COMPLETED: Move = { type: 'end', status: 'completed', finishReason: 'completed', code: null }

/** A call that was not answered: it is made, or made again after a crash or when a failed run is carried on. */
function isAsking(plan: PlanState): plan is PlanState & { stage: PlanPurpose } {
  const asks: PlanState['stage'][] = ['plan', 'repair', 'direct', 'summary', 'route']
  return asks.includes(plan.stage) && !plan.answered
}

/** One call without tools, for one purpose. */
export function ask(purpose: PlanPurpose, view: RunView): Move[] {
  const { run, limits, inFlight } = view
  const key = `model:${MAIN}`
  if (inFlight.has(key)) return []
  const started = run.scopes[MAIN]?.model ?? null
  const attempt = (started?.attempt ?? 0) + 1
  if (attempt > limits.attemptsMax) return [failed('failed', 'attempts_exhausted')]
  if (started === null && run.iterations >= limits.maxIterationsTotal) return [failed('iteration_limit')]
  if (started === null && isBatchOver(view)) return [{ type: 'rest' }]
  return [{ type: 'call-planner', purpose, scope: null, key, attempt }]
}

function isBatchOver({ run, limits }: RunView): boolean {
  return run.mode === 'request' && run.batchIterations >= limits.maxIterations
}

/** The tasks of the newest plan until each is settled; then what is left is asked, or the answer written. */
function decideWork(plan: PlanState, view: RunView): Move[] {
  const isNew = hasNewTasks(plan)
  if (isNew && view.reviewsPlans && plan.decisionSeq === 0 && !isBegun(plan)) return [{ type: 'ask-plan' }]
  if (plan.tasks.every(isSettled)) return isNew ? askForMore(plan, view) : answer(plan, view)
  const moves = [...starts(plan, view), ...acting(plan, view).flatMap((task) => movesOf(task, view))]
  const end = moves.find(({ type }) => type === 'end')
  return end ? beforeEnd(end, moves, view) : settle(moves, view)
}

/** What is left is asked for, unless the rounds are used up. */
function askForMore(plan: PlanState, view: RunView): Move[] {
  return plan.round >= view.limits.maxPlanRounds ? answer(plan, view) : ask('plan', view)
}

/** The one answer: of the results, or, where there are none, of the model alone. */
function answer(plan: PlanState, view: RunView): Move[] {
  return ask(plan.tasks.some(wasDone) ? 'summary' : 'direct', view)
}

/** Whether work of the newest round was begun: then it is too late to look at the plan. */
function isBegun({ round, tasks }: PlanState): boolean {
  return tasks.some((task) => task.round === round && task.startedTime !== null)
}

/** What ends the run waits for what is under way, so that the results of others are kept. */
function beforeEnd(end: Move, moves: readonly Move[], { inFlight }: RunView): Move[] {
  const ended = moves.filter(({ type }) => type === 'end-task')
  return ended.length === 0 && inFlight.size === 0 ? [end] : ended
}

function wasDone({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed'
}

/** Tasks whose turn it is: what they need is settled, and not too many others are at work. One that waits for a human takes no place. */
function starts(plan: PlanState, view: RunView): Move[] {
  const settled = new Set(plan.tasks.filter(isSettled).map(({ id }) => id))
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view)).length
  return plan.tasks
    .filter(({ status, dependsOn }) => status === 'pending' && dependsOn.every((id) => settled.has(id)))
    .slice(0, Math.max(0, view.limits.maxParallelTasks - atWork))
    .map(({ id }): Move => ({ type: 'start-task', scope: id }))
}

function isWaiting({ id }: TaskState, { run }: RunView): boolean {
  const calls = run.scopes[id]?.calls ?? []
  return calls.length > 0 && calls.every(({ status }) => status === 'asked')
}

/** Tasks at work that may act: no more than may be at the same time, those that have something under way first. */
function acting(plan: PlanState, view: RunView): TaskState[] {
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view))
  const isBusy = (task: TaskState) => isUnderWay(task, view)
  return [...atWork.filter(isBusy), ...atWork.filter((task) => !isBusy(task))].slice(0, view.limits.maxParallelTasks)
}

function isUnderWay({ id }: TaskState, { run, inFlight }: RunView): boolean {
  const calls = run.scopes[id]?.calls ?? []
  return [`model:${id}`, `prompt:${id}`, ...calls.map((call) => `tool:${call.id}`)].some((key) => inFlight.has(key))
}

/** What a task at work needs now. What ends its line of work ends the task, unless it is a bound of the whole run. */
function movesOf(task: TaskState, view: RunView): Move[] {
  const scope: ScopeState = view.run.scopes[task.id] ?? newScope()
  const failure = scope.failure && failed('failed', scope.failure.code)
  const moves = failure ? [failure] : decideScope({ ...view, scopeId: task.id, scope })
  const end = moves.find((move) => move.type === 'end')
  if (!end) return moves
  return [isOfRun(end) ? end : endTask(task, end)]
}

/** A bound of all that the run starts, or a move that was cut too often: its task is not to blame for that. */
function isOfRun({ finishReason, code }: End): boolean {
  return finishReason === 'iteration_limit' || finishReason === 'deadline' || code === 'attempts_exhausted'
}

function endTask({ id }: TaskState, { status, code }: End): Move {
  return { type: 'end-task', scope: id, status: status === 'completed' ? 'completed' : 'failed', code }
}

function failed(finishReason: End['finishReason'], code: string = finishReason): End {
  return { type: 'end', status: 'failed', finishReason, code }
}
