import type { PlanState, TaskState } from './plan.ts'
import { seatOf } from './seat.ts'
import { MAIN, type RunState } from './state.ts'
import { roleState, type RoleState, type TeamState } from './team.ts'

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

/** The sub-task that a branch is; null: it is none. */
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

interface Teams {
  team?: TeamState | undefined
  run: Scopes | null
}

/** The team of the session (null), or of a sub-task; absent: it has none. */
export function teamIn({ team, run }: Teams, owner: string | null): TeamState | undefined {
  return owner === null ? team : run?.scopes[owner]?.team
}

/** Where the role stands whose branch it is; an untouched one when it has heard nothing yet. */
export function roleAt(state: Teams, scope: string): RoleState {
  const { owner, role } = seatOf(scope)
  return roleState(teamIn(state, owner), role)
}

/** A branch and those that it is a part of, itself first: a sub-task is a part of its role, a role of its sub-task. */
export function branchesAbove(run: Scopes, scope: string | null): string[] {
  const lines: string[] = []
  for (let line = scope; line !== null && !lines.includes(line);) {
    lines.push(line)
    const owned = taskIn(run, line)
    line = owned ? owned.owner : seatOf(line).owner
  }
  return lines
}

/** The branches of a sub-task: its own and, where a team works at it, those of its roles and of their sub-tasks. */
export function branchesOf(run: Scopes, task: string): string[] {
  if (!run.scopes[task]?.team) return [task]
  return Object.keys(run.scopes).filter((scope) => scope !== MAIN && branchesAbove(run, scope).includes(task))
}

/** The sub-task with a team that a branch is a part of; null: there is none, and it is of the session's own team, if of any. */
export function teamTaskOf(run: Scopes, scope: string | null): string | null {
  return branchesAbove(run, scope).find((line) => run.scopes[line]?.team) ?? null
}

/** The team that pays for a branch; absent: none does. */
export function payerOf(state: Teams, scope: string | null): TeamState | undefined {
  return teamIn(state, state.run && teamTaskOf(state.run, scope))
}
