import { investmentRefusal } from '../../budget/investment.ts'
import { refusalOf } from '../../budget/reserve.ts'
import { branchesOf, payerOf, teamTaskOf } from '../../domain/lineage.ts'
import type { ModelSpec } from '../../domain/model.ts'
import type { Reservation, RunState, BranchState } from '../../domain/state.ts'
import { limitsOf } from '../../engine/engine.ts'
import type { MoveContext } from '../../engine/job.ts'

/** Why a call that one of these models answers may not be made now: the limits of the run, or what a team may cost. */
export function refusalFor(
  { journal, engine }: MoveContext,
  specs: readonly ModelSpec[],
  { reserved, scope }: { reserved: Reservation; scope: string | null },
): 'budget_exhausted' | 'no_money' | 'unpriced_model' | null {
  const { run } = journal.state
  if (!run) return null
  const team = payerOf(journal.state, scope)
  const refused = refusalOf(run, specs, reserved, limitsOf(engine, journal.record))
  return refused ?? (team ? investmentRefusal(team, linesPaidWith(run, scope), specs, reserved) : null)
}

/** The branches that the team of one of them pays for. */
function linesPaidWith(run: RunState, scope: string | null): BranchState[] {
  const task = teamTaskOf(run, scope)
  if (task === null) return Object.values(run.scopes)
  return branchesOf(run, task).flatMap((line) => run.scopes[line] ?? [])
}
