import type { SessionEvent } from '../../domain/event.ts'

/** Seqs of the model calls and tool calls that were begun and never ended: their process died, or they were given up. */
export function cutMovesIn(events: readonly SessionEvent[]): Set<number> {
  const open = new Map<string, number>()
  const cut = new Set<number>()
  for (const event of events) {
    const id = idOf(event)
    if (id === null) continue
    const begun = open.get(id)
    if (event.type === 'model-end' || event.type === 'tool-end') open.delete(id)
    else {
      if (begun !== undefined) cut.add(begun)
      open.set(id, event.seq)
    }
  }
  return new Set([...cut, ...open.values()])
}

function idOf(event: SessionEvent): string | null {
  if (event.type === 'model-start' || event.type === 'model-end') return event.message_id
  return event.type === 'tool-start' || event.type === 'tool-end' ? event.call_id : null
}
