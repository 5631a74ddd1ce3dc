import { newBranch, type RunState, type SessionState } from '../../domain/state.ts'
import { type Core, draftBranch, draftCall, type EventOf, type Reducer } from '../../log/reduce/reducer.ts'
import { frozen } from '../../lib/json.ts'
import { cutInner, forgetFrames, forgetInner, redo, reopen } from './anew.ts'
import { holdClocks, releaseClocks } from './clock.ts'
import { draftFlow, draftStep, draftSteps, forgetIn } from './draft.ts'
import {
  branchesIn,
  goesForward,
  isGivenTask,
  mapOf,
  newWorkflow,
  pathOf,
  stepPlace,
  shapeAt,
  stateAt,
  type StepState,
  taskOfPath,
  withTask,
  workflowIn,
  type WorkflowState,
} from './state.ts'

/** What events change in a workflow. A step that is over leaves no branch behind, an item of a map no frame. */
export const workflowReducer: Reducer = {
  on: {
    'run-start': (draft, { resumed }, core) => {
      const flow = resumed ? flowOf(draft) : null
      if (!flow) return
      forgetUnanswered(draft, flow, core)
      if (flow.stage === 'forward') reopen(flow)
    },
    'workflow-start': ({ run }, { workflow, seq, scope: task }) => {
      if (!run) return
      const main = draftBranch(run, null)
      if (task === null) main.workflow = newWorkflow(workflow, seq)
      else if (!main.workflow || isGivenTask(main.workflow)) {
        main.workflow = withTask(main.workflow, workflow, { task, seq })
        main.workflow.undo = main.workflow.undo.filter((path) => taskOfPath(path) !== task)
        Object.assign(draftBranch(run, task), { orchestrator: 'workflow' })
      }
    },
    'task-end': (draft, { scope }, core) => {
      const flow = flowOf(draft)
      const state = flow && isGivenTask(flow) && scope !== null ? draftStep(flow, scope) : null
      if (!flow || !state || scope === null) return
      leaveAll(draft, flow, scope, core)
      flow.undo = flow.undo.filter((path) => taskOfPath(path) !== scope)
      forgetFrames(flow, scope)
      state.status = 'completed'
    },
    'step-start': (draft, event, core) => startStep(draft, event, core),
    'step-end': (draft, event, core) => endStep(draft, event, core),
    'step-retry': (draft, { step, due_time: due, time }, core) => {
      const flow = flowOf(draft)
      const state = flow && draftStep(flow, step)
      if (!flow || !state) return
      leaveAll(draft, flow, step, core)
      const isDue = Date.parse(due) <= Date.parse(time)
      Object.assign(state, { status: 'retrying' })
      delete state.branch
      setDue(state, isDue ? null : Date.parse(due))
      if (isDue) state.isDue = true
    },
    'step-redo': (draft, { step }) => {
      const flow = flowOf(draft)
      if (flow) redo(flow, step)
    },
    'step-due': (draft, { step }) => {
      const flow = flowOf(draft)
      const state = flow && draftStep(flow, step)
      if (!state) return
      delete state.due
      state.isDue = true
    },
    'rollback-start': (draft, { step }) => {
      const flow = flowOf(draft)
      const task = flow && isGivenTask(flow) ? draftStep(flow, taskOfPath(step)) : null
      if (task) task.isUndoing = true
      else if (flow) flow.stage = 'undoing'
    },
    'rollback-end': (draft, { step, ok }) => {
      const flow = flowOf(draft)
      if (!flow) return
      flow.undo = flow.undo.filter((path) => path !== step)
      if (!ok) flow.notUndone = [...(flow.notUndone ?? []), step]
    },
    message: ({ run }, { scope, message: { role } }) => {
      const step = scope === null || role !== 'assistant' ? undefined : run?.scopes[scope]?.step
      const flow = run && step && workflowIn(run)
      if (flow && stateAt(flow, step.path)?.isUnseen)
        for (const call of draftBranch(run, scope).calls) call.unseen = true
    },
    'tool-start': ({ run }, { scope, call_id: id }) => {
      const state = run && stepOf(run, scope)
      if (run && state && draftCall(draftBranch(run, scope), id)) state.call = 'started'
    },
    'tool-end': ({ run }, { scope, ok }) => {
      const state = run && stepOf(run, scope)
      if (state) state.call = ok ? 'ok' : 'failed'
    },
    pending: ({ run }, { scope, time }) => {
      if (run) holdClocks(run, scope, Date.parse(time))
    },
    'pending-end': ({ run }, { scope, decision, seq, time }) => {
      if (run) releaseClocks(run, scope, Date.parse(time))
      const state = run && stepOf(run, scope)
      if (state && decision !== 'cancelled') state.answerSeq = seq
    },
  },
  share: ({ run }) => {
    frozen(run && workflowIn(run))
  },
}

function flowOf({ run }: SessionState): WorkflowState | null {
  return run && draftFlow(run)
}

/** The step that works in a branch. */
function stepOf(run: RunState, scope: string | null): StepState | null {
  const step = scope === null ? undefined : run.scopes[scope]?.step
  const flow = step && draftFlow(run)
  return flow ? draftStep(flow, step.path) : null
}

function startStep(draft: SessionState, event: EventOf<'step-start'>, core: Core): void {
  const { run } = draft
  const flow = flowOf(draft)
  if (!run || !flow) return
  const { step, scope, seq, time, attempt, due_time: due, body, total, unseen, worker = null } = event
  leaveAll(draft, flow, step, core)
  forgetInner(flow, step)
  const { frame, id } = stepPlace(step)
  const state: StepState = {
    status: 'running',
    attempt,
    startSeq: seq,
    endSeq: 0,
    startTime: Date.parse(time),
    ...(due === undefined ? {} : { due: Date.parse(due) }),
    ...(scope === null ? {} : { branch: scope }),
    ...(body === undefined ? {} : { body }),
    ...(unseen ? { isUnseen: true } : {}),
    ...(total === undefined ? {} : { items: { ends: Array.from({ length: total }, () => 0), failed: [] } }),
  }
  draftSteps(flow, frame)[id] = state
  const parent = isGivenTask(flow) ? { parent: taskOfPath(step) } : {}
  if (scope !== null)
    run.scopes[scope] = { ...newBranch(), ...run.scopes[scope], ...parent, step: { path: step, worker } }
}

function endStep(draft: SessionState, { step, status, seq, time }: EventOf<'step-end'>, core: Core): void {
  const flow = flowOf(draft)
  if (!flow) return
  leaveAll(draft, flow, step, core)
  const item = mapOf(step)
  if (item) {
    const { items } = draftStep(flow, item.map) ?? {}
    if (items && item.index < items.ends.length) items.ends[item.index] = seq
    if (items && status === 'failed') items.failed.push(item.index)
    // A list that stops there can be carried on, and what was done of the item stays done.
    if (status === 'failed' && shapeAt(flow, item.map)?.onError === 'stop') cutInner(flow, step)
    else forgetFrames(flow, step)
    return
  }
  const { frame, id } = stepPlace(step)
  const known = flow.frames[frame]?.steps[id]
  const state: StepState = { ...(known ?? { attempt: 0, startSeq: 0 }), status, endSeq: seq, endTime: Date.parse(time) }
  setDue(state, null)
  delete state.branch
  draftSteps(flow, frame)[id] = state
  if (status !== 'completed') return cutInner(flow, step)
  forgetFrames(flow, step)
  if (goesForward(flow, step) && shapeAt(flow, step)?.rollback) flow.undo.push(step)
}

/** A run that ended took back what it had asked, and the calls that it had not made: their steps begin anew. */
function forgetUnanswered(draft: SessionState, flow: WorkflowState, core: Core): void {
  const { run, pending } = draft
  const isOpen = (branch: string) =>
    pending.some(({ scope }) => scope === branch) || (run?.scopes[branch]?.calls.length ?? 0) > 0
  for (const [frame, { steps }] of Object.entries(flow.frames)) {
    for (const [id, { status, branch, answerSeq, call }] of Object.entries(steps)) {
      const path = pathOf(frame, id)
      const { type } = shapeAt(flow, path) ?? {}
      const isUndone = (type === 'wait' && !answerSeq) || (type === 'tool' && call === undefined)
      if (status !== 'running' || branch === undefined || !isUndone || isOpen(branch)) continue
      leaveAll(draft, flow, path, core)
      forgetIn(flow, frame, id)
    }
  }
}

/** What is done within a step has nothing open any more. */
function leaveAll(draft: SessionState, flow: WorkflowState, step: string, core: Core): void {
  for (const branch of branchesIn(flow, step)) core.leave(draft, branch)
}

function setDue(state: StepState, due: number | null): void {
  delete state.isDue
  delete state.held
  if (due === null) delete state.due
  else state.due = due
}
