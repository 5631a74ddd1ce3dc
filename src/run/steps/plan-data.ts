import { accountOf, amountOf } from '../../budget/investment.ts'
import { planOf, taskIn, teamIn } from '../../domain/lineage.ts'
import { branchOfRole } from '../../domain/seat.ts'
import {
  isSettled,
  type PlanData,
  type PlanState,
  type PlanStatus,
  type PlanTask,
  type TaskState,
  type TaskStatus,
  type TaskTeam,
} from '../../domain/plan.ts'
import { newBranch, type OpenCall, type RunState } from '../../domain/state.ts'
import type { RoleState, TeamState } from '../../domain/team.ts'
import type { Journal } from '../../log/journal.ts'

/** The plan of the newest run, or of a role in it (`owner`), as SessionData shows it; null: it has none. */
export function planData(journal: Journal, owner: string | null = null): PlanData | null {
  const { run } = journal.state
  const plan = run && planOf(run, owner)
  if (!plan) return null
  return { round: plan.round, status: statusOf(run, plan), tasks: plan.tasks.map((task) => shownTask(task, journal)) }
}

function shownTask(task: TaskState, journal: Journal): PlanTask {
  const team = task.status === 'running' ? teamIn(journal.state, task.id) : undefined
  return { ...taskData(task, journal), ...(team ? { team: taskTeam(team) } : {}) }
}

function taskTeam(team: TeamState): TaskTeam {
  const roles = team.roles.map(({ name, step, costs }) => ({ name, state: step, cost: amountOf(costs) }))
  return { round: team.round, n_round: team.roundsMax, ...accountOf(team), roles }
}

/** One task with its texts, which the log holds. */
export function taskData(state: TaskState, { log, state: { run } }: Pick<Journal, 'log' | 'state'>): PlanTask {
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
    ...(state.dependsOn.length > 0 ? { depends_on: state.dependsOn } : {}),
    status: isOver ? state.status : openStatus(state, run),
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
function openStatus({ id, status }: TaskState, run: RunState | null): TaskStatus {
  if (status !== 'running') return status
  if (run !== null && run.endSeq > 0) return 'pending'
  const { calls, team } = run?.scopes[id] ?? newBranch()
  const isWaiting = run && team ? isTeamWaiting(run, id, team) : areAsked(calls)
  return isWaiting ? 'waiting' : 'running'
}

function areAsked(calls: readonly OpenCall[]): boolean {
  return calls.length > 0 && calls.every(({ status }) => status === 'asked')
}

/** Whether all who have a turn wait for a human. */
function isTeamWaiting(run: RunState, task: string, { roles }: TeamState): boolean {
  const acting = roles.filter(({ heard }) => heard.length > 0)
  return acting.length > 0 && acting.every((role) => isRoleWaiting(run, branchOfRole(task, role.name), role))
}

function isRoleWaiting(run: RunState, scope: string, { question }: RoleState): boolean {
  const { calls, plan } = run.scopes[scope] ?? newBranch()
  if (question === 'open' || plan?.stage === 'review' || areAsked(calls)) return true
  const open = plan?.tasks.filter(({ status }) => status === 'running') ?? []
  return open.length > 0 && open.every(({ id }) => areAsked(run.scopes[id]?.calls ?? []))
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
