import type { Move, RunView } from '../engine/move.ts'

/** The branch of a run in which its session is named. */
export const TITLE_BRANCH = 'title'
export const TITLE_KEY = 'model:title'

/** What a run does next; in the first of a session that is to be named by the model, a call for that goes beside its first. The run
 *  comes to its good end when that is over, and to any other at once. */
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

/** What is decided once the first call has begun comes to the one for a title. */
function asksModel(inFlight: ReadonlySet<string>): boolean {
  return [...inFlight].some((key) => key.startsWith('model:') && key !== TITLE_KEY)
}

/** No run before this one has asked a model; and what the session may spend is not so little that it is counted out. */
function isWanted({ run, state, record }: RunView): boolean {
  const { titles, limits = {} } = record.config
  const isBounded = limits.max_total_tokens !== undefined || limits.max_cost !== undefined
  const isFirst = state.usage.model_calls === run.usage.model_calls
  return titles === 'model' && run.phase === 'active' && isFirst && !isBounded
}
