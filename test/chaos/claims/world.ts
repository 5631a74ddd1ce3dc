import type { SessionEvent } from '../../../src/domain/event.ts'

/** Nothing is done that the log does not tell of: calls of the model and visits of pages have their `…-start`. */
export function claimsOfWorld(
  events: readonly SessionEvent[],
  { asked, hits }: { asked: number; hits: ReadonlyMap<string, number> },
): string[] {
  const begun = events.filter(({ type }) => type === 'model-start').length
  const visits = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'tool-start' || event.tool !== 'web_access') continue
    const url = String(event.arguments['url'])
    visits.set(url, (visits.get(url) ?? 0) + 1)
  }
  return [
    ...(asked <= begun ? [] : [`the model was asked ${asked} times, the log tells of ${begun}`]),
    ...[...visits].flatMap(([url, told]) => {
      const made = hits.get(url) ?? 0
      return made <= told ? [] : [`${url} was read ${made} times, the log tells of ${told}`]
    }),
  ]
}
