import { investmentRefusal } from '../budget/investment.ts'
import { refusalOf } from '../budget/reserve.ts'
import type { ModelSpec } from '../domain/model.ts'
import type { Reservation } from '../domain/state.ts'
import { limitsOf } from './engine.ts'
import type { MoveContext } from './moves/job.ts'

/** Why a call that one of these models answers may not be made now: the limits of the run, or what a team may cost. */
export function refusalFor(
  { journal, engine }: MoveContext,
  specs: readonly ModelSpec[],
  reserved: Reservation,
): 'budget_exhausted' | 'no_money' | 'unpriced_model' | null {
  const { run, team } = journal.state
  if (!run) return null
  const refused = refusalOf(run, specs, reserved, limitsOf(engine, journal.record))
  return refused ?? (team ? investmentRefusal(team, run, specs, reserved) : null)
}
