import { isPassed, itemOf, pathOf, ROOT_FRAME, stateAt, type StepShape, stepsOf, type WorkflowState } from './state.ts'

/** How much of a workflow is done, 0 to 1: each step of a list counts the same, and what is done of the steps within one is a part of it. */
export function doneShare(flow: WorkflowState): number {
  return shareOfList(flow, ROOT_FRAME, stepsOf(flow, ROOT_FRAME))
}

function shareOfList(flow: WorkflowState, frame: string, list: readonly StepShape[]): number {
  if (list.length === 0) return 1
  return list.reduce((sum, shape) => sum + shareOf(flow, frame, shape), 0) / list.length
}

function shareOf(flow: WorkflowState, frame: string, shape: StepShape): number {
  const path = pathOf(frame, shape.id)
  const state = stateAt(flow, path)
  if (isPassed(state)) return 1
  if (!state || state.startSeq === 0) return 0
  const { bodies = [] } = shape
  switch (shape.type) {
    case 'map':
      return state.items ? shareOfItems(flow, path, shape, state.items) : 0
    case 'workflow':
      return shareOfList(flow, path, stepsOf(flow, path))
    case 'parallel':
      return shareOfList(flow, frame, bodies.flat())
    case 'if':
    case 'switch':
      return shareOfList(flow, frame, bodies[state.body ?? -1] ?? [])
    default:
      return 0
  }
}

function shareOfItems(
  flow: WorkflowState,
  path: string,
  { bodies = [] }: StepShape,
  { ends, failed }: { ends: readonly number[]; failed: readonly number[] },
): number {
  if (ends.length === 0) return 1
  const shares = ends.map((end, index) => {
    if (end > 0 && !failed.includes(index)) return 1
    const item = itemOf(path, index)
    return flow.frames[item] ? shareOfList(flow, item, bodies[0] ?? []) : 0
  })
  return shares.reduce((sum, share) => sum + share, 0) / ends.length
}
