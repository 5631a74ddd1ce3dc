import type { NewEvent } from '../../domain/event.ts'
import { closedBy, closedEvents } from '../../engine/closing.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { endAll } from '../commands/queue.ts'

/** End what a copied log leaves open. Nobody here decided what it says that was decided, so nothing of it may run: a run in progress
 *  ends as cancelled, those of queued messages too, and one that can be carried on asks anew. */
export function closeCopy(journal: Journal, engine: Engine): void {
  write(journal, closedBy('copied', { journal, engine }))
  const { status } = journal.state
  if (status !== 'in_progress' && status !== 'interrupted')
    write(journal, [...closedEvents(journal, engine), ...closedBy('copied-rest', { journal, engine })])
  endAll(journal, engine)
}

function write(journal: Journal, events: readonly NewEvent[]): void {
  if (events.length > 0) journal.append(events)
}
