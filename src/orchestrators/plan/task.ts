import { tooManyFailuresText } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelFailure } from '../../domain/model.ts'
import { branchesOf } from '../../domain/lineage.ts'
import { LLM_WORKER, type PlanTask } from '../../domain/plan.ts'
import { orchestratorOfSkill } from '../../domain/skill.ts'
import type { RunState } from '../../domain/state.ts'
import { languageFor, type MoveContext, outcomeOf, type Step } from '../../engine/engine.ts'
import { failureText, missingServerText } from '../../engine/failures/failure-text.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { modelOf } from '../../engine/worker/assignment.ts'
import { executorOf, workerSkill } from '../../engine/worker/executor.ts'
import { branchOf } from '../../log/branches.ts'
import { roomForResults, withinRoom } from './brief.ts'
import { closedTaskEvents } from './close.ts'
import { type OwnedTask, taskIn, tasksIn } from './state.ts'
import { dependencyText } from './requests.ts'
import { taskData } from './view.ts'

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
  const said = journal.messageEvent({ role: 'user', kind: 'task', content, scope })
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

/** Why a server that is gone, or that has never said what it offers, does nothing: the model alone must not do it in its place. Null: it
 *  has tools, or is none. */
function whyWithoutTools(
  { task: { id, worker } }: OwnedTask,
  { engine, journal: { record, state } }: MoveContext,
): string | null {
  const isOther = worker === LLM_WORKER || executorOf({ engine, record, state }, id).action !== null
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
  settle: (move, context) => ({ events: endTask(move, context), ends: move.scope }),
}

function endTask({ scope, status, code }: MoveOf<'end-task'>, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const state = taskOf(context, scope)?.task
  const { run } = journal.state
  if (!state || !run) return []
  const language = languageFor(engine, journal.record)
  const isOthers = branchOf(run, scope).orchestrator !== undefined
  const failure = failureIn(run, scope, code)
  const { result, misfits } = outcomeOf(context, scope, code)
  const error = misfits ?? failure?.detail ?? failureText(language, isOthers ? `worker_${code}` : (code ?? ''))
  const lastWord = { role: 'system', kind: 'warning', content: tooManyFailuresText(language), scope } as const
  const ended: Partial<PlanTask> =
    status === 'completed' && misfits === null
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

/** Why the model of a sub-task failed, or that of whoever works at it. */
function failureIn(run: RunState, scope: string, code: string | null): ModelFailure | null {
  const own = branchOf(run, scope).failure
  const failures = branchesOf(run, scope).map((line) => branchOf(run, line).failure)
  return own ?? failures.find((failure) => failure?.code === code) ?? null
}

function taskOf({ journal: { state } }: MoveContext, id: string): OwnedTask | null {
  return state.run && taskIn(state.run, id)
}
