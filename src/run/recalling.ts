import type { Move, RunView } from '../engine/move.ts'
import { knowsUser } from '../engine/prompt/user.ts'

const MEMORY_KEY = 'memory'

/** Moves that make a prompt which tells of the user. */
const TELLING = new Set<string>(['prompt', 'prompt-role', 'call-planner'])

/** What a run does next; before its first prompt within it, what is remembered of the user is loaded, once. Other moves go on meanwhile. */
export function withMemory(moves: Move[], view: RunView): Move[] {
  const { state, inFlight, mustLoadMemory } = view
  if (!mustLoadMemory || knowsUser(state)) return moves
  const others = moves.filter(({ type }) => !TELLING.has(type))
  if (others.length === moves.length) return moves
  return inFlight.has(MEMORY_KEY) ? others : [{ type: 'load-memory', scope: null, key: MEMORY_KEY }, ...others]
}
