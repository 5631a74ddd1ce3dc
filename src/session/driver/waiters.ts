import type { AgentResponseData } from '../../domain/session.ts'
import { limitsOf } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'
import { pauseEvents } from '../../run/steps/end.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { responseOf } from '../queries/response.ts'
import { isOpen } from '../../log/branches.ts'

interface Waiter {
  /** Where the log ended when the run was asked for. */
  fromSeq: number
  resolve: (response: AgentResponseData) => void
}

/** Whoever waits for the answer of a run, and how long a request may have them wait. */
export class Waiters {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #settle: () => void
  readonly #waiters = new Map<string, Waiter[]>()
  /** The time bound of the request that drives a run, by run. */
  readonly #bounds = new Map<string, ReturnType<typeof setTimeout>>()

  /** `settle`: the run rests. */
  constructor(journal: Journal, ports: SessionPorts, settle: () => void) {
    this.#journal = journal
    this.#ports = ports
    this.#settle = settle
  }

  /** The answer of a run, once it rests and the list of sessions knows. */
  rested(runId: string, fromSeq: number): Promise<AgentResponseData> {
    return new Promise((resolve) => {
      this.#waiters.set(runId, [...(this.#waiters.get(runId) ?? []), { fromSeq, resolve }])
    })
  }

  /** Answers whoever waits for a run that rests or that another has followed. */
  answer(): void {
    for (const [runId, waiters] of this.#waiters) {
      if (!isOpen(this.#journal.state, runId)) this.#resolve(runId, waiters)
    }
  }

  #resolve(runId: string, waiters: readonly Waiter[]): void {
    this.#unbind(runId)
    this.#waiters.delete(runId)
    for (const { fromSeq, resolve } of waiters) resolve(responseOf(this.#journal, this.#ports.engine, runId, fromSeq))
  }

  /** A request is answered after `request_ms` at the latest; its run then rests, and what is under way ends in the background. One that goes
   *  on in the background since does not rest. */
  bound(runId: string): void {
    this.#unbind(runId)
    const ms = limitsOf(this.#ports.engine, this.#journal.record).request_ms
    this.#bounds.set(
      runId,
      setTimeout(() => this.#restAtBound(runId), ms),
    )
  }

  #unbind(runId: string): void {
    clearTimeout(this.#bounds.get(runId))
    this.#bounds.delete(runId)
  }

  /** The time of a request is over. One whose run is still queued gets its time once more. */
  #restAtBound(runId: string): void {
    if (!this.#journal.exists) return
    const { run, queue } = this.#journal.state
    if (queue.some((queued) => queued.runId === runId)) return this.bound(runId)
    if (run?.id !== runId) return
    const isActive = run.phase === 'active'
    if (isActive && run.mode === 'request') this.#journal.append(pauseEvents(this.#journal, 'rest'))
    else if (isActive) this.#resolve(runId, this.#waiters.get(runId) ?? [])
    this.#settle()
  }
}
