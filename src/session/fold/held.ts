import { charge } from '../../budget/reserve.ts'
import { addMoney } from '../../budget/usage.ts'
import type { RunState, ScopeState, SessionState } from '../../domain/state.ts'
import type { TeamState } from '../../domain/team.ts'
import type { Money } from '../../domain/usage.ts'

/** What a call cost, or holds, goes on the team's account. */
export function chargeTeam(team: TeamState | undefined, cost: Money | null): void {
  if (team) team.charged = addMoney(team.charged, cost)
}

/** A call that is cut before its usage came keeps what was reserved for it. */
export function holdCut(run: RunState, scope: ScopeState | undefined): void {
  if (scope?.model) run.charged = charge(run.charged, scope.model.reserved)
}

/** A line of work is over, with those of its sub-tasks. Calls that were cut stay paid for. */
export function leaveScope(draft: SessionState, name: string): void {
  const { run } = draft
  const scope = run?.scopes[name]
  if (!run || !scope) return
  for (const { id } of scope.plan?.tasks ?? []) leaveScope(draft, id)
  holdCut(run, scope)
  chargeTeam(draft.team, scope.model?.reserved.cost ?? null)
  delete run.scopes[name]
}
