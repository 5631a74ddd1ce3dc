import type { NewEvent } from '../domain/event.ts'
import type { Pending } from '../domain/pending.ts'
import { newId } from '../lib/id.ts'
import { limitsOf, type MoveContext } from './engine.ts'

export type NewPending = Omit<Pending, 'id' | 'created_time' | 'expires_time'>

/** Something that waits for a human, from now until its time is over. Every pending item is made here. */
export function pendingItem(item: NewPending, { journal, engine }: MoveContext): NewEvent {
  const now = journal.now()
  const pending: Pending = {
    ...item,
    id: newId('pnd', now),
    created_time: new Date(now).toISOString(),
    expires_time: new Date(now + limitsOf(engine, journal.record).approval_ttl_ms).toISOString(),
  }
  return { type: 'pending', pending, scope: item.scope }
}
