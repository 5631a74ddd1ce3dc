import type { ListedPending } from '../../domain/pending.ts'
import { CLIENT_LIMITS } from '../../domain/client-limits.ts'
import { sleep } from '../../lib/wait.ts'
import type { Client } from '../client.ts'
import { ApiProblem } from '../problem.ts'
import type { WaitingQuery } from '../sessions.ts'
import { LiveStore, Shared, type Store } from './store.ts'

/** What waits for a human in all sessions. */
export interface PendingSnapshot {
  isLoading: boolean
  /** Newest first. */
  items: readonly ListedPending[]
  /** Why the list is not the newest; null: it is. */
  problem: Error | null
}

export interface PendingStore extends Store<PendingSnapshot> {
  /** Reads the list now. */
  refresh(): Promise<void>
}

export const NOTHING_PENDING: PendingSnapshot = { isLoading: true, items: [], problem: null }

/** The list of what waits, read again and again while somebody listens and the page is seen. */
class LivePending extends LiveStore<PendingSnapshot> implements PendingStore {
  readonly #client: Client
  readonly #query: WaitingQuery
  #view = NOTHING_PENDING

  constructor(client: Client, query: WaitingQuery) {
    super(NOTHING_PENDING)
    this.#client = client
    this.#query = query
  }

  protected view(): PendingSnapshot {
    return this.#view
  }

  protected async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!isHidden()) await this.refresh()
      const { problem } = this.#view
      const asked = problem instanceof ApiProblem ? (problem.retryAfterMs ?? 0) : 0
      await untilSeen(Math.max(asked, CLIENT_LIMITS.lookMs), signal)
    }
  }

  async refresh(): Promise<void> {
    try {
      const { data } = await this.#client.sessions.waiting(this.#query)
      this.#view = { isLoading: false, items: data, problem: null }
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error))
      this.#view = { ...this.#view, isLoading: false, problem }
    }
    this.changed()
  }
}

/** The page, where there is one that can be hidden. */
function page(): (EventTarget & Record<'visibilityState', unknown>) | null {
  const document: unknown = Reflect.get(globalThis, 'document')
  return document instanceof EventTarget && 'visibilityState' in document ? document : null
}

const isHidden = () => page()?.visibilityState === 'hidden'

/** For so long, or until the page is seen again. */
async function untilSeen(ms: number, signal: AbortSignal): Promise<void> {
  const seen = new AbortController()
  const look = () => isHidden() || seen.abort()
  page()?.addEventListener('visibilitychange', look)
  await sleep(ms, AbortSignal.any([signal, seen.signal])).catch(() => {})
  page()?.removeEventListener('visibilitychange', look)
}

const lists = new Shared<LivePending>()

/** What waits in all sessions, to be looked at; `query` as of `client.sessions.waiting`. */
export function livePending(client: Client, query: WaitingQuery = {}): PendingStore {
  return lists.of(client, JSON.stringify(query), () => new LivePending(client, query))
}
