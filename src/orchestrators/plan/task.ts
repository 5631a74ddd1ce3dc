import { tooManyFailuresText } from '../../agent/texts.ts'
import { fail, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { branchesOf } from '../../domain/state.ts'
import { LLM_WORKER, type PlanTask, SELF_WORKER } from '../../domain/plan.ts'
import { orchestratorOfSkill } from '../../domain/skill.ts'
import type { LogContext, MoveContext, Step } from '../../engine/engine.ts'
import type { Closing, TaskAct } from '../../engine/work.ts'
import { outcomeOf } from '../../engine/orchestrator-of.ts'
import { languageFor } from '../../engine/settings.ts'
import { failureText, missingServerText, modelFailureText } from '../../engine/failures/failure-text.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { modelOf } from '../../engine/worker/assignment.ts'
import { executorOf, workerSkill } from '../../engine/worker/executor.ts'
import { branchOf, causeIn, isActive } from '../../log/branches.ts'
import { roomForResults, withinRoom } from './brief.ts'
import { isSettled, type OwnedTask, plansIn, taskIn, tasksIn, type TaskState } from './state.ts'
import { dependencyText } from './requests.ts'
import { planData, taskData } from './view.ts'
import { withImagesOf } from '../../engine/prompt/prompt.ts'
import { closedBranchEvents } from '../../engine/closing.ts'

/** A sub-task begins: its first message is its description with what it needs of others. */
export const startTaskStep: Step<MoveOf<'start-task'>> = { settle: ({ scope }, context) => startTask(scope, context) }

async function startTask(scope: string, context: MoveContext): Promise<NewEvent[] | Outcome> {
  const { journal, engine } = context
  const owned = taskOf(context, scope)
  if (!owned) return []
  const { task: state } = owned
  const task = taskData(state, context)
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
  const content = dependencyText(task.description, neededResults(owned, task, context), language)
  const taken = await takenBy(owned, content, context)
  if (!taken.ok) return refused(taken.error)
  const seen = withImagesOf(owned.owner, content, journal)
  const said = journal.messageEvent({ role: 'user', kind: 'task', content: seen, scope })
  if (taken.value === null) return [begun, said]
  const { bounds, events, ...kept } = taken.value
  return { ...kept, events: [{ ...begun, ...bounds }, said, ...events] }
}

/** The orchestrator that does the work of the worker, where it is not the agent's loop. */
async function takenBy({ owner, task }: OwnedTask, content: string, context: MoveContext) {
  const { engine, journal } = context
  const { run } = journal.state
  const skill = workerSkill(engine, journal.record, task.worker)
  const { takeTask } = (skill && engine.orchestrators.find(orchestratorOfSkill(skill))) ?? {}
  if (!skill || !takeTask) return { ok: true, value: null } as const
  const workers = run ? tasksIn(run).map((one) => one.task.worker) : []
  return takeTask({ branch: task.id, worker: task.worker, skill, owner, content, workers }, context)
}

/** Why the MCP server that a task is given to cannot do it: it is gone, or has never said what it offers. The model must not do the task
 *  without the server's tools. Null: the server has tools, or the worker is no server. */
function whyWithoutTools(
  { task: { id, worker } }: OwnedTask,
  { engine, journal: { record, state } }: MoveContext,
): string | null {
  const isOther =
    worker === LLM_WORKER || worker === SELF_WORKER || executorOf({ engine, record, state }, id).action !== null
  const isServer = !isOther && workerSkill(engine, record, worker) === null
  if (!isServer || engine.tools.some(({ server }) => server === worker)) return null
  const language = languageFor(engine, record)
  const missing = engine.missing.find(({ name }) => name === worker)
  return missing ? missingServerText(language, missing) : failureText(language, 'worker_unavailable')
}

/** Results that a sub-task is given, within a share of its model's window. */
function neededResults({ plan, task }: OwnedTask, { description }: PlanTask, context: MoveContext): PlanTask[] {
  const { id, dependsOn } = task
  const tasks = plan.tasks.filter((one) => dependsOn.includes(one.id))
  const results = tasks.map((one) => taskData(one, context))
  const choice = modelOf(context, id)
  return choice.ok ? withinRoom(results, description, roomForResults(choice.spec)) : results
}

/** A sub-task is over: with its result, or with why it failed. */
export const endTaskStep: Step<MoveOf<'end-task'>> = {
  settle: (move, context) => ({ events: endTask(move, context), ends: [move.scope] }),
}

function endTask({ scope, status, code }: MoveOf<'end-task'>, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const state = taskOf(context, scope)?.task
  const { run } = journal.state
  if (!state || !run) return []
  const language = languageFor(engine, journal.record)
  const isOthers = branchOf(run, scope).orchestrator !== undefined
  const { failure, refused } = causeIn(run, scope, code)
  const { result, violations } = outcomeOf(context, scope, code)
  const ofModel = failure && modelFailureText(language, failure)
  const error =
    violations ?? ofModel ?? refused?.detail ?? failureText(language, isOthers ? `worker_${code}` : (code ?? ''))
  const hasBadCalls = branchOf(run, scope).hasBadCalls === true
  const lastWord = {
    role: 'system',
    kind: 'warning',
    content: tooManyFailuresText(language, hasBadCalls),
    scope,
  } as const
  const ended: Partial<PlanTask> =
    status === 'completed' && violations === null
      ? { status, result: result?.trim() || `${state.name} is completed`, error: null }
      : { status: 'failed', result, error }
  return [
    ...(code === 'stuck' && !isOthers ? [journal.messageEvent(lastWord)] : []),
    ...closedTaskEvents(context, scope),
    {
      type: 'task-end',
      scope,
      task: { ...taskData(state, context), ...ended, ended_time: new Date(journal.now()).toISOString() },
    },
  ]
}

function taskOf({ journal: { state } }: MoveContext, id: string): OwnedTask | null {
  return state.run && taskIn(state.run, id)
}

/** End one task of a plan, and the others and the run go on; or do one once more that failed or was cancelled, also when its run had
 *  ended. */
export function changeTask(context: MoveContext, id: string, act: TaskAct, mode: RunMode): Result<NewEvent[]> | null {
  const { status: runStatus } = context.journal.state
  const task = taskOf(context, id)?.task
  if (!task) return null
  const { status } = task
  const resumed = resumeEvents(context, mode)
  if (act === 'cancel' ? isSettled(task) : status !== 'failed' && status !== 'cancelled')
    return fail({ code: 'nothing_to_continue', status, task: id })
  if (act === 'retry') return ok([...resumed, { type: 'task-retry', scope: id, task: taskData(task, context) }])
  return runStatus === 'in_progress' || runStatus === 'interrupted'
    ? ok([...closedTaskEvents(context, id), cancelledTask(task, context), ...resumed])
    : fail({ code: 'nothing_to_continue', status: runStatus })
}

function resumeEvents({ journal: { state } }: MoveContext, mode: RunMode): NewEvent[] {
  const { run, status } = state
  if (isActive(state) || !run) return []
  const isOver = status !== 'in_progress' && status !== 'interrupted'
  return [
    isOver ? { type: 'run-start', orchestrator: run.orchestrator, mode, resumed: true } : { type: 'run-resume', mode },
  ]
}

/** A run that is cancelled or left behind gives up its plans. A copy of a session takes over no human's decision: a plan that somebody
 *  edited is again what the planner wrote, and where humans review plans, the planner is asked anew. */
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
  return [...within, ...open.filter(({ owner }) => owner === null)].flatMap(({ task }) => [
    ...closedByWorkers(context, task.id),
    cancelledTask(task, context),
  ])
}

/** What whoever works in a branch has open there, closed. */
function closedByWorkers(context: LogContext, branch: string): NewEvent[] {
  return context.engine.orchestrators.all.flatMap(({ closeBranch }) => closeBranch?.(context, branch) ?? [])
}

function cancelledTask(task: TaskState, context: LogContext): NewEvent {
  const ended = new Date(context.journal.now()).toISOString()
  return {
    type: 'task-end',
    scope: task.id,
    task: { ...taskData(task, context), status: 'cancelled', ended_time: ended },
  }
}

/** The events that leave nothing open in a sub-task, nor in whoever works at it. */
function closedTaskEvents(context: MoveContext, id: string): NewEvent[] {
  const { journal, engine } = context
  const { run } = journal.state
  if (!run) return []
  const lines = [...branchesOf(run, id).filter((line) => line !== id), id]
  return lines.flatMap((line) => {
    const within = line === id ? null : taskIn(run, line)
    const isOpen = within !== null && !isSettled(within.task)
    return [
      ...closedBranchEvents(journal, engine, line),
      ...closedByWorkers(context, line),
      ...(isOpen ? [cancelledTask(within.task, context)] : []),
    ]
  })
}
