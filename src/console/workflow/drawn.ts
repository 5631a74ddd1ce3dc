import type { StepView } from '../../domain/workflow-view.ts'
import { listsOf, joinedPath, stepsAt, textAt, writtenAt, type WrittenWorkflow } from './definition.ts'
import { writtenType } from './step-fields.ts'

const NOT_RUN = {
  status: 'pending',
  attempt: 1,
  scope: null,
  start_seq: null,
  end_seq: null,
  started_time: null,
  ended_time: null,
  error: null,
} as const

/** The steps of a workflow that is written, as those of a run that has not begun. */
export function drawnOf(workflow: WrittenWorkflow): StepView[] {
  return drawn(stepsAt(workflow['steps']), '', null)
}

function drawn(steps: readonly unknown[], around: string, parent: string | null): StepView[] {
  return steps.flatMap((step, index) => {
    const type = writtenType(step)
    if (type === null) return []
    const at = (one: unknown) => joinedPath(around, textAt(one, 'id'))
    const needs = writtenAt(step, 'depends_on')
    const above = steps[index - 1]
    const depends_on = Array.isArray(needs)
      ? needs.map((id) => joinedPath(around, String(id)))
      : above === undefined
        ? []
        : [at(above)]
    const path = at(step)
    const inner = listsOf(step).flatMap(({ field, steps: list }) =>
      drawn(list, path, path).map((one) =>
        field === 'rollback' && one.parent === path ? { ...one, undoes: path } : one,
      ),
    )
    return [{ ...NOT_RUN, step: path, type, parent, depends_on }, ...inner]
  })
}
