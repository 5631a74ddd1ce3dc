import type { SessionEvent } from '../../domain/event.ts'
import type { PlanPurpose } from '../../domain/plan.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Move } from '../../engine/move.ts'
import { isPlanItem } from '../../log/reduce/plan.ts'
import { branchOf } from '../../log/branches.ts'
import type { Group } from './groups.ts'
import { isChoosing, isOfRole, teamDecisionIn, type TeamRecorded } from './team.ts'

/** What a group of events shows to have been decided. `reject-call` and `warn` are known by their kind only. */
export type Recorded =
  | TeamRecorded
  | { type: 'prompt' | 'note-dropped'; scope: string | null }
  | { type: 'wait' | 'rest'; scope: null }
  | { type: 'call-model' | 'compact' | 'choose-action'; scope: string | null; key: string; attempt: number }
  | { type: 'call-planner'; purpose: PlanPurpose; scope: string | null; key: string; attempt: number }
  | { type: 'take-plan' | 'ask-plan'; scope: string | null }
  | { type: 'start-task'; scope: string | null }
  | { type: 'end-task'; scope: string | null; status: string }
  | { type: 'call-tool'; scope: string | null; key: string; callId: string; attempt: number }
  | { type: 'ask' | 'answer-call'; scope: string | null; callId: string }
  | { type: 'reject-call'; scope: string | null; callId: string; isProblem: boolean; wasStarted: boolean }
  | { type: 'warn'; scope: string | null; ofCircles: boolean }
  | { type: 'end'; scope: null; status: string; finishReason: string; code: string | null }

/** Ends that are no decision: a person's, and a bug's. */
const NOT_DECIDED: ReadonlySet<string | null> = new Set(['internal_error'])

/** The decision behind a group; null: it is an outcome, or somebody's command. `state`: before it. */
export function recordedIn(
  { main }: Group,
  {
    state,
    inFlight,
    compactions,
  }: { state: SessionState; inFlight: ReadonlySet<string>; compactions: ReadonlySet<number> },
): Recorded | null {
  const { run } = state
  if (!run || run.phase !== 'active') return null
  const { scope } = main
  switch (main.type) {
    case 'model-start': {
      const { purpose, attempt } = main
      if (purpose !== undefined) return { type: 'call-planner', purpose, scope, key: modelKey(scope), attempt }
      const type = compactions.has(main.seq) ? 'compact' : 'call-model'
      return { type: isChoosing(state, scope) ? 'choose-action' : type, scope, key: modelKey(scope), attempt }
    }
    case 'tool-start':
      return { type: 'call-tool', scope, key: toolKey(main.call_id), callId: main.call_id, attempt: main.attempt }
    case 'tool-end': {
      const call = branchOf(run, scope).calls.find(({ id }) => id === main.call_id)
      return call?.status === 'answered' ? { type: 'answer-call', scope, callId: main.call_id } : null
    }
    case 'message':
      return recordedInMessage(main, state)
    case 'plan':
      return { type: 'take-plan', scope }
    case 'task-start':
      return { type: 'start-task', scope }
    case 'task-end':
      return main.task.status === 'cancelled' ? null : { type: 'end-task', scope, status: main.task.status }
    case 'pending':
      if (isPlanItem(main.pending)) return { type: 'ask-plan', scope }
      if (main.pending.call_id === undefined && scope !== null) return { type: 'ask-role', scope }
      return { type: 'ask', scope, callId: main.pending.call_id ?? '' }
    case 'run-pause':
      if (main.status === 'interrupted') return { type: 'wait', scope: null }
      // With a move under way it was the time of the request that was over.
      return inFlight.size > 0 ? null : { type: 'rest', scope: null }
    case 'run-end': {
      const code = main.error?.code ?? null
      if (main.status === 'cancelled' || NOT_DECIDED.has(code)) return null
      return { type: 'end', scope: null, status: main.status, finishReason: main.finish_reason, code }
    }
    default:
      return teamDecisionIn(main)
  }
}

function recordedInMessage(event: SessionEvent & { type: 'message' }, { run }: SessionState): Recorded | null {
  const { message, scope } = event
  if (message.kind === 'prompt') {
    return scope !== null && isOfRole({ run }, scope) ? { type: 'prompt-role', scope } : { type: 'prompt', scope }
  }
  if (message.kind === 'warning') {
    const told = event.tells_of_circles === true
    return told || event.counts_as_error ? { type: 'warn', scope, ofCircles: told } : { type: 'note-dropped', scope }
  }
  if (message.role !== 'tool' || !run) return null
  const callId = message.tool_call_id ?? ''
  const call = branchOf(run, scope).calls.find(({ id }) => id === callId)
  const isProblem = event.counts_as_error === true
  return { type: 'reject-call', scope, callId, isProblem, wasStarted: call?.status === 'started' }
}

export const modelKey = (scope: string | null) => `model:${scope ?? ''}`
export const toolKey = (callId: string) => `tool:${callId}`

/** Whether a move of today is the one that was recorded. */
export function isSame(recorded: Recorded, move: Move): boolean {
  if (recorded.type === 'end') return isSameEnd(recorded, move)
  if (recorded.type === 'refused-call') return isModelCall(move) && 'scope' in move && move.scope === recorded.scope
  if (recorded.type !== move.type || ('scope' in move && move.scope !== recorded.scope)) return false
  if ('callId' in recorded && 'callId' in move && recorded.callId !== move.callId) return false
  if ('attempt' in recorded && 'attempt' in move && recorded.attempt !== move.attempt) return false
  if (recorded.type === 'call-planner' && move.type === 'call-planner') return recorded.purpose === move.purpose
  if (recorded.type === 'end-task' && move.type === 'end-task') return recorded.status === move.status
  if (recorded.type === 'reject-call' && move.type === 'reject-call') {
    return recorded.isProblem === (move.refusal.code === 'problem')
  }
  if (recorded.type === 'warn' && move.type === 'warn') {
    return recorded.ofCircles === (move.problem.code === 'going_in_circles')
  }
  return true
}

function isModelCall({ type }: Move): boolean {
  return type === 'call-model' || type === 'compact' || type === 'call-planner' || type === 'choose-action'
}

/** The move that is to be compared. Those of one branch come in their order; those of different lines in any. */
export function firstFor(recorded: Recorded, moves: readonly Move[]): Move | undefined {
  if (recorded.type === 'end' && NOT_CALLABLE.has(recorded.code)) return moves.find(isModelCall)
  return moves.find((move) => !('scope' in move) || move.scope === recorded.scope)
}

/** Found when a model call was about to be made. */
const NOT_CALLABLE: ReadonlySet<string | null> = new Set(['budget_exhausted', 'unpriced_model', 'unknown_model'])

function isSameEnd(recorded: Recorded & { type: 'end' }, move: Move): boolean {
  if (NOT_CALLABLE.has(recorded.code)) return isModelCall(move)
  return (
    move.type === 'end' &&
    move.status === recorded.status &&
    move.finishReason === recorded.finishReason &&
    move.code === recorded.code
  )
}

/** A move in a few words. */
export function wordsOf(move: Recorded | Move): string {
  const scope = 'scope' in move && move.scope !== null ? ` in ${move.scope}` : ''
  const call = 'callId' in move ? ` ${move.callId}` : ''
  const attempt = 'attempt' in move ? ` (attempt ${move.attempt})` : ''
  const refusal =
    'refusal' in move ? ` (${move.refusal.code})` : 'isProblem' in move && move.isProblem ? ' (problem)' : ''
  const warning =
    'problem' in move ? ` (${move.problem.code})` : 'ofCircles' in move && move.ofCircles ? ' (going_in_circles)' : ''
  const purpose = 'purpose' in move ? ` (${move.purpose})` : ''
  const end =
    move.type === 'end' ? ` ${move.status} ${move.finishReason}${move.code === null ? '' : ` (${move.code})`}` : ''
  return `${move.type}${call}${purpose}${attempt}${refusal}${warning}${end}${scope}`
}
