import type { PlanPurpose } from '../../domain/plan.ts'
import { MAIN, newBranch, unheardSteers } from '../../domain/state.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { type End, failed, branchFailure, isOfRun, isUnderWay, nextCall, dueMoves, PROMPT_MISFIT } from '../decide.ts'
import {
  hasNewTasks,
  isOutOfRounds,
  isSettled,
  newPlan,
  planOf,
  type PlanState,
  type TaskState,
  workedMs,
} from './state.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** Ask for a plan, or for what takes the place of its end, without tools. */
    'call-planner': { purpose: PlanPurpose; scope: string | null; key: string; attempt: number }
    /** Take the plan that a human edited, or an empty one where the planner gave none. `scope`: whose plan it is. */
    'take-plan': { scope: string | null }
    /** Have a human look at the newest plan. */
    'ask-plan': { scope: string | null }
    'start-task': { scope: string }
    'end-task': { scope: string; status: 'completed' | 'failed'; code: string | null }
  }
}

/** A planner says what is to be done, workers do it, what is left is asked again, and one answer ends it. */
export function decidePlan(view: RunView): Move[] {
  const { run, limits } = view
  if (run.phase !== 'active') return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure) return [failed('failed', run.failure.code)]
  const moves = movesOfPlan(null, view)
  const end = moves.find(({ type }) => type === 'end')
  return end ? beforeEnd(end, moves, view) : dueMoves(moves, view)
}

/** The planner's rounds within the turn of a role. Used up rounds are a good end too: there is an answer of all that there is. */
export function planWithin(branch: string, view: RunView): Move[] {
  const failure = branchFailure(view.run.scopes[branch] ?? newBranch())
  if (failure) return [failure]
  return movesOfPlan(branch, view).map((move) => (move === OUT_OF_ROUNDS ? COMPLETED : move))
}

/** What a plan needs now. `owner`: the role whose plan it is, null for the run's own. A plan ends only after its tasks have ended. */
function movesOfPlan(owner: string | null, view: RunView): Move[] {
  const { run, limits } = view
  const plan = planOf(run, owner) ?? newPlan()
  const isSteered = unheardSteers(run.scopes[owner ?? MAIN] ?? newBranch()) > 0
  if (isAsking(plan)) return ask(plan.stage, owner, view)
  switch (plan.stage) {
    case 'new':
      return ask('plan', owner, view)
    case 'refused':
      return askForMore(plan, owner, view)
    case 'plan':
      return ask('repair', owner, view)
    case 'repair':
      if (plan.round === 0 && isSteered) return askForMore(plan, owner, view)
      return plan.round === 0 ? [COMPLETED] : [{ type: 'take-plan', scope: owner }]
    case 'edited':
      return [{ type: 'take-plan', scope: owner }]
    case 'review':
      return [{ type: 'wait' }]
    case 'direct':
      return isSteered ? askForMore(plan, owner, view) : [COMPLETED]
    case 'summary':
      if (isSteered) return askForMore(plan, owner, view)
      return [isOutOfRounds(plan, limits.maxPlanRounds) ? OUT_OF_ROUNDS : COMPLETED]
    case 'planned':
      return decideWork(plan, owner, view, isSteered)
  }
}

const COMPLETED: End = { type: 'end', status: 'completed', finishReason: 'completed', code: null }
const OUT_OF_ROUNDS: End = failed('max_rounds', 'max_plan_rounds')

/** A call that was not answered: it is made, or made again after a crash or when a failed run is carried on. */
function isAsking(plan: PlanState): plan is PlanState & { stage: PlanPurpose } {
  const asks: PlanState['stage'][] = ['plan', 'repair', 'direct', 'summary']
  return asks.includes(plan.stage) && !plan.answered
}

/** One call without tools, for one purpose. */
function ask(purpose: PlanPurpose, scope: string | null, view: RunView): Move[] {
  return nextCall(scope, view, (call) => ({ type: 'call-planner', purpose, ...call }))
}

/** The tasks of the newest plan until each is settled; then what is left is asked, or the answer written. `isSteered`: the user said something
 *  that the planner has to hear first. */
function decideWork(plan: PlanState, owner: string | null, view: RunView, isSteered: boolean): Move[] {
  const isNew = hasNewTasks(plan)
  if (plan.tasks.every(isSettled)) return isNew || isSteered ? askForMore(plan, owner, view) : answer(plan, owner, view)
  if (isNew && view.record.config.plan?.review && plan.decisionSeq === 0 && !isBegun(plan))
    return [{ type: 'ask-plan', scope: owner }]
  const moves = movesOfTasks(plan, view)
  const end = moves.find(({ type }) => type === 'end')
  if (end) return [...moves.filter(({ type }) => type === 'end-task'), end]
  return moves.length > 0 ? moves : [{ type: 'wait' }]
}

/** What the sub-tasks of a plan need now; an end that is among them is that of the run. */
export function movesOfTasks(plan: PlanState, view: RunView): Move[] {
  return [...starts(plan, view), ...acting(plan, view).flatMap((task) => movesOf(task, view))]
}

/** What is left is asked for, unless the rounds are used up. */
function askForMore(plan: PlanState, owner: string | null, view: RunView): Move[] {
  return plan.round >= view.limits.maxPlanRounds ? answer(plan, owner, view) : ask('plan', owner, view)
}

/** The one answer: of the results, or, where there are none, of the model alone. */
function answer(plan: PlanState, owner: string | null, view: RunView): Move[] {
  return ask(plan.tasks.some(wasDone) ? 'summary' : 'direct', owner, view)
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

/** Tasks whose turn it is, those of the highest priority first: what they need is settled, and not too many others are at work. One that waits for a human takes no place. */
function starts(plan: PlanState, view: RunView): Move[] {
  const settled = new Set(plan.tasks.filter(isSettled).map(({ id }) => id))
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view)).length
  return plan.tasks
    .filter(({ status, dependsOn }) => status === 'pending' && dependsOn.every((id) => settled.has(id)))
    .toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0))
    .slice(0, Math.max(0, view.limits.maxParallelTasks - atWork))
    .map(({ id }): Move => ({ type: 'start-task', scope: id }))
}

function isWaiting({ id }: TaskState, view: RunView): boolean {
  return !isUnderWay(id, view) && movesIn(id, view).every(({ type }) => type === 'wait')
}

/** What whoever works at a task does next. */
function movesIn(task: string, view: RunView): Move[] {
  return view.movesIn(view.run.scopes[task]?.orchestrator ?? 'agent', task)
}

/** Tasks at work that may act: no more than may be at the same time, those that have something under way first. */
function acting(plan: PlanState, view: RunView): TaskState[] {
  const atWork = plan.tasks.filter((task) => task.status === 'running' && !isWaiting(task, view))
  const isBusy = ({ id }: TaskState) => isUnderWay(id, view)
  return [...atWork.filter(isBusy), ...atWork.filter((task) => !isBusy(task))].slice(0, view.limits.maxParallelTasks)
}

/** Whether a task took longer than it may, while the run was active. One that waits for a human takes no time. */
function isLate(task: TaskState, view: RunView): boolean {
  const { timeoutMs = view.limits.taskTimeoutMs } = task
  const worked = workedMs(task, view.activeMs)
  return worked !== null && timeoutMs !== null && worked >= timeoutMs
}

/** What a task at work needs now. What ends its branch ends the task, unless it is a bound of the whole run. */
function movesOf(task: TaskState, view: RunView): Move[] {
  const moves = movesIn(task.id, view)
  const end = moves.find((move) => move.type === 'end')
  if (!end) return isLate(task, view) ? [endTask(task, failed('failed', 'task_timeout'))] : moves
  const { refused } = view.run.scopes[task.id] ?? newBranch()
  const isBound = refused !== undefined && refused.code !== PROMPT_MISFIT
  return [isBound || isOfRun(end) ? end : endTask(task, end)]
}

function endTask({ id }: TaskState, { status, code }: End): Move {
  return { type: 'end-task', scope: id, status: status === 'completed' ? 'completed' : 'failed', code }
}
