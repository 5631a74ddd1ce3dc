import { addMoney } from '../../budget/usage.ts'
import { branchesAbove, planOf, taskIn } from '../../domain/lineage.ts'
import type { Pending } from '../../domain/pending.ts'
import {
  isSettled,
  newPlan,
  type PlanPurpose,
  type PlanState,
  type PlanTask,
  type TaskState,
} from '../../domain/plan.ts'
import { MAIN, newBranch, type RunState, type SessionState } from '../../domain/state.ts'
import { newTeam } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'
import { fingerprint } from '../../lib/hash.ts'
import { leaveBranch } from './held.ts'
import { type EventOf, branchOf } from './places.ts'

/** What the events of a plan change in the fold. A task that is over leaves no branch behind. */
export const PLAN_HANDLERS = {
  plan: (draft: SessionState, { plan, seq, scope }: EventOf<'plan'>) => {
    const known = draft.run && planOf(draft.run, scope)
    if (!known) return
    const tasks = plan.tasks.map((task) => stateOf(task, known.tasks.find(({ id }) => id === task.id) ?? null, seq))
    const decisionSeq = known.stage === 'edited' ? known.decisionSeq : 0
    Object.assign(known, { round: plan.round, stage: 'planned', answered: true, decisionSeq, tasks })
  },
  'task-start': (draft: SessionState, { task, time, rounds: roundsMax, investment }: EventOf<'task-start'>) => {
    change(draft, task, { status: 'running', startedTime: Date.parse(time), endedTime: null })
    if (draft.run && roundsMax !== undefined)
      draft.run.scopes[task.id] = { ...newBranch(), team: { ...newTeam(), roundsMax, investment: investment ?? null } }
  },
  'task-end': (draft: SessionState, { task, time, seq }: EventOf<'task-end'>) => {
    const { status } = task
    if (status === 'waiting') return
    change(draft, task, { status, seq, endedTime: Date.parse(time) })
    leaveBranch(draft, task.id)
  },
  'task-retry': (draft: SessionState, { task }: EventOf<'task-retry'>) => {
    change(draft, task, { status: 'pending', startedTime: null, endedTime: null })
    if (draft.run) redo(draft.run, task)
  },
  route: (draft: SessionState, { worker }: EventOf<'route'>) => {
    if (draft.run) draft.run.worker = worker
  },
}

function change({ run }: SessionState, { id }: PlanTask, values: Partial<TaskState>): void {
  Object.assign((run && taskIn(run, id)?.task) ?? {}, values)
}

/** A purpose for which the model is asked outside of any sub-task; with the first of a role its plan begins. */
export function askPlan(run: RunState, scope: string | null, purpose: PlanPurpose): void {
  const asked = branchOf(run, scope)
  if (scope !== null) asked.plan ??= newPlan()
  if (asked.plan) Object.assign(asked.plan, { stage: purpose, answered: false })
}

function stateOf(task: PlanTask, known: TaskState | null, seq: number): TaskState {
  if (known) return { ...known, status: task.status === 'waiting' ? known.status : task.status }
  const { id, round, name, worker, status } = task
  return {
    id,
    round,
    name,
    worker,
    signature: signatureOf(task),
    dependsOn: task.depends_on ?? [],
    status: status === 'waiting' ? 'pending' : status,
    seq,
    costs: [],
    startedTime: null,
    endedTime: null,
  }
}

/** Equal for sub-tasks that are the same: worker and description but for white space. */
export function signatureOf({ worker, description }: Pick<PlanTask, 'worker' | 'description'>): string {
  return fingerprint(`${worker}\n${description.replaceAll(/\s+/g, '')}`)
}

/** The call of a stage was answered. An answer that came while a task was begun anew is not the last one. */
export function answerPlan(plan: PlanState | undefined): void {
  if (!plan) return
  plan.answered = true
  if (!plan.tasks.every(isSettled)) goOnWorking(plan)
}

/** A plan that ended by its bound of rounds goes on where it was before its answer. */
export function reopenPlan(plan: PlanState | null | undefined): void {
  if (plan?.answered) goOnWorking(plan)
}

/** The task is done before the planner is asked again, or its answer written; a call of theirs that is under way ends first. */
function redo(run: RunState, { id }: PlanTask): void {
  const owned = taskIn(run, id)
  if (!owned) return
  const { plan, owner } = owned
  if (!plan.answered && run.scopes[owner ?? MAIN]?.model) return
  if (plan.stage === 'plan' || plan.stage === 'repair') plan.stage = 'planned'
  goOnWorking(plan)
}

function goOnWorking(plan: PlanState): void {
  if (plan.stage === 'summary' || plan.stage === 'direct') plan.stage = 'planned'
}

/** What a call cost goes on the account of its sub-task, and of the one whose team it is a part of. */
export function chargeTask(run: RunState, scope: string | null, cost: Money | null): void {
  for (const line of branchesAbove(run, scope)) {
    const task = taskIn(run, line)?.task
    if (task) task.costs = addMoney(task.costs, cost)
  }
}

/** Whether an item is a plan that waits for a human, and no call of a tool. */
export function isPlanItem({ tool, call_id: call }: Pick<Pending, 'tool' | 'call_id'>): boolean {
  return tool === 'plan' && call === undefined
}

/** A human's word on the newest plan. An item that ended with its run says nothing: the plan is still to be looked at. */
export function decidePlanItem(
  run: RunState,
  { decision, arguments: edited, seq, scope }: EventOf<'pending-end'>,
): void {
  const plan = planOf(run, scope)
  if (!plan) return
  if (decision === 'cancelled') return void Object.assign(plan, { stage: 'planned', decisionSeq: 0 })
  const stage = decision !== 'approve' ? 'refused' : edited === undefined ? 'planned' : 'edited'
  Object.assign(plan, { stage, decisionSeq: seq })
  if (stage !== 'planned') cancelPending(plan)
}

/** What was planned in the newest round gives way to another plan. */
function cancelPending({ tasks, round }: PlanState): void {
  for (const task of tasks) if (task.round === round && task.status === 'pending') task.status = 'cancelled'
}
