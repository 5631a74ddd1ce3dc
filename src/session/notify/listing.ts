import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { publish } from './publish.ts'

/** Keeps the list of sessions, and whoever is told of this one, up to date. */
export class Listing {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #underWay = new Set<Promise<boolean>>()
  /** The last pending item that was told of while others were at work. */
  #reportedPending: string | null = null

  constructor(journal: Journal, ports: SessionPorts) {
    this.#journal = journal
    this.#ports = ports
  }

  /** Have the list of sessions show this one as it is. False: it could not be reached, and the alarm tries again. */
  async list(): Promise<boolean> {
    const listing = publish(this.#journal, this.#ports)
    this.#underWay.add(listing)
    return listing.finally(() => this.#underWay.delete(listing))
  }

  /** Have whoever decides know of what was asked while other branches go on: the run may rest only much later. */
  reportAsked(): void {
    const newest = this.#journal.state.pending.at(-1)?.id ?? null
    if (newest === null || newest === this.#reportedPending) return
    this.#reportedPending = newest
    this.#ports.keepAlive(this.list())
  }

  /** Resolves when nothing of what was sent to the list is under way any more. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }
}
