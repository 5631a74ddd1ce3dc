import type { NewEvent } from '../../domain/event.ts'
import type { PlanTask } from '../../domain/plan.ts'
import type { MoveContext, Step } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { pendingItem } from '../../engine/pending-item.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { answerOutcome, plannedOutcome } from './answer.ts'
import { isSettled, planOf, type PlanState, type TaskState } from './state.ts'
import { taskData } from './view.ts'

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
  const args = { plan: tasks.map((task) => shownTask(taskData(task, context), tasks)) }
  const arguments_hash = await sha256Hex(canonicalJson(args))
  return [pendingItem({ type: 'approval', tool: 'plan', arguments: args, arguments_hash, scope }, context)]
}

/** A task as a planner writes it; what it needs is numbered from 1. */
function shownTask({ name, description, depends_on: needed }: PlanTask, tasks: readonly TaskState[]): object {
  const numbers = (needed ?? [])
    .map((id) => tasks.findIndex((task) => task.id === id) + 1)
    .filter((number) => number > 0)
  return { name, description, ...(numbers.length > 0 ? { depends_on: numbers } : {}) }
}
