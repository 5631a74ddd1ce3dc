import type { StepStatus } from '../../domain/workflow-step.ts'
import type { StepView, WorkflowView } from '../../domain/workflow-view.ts'
import type { Stage } from '../../domain/run.ts'
import type { LogContext } from '../../engine/engine.ts'
import type { Progress } from '../../engine/work.ts'
import { isWaiting } from '../../engine/orchestrator-of.ts'
import { doneShare } from './progress.ts'
import {
  isGivenTask,
  stepsOf,
  pathOf,
  stepPlace,
  stateAt,
  type StepShape,
  type StepState,
  workflowIn,
  type WorkflowState,
} from './state.ts'
import { endAt } from './values.ts'

/** Where the workflow of the newest run stands, step by step; null: it goes by none. */
export function workflowData(context: LogContext): WorkflowView | null {
  const { run } = context.journal.state
  const flow = run && workflowIn(run)
  if (!run || !flow || isGivenTask(flow)) return null
  const frames = ['', ...Object.keys(flow.frames).filter((key) => key !== '')]
  return {
    name: flow.name,
    version: flow.version,
    stage: stageOf(flow, run.endSeq > 0),
    steps: frames.flatMap((frame) =>
      listView({ ...context, flow }, stepsOf(flow, frame), { frame, parent: parentOf(frame) }),
    ),
  }
}

/** How far the newest run is; null: it goes by no workflow. */
export function workflowProgress({ journal: { state, record } }: LogContext): Progress | null {
  const { run } = state
  const flow = run && workflowIn(run)
  if (!run || !flow) return record.workflow ? { progress: 0, stage: 'ready' } : null
  const share = Math.floor(doneShare(flow) * 100)
  return {
    progress: state.status === 'completed' ? 100 : Math.min(share, 99),
    stage: stageOf(flow, run.endSeq > 0),
  }
}

function stageOf({ stage }: WorkflowState, isOver: boolean): Stage {
  if (stage === 'forward') return isOver ? 'ended' : 'running'
  return isOver ? 'rolled_back' : 'rolling_back'
}

/** The step around a frame. */
function parentOf(frame: string): string | null {
  return frame === '' ? null : frame.replace(/\[\d+\]$/, '')
}

/** A workflow of the newest run, with the log that it stands in. */
interface FlowContext extends LogContext {
  flow: WorkflowState
}

/** Where a list of steps stands. */
interface ListPlace {
  frame: string
  /** Path of the step that the list belongs to; null: it belongs to the workflow itself. */
  parent: string | null
  /** Another list of that step was chosen. */
  isPassedBy?: boolean
}

/** The steps of a list, each followed by those of its own lists and by those that undo it. */
function listView(context: FlowContext, list: readonly StepShape[], place: ListPlace): StepView[] {
  const { frame, parent, isPassedBy = false } = place
  return list.flatMap((shape) => {
    const path = pathOf(frame, shape.id)
    const state = stateAt(context.flow, path)
    const inner = (shape.type === 'map' ? [] : (shape.bodies ?? [])).flatMap((body, index) => {
      const isOther = state?.status === 'skipped' || (state?.body !== undefined && state.body !== index)
      return listView(context, body, { frame, parent: path, isPassedBy: isPassedBy || isOther })
    })
    const own = oneView(context, path, shape, parent)
    const undoing = rollbackView(context, path, { shape, isToBe: own.rollback !== undefined })
    return [isPassedBy && !state ? { ...own, status: 'skipped' } : own, ...inner, ...undoing]
  })
}

/** The steps that undo one, if they have begun or (`isToBe`) are to be made. */
function rollbackView(
  context: FlowContext,
  path: string,
  { shape: { rollback = [] }, isToBe }: { shape: StepShape; isToBe: boolean },
): StepView[] {
  const { frame } = stepPlace(path)
  if (!isToBe && !rollback.some(({ id }) => stateAt(context.flow, pathOf(frame, id)))) return []
  const list = rollback.map(withoutRollback)
  return listView(context, list, { frame, parent: path }).map((step) => ({ ...withoutRollback(step), undoes: path }))
}

/** A step that undoes another is not undone itself. */
function withoutRollback<T extends { rollback?: unknown }>(one: T): Omit<T, 'rollback'> {
  const { rollback: _, ...rest } = one
  return rest
}

function oneView(
  context: FlowContext,
  path: string,
  { type, needs, rollback }: StepShape,
  parent: string | null,
): StepView {
  const { flow } = context
  const state = stateAt(flow, path)
  const { frame } = stepPlace(path)
  const view = {
    step: path,
    type,
    attempt: state?.attempt ?? 0,
    depends_on: needs.map((id) => pathOf(frame, id)),
    parent,
    scope: state?.branch ?? null,
    start_seq: state?.startSeq || null,
    end_seq: state?.endSeq || null,
    started_time: timeOf(state?.startTime),
    ended_time: state?.endSeq ? timeOf(state.endTime) : null,
    ...(rollback && state && flow.stage === 'undoing' ? rollbackOf(flow, path, state.status) : {}),
  }
  if (!state) return { ...view, status: 'pending', error: null }
  const waits = state.status === 'running' && (type === 'wait' || isAsked(context, path))
  const end = state.status === 'failed' && state.endSeq > 0 ? endAt(context, state.endSeq) : null
  return {
    ...view,
    status: waits ? 'waiting' : state.status,
    ...(state.items ? { items: itemsView(state.items) } : {}),
    error: end?.error?.message ?? null,
  }
}

function itemsView({ ends, failed }: NonNullable<StepState['items']>): NonNullable<StepView['items']> {
  return { total: ends.length, done: ends.filter((seq) => seq > 0).length, failed: failed.length, ends, wrong: failed }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** How far a step is undone; nothing if the step was not done. */
function rollbackOf(
  { undo, notUndone = [] }: WorkflowState,
  path: string,
  status: StepStatus,
): Pick<StepView, 'rollback'> {
  if (status !== 'completed') return {}
  if (!undo.includes(path)) return { rollback: notUndone.includes(path) ? 'failed' : 'done' }
  return { rollback: undo.at(-1) === path ? 'running' : 'waiting' }
}

/** Whether all that a step has open waits for a human. */
function isAsked(context: FlowContext, path: string): boolean {
  const branch = stateAt(context.flow, path)?.branch
  return branch !== undefined && isWaiting(context, branch)
}
