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

/** The callers who wait for the answer of a run, and the time after which a request has to be answered. */
export class Waiters {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #settle: () => void
  readonly #waiters = new Map<string, Waiter[]>()
  /** The timer of the request that drives a run, by the id of the run. */
  readonly #bounds = new Map<string, ReturnType<typeof setTimeout>>()

  /** `settle`: called when the time of a request is over. */
  constructor(journal: Journal, ports: SessionPorts, settle: () => void) {
    this.#journal = journal
    this.#ports = ports
    this.#settle = settle
  }

  /** Resolves with the answer of a run, when it rests. */
  rested(runId: string, fromSeq: number): Promise<AgentResponseData> {
    return new Promise((resolve) => {
      this.#waiters.set(runId, [...(this.#waiters.get(runId) ?? []), { fromSeq, resolve }])
    })
  }

  /** Answer those who wait for a run that rests, or that another run has followed. */
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

  /** Have a request answered after `request_ms` at the latest. Its run rests then, and moves that are under way end in the background. A run that goes on
   *  in the background since does not rest. */
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

  /** The time of a request is over. If its run is still queued, the time begins anew. */
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
