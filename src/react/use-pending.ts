import { useMemo, useSyncExternalStore } from 'react'
import {
  type DecisionInput,
  type ListedPending,
  livePending,
  NOTHING_PENDING,
  type PendingSnapshot,
  type WaitingQuery,
} from '../client/index.ts'
import { type ClientGiven, useClient } from './client-given.ts'

export interface PendingHook extends PendingSnapshot {
  /** Decides an item; its run goes on, and the list is read anew. */
  decide: (item: Pick<ListedPending, 'id' | 'session_id'>, decision: DecisionInput) => Promise<void>
  /** Reads the list now. */
  refresh: () => Promise<void>
}

const none = () => NOTHING_PENDING

/** What waits for a human in all sessions; `query` as of `client.sessions.waiting`. */
export function usePending(client: ClientGiven, query: WaitingQuery = {}): PendingHook {
  const known = useClient(client)
  const name = JSON.stringify(query)
  const store = useMemo(() => livePending(known, JSON.parse(name) as WaitingQuery), [known, name])
  const view = useSyncExternalStore(store.subscribe, store.get, none)
  const acts = useMemo(() => {
    const refresh = () => store.refresh()
    const decide: PendingHook['decide'] = async ({ id, session_id: session }, decision) => {
      await known.sessions.start(session, { type: 'decide', pendingId: id, decision })
      await refresh()
    }
    return { refresh, decide }
  }, [known, store])
  return useMemo(() => ({ ...view, ...acts }), [view, acts])
}
