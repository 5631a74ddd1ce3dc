import { charge } from '../../budget/reserve.ts'
import { addMoney } from '../../budget/usage.ts'
import { branchesOf, payerOf } from '../../domain/lineage.ts'
import type { RunState, BranchState, SessionState } from '../../domain/state.ts'
import type { Money } from '../../domain/usage.ts'

/** What a call of a branch cost, or holds, goes on the account of the team that it is of. */
export function chargeTeam(draft: SessionState, scope: string | null, cost: Money | null): void {
  const team = payerOf(draft, scope)
  if (team) team.charged = addMoney(team.charged, cost)
}

/** A call that is cut before its usage came keeps what was reserved for it. */
export function holdCut(run: RunState, scope: BranchState | undefined): void {
  if (scope?.model) run.charged = charge(run.charged, scope.model.reserved)
}

/** A branch is over, with those of its sub-tasks and of its team. Calls that were cut stay paid for. */
export function leaveBranch(draft: SessionState, name: string): void {
  const { run } = draft
  const scope = run?.scopes[name]
  if (!run || !scope) return
  for (const { id } of scope.plan?.tasks ?? []) leaveBranch(draft, id)
  if (scope.team) for (const line of branchesOf(run, name).filter((one) => one !== name)) leaveBranch(draft, line)
  holdCut(run, scope)
  chargeTeam(draft, name, scope.model?.reserved.cost ?? null)
  delete run.scopes[name]
}
