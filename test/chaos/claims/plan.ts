import type { SessionEvent } from '../../../src/domain/event.ts'

/** A sub-task begins once and ends once, and nothing is done in it behind its end; a plan that is answered leaves none open. */
export function claimsOfPlan(events: readonly SessionEvent[]): string[] {
  const begun = new Set<string>()
  const ended = new Set<string>()
  const problems: string[] = []
  for (const event of events) {
    const { scope, seq } = event
    if (scope !== null && ended.has(scope)) problems.push(`${event.type} at ${seq} in sub-task ${scope}, which is over`)
    if (event.type === 'task-start') {
      if (begun.has(event.task.id)) problems.push(`sub-task ${event.task.id} begins again at ${seq}`)
      begun.add(event.task.id)
    }
    if (event.type === 'task-end') ended.add(event.task.id)
    if (event.type !== 'run-end' || event.status === 'failed') continue
    const open = [...begun].filter((id) => !ended.has(id))
    problems.push(...open.map((id) => `sub-task ${id} is open when its run ends at ${seq}`))
  }
  return problems
}
