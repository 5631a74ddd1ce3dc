import { decideAgent } from '../agent/decide.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { ask } from '../plan/decide.ts'

/** One call picks the one worker; with its tools the agent's loop does the rest. */
export function decideRoute(view: RunView): Move[] {
  const { run, limits, activeMs } = view
  const isPicked = run.worker !== null || run.phase !== 'active' || run.failure !== null
  const isLate = limits.deadlineMs !== null && activeMs >= limits.deadlineMs
  return isPicked || isLate ? decideAgent(view) : ask('route', null, view)
}
