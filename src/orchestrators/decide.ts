import type { Orchestrator } from '../domain/run.ts'
import { decideAgent } from './agent/decide.ts'
import { decidePlan } from './plan/decide.ts'
import { decideRoute } from './route/decide.ts'
import { decideTeam, teamMovesIn } from './team/decide.ts'
import type { Decide, Move, RunView } from '../engine/move.ts'

/** A decide function for each orchestrator. */
const DECIDE: Record<Orchestrator, Decide> = {
  agent: decideAgent,
  plan: (view) => decidePlan({ ...view, teamMoves: teamMovesIn(view) }),
  team: decideTeam,
  route: decideRoute,
}

/** What a run does next. */
export function decide(view: RunView): Move[] {
  return DECIDE[view.run.orchestrator](view)
}
