import type { Orchestrator } from '../../engine/engine.ts'
import type { Move, RunView } from '../../engine/move.ts'
import { decideAgent } from '../agent/index.ts'
import { nextCall } from '../parallel.ts'
import { routerStep } from './call.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** Ask which worker does the whole run. */
    'call-router': { scope: string | null; key: string; attempt: number }
  }
}

/** One call picks one worker, who does the whole run as an agent. */
export const route: Orchestrator = {
  name: 'route',
  hasWorkers: () => true,
  decide: decideRoute,
  reduce: {
    on: {
      route: ({ run }, { worker }) => {
        if (run) run.worker = worker
      },
    },
  },
  steps: { 'call-router': routerStep },
}

/** One call picks the one worker; with its tools the agent's loop does the rest. */
function decideRoute(view: RunView): Move[] {
  const { run, limits, activeMs } = view
  const isPicked = run.worker !== null || run.phase !== 'active' || run.failure !== null
  const isLate = limits.deadlineMs !== null && activeMs >= limits.deadlineMs
  return isPicked || isLate ? decideAgent(view) : nextCall(null, view, (call) => ({ type: 'call-router', ...call }))
}
