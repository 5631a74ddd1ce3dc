import type { EventType, SessionEvent } from '../../domain/event.ts'
import {
  MAIN,
  newBranch,
  type OpenCall,
  type RunState,
  type BranchState,
  type SessionState,
} from '../../domain/state.ts'
import type { Place } from '../../budget/spending.ts'

export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>
export type Handlers<T extends EventType> = { [One in T]: (draft: SessionState, event: EventOf<One>) => void }

export function runOf(draft: SessionState): RunState {
  if (!draft.run) throw new Error('an event of a run came before its run-start')
  return draft.run
}

/** The branch in a draft, made when it is first spoken of. */
export function branchOf(run: RunState, scope: string | null): BranchState {
  return (run.scopes[scope ?? MAIN] ??= newBranch())
}

export function callOf(scope: BranchState, callId: string | undefined): OpenCall | undefined {
  return scope.calls.find((call) => call.id === callId)
}

export function placeOf(run: RunState, { time }: SessionEvent, model = ''): Place {
  return { run: run.id, time, model }
}
