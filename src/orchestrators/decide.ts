import type { Orchestrator } from '../domain/session.ts'
import { decideAgent } from './agent.ts'
import { decidePlan } from './plan.ts'
import { decideRoute } from './route.ts'
import { decideTeam, teamMovesIn } from './team.ts'
import type { Decide, Move, RunView } from './move.ts'

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
