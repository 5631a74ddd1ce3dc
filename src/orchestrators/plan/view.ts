import type { PlanData, PlanStatus, PlanTask, TaskStatus } from '../../domain/plan.ts'
import type { RunState } from '../../domain/state.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import type { BranchOutcome } from '../../engine/work.ts'
import { isWaiting } from '../../engine/orchestrator-of.ts'
import { limitsOf } from '../../engine/settings.ts'
import { isSettled, planOf, type PlanState, taskIn, type TaskState, isOutOfRounds } from './state.ts'
import { contentText } from '../../domain/content.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import type { NewEvent } from '../../domain/event.ts'

/** The plan of the newest run (null), or of a role in it, as clients see it; null: it has none. */
export function planData(context: LogContext, owner: string | null): PlanData | null {
  const { run } = context.journal.state
  const plan = run && planOf(run, owner)
  if (!plan) return null
  return { round: plan.round, status: statusOf(run, plan), tasks: plan.tasks.map((task) => taskView(task, context)) }
}

/** A task with what whoever works at it shows of that. */
function taskView(task: TaskState, context: LogContext): PlanTask {
  const parts = task.status === 'running' ? context.engine.orchestrators.all : []
  return Object.assign(taskData(task, context), ...parts.map(({ viewIn }) => viewIn?.(context, task.id)))
}

/** One task with its texts, which the log holds. */
export function taskData(state: TaskState, context: LogContext): PlanTask {
  const { log, state: now } = context.journal
  const { run } = now
  const isOver = isSettled(state)
  const written = log.events(state.seq - 1, 1)[0]
  const known =
    written?.type === 'plan'
      ? written.plan.tasks.find(({ id }) => id === state.id)
      : written?.type === 'task-end'
        ? written.task
        : undefined
  return {
    id: state.id,
    ...ownerOf(state, run),
    round: state.round,
    name: state.name,
    worker: state.worker,
    description: known?.description ?? '',
    ...(state.callId === undefined ? {} : { call_id: state.callId }),
    ...(state.dependsOn.length > 0 ? { depends_on: state.dependsOn } : {}),
    ...(state.priority === undefined ? {} : { priority: state.priority }),
    ...(state.timeoutMs === undefined ? {} : { timeout_ms: state.timeoutMs }),
    status: isOver ? state.status : openStatus(state, context),
    result: (isOver && known?.result) || null,
    error: (isOver && known?.error) || null,
    cost: state.costs.length === 1 ? (state.costs[0] ?? null) : null,
    started_time: timeOf(state.startedTime),
    ended_time: timeOf(state.endedTime),
  }
}

function ownerOf({ id }: TaskState, run: RunState | null): Pick<PlanTask, 'owner'> {
  const owner = run && taskIn(run, id)?.owner
  return owner ? { owner } : {}
}

/** A task that its run left open when it ended is not at work. */
function openStatus({ id, status }: TaskState, context: LogContext): TaskStatus {
  if (status !== 'running') return status
  const { run } = context.journal.state
  if (run !== null && run.endSeq > 0) return 'pending'
  return isWaiting(context, id) ? 'waiting' : 'running'
}

/** Whether a role that plans waits for a human: its plan does, or all who work at it. */
export function planWaits(context: LogContext, owner: string): boolean {
  const { run } = context.journal.state
  const plan = run && planOf(run, owner)
  const open = plan?.tasks.filter(({ status }) => status === 'running') ?? []
  return plan?.stage === 'review' || (open.length > 0 && open.every(({ id }) => isWaiting(context, id)))
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function statusOf({ status }: RunState, plan: PlanState): PlanStatus {
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return status
  if (status === 'interrupted' || plan.stage === 'review') return 'waiting'
  if (plan.stage === 'planned' || plan.stage === 'edited') return 'running'
  return plan.stage === 'direct' || plan.stage === 'summary' ? 'summarising' : 'planning'
}

/** The answer of a plan; what there is of results, where its run ended before one was written. */
export function planOutcome(context: MoveContext, owner: string | null, code: string | null): BranchOutcome {
  const isAnswered = code === null || code === 'max_plan_rounds'
  const result = isAnswered ? lastAnswer(context, owner) : resultsOf(context)
  return { result, violations: null, endedBy: null, notes: owner === null ? [] : outOfRounds(owner, context) }
}

/** What the planner, or who answers in its place, said last. `owner`: the role whose plan it is. */
export function lastAnswer({ journal: { log } }: MoveContext, owner: string | null): string {
  const newest = log.messages({ scope: owner, limit: ANSWER_NEAR, newestFirst: true })
  const said = newest.find(({ role, kind }) => role === 'assistant' || kind === 'summary')
  return afterThoughts(contentText(said?.content ?? '', null))
}

/** Behind the last answer there are no more messages of the same scope than approvals. */
const ANSWER_NEAR = 20

/** What the run's finished tasks gave. */
function resultsOf(context: MoveContext): string | null {
  const { run } = context.journal.state
  const tasks = (run && planOf(run, null)?.tasks) ?? []
  const results = tasks.flatMap((task) => (task.status === 'completed' ? [taskData(task, context)] : []))
  return results.length === 0 ? null : results.map(({ name, result }) => `## ${name}\n\n${result ?? ''}`).join('\n\n')
}

/** A role's plan that could not go on is no failure, but an event says so. */
function outOfRounds(scope: string, { journal, engine }: MoveContext): NewEvent[] {
  const { run } = journal.state
  const plan = run && planOf(run, scope)
  if (!plan || !isOutOfRounds(plan, limitsOf(engine, journal.record).max_plan_rounds)) return []
  const detail = 'The rounds of planning (max_plan_rounds) are used up; the output is written from what there is.'
  return [{ type: 'error', scope, code: 'max_plan_rounds', detail }]
}
