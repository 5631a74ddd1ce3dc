import type { Move, RunView } from '../engine/move.ts'

/** The branch of a run in which its session is named. */
export const TITLE_BRANCH = 'title'
export const TITLE_KEY = 'model:title'

/** Adds a model call that names the session, beside the first model call of its first run. A run completes only when that call is over; it fails or
 *  rests without waiting for it. */
export function withTitle(moves: Move[], view: RunView): Move[] {
  const { run, inFlight, limits } = view
  const branch = run.scopes[TITLE_BRANCH]
  const attempt = (branch?.model?.attempt ?? 0) + 1
  const isOver = branch !== undefined && branch.model === null
  if (isOver || attempt > limits.attemptsMax || !isWanted(view)) return moves
  const call: Move[] = inFlight.has(TITLE_KEY) ? [] : [{ type: 'title', scope: TITLE_BRANCH, key: TITLE_KEY, attempt }]
  if (moves.some((move) => move.type === 'end' && move.status === 'completed')) return call
  const isBegun = moves.some((move) => move.type !== 'prompt' && 'attempt' in move) || asksModel(inFlight)
  return isBegun ? [...moves, ...call] : moves
}

/** Whether a model call that is not the title's is under way. */
function asksModel(inFlight: ReadonlySet<string>): boolean {
  return [...inFlight].some((key) => key.startsWith('model:') && key !== TITLE_KEY)
}

/** Whether the model is to name the session: no run before this one has asked a model, and the session has no limit in tokens or money, which a title
 *  would use up. */
function isWanted({ run, state, record }: RunView): boolean {
  const { titles, limits = {} } = record.config
  const isBounded = limits.max_total_tokens !== undefined || limits.max_cost !== undefined
  const isFirst = state.usage.model_calls === run.usage.model_calls
  return titles === 'model' && run.phase === 'active' && isFirst && !isBounded
}
