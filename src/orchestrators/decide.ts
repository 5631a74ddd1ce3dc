import { branchesOf, type BranchState, MAIN } from '../domain/state.ts'
import type { Move, MoveOf, RunView } from '../engine/move.ts'
import type { FinishReason } from '../domain/run.ts'
import { LIMITS } from '../domain/limits.ts'

/** The moves that are made now, out of those that several branches want. A run rests or waits only when nothing is under way and no
 *  branch can go on: it rests at the bound of its request, and else waits for a human. */
export function dueMoves(moves: readonly Move[], view: RunView): Move[] {
  const going = withinBounds(
    moves.filter(({ type }) => type !== 'rest' && type !== 'wait'),
    view,
  )
  if (going.length > 0 || view.inFlight.size > 0) return going
  return moves.some(({ type }) => type === 'rest') ? [{ type: 'rest' }] : [{ type: 'wait' }]
}

/** Of calls that would be made at the same time, no more than the bounds leave. */
function withinBounds(moves: readonly Move[], { run, limits }: RunView): Move[] {
  const inBatch = run.mode === 'request' ? limits.maxIterations - run.batchIterations : Infinity
  let left = Math.min(inBatch, limits.maxIterationsTotal - run.iterations)
  return moves.filter((move) => !isNewCall(move) || left-- > 0)
}

/** Whether something of a sub-task, and of whoever works at it, is under way. */
export function isUnderWay(task: string, view: RunView): boolean {
  return branchesOf(view.run, task).some((line) => isLineUnderWay(line, view))
}

function isLineUnderWay(line: string, { run, inFlight }: RunView): boolean {
  const calls = run.scopes[line]?.calls ?? []
  const keys = [`model:${line}`, `prompt:${line}`, `publish:${line}`, ...calls.map((call) => `tool:${call.id}`)]
  return keys.some((key) => inFlight.has(key))
}

/** The request that drives the run makes no further call. */
function isBatchOver({ run, limits }: RunView): boolean {
  return run.mode === 'request' && run.batchIterations >= limits.maxIterations
}

/** One more call of a model in a branch: a new one, or the one that was cut, once more. None while a call is under way; an end or a
 *  rest where a bound forbids it. */
export function nextCall(
  scope: string | null,
  view: RunView,
  moveOf: (call: { scope: string | null; key: string; attempt: number }) => Move,
): Move[] {
  const { run, limits, inFlight } = view
  const key = `model:${scope ?? MAIN}`
  if (inFlight.has(key)) return []
  const started = run.scopes[scope ?? MAIN]?.model ?? null
  const attempt = (started?.attempt ?? 0) + 1
  if (attempt > limits.attemptsMax) return [failed('failed', 'attempts_exhausted')]
  if (started === null && run.iterations >= limits.maxIterationsTotal) return [failed('iteration_limit')]
  if (started === null && isBatchOver(view)) return [{ type: 'rest' }]
  return [moveOf({ scope, key, attempt })]
}

/** Whether a move is one more call of a model, which the bounds of a run and of its request count. */
function isNewCall(move: Move): boolean {
  return 'attempt' in move && move.attempt === 1 && !NO_CALLS.has(move.type)
}

/** Moves that are counted by their attempts, too, and are no call that bounds count. */
const NO_CALLS: ReadonlySet<Move['type']> = new Set(['call-tool', 'compact', 'title', 'begin-step'])

export type End = MoveOf<'end'>

export function failed(finishReason: FinishReason, code: string = finishReason): End {
  return { type: 'end', status: 'failed', finishReason, code }
}

/** Whether the run ends, and not a part of it alone: a bound of the whole run, a call that did not fit one, a model that may not be
 *  called, or a move that was cut too often. */
export function isOfRun({ finishReason, code }: End): boolean {
  return finishReason === 'iteration_limit' || finishReason === 'deadline' || NOT_OF_TASK.has(code)
}

const NOT_OF_TASK: ReadonlySet<string | null> = new Set([
  'attempts_exhausted',
  'budget_exhausted',
  'unknown_model',
  'unpriced_model',
])

/** A worker whose prompt is too long for its model: it is of its sub-task or step alone, and others may do what is left. */
export const PROMPT_MISFIT = 'prompt_too_long'

/** Why a branch beside the run's own cannot go on: its model failed, or a call of it was not to be made. */
export function branchFailure({ failure, refused }: Pick<BranchState, 'failure' | 'refused'>): End | null {
  if (failure) return failed('failed', failure.code)
  if (!refused) return null
  const { code } = refused
  return failed(code === 'no_money' || code === 'budget_exhausted' ? code : 'failed', code)
}

/** Whether the newest turns repeat one turn, or one cycle of turns, `timesMax` times without a break. `turnHashes`: one for each
 *  turn's calls and results, oldest first. `timesMax` 0: never. */
export function isLoop(turnHashes: readonly string[], timesMax: number): boolean {
  if (timesMax === 0) return false
  for (let period = 1; period <= LIMITS.run.cycleTurnsMax; period++) {
    const length = period * timesMax
    if (length <= turnHashes.length && isPeriodic(turnHashes.slice(-length), period)) return true
  }
  return false
}

function isPeriodic(turns: readonly string[], period: number): boolean {
  return turns.every((turn, index) => index < period || turn === turns[index - period])
}
