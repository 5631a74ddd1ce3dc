import { bodiesOf, type StepDefinition } from '../../domain/workflow-step.ts'
import { type WorkflowDefinition } from '../../domain/workflow.ts'

/** Which steps there are, and in which order those of a list are done. */

/** Every step of a workflow with its path, those too that undo others. */
export function stepsIn(
  { steps }: Pick<WorkflowDefinition, 'steps'>,
  path = 'steps',
): { step: StepDefinition; path: string }[] {
  return steps.flatMap((step, index) => {
    const at = `${path}.${index}`
    const lists = [...bodiesOf(step), ...(step.rollback ? [{ field: 'rollback', steps: step.rollback }] : [])]
    return [
      { step, path: at },
      ...lists.flatMap(({ field, steps: inner }) => stepsIn({ steps: inner }, `${at}.${field}`)),
    ]
  })
}

/** Ids of the steps that a step waits for: those that it names, else the one above. */
export function needsOf(steps: readonly StepDefinition[], step: StepDefinition): string[] {
  if (step.depends_on) return step.depends_on
  const above = steps[steps.indexOf(step) - 1]
  return above ? [above.id] : []
}

/** A step and those that stand in it and are done in the same frame: what it does for items, or in another workflow, has frames of its own. */
export function sameFrame(step: StepDefinition): string[] {
  if (step.type === 'map') return [step.id]
  return [step.id, ...bodiesOf(step).flatMap(({ steps }) => steps.flatMap(sameFrame))]
}

/** Of each step of a list, which has no cycle, the ids of all that is done before it. */
export function beforeEach(steps: readonly StepDefinition[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const found = new Map<string, ReadonlySet<string>>()
  const beforeStep = (step: StepDefinition): ReadonlySet<string> => {
    const known = found.get(step.id)
    if (known) return known
    const before = new Set<string>()
    for (const needed of needsOf(steps, step).flatMap((id) => byId.get(id) ?? [])) {
      for (const id of beforeStep(needed)) before.add(id)
      for (const id of sameFrame(needed)) before.add(id)
    }
    found.set(step.id, before)
    return before
  }
  for (const step of steps) beforeStep(step)
  return found
}

/** Ids of steps that wait for each other; null: none do. */
export function cycleIn(steps: readonly StepDefinition[]): string[] | null {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const done = new Set<string>()
  const follow = (id: string, path: readonly string[]): string[] | null => {
    if (path.includes(id)) return path.slice(path.indexOf(id))
    const step = byId.get(id)
    if (!step || done.has(id)) return null
    for (const needed of needsOf(steps, step)) {
      const cycle = follow(needed, [...path, id])
      if (cycle) return cycle
    }
    done.add(id)
    return null
  }
  for (const { id } of steps) {
    const cycle = follow(id, [])
    if (cycle) return cycle
  }
  return null
}
