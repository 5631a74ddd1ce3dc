import type { EventType, SessionEvent } from '../../domain/event.ts'
import {
  MAIN,
  newBranch,
  type OpenCall,
  type RunState,
  type BranchState,
  type SessionState,
  branchesOf,
} from '../../domain/state.ts'
import type { Money } from '../../domain/usage.ts'
import type { SpentAt } from '../../budget/spending.ts'
import { charge } from '../../budget/reserve.ts'

export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>
export type Handlers<T extends EventType> = {
  [One in T]: (draft: SessionState, event: EventOf<One>, core: Core) => void
}

/** The state after these events. Pure: `state` is left as it was. */
export type Reduce = (state: SessionState, events: readonly SessionEvent[]) => SessionState

/** An orchestrator's part in the state. */
export interface Reducer {
  /** Run behind the core's handler of the same event. */
  on?: Partial<Handlers<EventType>>
  /** A model call of a branch has cost so much; `held`: what it had reserved stays paid for, as its usage never came. */
  charge?(draft: SessionState, branch: string | null, cost: Money | null, why: 'spent' | 'held'): void
  /** Freeze what later drafts need not copy. Whoever changes something of that puts a copy in its place. */
  share?(draft: SessionState): void
}

/** What any handler may do that concerns others too. */
export interface Core {
  charge(draft: SessionState, branch: string | null, cost: Money | null, why: 'spent' | 'held'): void
  /** A branch is over, with those that are parts of it. Calls that were cut stay paid for. */
  leave(draft: SessionState, branch: string): void
}

export function draftRun(draft: SessionState): RunState {
  if (!draft.run) throw new Error('an event of a run came before its run-start')
  return draft.run
}

/** The branch in a draft, made when it is first spoken of. */
export function draftBranch(run: RunState, scope: string | null): BranchState {
  return (run.scopes[scope ?? MAIN] ??= newBranch())
}

export function draftCall(scope: BranchState, callId: string | undefined): OpenCall | undefined {
  return scope.calls.find((call) => call.id === callId)
}

export function spentAt(run: RunState, { time }: SessionEvent, model = ''): SpentAt {
  return { run: run.id, time, model }
}

/** What concerns the parts of all: each hears of what is charged. */
export function coreOf(parts: readonly Reducer[]): Core {
  const core: Core = {
    charge: (draft, branch, cost, why) => {
      for (const part of parts) part.charge?.(draft, branch, cost, why)
    },
    leave: (draft, branch) => {
      const { run } = draft
      if (!run?.scopes[branch]) return
      for (const line of branchesOf(run, branch).toReversed()) {
        const reserved = run.scopes[line]?.model?.reserved
        holdCut(run, run.scopes[line])
        core.charge(draft, line, reserved?.cost ?? null, 'held')
        delete run.scopes[line]
      }
    },
  }
  return core
}

/** A call that is cut before its usage came keeps what was reserved for it. */
export function holdCut(run: RunState, scope: BranchState | undefined): void {
  if (scope?.model) run.charged = charge(run.charged, scope.model.reserved)
}
