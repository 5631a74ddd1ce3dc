import type { Orchestrator } from '../domain/session.ts'
import { decideAgent } from './agent.ts'
import type { Decide, Move, RunView } from './move.ts'

/** A decide function for each orchestrator; a session of one that is not built yet is refused at creation. */
const DECIDE: Partial<Record<Orchestrator, Decide>> = { agent: decideAgent }

/** What a run does next. */
export function decide(view: RunView): Move[] {
  return (DECIDE[view.run.orchestrator] ?? decideAgent)(view)
}
