import type { EventType, SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Journal } from './journal.ts'

/** Events after a seq, read in bounded pages; `types`: of these only. */
export function* eventsBehind(
  { log }: Pick<Journal, 'log'>,
  seq: number,
  types?: readonly EventType[],
): Generator<SessionEvent> {
  const limit = LIMITS.stream.eventsPerPull
  for (let page = log.events(seq, limit, types); page.length > 0;) {
    yield* page
    const last = page.at(-1)
    page = page.length < limit || !last ? [] : log.events(last.seq, limit, types)
  }
}
