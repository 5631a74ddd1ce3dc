import { branchesAbove, type RunState } from '../../domain/state.ts'
import { draftFlow, draftStep } from './draft.ts'
import { pathOf, shapeAt, type StepState, stepsWithin, type WorkflowState, workflowIn } from './state.ts'

/** The time that a step may take stands still while somebody is asked about something in it. A step that waits is there to ask: its time goes on. */

/** Something is asked in a branch. `now`: Unix ms. */
export function holdClocks(run: RunState, scope: string | null, now: number): void {
  for (const state of clocksAround(run, scope)) {
    const { due, held = { leftMs: Math.max(0, (due ?? now) - now), asked: 0 } } = state
    delete state.due
    state.held = { ...held, asked: held.asked + 1 }
  }
}

/** It is not asked any more. */
export function releaseClocks(run: RunState, scope: string | null, now: number): void {
  for (const state of clocksAround(run, scope)) {
    if (!state.held) continue
    const { leftMs, asked } = state.held
    if (asked > 1) state.held = { leftMs, asked: asked - 1 }
    else {
      delete state.held
      state.due = now + leftMs
    }
  }
}

/** The steps with a time that a branch works for: the one that is done in it, and those that it stands in. */
function clocksAround(run: RunState, scope: string | null): StepState[] {
  const path = branchesAbove(run, scope).flatMap((line) => run.scopes[line]?.step?.path ?? [])[0]
  const flow = path === undefined ? null : workflowIn(run)
  if (path === undefined || !flow || shapeAt(flow, path)?.type === 'wait') return []
  const timed = timedPaths(flow).filter((at) => at === path || stepsWithin(flow, at).some((one) => one.path === path))
  const draft = timed.length === 0 ? null : draftFlow(run)
  return draft ? timed.flatMap((at) => draftStep(draft, at) ?? []) : []
}

function timedPaths({ frames }: WorkflowState): string[] {
  return Object.entries(frames).flatMap(([frame, { steps }]) =>
    Object.entries(steps).flatMap(([id, { status, due, held }]) =>
      status === 'running' && (due !== undefined || held) ? [pathOf(frame, id)] : [],
    ),
  )
}
