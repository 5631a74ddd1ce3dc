import { planIn } from './parse.ts'
import type { NewEvent } from '../../domain/event.ts'
import { planOf, newPlan, type PlanState, isSettled, type TaskState } from './state.ts'
import { LIMITS } from '../../domain/limits.ts'
import { LLM_WORKER, type PlanData, type PlannedTask, type PlanTask, type TaskStatus } from '../../domain/plan.ts'
import { newId } from '../../lib/id.ts'
import { taskData } from './view.ts'
import { signatureOf } from './reduce.ts'
import { isGroup, keptSkills, workersOf } from './workers.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveContext, Step } from '../../engine/engine.ts'
import type { MoveOf } from '../../engine/move.ts'
import { pendingItem } from '../../engine/open.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'

/** What a planner's answer, or the JSON of a human, leaves; nothing, where it holds no plan. */
export function answerOutcome(text: string, owner: string | null, context: MoveContext): Outcome {
  const plan = planIn(text)
  if (plan === null) return { events: [] }
  const { tasksMax, tasksTotalMax } = LIMITS.plan
  const room = Math.min(tasksMax, tasksTotalMax - knownPlan(owner, context).tasks.length)
  const errors: NewEvent[] = [
    ...(plan.hasCycle
      ? [errorOf('plan_cycle', owner, 'Sub-tasks of the plan need each other; they are run as they come.')]
      : []),
    ...(plan.tasks.length > room
      ? [errorOf('plan_too_long', owner, `Only the first ${room} sub-tasks of the plan are run.`)]
      : []),
  ]
  const { events, ...kept } = plannedOutcome(plan.tasks.slice(0, room), owner, context)
  return { ...kept, events: [...errors, ...events] }
}

/** An empty plan. */
export function emptyOutcome(owner: string | null, context: MoveContext): Outcome {
  return plannedOutcome([], owner, context)
}

/** A plan of the next round, an empty one too. What was planned before in the same words is not run again. */
function plannedOutcome(planned: readonly PlannedTask[], owner: string | null, context: MoveContext): Outcome {
  const { journal } = context
  const known = knownPlan(owner, context)
  const round = known.round + 1
  const names = new Set(workersOf(context, owner).map(({ name }) => name))
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
    return {
      ...newTask(one, round),
      ...(owner === null ? {} : { owner }),
      id,
      worker,
      ...depends,
      status: same === undefined ? 'pending' : 'skipped',
    }
  })
  const before = known.tasks.map((task) => shortened(taskData(task, context)))
  const isNew = tasks.some(({ status }) => status === 'pending')
  const plan: PlanData = { round, status: isNew ? 'running' : 'summarising', tasks: [...before, ...tasks] }
  const strangers = new Set(planned.map(({ name }) => name).filter((name) => !names.has(name)))
  return {
    events: [
      ...[...strangers].map((name) => unknownWorker(name, owner, context)),
      { type: 'plan', scope: owner, plan },
    ],
    ...keptSkills(tasks, context),
  }
}

function knownPlan(owner: string | null, { journal }: MoveContext): PlanState {
  const { run } = journal.state
  return (run && planOf(run, owner)) ?? newPlan()
}

function newTask(planned: PlannedTask, round: number): Omit<PlanTask, 'id' | 'worker' | 'status'> {
  const { name, description, priority, timeoutMs } = planned
  const bounds = {
    ...(priority === undefined ? {} : { priority }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  }
  const open = { result: null, error: null, cost: null, started_time: null, ended_time: null }
  return { round, name, description, ...bounds, ...open }
}

/** What was cancelled, or stands in for another, is no earlier work of the same words. */
function isAgain(status: TaskStatus): boolean {
  return status === 'cancelled' || status === 'skipped'
}

/** Results are whole in `task-end`; each plan event repeats their start only. */
export function shortened(task: PlanTask): PlanTask {
  const max = LIMITS.plan.repeatedResultChars
  const { result } = task
  return result !== null && result.length > max ? { ...task, result: `${result.slice(0, max).toWellFormed()}…` } : task
}

function unknownWorker(name: string, owner: string | null, context: MoveContext): NewEvent {
  const isTeam = isGroup(context, name)
  const why = isTeam
    ? `The worker "${name}" is a team, and no team works within a team (depthMax ${LIMITS.team.depthMax})`
    : `There is no worker "${name.slice(0, 100)}"`
  return errorOf('unknown_worker', owner, `${why}; ${LLM_WORKER} does its sub-task.`)
}

function errorOf(code: string, scope: string | null, detail: string): NewEvent {
  return { type: 'error', scope, code, detail }
}

/** The plan that a human edited; an empty one, where the planner gave none. */
export const takePlanStep: Step<MoveOf<'take-plan'>> = { settle: ({ scope }, context) => takePlan(scope, context) }

function takePlan(scope: string | null, context: MoveContext): Outcome {
  const { journal } = context
  const plan = planAt(scope, context)
  const decision = plan && plan.decisionSeq > 0 ? journal.log.events(plan.decisionSeq - 1, 1)[0] : undefined
  const edited = decision?.type === 'pending-end' && plan?.stage === 'edited' ? decision.arguments : undefined
  return edited ? answerOutcome(JSON.stringify(edited), scope, context) : plannedOutcome([], scope, context)
}

function planAt(owner: string | null, { journal: { state } }: MoveContext): PlanState | null {
  return state.run && planOf(state.run, owner)
}

/** The newest plan as a pending approval: its arguments are the plan, to be edited, refused or approved like any. */
export const askPlanStep: Step<MoveOf<'ask-plan'>> = { settle: ({ scope }, context) => askPlan(scope, context) }

async function askPlan(scope: string | null, context: MoveContext): Promise<NewEvent[]> {
  const plan = planAt(scope, context)
  if (!plan) return []
  const tasks = plan.tasks.filter((task) => task.round === plan.round && !isSettled(task))
  const args = { plan: tasks.map((task) => taskAsReviewed(taskData(task, context), tasks)) }
  const arguments_hash = await sha256Hex(canonicalJson(args))
  return [pendingItem({ type: 'approval', tool: 'plan', arguments: args, arguments_hash, scope }, context)]
}

/** A task as a planner writes it; what it needs is numbered from 1. */
function taskAsReviewed({ name, description, depends_on: needed }: PlanTask, tasks: readonly TaskState[]): object {
  const numbers = (needed ?? [])
    .map((id) => tasks.findIndex((task) => task.id === id) + 1)
    .filter((number) => number > 0)
  return { name, description, ...(numbers.length > 0 ? { depends_on: numbers } : {}) }
}
