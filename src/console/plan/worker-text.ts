import type { PlanTask } from '../../domain/plan.ts'

/** Who does a task: of a role's plan with the role. */
export function workerText({ owner, worker }: PlanTask): string {
  return owner === undefined ? worker : `${owner} · ${worker}`
}
