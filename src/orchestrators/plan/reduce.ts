import { addMoney } from '../../budget/usage.ts'
import { branchesAbove, MAIN, newBranch, type RunState, type SessionState } from '../../domain/state.ts'
import type { Pending } from '../../domain/pending.ts'
import type { PlanPurpose, PlanTask } from '../../domain/plan.ts'
import { fingerprint } from '../../lib/hash.ts'
import { draftBranch, type EventOf, type Reducer } from '../../log/reduce/reducer.ts'
import { isSettled, newPlan, planOf, type PlanState, taskIn, type TaskState } from './state.ts'

/** What events change in plans. A task that is over leaves no branch behind. */
export const planReducer: Reducer = {
  on: {
    'run-start': ({ run }, { resumed, orchestrator, seq }) => {
      if (!run) return
      if (run.firstSeq === seq && orchestrator === 'plan') draftBranch(run, null).plan = newPlan()
      if (resumed) for (const { plan } of Object.values(run.scopes)) reopen(plan)
    },
    'model-start': ({ run }, { scope, purpose }) => {
      if (run && purpose && purpose !== 'route') ask(run, scope, purpose)
    },
    'model-end': ({ run }, { scope, ok }) => {
      if (run && ok) answer(draftBranch(run, scope).plan)
    },
    pending: ({ run }, { pending, scope, time }) => {
      const plan = run && isPlanItem(pending) ? planOf(run, scope) : null
      if (plan) plan.stage = 'review'
      else if (run) hold(run, scope, Date.parse(time))
    },
    'pending-end': ({ run }, event) => {
      const plan = run && planOf(run, event.scope)
      if (plan?.stage === 'review') decide(plan, event)
      else if (run) release(run, event.scope, Date.parse(event.time))
    },
    plan: ({ run }, { plan, seq, scope }) => {
      const known = run && (planOf(run, scope) ?? givenAway(run, plan.tasks, scope))
      if (!known) return
      const tasks = plan.tasks.map((task) => stateOf(task, known.tasks.find(({ id }) => id === task.id) ?? null, seq))
      const decisionSeq = known.stage === 'edited' ? known.decisionSeq : 0
      Object.assign(known, { round: plan.round, stage: 'planned', answered: true, decisionSeq, tasks })
    },
    'task-start': (draft, { task, time }) => {
      const { run } = draft
      const startedTime = Date.parse(time)
      const activeMsBefore = run ? activeMsAt(run, startedTime) : 0
      change(draft, task, { status: 'running', startedTime, endedTime: null, activeMsBefore })
      const owned = run && taskIn(run, task.id)
      if (!owned) return
      delete owned.task.held
      run.scopes[task.id] = { ...newBranch(), parent: owned.owner }
    },
    'task-end': (draft, { task, time, seq }, core) => {
      const { status } = task
      if (status === 'waiting') return
      change(draft, task, { status, seq, endedTime: Date.parse(time) })
      core.leave(draft, task.id)
    },
    'task-retry': (draft, { task }) => {
      change(draft, task, { status: 'pending', startedTime: null, endedTime: null })
      if (draft.run) redo(draft.run, task)
    },
  },
  /** What a call cost goes on the account of its sub-task, and of the one whose team it is a part of. */
  charge: ({ run }, branch, cost, why) => {
    if (!run || why !== 'spent') return
    for (const line of branchesAbove(run, branch)) {
      const task = taskIn(run, line)?.task
      if (task) task.costs = addMoney(task.costs, cost)
    }
  },
}

/** For how long a run was active at a time, Unix ms. */
function activeMsAt({ activeMs, activeSince }: RunState, time: number): number {
  return activeMs + (activeSince === null ? 0 : Math.max(0, time - activeSince))
}

/** Somebody is asked in a branch: the time of the sub-tasks that it works for stands still. */
function hold(run: RunState, scope: string | null, time: number): void {
  for (const task of tasksAround(run, scope)) {
    const { asked, activeMs } = task.held ?? { asked: 0, activeMs: activeMsAt(run, time) }
    task.held = { asked: asked + 1, activeMs }
  }
}

/** It is not asked any more. */
function release(run: RunState, scope: string | null, time: number): void {
  for (const task of tasksAround(run, scope)) {
    const { held } = task
    if (!held) continue
    if (held.asked > 1) task.held = { ...held, asked: held.asked - 1 }
    else {
      delete task.held
      task.activeMsBefore = (task.activeMsBefore ?? 0) + activeMsAt(run, time) - held.activeMs
    }
  }
}

/** The sub-task that a branch is, and those that it is a part of. */
function tasksAround(run: RunState, scope: string | null): TaskState[] {
  return branchesAbove(run, scope).flatMap((line) => taskIn(run, line)?.task ?? [])
}

/** The plan that begins with the first task which an agent gives away; null: these are a planner's. */
function givenAway(run: RunState, tasks: readonly PlanTask[], scope: string | null): PlanState | null {
  if (!tasks.some(({ call_id: call }) => call !== undefined)) return null
  return (draftBranch(run, scope).plan = newPlan())
}

function change({ run }: SessionState, { id }: PlanTask, values: Partial<TaskState>): void {
  Object.assign((run && taskIn(run, id)?.task) ?? {}, values)
}

/** The model is asked for a purpose outside of any sub-task; with the first of a role its plan begins. */
function ask(run: RunState, scope: string | null, purpose: PlanPurpose): void {
  const asked = draftBranch(run, scope)
  if (scope !== null && !asked.plan) Object.assign(asked, { orchestrator: 'plan', plan: newPlan() })
  if (asked.plan) Object.assign(asked.plan, { stage: purpose, answered: false })
}

function stateOf(task: PlanTask, known: TaskState | null, seq: number): TaskState {
  if (known) return { ...known, status: task.status === 'waiting' ? known.status : task.status }
  const { id, round, name, worker, status, call_id: callId, priority, timeout_ms: timeoutMs } = task
  return {
    id,
    round,
    name,
    worker,
    ...(callId === undefined ? {} : { callId }),
    signature: signatureOf(task),
    dependsOn: task.depends_on ?? [],
    ...(priority === undefined ? {} : { priority }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    status: status === 'waiting' ? 'pending' : status,
    seq,
    costs: [],
    startedTime: null,
    endedTime: null,
  }
}

/** Equal for sub-tasks that are the same: worker and description but for white space (api-details 5). */
export function signatureOf({ worker, description }: Pick<PlanTask, 'worker' | 'description'>): string {
  return fingerprint(`${worker}\n${description.replaceAll(/\s+/g, '')}`)
}

/** The call of a stage was answered. An answer that came while a task was begun anew is not the last one. */
function answer(plan: PlanState | undefined): void {
  if (!plan) return
  plan.answered = true
  if (!plan.tasks.every(isSettled)) goOnWorking(plan)
}

/** A plan that ended by its bound of rounds goes on where it was before its answer. */
function reopen(plan: PlanState | undefined): void {
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

/** Whether an item is a plan that waits for a human, and no call of a tool. */
export function isPlanItem({ tool, call_id: call }: Pick<Pending, 'tool' | 'call_id'>): boolean {
  return tool === 'plan' && call === undefined
}

/** A human's word on the newest plan. An item that ended with its run says nothing: the plan is still to be looked at. */
function decide(plan: PlanState, { decision, arguments: edited, seq }: EventOf<'pending-end'>): void {
  if (decision === 'cancelled') return void Object.assign(plan, { stage: 'planned', decisionSeq: 0 })
  const stage = decision !== 'approve' ? 'refused' : edited === undefined ? 'planned' : 'edited'
  Object.assign(plan, { stage, decisionSeq: seq })
  if (stage !== 'planned') cancelPending(plan)
}

/** What was planned in the newest round gives way to another plan. */
function cancelPending({ tasks, round }: PlanState): void {
  for (const task of tasks) if (task.round === round && task.status === 'pending') task.status = 'cancelled'
}
