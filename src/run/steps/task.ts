import type { NewEvent } from '../../domain/event.ts'
import { branchesOf, type OwnedTask, planOf, taskIn } from '../../domain/lineage.ts'
import type { ModelFailure } from '../../domain/model.ts'
import { isSettled, LLM_WORKER, type PlanState, type PlanTask, type TaskState } from '../../domain/plan.ts'
import type { RunState } from '../../domain/state.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import type { Move } from '../../engine/move.ts'
import { dependencyText } from '../../agent/task-text.ts'
import { tooManyFailuresText } from '../../agent/texts.ts'
import { modelOf } from '../../engine/worker/assignment.ts'
import { closedTaskEvents } from './closing.ts'
import { languageFor } from '../../engine/engine.ts'
import { failureText, missingServerText } from '../../engine/failures/failure-text.ts'
import { taskData } from './plan-data.ts'
import { branchOf } from '../../log/branches.ts'
import { actionIn } from '../../engine/worker/team-specs.ts'
import { workerSkill } from '../../engine/worker/workers.ts'
import type { MoveContext, Outcome } from '../../engine/job.ts'
import { outcomeOf } from './outcome.ts'
import { pendingItem } from './pending.ts'
import { answerOutcome, planOutcome } from './plan-answer.ts'
import { roomForResults, withinRoom } from './plan-brief.ts'
import { teamBegins, workerTeam } from './task-team.ts'

/** A sub-task begins: its first message is its description with what it needs of others. */
export async function startTaskOutcome(
  { scope }: Extract<Move, { type: 'start-task' }>,
  context: MoveContext,
): Promise<NewEvent[] | Outcome> {
  const { journal, engine } = context
  const owned = taskOf(context, scope)
  if (!owned) return []
  const { task: state } = owned
  const task = taskData(state, journal)
  const language = languageFor(engine, journal.record)
  const started = new Date(journal.now()).toISOString()
  const begun: NewEvent & { type: 'task-start' } = {
    type: 'task-start',
    scope,
    task: { ...task, status: 'running', started_time: started },
  }
  const refused = (error: string): NewEvent[] => [
    begun,
    { type: 'task-end', scope, task: { ...begun.task, status: 'failed', error, ended_time: started } },
  ]
  const idle = whyWithoutTools(owned, context)
  if (idle !== null) return refused(idle)
  const found = await workerTeam(owned, context)
  if (!found.ok) return refused(found.error)
  const content = dependencyText(task.description, neededResults(owned, task, context), language)
  const said = journal.messageEvent({ role: 'user', kind: 'task', content, scope })
  return found.team ? teamBegins({ begun, said, content }, found.team, owned, context) : [begun, said]
}

/** Why a server that is gone, or that has never said what it offers, does nothing: the model alone must not do it in its place. Null: it
 *  has tools, or is none. */
function whyWithoutTools(
  { owner, task: { worker } }: OwnedTask,
  { engine, journal: { record, state } }: MoveContext,
): string | null {
  const isOther = worker === LLM_WORKER || actionIn({ record, run: state.run }, owner, worker) !== undefined
  const isServer = !isOther && workerSkill(engine, record, worker) === null
  if (!isServer || engine.tools.some(({ server }) => server === worker)) return null
  const language = languageFor(engine, record)
  const missing = engine.missing.find(({ name }) => name === worker)
  return missing ? missingServerText(language, missing) : failureText(language, 'worker_unavailable')
}

/** Results that a sub-task is given, within a share of its model's window. */
function neededResults({ plan, task }: OwnedTask, { description }: PlanTask, context: MoveContext): PlanTask[] {
  const { journal } = context
  const { id, dependsOn } = task
  const tasks = plan.tasks.filter((one) => dependsOn.includes(one.id))
  const results = tasks.map((one) => taskData(one, journal))
  const choice = modelOf(context, id)
  return choice.ok ? withinRoom(results, description, roomForResults(choice.spec)) : results
}

/** A sub-task is over: with its result, or with why it failed. */
export function endTaskEvents(
  { scope, status, code }: Extract<Move, { type: 'end-task' }>,
  context: MoveContext,
): NewEvent[] {
  const { journal, engine } = context
  const state = taskOf(context, scope)?.task
  const { run } = journal.state
  if (!state || !run) return []
  const language = languageFor(engine, journal.record)
  const isTeams = branchOf(run, scope).team !== undefined
  const failure = failureIn(run, scope, code)
  const { result, misfits } = outcomeOf(context, scope, code)
  const error = misfits ?? failure?.detail ?? failureText(language, isTeams ? `worker_${code}` : (code ?? ''))
  const lastWord = { role: 'system', kind: 'warning', content: tooManyFailuresText(language), scope } as const
  const ended: Partial<PlanTask> =
    status === 'completed' && misfits === null
      ? { status, result: result?.trim() || `${state.name} is completed`, error: null }
      : { status: 'failed', result, error }
  return [
    ...(code === 'stuck' && !isTeams ? [journal.messageEvent(lastWord)] : []),
    ...closedTaskEvents(journal, engine, scope),
    {
      type: 'task-end',
      scope,
      task: { ...taskData(state, journal), ...ended, ended_time: new Date(journal.now()).toISOString() },
    },
  ]
}

/** Why the model of a sub-task failed, or that of whoever works at it. */
function failureIn(run: RunState, scope: string, code: string | null): ModelFailure | null {
  const own = branchOf(run, scope).failure
  const failures = branchesOf(run, scope).map((line) => branchOf(run, line).failure)
  return own ?? failures.find((failure) => failure?.code === code) ?? null
}

function taskOf({ journal: { state } }: MoveContext, id: string): OwnedTask | null {
  return state.run && taskIn(state.run, id)
}

/** The plan that a human edited; an empty one, where the planner gave none. */
export function takePlanOutcome({ scope }: Extract<Move, { type: 'take-plan' }>, context: MoveContext): Outcome {
  const { journal } = context
  const plan = planAt(scope, context)
  const decision = plan && plan.decisionSeq > 0 ? journal.log.events(plan.decisionSeq - 1, 1)[0] : undefined
  const edited = decision?.type === 'pending-end' && plan?.stage === 'edited' ? decision.arguments : undefined
  return edited ? answerOutcome(JSON.stringify(edited), scope, context) : planOutcome([], scope, context)
}

function planAt(owner: string | null, { journal: { state } }: MoveContext): PlanState | null {
  return state.run && planOf(state.run, owner)
}

/** The newest plan as a pending approval: its arguments are the plan, to be edited, refused or approved like any. */
export async function planPendingEvent(
  { scope }: Extract<Move, { type: 'ask-plan' }>,
  context: MoveContext,
): Promise<NewEvent[]> {
  const { journal } = context
  const plan = planAt(scope, context)
  if (!plan) return []
  const tasks = plan.tasks.filter((task) => task.round === plan.round && !isSettled(task))
  const args = { plan: tasks.map((task) => shownTask(taskData(task, journal), tasks)) }
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
