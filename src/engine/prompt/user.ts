import { contentText } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionState } from '../../domain/state.ts'
import { at } from '../../log/window.ts'
import { memoryParts, partsWithin } from '../../memory/prompt.ts'
import type { MoveContext } from '../engine.ts'
import type { Move, RunView } from '../move.ts'
import type { Worker } from '../worker/worker.ts'

/** Whether the newest run has a prompt of its own, which tells what is remembered of the user. */
export function knowsUser({ run, promptSeq }: Pick<SessionState, 'run' | 'promptSeq'>): boolean {
  return run !== null && promptSeq > run.firstSeq
}

/** What a prompt within a run says of the user, where the run's own line of work is no agent's: all that is remembered, or the preferences
 *  alone, within the share of a window that an agent's prompt gives it. */
export function userParts(
  { journal: { log, record, state }, engine }: MoveContext,
  { choice }: Pick<Worker, 'choice'>,
  which: 'all' | 'preferences',
): { title: string; text: string }[] {
  const { run } = state
  if (record.user === null || run === null || !knowsUser(state)) return []
  if (engine.orchestrators.get(run.orchestrator).hasPrompt) return []
  const [told] = at(log, state.promptSeq)
  const { preferences, earlier } = memoryParts(contentText(told?.content ?? '', null))
  if (which === 'all') return [...preferences, ...earlier]
  const windowTokens = choice.ok ? choice.spec.contextTokens - choice.spec.maxTokens : LIMITS.model.contextTokens
  const room = Math.floor(windowTokens * LIMITS.memory.windowShare)
  return partsWithin(preferences, room)
}

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
