import { MAIN, type RunState } from '../../domain/state.ts'
import {
  bodiesOf,
  type OnError,
  type StepDefinition,
  type StepStatus,
  type StepType,
} from '../../domain/workflow-step.ts'
import { type WorkflowDefinition } from '../../domain/workflow.ts'
import { needsOf } from './order.ts'

declare module '../../domain/state.ts' {
  interface BranchState {
    /** Of a run that goes by a workflow. */
    workflow?: WorkflowState
    /** The step that works in this branch, and who does it; absent: none does. */
    step?: { path: string; worker: string | null }
  }
}

/** What of a step's definition decides what comes next; its texts are in the log. */
export interface StepShape {
  id: string
  type: StepType
  needs: string[]
  /** Lists of steps that stand within it. */
  bodies?: StepShape[][]
  rollback?: StepShape[]
  isPlan?: true
  /** Of a step that waits: for a time, not for anybody. */
  isTimer?: true
  workflow?: string
  concurrency?: number
  onError?: OnError
}

export interface StepState {
  status: StepStatus
  attempt: number
  /** Seqs of its newest start and its end; 0: none. */
  startSeq: number
  endSeq: number
  /** When it began, and ended. Unix ms; absent: it did not, or an earlier release wrote it. */
  startTime?: number
  endTime?: number
  /** Unix ms: its time is over then, or it is tried again; absent: it has none. */
  due?: number
  isDue?: true
  /** Somebody is asked about something in it: so much of its time is left, and so many questions are open. */
  held?: { leftMs: number; asked: number }
  branch?: string
  /** Which of its lists is done; -1: none of them. */
  body?: number
  /** Seq of what was said to what it waits for. */
  answerSeq?: number
  /** Where its call stands. */
  call?: 'started' | 'ok' | 'failed'
  /** Its call sends something that untrusted text may have made up. */
  isUnseen?: true
  /** Of a task that a workflow was given: what it did is undone. */
  isUndoing?: true
  /** Of a map: seqs of the ends of its items, in their order (0: it has not ended), and which of them failed. */
  items?: { ends: number[]; failed: number[] }
}

/** Steps that see each other: those of a workflow, or of one item of a map. */
export interface FrameState {
  steps: Record<string, StepState>
}

export interface WorkflowState {
  /** Seq of the event that holds the definitions and the inputs. */
  seq: number
  name: string
  version: number
  /** Of workflows that were given tasks of a run which goes by none: seqs of the events that hold them, by their names. */
  seqs?: Record<string, number>
  /** By the names of the workflow and of those within it. */
  shapes: Record<string, StepShape[]>
  /** By their keys: '' is the run's own, `each[3]` that of an item, `PATH` that of the workflow within a step. */
  frames: Record<string, FrameState>
  /** Paths of steps that are done and can be undone, in the order in which they ended. */
  undo: string[]
  /** Paths of those of which the rollback failed; absent: it failed of none. */
  notUndone?: string[]
  /** `undoing`: a step failed for good, and what was done is undone. */
  stage: 'forward' | 'undoing'
}

export const ROOT_FRAME = ''

export function workflowIn({ scopes }: Pick<RunState, 'scopes'>): WorkflowState | null {
  return scopes[MAIN]?.workflow ?? null
}

/** What decides of the steps of a list. */
function shapesOf(steps: readonly StepDefinition[]): StepShape[] {
  return steps.map((step) => {
    const bodies = bodiesOf(step).map((body) => shapesOf(body.steps))
    return {
      id: step.id,
      type: step.type,
      needs: needsOf(steps, step),
      ...(bodies.length > 0 ? { bodies } : {}),
      ...(step.rollback ? { rollback: shapesOf(step.rollback) } : {}),
      ...(step.type === 'agent' && step.plan ? { isPlan: true } : {}),
      ...(step.type === 'wait' && (step.for_ms !== undefined || step.until !== undefined) ? { isTimer: true } : {}),
      ...(step.type === 'workflow' ? { workflow: step.workflow } : {}),
      ...(step.type === 'map' ? { concurrency: step.concurrency, onError: step.on_error } : {}),
    }
  })
}

/** The path of a step in a frame. */
export function pathOf(frame: string, id: string): string {
  return frame === ROOT_FRAME ? id : `${frame}.${id}`
}

/** The frame that a step is in, and its id. Ids have no dot. */
export function stepPlace(path: string): { frame: string; id: string } {
  const at = path.lastIndexOf('.')
  return at < 0 ? { frame: ROOT_FRAME, id: path } : { frame: path.slice(0, at), id: path.slice(at + 1) }
}

export function itemOf(path: string, index: number): string {
  return `${path}[${index}]`
}

/** The map and the number of an item; null: the path is none of an item. */
export function mapOf(path: string): { map: string; index: number } | null {
  const found = /^(.*)\[(\d+)\]$/s.exec(path)
  return found ? { map: found[1] ?? '', index: Number(found[2]) } : null
}

/** The steps of a frame, in their order. */
export function stepsOf(flow: Pick<WorkflowState, 'shapes' | 'name'>, frame: string): StepShape[] {
  if (frame === ROOT_FRAME) return flow.shapes[flow.name] ?? []
  const item = mapOf(frame)
  if (item) return shapeAt(flow, item.map)?.bodies?.[0] ?? []
  return flow.shapes[shapeAt(flow, frame)?.workflow ?? ''] ?? []
}

/** Which workflow's steps are in a frame. */
export function workflowOf(flow: Pick<WorkflowState, 'shapes' | 'name'>, frame: string): string {
  if (frame === ROOT_FRAME) return flow.name
  const item = mapOf(frame)
  if (item) return workflowOf(flow, stepPlace(item.map).frame)
  return shapeAt(flow, frame)?.workflow ?? ''
}

export function shapeAt(flow: Pick<WorkflowState, 'shapes' | 'name'>, path: string): StepShape | null {
  const { frame, id } = stepPlace(path)
  return shapesIn(stepsOf(flow, frame)).get(id) ?? null
}

/** The steps of a frame by their ids, as long as its list is the same. */
const BY_ID = new WeakMap<readonly StepShape[], ReadonlyMap<string, StepShape>>()

function shapesIn(list: readonly StepShape[]): ReadonlyMap<string, StepShape> {
  const known = BY_ID.get(list)
  if (known) return known
  const found = new Map(framed(list).map((shape) => [shape.id, shape]))
  BY_ID.set(list, found)
  return found
}

/** Steps of a list with all that stand within them in the same frame, and that undo them. */
function framed(list: readonly StepShape[]): StepShape[] {
  return list.flatMap((shape) => [shape, ...framed(innerOf(shape)), ...framed(shape.rollback ?? [])])
}

/** Steps within one that are in the same frame. */
export function innerOf({ type, bodies = [] }: StepShape): StepShape[] {
  return type === 'map' ? [] : bodies.flat()
}

export function stateAt(flow: Pick<WorkflowState, 'frames'>, path: string): StepState | null {
  const { frame, id } = stepPlace(path)
  return flow.frames[frame]?.steps[id] ?? null
}

export function isPassed(state: StepState | null | undefined): boolean {
  return state?.status === 'completed' || state?.status === 'skipped'
}

/** Whether a frame is that of a step, or of one of its items, or stands within such a one. */
export function isFrameWithin(frame: string, path: string): boolean {
  return frame === path || frame.startsWith(`${path}.`) || frame.startsWith(`${path}[`)
}

/** All that is kept of the steps within one, or within an item. */
export function stepsWithin(flow: WorkflowState, path: string): { path: string; state: StepState }[] {
  const shape = mapOf(path) ? null : shapeAt(flow, path)
  const { frame } = stepPlace(path)
  const inner = (shape ? innerOf(shape) : []).flatMap(({ id }) => {
    const at = pathOf(frame, id)
    const state = stateAt(flow, at)
    return [...(state ? [{ path: at, state }] : []), ...stepsWithin(flow, at)]
  })
  const framed = Object.entries(flow.frames)
    .filter(([key]) => key !== ROOT_FRAME && isFrameWithin(key, path))
    .flatMap(([key, { steps }]) => Object.entries(steps).map(([id, state]) => ({ path: pathOf(key, id), state })))
  return [...inner, ...framed]
}

/** Branches in which a step has something open: its own, and those of all steps within it. */
export function branchesIn(flow: WorkflowState, path: string): string[] {
  const own = stateAt(flow, path)?.branch ?? []
  return [...new Set([own, stepsWithin(flow, path).flatMap(({ state }) => state.branch ?? [])].flat())]
}

/** All that has a time, with its path. */
export function timedIn(flow: WorkflowState): { path: string; due: number }[] {
  return Object.entries(flow.frames).flatMap(([frame, { steps }]) =>
    Object.entries(steps).flatMap(([id, { due, status }]) =>
      due !== undefined && (status === 'running' || status === 'retrying') ? [{ path: pathOf(frame, id), due }] : [],
    ),
  )
}

/** A branch that a workflow was given stands in a flow without a name, as a step that is a workflow. Its id is that of its task. */
export function isGivenTask(flow: Pick<WorkflowState, 'name'>): boolean {
  return flow.name === ''
}

/** The first part of a path: the task, where the flow is one of tasks. */
export function taskOfPath(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path
}

/** Whether what is done of a path goes on; else it is undone. */
export function goesForward(flow: WorkflowState, path: string): boolean {
  return isGivenTask(flow) ? !stateAt(flow, taskOfPath(path))?.isUndoing : flow.stage === 'forward'
}

/** A task that a workflow is given. Of a name the run keeps the version that it began with. */
export function withTask(
  known: WorkflowState | undefined,
  { name, definitions }: { name: string; definitions: Record<string, WorkflowDefinition> },
  { task, seq }: { task: string; seq: number },
): WorkflowState {
  const flow = known ?? newWorkflow({ name: '', version: 0, definitions: {} }, seq)
  const added = Object.keys(definitions).filter((one) => flow.seqs?.[one] === undefined)
  const shapes = added.map((one) => [one, shapesOf(definitions[one]?.steps ?? [])] as const)
  const others = (flow.shapes[''] ?? []).filter(({ id }) => id !== task)
  return {
    ...flow,
    frames: { ...flow.frames },
    seqs: { ...flow.seqs, ...Object.fromEntries(added.map((one) => [one, seq])) },
    shapes: {
      ...flow.shapes,
      ...Object.fromEntries(shapes),
      '': [...others, { id: task, type: 'workflow', needs: [], workflow: name }],
    },
  }
}

export function newWorkflow(
  { name, version, definitions }: { name: string; version: number; definitions: Record<string, WorkflowDefinition> },
  seq: number,
): WorkflowState {
  const shapes = Object.entries(definitions).map(([one, { steps }]) => [one, shapesOf(steps)] as const)
  return {
    seq,
    name,
    version,
    shapes: Object.fromEntries(shapes),
    frames: { [ROOT_FRAME]: { steps: {} } },
    undo: [],
    stage: 'forward',
  }
}
