import { contentText } from '../../../src/domain/content.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { notRunText } from '../../../src/agent/texts.ts'

/** Requests that change something are made once at most, and every one that was made is told of: by its end, or as one that was
 *  cut, whose outcome nobody knows. `posts`: times that each arrived, by the id of its call. */
export function claimsOfPosts(events: readonly SessionEvent[], posts: ReadonlyMap<string, number>): string[] {
  return startsOfPosts(events).flatMap((start) => {
    const { call_id: id, attempt, seq } = start
    const arrived = posts.get(id) ?? 0
    const { ended, result } = fateOf(events, id)
    return [
      ...(arrived > 1 ? [`the request of ${id} arrived ${arrived} times`] : []),
      ...(attempt > 1 ? [`the request of ${id} was made again at ${seq}`] : []),
      ...(ended && arrived === 0 ? [`the request of ${id} was answered and never arrived`] : []),
      ...(!ended && !isCut(result) ? [`the request of ${id} was cut, and what is told of it is ${result}`] : []),
    ]
  })
}

/** Ids of all requests that were begun. */
export function startsOfPosts(events: readonly SessionEvent[]): Extract<SessionEvent, { type: 'tool-start' }>[] {
  return events.flatMap((event) => (event.type === 'tool-start' && event.tool === 'http_request' ? [event] : []))
}

function fateOf(events: readonly SessionEvent[], id: string): { ended: boolean; result: string | null } {
  const ended = events.some((event) => event.type === 'tool-end' && event.call_id === id)
  const results = events.flatMap((event) =>
    event.type === 'message' && event.message.tool_call_id === id ? [contentText(event.message.content, null)] : [],
  )
  return { ended, result: results[0] ?? null }
}

/** Whether a result says that nobody knows how the call ended. */
export function isCut(result: string | null): boolean {
  return CUT.some((text) => result?.startsWith(text))
}

const CUT = [notRunText('http_request', 'interrupted', 'en'), notRunText('网络请求', 'interrupted', 'zh-CN')]
