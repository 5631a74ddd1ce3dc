import { contentText } from '../../../src/domain/content.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { SessionPlan } from '../plan.ts'
import { hasCause } from './workflow.ts'

/** Runs end as they were meant to: with the answer of their task, by a cancel or a newer message, or because one move was cut
 *  too often; only where the model was to fail by its failure. */
export function claimsOfEnds(
  events: readonly SessionEvent[],
  { tasks, orchestrator, config, flow }: SessionPlan,
): string[] {
  const fails = tasks.some((task) => task.fails)
  let hasFailed = false
  return events.flatMap((event) => {
    const isBehindFailure = hasFailed
    if (event.type === 'run-end') hasFailed ||= event.status === 'failed'
    if (event.type !== 'run-end' || event.status === 'cancelled') return []
    const code = event.error?.code ?? null
    const isStep = code === 'step_failed' && flow !== null && (flow.inputs.fails || hasCause(events))
    const meant = isStep || code === 'attempts_exhausted' || (fails && code === 'model_unavailable')
    if (code !== null) return meant ? [] : [`run ${event.run_id} ended by ${code}: ${event.error?.detail}`]
    const answer = `${orchestrator === 'team' ? 'joined ' : ''}${answerOf(events, event.run_id)}`
    // What a team had said before its run failed is acted upon in the next, and is part of what that gives.
    const own = orchestrator === 'team' && isBehindFailure ? event.result?.split('\n\n').at(-1) : event.result
    const by = orchestrator === 'agent' ? (config.ends_by_reply === 'never' ? 'finish' : 'reply') : null
    if (event.ended_by !== by) return [`run ${event.run_id} ended by ${event.ended_by}`]
    return own === answer ? [] : [`run ${event.run_id} ended with ${event.result}`]
  })
}

/** What the model was to answer to the task of a run, or to what steered it last. */
function answerOf(events: readonly SessionEvent[], runId: string | null): string {
  const task = events
    .flatMap((event) =>
      event.type === 'message' &&
      event.scope === null &&
      event.run_id === runId &&
      (event.message.kind === 'task' || event.message.kind === 'steer')
        ? [contentText(event.message.content, null)]
        : [],
    )
    .at(-1)
  return `answer of ${/#task:(\S+)/.exec(task ?? '')?.[1]}`
}
