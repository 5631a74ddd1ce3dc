import { branchesOf } from '../domain/lineage.ts'
import type { Move, RunView } from '../engine/move.ts'

/** Of moves of several branches those that are made now. A run rests only when nothing is under way and none can go on:
 *  at the bound of its request, else for a human. */
export function settle(moves: readonly Move[], view: RunView): Move[] {
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
export function isBatchOver({ run, limits }: RunView): boolean {
  return run.mode === 'request' && run.batchIterations >= limits.maxIterations
}

/** Whether a move is one more call of a model, which the bounds of a run and of its request count. */
export function isNewCall(move: Move): boolean {
  const isCall = move.type === 'call-model' || move.type === 'choose-action' || move.type === 'call-planner'
  return isCall && move.attempt === 1
}
