import type { SessionEvent } from '../../domain/event.ts'

/** Failures that only pass on what failed within a step. */
const PASSED_ON: ReadonlySet<string | undefined> = new Set(['step_failed', 'not_undone'])

/** Whether a workflow came to its end since a person refused a step of it, which is no failure of the system. */
export class Refusals {
  /** The run in which a person said no last; null: they said something else since. */
  #saidNo: string | null = null
  /** The run whose last step that failed is one that they said no to. */
  #refused: string | null = null

  follow(event: SessionEvent): void {
    if (event.type === 'pending-end') this.#saidNo = event.decision === 'reject' ? event.run_id : null
    if (event.type !== 'step-end' || event.status !== 'failed' || PASSED_ON.has(event.error?.code)) return
    // A tool that is not permitted here is refused too, by nobody.
    this.#refused = event.error?.code === 'refused' && event.run_id === this.#saidNo ? event.run_id : null
  }

  isEndOf({ run_id: run, error }: SessionEvent & { type: 'run-end' }): boolean {
    return error?.code === 'step_failed' && run !== null && run === this.#refused
  }
}
