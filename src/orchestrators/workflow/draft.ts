import { MAIN, type RunState } from '../../domain/state.ts'
import { stepPlace, type StepState, type WorkflowState } from './state.ts'

/** What of a workflow an event does not change is frozen, and shared by the states before and after it: what an event costs does not grow with
 *  the number of steps. These give what a draft may change. */

/** The workflow of a run. */
export function draftFlow({ scopes }: Pick<RunState, 'scopes'>): WorkflowState | null {
  const main = scopes[MAIN]
  const flow = main?.workflow
  if (!flow) return null
  if (Object.isFrozen(flow)) main.workflow = { ...flow, frames: { ...flow.frames }, undo: [...flow.undo] }
  return main.workflow ?? null
}

/** The steps of a frame, which is made when it is first spoken of. */
export function draftSteps(flow: WorkflowState, frame: string): Record<string, StepState> {
  const known = flow.frames[frame]
  if (known && !Object.isFrozen(known)) return known.steps
  const own = { steps: { ...known?.steps } }
  flow.frames[frame] = own
  return own.steps
}

export function forgetIn(flow: WorkflowState, frame: string, id: string): void {
  if (flow.frames[frame]?.steps[id]) delete draftSteps(flow, frame)[id]
}

/** Null: the step was not begun. */
export function draftStep(flow: WorkflowState, path: string): StepState | null {
  const { frame, id } = stepPlace(path)
  const state = flow.frames[frame]?.steps[id]
  if (!state) return null
  if (!Object.isFrozen(state)) return state
  const { items, ...rest } = state
  const own = { ...rest, ...(items ? { items: { ends: [...items.ends], failed: [...items.failed] } } : {}) }
  draftSteps(flow, frame)[id] = own
  return own
}
