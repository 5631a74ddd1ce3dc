import type { SessionEvent } from '../../domain/event.ts'

/** Seqs of the model calls that were made to summarise. The log tells by what they wrote; where a call was cut, by what goes
 *  before it: a turn of the agent opens an iteration, and what is repeated is what was cut. */
export function compactionsIn(events: readonly SessionEvent[]): Set<number> {
  const found = new Set<number>()
  const latest = new Map<string | null, boolean>()
  const wrote = new Map(
    events.flatMap((event) => (event.type === 'message' ? [[event.message.id, event.message.kind] as const] : [])),
  )
  events.forEach((event, at) => {
    if (event.type !== 'model-start' || event.purpose !== undefined) return
    const kind = wrote.get(event.message_id)
    const cut = event.attempt > 1 ? latest.get(event.scope) === true : events[at - 1]?.type !== 'iteration-start'
    const isCompaction = kind === undefined ? cut : kind === 'summary'
    latest.set(event.scope, isCompaction)
    if (isCompaction) found.add(event.seq)
  })
  return found
}
