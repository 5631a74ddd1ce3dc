import type { PlanState, TaskState } from './plan.ts'
import { MAIN, type RunState } from './state.ts'

type Scopes = Pick<RunState, 'scopes'>

/** A sub-task, and whose plan it is of. `owner`: the scope of a role, or null for the run itself. */
export interface OwnedTask {
  owner: string | null
  plan: PlanState
  task: TaskState
}

/** The plan of the run (null) or of a role; null: it has none. */
export function planOf({ scopes }: Scopes, owner: string | null): PlanState | null {
  return scopes[owner ?? MAIN]?.plan ?? null
}

/** All plans of a run with their owners, the run's own first. */
export function plansIn({ scopes }: Scopes): { owner: string | null; plan: PlanState }[] {
  return Object.entries(scopes).flatMap(([scope, { plan }]) => (plan ? [{ owner: scope || null, plan }] : []))
}

/** The sub-task that a line of work is; null: it is none. */
export function taskIn(run: Scopes, scope: string | null): OwnedTask | null {
  if (scope === null) return null
  for (const { owner, plan } of plansIn(run)) {
    const task = plan.tasks.find(({ id }) => id === scope)
    if (task) return { owner, plan, task }
  }
  return null
}

/** Every sub-task of a run with whose it is. */
export function tasksIn(run: Scopes): OwnedTask[] {
  return plansIn(run).flatMap(({ owner, plan }) => plan.tasks.map((task) => ({ owner, plan, task })))
}
