import { LIMITS } from '../../domain/limits.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import type { GivenTask, TakenTask } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { failureText } from '../../engine/failures/failure-text.ts'
import { isWaiting } from '../../engine/orchestrator-of.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { type StepWorkers, WORKFLOW_WORKER, workflowOfWorker } from '../../domain/workflow.ts'
import { workflowCast } from './given.ts'
import { branchesIn, isFrameWithin, isGivenTask, pathOf, stateAt, workflowIn } from './state.ts'

/** A workflow works at a task that an agent gave away: its steps are branches of the task. */

/** It begins: what the task says are its inputs. */
export async function workflowTakesTask(
  { branch, worker, skill, owner, content }: GivenTask,
  context: MoveContext,
): Promise<{ ok: true; value: TakenTask | null } | { ok: false; error: string }> {
  const { journal, engine } = context
  const { record } = journal
  const named = worker.startsWith(WORKFLOW_WORKER) ? worker.slice(WORKFLOW_WORKER.length) : ''
  const { workflow: name = named } = skill
  if (owner !== null || name === '')
    return { ok: false, error: failureText(languageFor(engine, record), 'worker_unavailable') }
  const config = { ...record.config, language: record.config.language ?? languageFor(engine, record) }
  const found = await workflowCast(engine, record.tenant, { workflow: name, task: content, config })
  if (!found.ok) return { ok: false, error: whyNot(found.error) }
  const { workflow, workers = {} } = found.value
  if (!workflow) return { ok: true, value: null }
  const { byTask: _, ...spec } = workflow
  const events: NewEvent[] = [
    { type: 'workflow-start', scope: branch, workflow: spec, required: true },
    { type: 'step-start', step: branch, kind: 'workflow', attempt: 1, input: spec.inputs },
  ]
  return { ok: true, value: { bounds: {}, events, record: withWorkers(workers, journal) } }
}

/** The record with those who do the steps. Of a workflow that the run was given before they stay who they are, as its definition does; those
 *  of another take no team along from an earlier run. */
function withWorkers(workers: StepWorkers, { record, state: { run } }: MoveContext['journal']): SessionRecord {
  const known = (run && workflowIn(run)?.seqs) ?? {}
  const added = Object.entries(workers).filter(([name]) => known[workflowOfWorker(name)] === undefined)
  const names = new Set(added.map(([name]) => name))
  const teams = Object.entries(record.workerTeams ?? {}).filter(([name]) => !names.has(name))
  return {
    ...record,
    workers: { ...record.workers, ...Object.fromEntries(added) },
    ...(record.workerTeams ? { workerTeams: Object.fromEntries(teams) } : {}),
  }
}

function whyNot(error: { code: string; issues?: readonly { path: string; message: string }[] }): string {
  const { issues = [] } = error
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join('; ') || error.code
  return words.slice(0, LIMITS.workflow.errorCharsMax)
}

/** What a task has open that is ended: its steps are over. */
export function closeTask({ journal: { state } }: LogContext, branch: string): NewEvent[] {
  const flow = state.run && workflowIn(state.run)
  if (!flow || !isGivenTask(flow) || !stateAt(flow, branch)) return []
  return Object.entries(flow.frames)
    .filter(([frame]) => frame !== '' && isFrameWithin(frame, branch))
    .flatMap(([frame, { steps }]) =>
      Object.entries(steps).flatMap(([id, { status }]): NewEvent[] =>
        status === 'running' || status === 'retrying'
          ? [{ type: 'step-end', step: pathOf(frame, id), status: 'cancelled' }]
          : [],
      ),
    )
}

/** Whether all that a task has open waits for a human. */
export function taskWaits(context: LogContext, branch: string): boolean {
  const { run, pending } = context.journal.state
  const flow = run && workflowIn(run)
  if (!flow || !isGivenTask(flow) || !stateAt(flow, branch)) return false
  const open = branchesIn(flow, branch)
  return open.length > 0 && open.every((one) => isWaiting(context, one) || pending.some(({ scope }) => scope === one))
}
