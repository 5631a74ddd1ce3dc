import { fail, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { standsAt } from './anew.ts'
import { isGivenTask, workflowIn } from './state.ts'

const ENDED: readonly string[] = ['ended', 'completed', 'failed', 'cancelled', 'skipped']

/** A run that is over goes on from one of its steps, or from an item of a map: that is done once more, with all that goes by it. What was undone
 *  stays so. */
export function retryStep({ journal: { state } }: MoveContext, path: string, mode: RunMode): Result<NewEvent[]> | null {
  const { run, status: runStatus } = state
  const flow = run && workflowIn(run)
  if (!flow || isGivenTask(flow)) return null
  const stands = standsAt(flow, path)
  if (stands === null) return fail({ code: 'not_found', what: `step ${path}` })
  if (runStatus === 'in_progress' || runStatus === 'interrupted')
    return fail({ code: 'run_in_progress', runId: run.id })
  if (flow.stage === 'undoing') return fail({ code: 'nothing_to_continue', status: 'rolled_back', step: path })
  if (!ENDED.includes(stands)) return fail({ code: 'nothing_to_continue', status: stands, step: path })
  return ok([
    { type: 'run-start', orchestrator: run.orchestrator, mode, resumed: true },
    { type: 'step-redo', step: path },
  ])
}
