import { charge } from '../../budget/reserve.ts'
import { branchesOf, type BranchState, type RunState } from '../../domain/state.ts'
import type { Core, Reducer } from './places.ts'

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
