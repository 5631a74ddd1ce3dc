import { planOf } from '../../domain/lineage.ts'
import {
  hasNewTasks,
  isOutOfRounds,
  isSettled,
  newPlan,
  type PlanPurpose,
  type PlanState,
  type TaskState,
} from '../../domain/plan.ts'
import { MAIN, newBranch, type BranchState } from '../../domain/state.ts'
import { decideBranch } from '../agent/decide.ts'
import { type End, failed, failureOf } from '../failure.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { isBatchOver, isUnderWay, settle } from '../parallel.ts'

/** Beside all else, what a team does at a sub-task; null: none works at it. */
export interface PlanView extends RunView {
  teamMoves(task: string): Move[] | null
}

/** A planner says what is to be done, workers do it, what is left is asked again, and one answer ends it. */
export function decidePlan(view: PlanView): Move[] {
  const { run, limits } = view
  if (run.phase !== 'active') return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure) return [failed('failed', run.failure.code)]
  const moves = movesOfPlan(null, view)
  const end = moves.find(({ type }) => type === 'end')
  return end ? beforeEnd(end, moves, view) : settle(moves, view)
}

/** What a plan needs now. `owner`: the role whose plan it is, null for the run's own. An end comes behind the ends of tasks only. */
export function movesOfPlan(owner: string | null, view: PlanView): Move[] {
  const { run, limits } = view
  const plan = planOf(run, owner) ?? newPlan()
  if (isAsking(plan)) return ask(plan.stage, owner, view)
  switch (plan.stage) {
    case 'new':
      return ask('plan', owner, view)
    case 'refused':
      return askForMore(plan, owner, view)
    case 'plan':
      return ask('repair', owner, view)
    case 'repair':
      return plan.round === 0 ? [COMPLETED] : [{ type: 'take-plan', scope: owner }]
    case 'edited':
      return [{ type: 'take-plan', scope: owner }]
    case 'review':
      return [{ type: 'wait' }]
    case 'direct':
    case 'route':
      return [COMPLETED]
    case 'summary':
      return [isOutOfRounds(plan, limits.maxPlanRounds) ? OUT_OF_ROUNDS : COMPLETED]
    case 'planned':
      return decideWork(plan, owner, view)
  }
}

const COMPLETED: End = { type: 'end', status: 'completed', finishReason: 'completed', code: null }
const OUT_OF_ROUNDS: End = failed('max_rounds', 'max_plan_rounds')

/** Whether the plan came to its answer: of all that there is, where the rounds were used up. */
export function isAnswered({ status, code }: End): boolean {
  return status === 'completed' || code === OUT_OF_ROUNDS.code
}

/** A call that was not answered: it is made, or made again after a crash or when a failed run is carried on. */
function isAsking(plan: PlanState): plan is PlanState & { stage: PlanPurpose } {
  const asks: PlanState['stage'][] = ['plan', 'repair', 'direct', 'summary', 'route']
  return asks.includes(plan.stage) && !plan.answered
}

/** One call without tools, for one purpose. */
export function ask(purpose: PlanPurpose, owner: string | null, view: RunView): Move[] {
  const { run, limits, inFlight } = view
  const key = `model:${owner ?? MAIN}`
  if (inFlight.has(key)) return []
  const started = run.scopes[owner ?? MAIN]?.model ?? null
  const attempt = (started?.attempt ?? 0) + 1
  if (attempt > limits.attemptsMax) return [failed('failed', 'attempts_exhausted')]
  if (started === null && run.iterations >= limits.maxIterationsTotal) return [failed('iteration_limit')]
  if (started === null && isBatchOver(view)) return [{ type: 'rest' }]
  return [{ type: 'call-planner', purpose, scope: owner, key, attempt }]
}

/** The tasks of the newest plan until each is settled; then what is left is asked, or the answer written. */
function decideWork(plan: PlanState, owner: string | null, view: PlanView): Move[] {
  const isNew = hasNewTasks(plan)
  if (plan.tasks.every(isSettled)) return isNew ? askForMore(plan, owner, view) : answer(plan, owner, view)
  if (isNew && view.reviewsPlans && plan.decisionSeq === 0 && !isBegun(plan))
    return [{ type: 'ask-plan', scope: owner }]
  const moves = [...starts(plan, view), ...acting(plan, view).flatMap((task) => movesOf(task, view))]
  const end = moves.find(({ type }) => type === 'end')
  if (end) return [...moves.filter(({ type }) => type === 'end-task'), end]
  return moves.length > 0 ? moves : [{ type: 'wait' }]
}

/** What is left is asked for, unless the rounds are used up. */
function askForMore(plan: PlanState, owner: string | null, view: PlanView): Move[] {
  return plan.round >= view.limits.maxPlanRounds ? answer(plan, owner, view) : ask('plan', owner, view)
}

/** The one answer: of the results, or, where there are none, of the model alone. */
function answer(plan: PlanState, owner: string | null, view: PlanView): Move[] {
  return ask(plan.tasks.some(wasDone) ? 'summary' : 'direct', owner, view)
}

/** Whether work of the newest round was begun: then it is too late to look at the plan. */
function isBegun({ round, tasks }: PlanState): boolean {
  return tasks.some((task) => task.round === round && task.startedTime !== null)
}

/** What ends the run waits for what is under way, so that the results of others are kept. */
function beforeEnd(end: Move, moves: readonly Move[], { inFlight }: PlanView): Move[] {
  const ended = moves.filter(({ type }) => type === 'end-task')
  return ended.length === 0 && inFlight.size === 0 ? [end] : ended
}

function wasDone({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed'
}

/** Tasks whose turn it is: what they need is settled, and not too many others are at work. One that waits for a human takes no place. */
function starts(plan: PlanState, view: PlanView): Move[] {
  const settled = new Set(plan.tasks.filter(isSettled).map(({ id }) => id))
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view)).length
  return plan.tasks
    .filter(({ status, dependsOn }) => status === 'pending' && dependsOn.every((id) => settled.has(id)))
    .slice(0, Math.max(0, view.limits.maxParallelTasks - atWork))
    .map(({ id }): Move => ({ type: 'start-task', scope: id }))
}

function isWaiting({ id }: TaskState, view: PlanView): boolean {
  const moves = view.teamMoves(id)
  if (moves) return !isUnderWay(id, view) && moves.every(({ type }) => type === 'wait')
  const calls = view.run.scopes[id]?.calls ?? []
  return calls.length > 0 && calls.every(({ status }) => status === 'asked')
}

/** Tasks at work that may act: no more than may be at the same time, those that have something under way first. */
function acting(plan: PlanState, view: PlanView): TaskState[] {
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view))
  const isBusy = ({ id }: TaskState) => isUnderWay(id, view)
  return [...atWork.filter(isBusy), ...atWork.filter((task) => !isBusy(task))].slice(0, view.limits.maxParallelTasks)
}

/** What a task at work needs now. What ends its branch ends the task, unless it is a bound of the whole run. */
function movesOf(task: TaskState, view: PlanView): Move[] {
  const scope: BranchState = view.run.scopes[task.id] ?? newBranch()
  const team = view.teamMoves(task.id)
  const failure = failureOf(scope)
  const own = failure ? [failure] : decideBranch({ ...view, scopeId: task.id, scope })
  const moves = team ?? own
  const end = moves.find((move) => move.type === 'end')
  if (!end) return moves
  const isBound = team ? isBoundOfTeam(end) : isOfRun(scope, end)
  return [isBound ? end : endTask(task, end)]
}

/** A team's own money and rounds end its sub-task alone; what bounds the run, or keeps a model from being called, ends the run. */
function isBoundOfTeam(end: End): boolean {
  return isOfRun({}, end) || REFUSED_TO_RUN.has(end.code)
}

const REFUSED_TO_RUN: ReadonlySet<string | null> = new Set(['budget_exhausted', 'unknown_model', 'unpriced_model'])

/** A bound of all that the run starts, a call that did not fit one, or a move that was cut too often: its task is not to blame. */
function isOfRun({ refused }: Pick<BranchState, 'refused'>, { finishReason, code }: End): boolean {
  const isBound = finishReason === 'iteration_limit' || finishReason === 'deadline'
  return isBound || code === 'attempts_exhausted' || refused !== undefined
}

function endTask({ id }: TaskState, { status, code }: End): Move {
  return { type: 'end-task', scope: id, status: status === 'completed' ? 'completed' : 'failed', code }
}
