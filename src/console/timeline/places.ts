import type { PlanTask } from '../../domain/plan.ts'
import { seatOf } from '../../domain/seat.ts'

/** Sub-tasks by their ids, as a person knows them: by number and worker. */
export class Places {
  readonly #tasks = new Map<string, string>()

  /** The tasks of a plan, in its order. */
  planned(tasks: readonly PlanTask[]): void {
    for (const [index, { id, worker }] of tasks.entries()) this.#tasks.set(id, `#${index + 1} ${worker}`)
  }

  /** A task whose plan is in a part of the log that is not known yet. */
  met({ id, worker }: PlanTask): void {
    if (!this.#tasks.has(id)) this.#tasks.set(id, worker)
  }

  /** The sub-task or role of a branch, such as `#2 crew · Writer`; null: a task of which nothing is known yet. */
  nameOf(scope: string): string | null {
    const { owner, role } = seatOf(scope)
    if (owner !== null) return [...(this.#tasks.has(owner) ? [this.#tasks.get(owner)] : []), role].join(' · ')
    return this.#tasks.get(scope) ?? (scope.startsWith('tsk_') ? null : scope)
  }
}
