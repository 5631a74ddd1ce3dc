import { newBranch } from '../../domain/state.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { dueMoves, type End, failed, isOfRun, PROMPT_MISFIT } from '../decide.ts'
import {
  type FrameState,
  isFrameWithin,
  isPassed,
  itemOf,
  stepsOf,
  pathOf,
  stepPlace,
  ROOT_FRAME,
  shapeAt,
  stateAt,
  type StepShape,
  type StepState,
  stepsWithin,
  workflowIn,
  type WorkflowState,
} from './state.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** Begin a step, or skip it where its condition does not hold. `step`: its path. */
    'begin-step': { step: string; attempt: number }
    /** Write what came of a step, or of an item of a map; one that failed may be tried again. `scope`: its branch. */
    'end-step': {
      step: string
      scope: string | null
      status: 'completed' | 'failed' | 'cancelled'
      code: string | null
    }
    'start-rollback': { step: string }
    'end-rollback': { step: string; ok: boolean }
  }
}

const COMPLETED: End = { type: 'end', status: 'completed', finishReason: 'completed', code: null }

/** Steps that are next, in every branch; when one fails for good, what is under way is cut and what was done is undone. */
export function decideWorkflow(view: RunView): Move[] {
  const { run, limits } = view
  if (run.phase !== 'active') return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure) return [failed('failed', run.failure.code)]
  const flow = workflowIn(run)
  if (!flow) return [failed('failed', 'unknown_workflow')]
  const moves = flow.stage === 'undoing' ? undo(flow, ROOT_FRAME, view) : forward(flow, ROOT_FRAME, view)
  const end = moves.find(({ type }) => type === 'end')
  if (!end) return dueMoves(moves, view)
  // What others have under way ends first, so that nothing of it is lost.
  const ended = moves.filter(({ type }) => type === 'end-step')
  return ended.length === 0 && view.inFlight.size === 0 ? [end] : ended
}

/** The same in a branch of a task that a workflow was given. */
export function workflowWithin(task: string, view: RunView): Move[] {
  const { run, limits } = view
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  const flow = workflowIn(run)
  const state = flow && stateAt(flow, task)
  if (!flow || !state) return [failed('failed', 'unknown_workflow')]
  return state.isUndoing ? undo(flow, task, view) : forward(flow, task, view)
}

/** `frame`: of the steps of the run, or of a task. */
function forward(flow: WorkflowState, frame: string, view: RunView): Move[] {
  const list = stepsOf(flow, frame)
  const { stands, moves } = walk(flow, frame, list, view)
  if (stands === 'done') return [COMPLETED]
  if (stands === 'open') return moves
  const paths = list.map(({ id }) => pathOf(frame, id))
  const open = paths.filter((path) => isOpen(stateAt(flow, path)))
  if (open.length > 0) return open.map((path) => endStep(flow, path, 'cancelled', null))
  const failure = paths.find((path) => stateAt(flow, path)?.status === 'failed')
  return undoIn(flow, frame).length > 0 ? [{ type: 'start-rollback', step: failure ?? '' }] : [STEP_FAILED]
}

const STEP_FAILED = failed('failed', 'step_failed')

/** What was done is undone, the last first. One that cannot be undone is left, and the others go on. */
function undo(flow: WorkflowState, frame: string, view: RunView): Move[] {
  const path = undoIn(flow, frame).at(-1)
  return path === undefined ? [STEP_FAILED] : undoStep(flow, path, view)
}

function undoStep(flow: WorkflowState, path: string, view: RunView): Move[] {
  const list = shapeAt(flow, path)?.rollback ?? []
  const { stands, moves } = walk(flow, stepPlace(path).frame, list, view)
  return stands === 'open' ? moves : [{ type: 'end-rollback', step: path, ok: stands === 'done' }]
}

/** What is to be undone of the run, or of a task. */
function undoIn(flow: WorkflowState, frame: string): string[] {
  return frame === ROOT_FRAME ? flow.undo : flow.undo.filter((path) => isFrameWithin(path, frame))
}

/** Where the steps of a list stand together, and what they need now. */
interface Walk {
  stands: 'open' | 'done' | 'failed'
  moves: Move[]
}

function walk(flow: WorkflowState, frame: string, list: readonly StepShape[], view: RunView): Walk {
  const steps = flow.frames[frame]?.steps ?? NO_STEPS
  const { stands, next } = standingOf(steps, list)
  const moves = next.flatMap((shape) => {
    const path = pathOf(frame, shape.id)
    const state = steps[shape.id]
    return state ? movesAt(flow, path, { shape, state }, view) : [begin(path, 1)]
  })
  return { stands, moves }
}

type Steps = FrameState['steps']

const NO_STEPS: Steps = Object.freeze({})

/** Where the steps of a list stand, and those that are open or can begin. */
interface Standing {
  stands: Walk['stands']
  next: readonly StepShape[]
}

/** Of steps that no event changed since they were looked through, which most do not. */
const STANDINGS = new WeakMap<Steps, WeakMap<readonly StepShape[], Standing>>()

function standingOf(steps: Steps, list: readonly StepShape[]): Standing {
  if (!Object.isFrozen(steps)) return lookedThrough(steps, list)
  const known = STANDINGS.get(steps) ?? new WeakMap<readonly StepShape[], Standing>()
  const standing = known.get(list) ?? lookedThrough(steps, list)
  STANDINGS.set(steps, known.set(list, standing))
  return standing
}

function lookedThrough(steps: Steps, list: readonly StepShape[]): Standing {
  if (list.some(({ id }) => isFailed(steps[id]))) return { stands: 'failed', next: [] }
  const open = list.filter(({ id }) => !isPassed(steps[id]))
  if (open.length === 0) return { stands: 'done', next: [] }
  const mayBegin = ({ needs }: StepShape) => needs.every((id) => isPassed(steps[id]))
  return { stands: 'open', next: open.filter((shape) => steps[shape.id] !== undefined || mayBegin(shape)) }
}

function movesAt(flow: WorkflowState, path: string, step: OpenStep, view: RunView): Move[] {
  const { status, isDue, attempt } = step.state
  if (status === 'running') return movesOf(flow, path, step, view)
  if (status !== 'retrying') return []
  // What was done within it is undone before it is done once more; where that failed, it would be done twice.
  const { undo: toUndo, notUndone = [] } = flow
  const within = new Set(toUndo.length + notUndone.length > 0 ? stepsWithin(flow, path).map((one) => one.path) : [])
  const done = toUndo.findLast((one) => within.has(one))
  if (done !== undefined) return undoStep(flow, done, view)
  if (notUndone.some((one) => within.has(one))) return [endStep(flow, path, 'failed', 'not_undone')]
  return isDue ? [begin(path, attempt + 1)] : [{ type: 'wait' }]
}

function isFailed(state: StepState | undefined): boolean {
  return state?.status === 'failed' || state?.status === 'cancelled'
}

function isOpen(state: StepState | null): boolean {
  return state?.status === 'running' || state?.status === 'retrying'
}

interface OpenStep {
  shape: StepShape
  state: StepState
}

function begin(step: string, attempt: number): Move {
  return { type: 'begin-step', step, attempt }
}

function endStep(
  flow: WorkflowState,
  step: string,
  status: 'completed' | 'failed' | 'cancelled',
  code: string | null,
): Move {
  return { type: 'end-step', step, scope: stateAt(flow, step)?.branch ?? null, status, code }
}

/** What a step that was begun needs now. */
function movesOf(flow: WorkflowState, path: string, { shape, state }: OpenStep, view: RunView): Move[] {
  const ends = (code: string | null = null) => [endStep(flow, path, code === null ? 'completed' : 'failed', code)]
  if (state.isDue && !shape.isTimer) return ends('timeout')
  const { frame } = stepPlace(path)
  const ofLists = (frameOf: string, lists: readonly (readonly StepShape[])[]) =>
    together(
      lists.map((list) => walk(flow, frameOf, list, view)),
      ends,
    )
  switch (shape.type) {
    case 'agent':
      return agentMoves(flow, path, { shape, state }, view)
    case 'tool':
      return toolMoves(flow, path, state, view)
    case 'wait':
      return (shape.isTimer ? state.isDue : state.answerSeq) ? ends() : [{ type: 'wait' }]
    case 'if':
    case 'switch':
      return ofLists(frame, (shape.bodies ?? []).slice(state.body ?? -1, (state.body ?? -1) + 1))
    case 'parallel':
      return ofLists(frame, shape.bodies ?? [])
    case 'workflow':
      return ofLists(path, [stepsOf(flow, path)])
    case 'map':
      return mapMoves(flow, path, { shape, state }, view)
    case 'set':
      return ends()
  }
}

/** Lists that are done side by side: the first that fails ends them all. */
function together(walks: readonly Walk[], ends: (code?: string | null) => Move[]): Move[] {
  if (walks.some(({ stands }) => stands === 'failed')) return ends('step_failed')
  if (walks.every(({ stands }) => stands === 'done')) return ends()
  return walks.flatMap(({ moves }) => moves)
}

function agentMoves(flow: WorkflowState, path: string, { shape, state }: OpenStep, view: RunView): Move[] {
  const { branch = '' } = state
  const { orchestrator = shape.isPlan ? 'plan' : 'agent', refused } = view.run.scopes[branch] ?? newBranch()
  const moves = view.movesIn(orchestrator, branch)
  const end = moves.find((move) => move.type === 'end')
  if (!end) return moves
  const isBound = refused !== undefined && refused.code !== PROMPT_MISFIT
  if (isBound || isOfRun(end)) return [end]
  return [endStep(flow, path, end.status === 'completed' ? 'completed' : 'failed', end.code)]
}

/** One call: it asks, is made and made again after a crash as any call of a model. Its result is the step's. */
function toolMoves(flow: WorkflowState, path: string, { branch = '', call }: StepState, view: RunView): Move[] {
  const open = view.run.scopes[branch]?.calls ?? []
  if (open.length > 0) return view.movesIn('agent', branch)
  const code = call === 'ok' ? null : call === 'failed' ? 'tool_failed' : call === 'started' ? 'interrupted' : 'refused'
  return [endStep(flow, path, code === null ? 'completed' : 'failed', code)]
}

/** Items in their order, so many at the same time. */
function mapMoves(flow: WorkflowState, path: string, { shape, state }: OpenStep, view: RunView): Move[] {
  const { ends = [], failed: wrong = [] } = state.items ?? {}
  if (shape.onError === 'stop' && wrong.length > 0) return [endStep(flow, path, 'failed', 'step_failed')]
  const open = firstOpen(ends, shape.concurrency ?? 1)
  if (open.length === 0) return [endStep(flow, path, 'completed', null)]
  return open.flatMap((index): Move[] => {
    const item = itemOf(path, index)
    const { stands, moves } = walk(flow, item, shape.bodies?.[0] ?? [], view)
    if (stands === 'open') return moves
    return [endStep(flow, item, stands === 'done' ? 'completed' : 'failed', stands === 'done' ? null : 'step_failed')]
  })
}

/** The numbers of the first items that have not ended. */
function firstOpen(ends: readonly number[], max: number): number[] {
  const open: number[] = []
  for (let at = ends.indexOf(0); at >= 0 && open.length < max; at = ends.indexOf(0, at + 1)) open.push(at)
  return open
}
