import { newState } from '../../../src/domain/state.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { Message } from '../../../src/domain/message.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { repliesIn } from './log.ts'
import { same, type World } from '../world.ts'

export interface Exported {
  session: SessionData
  events: SessionEvent[]
}

/** What the server shows of a session is the fold of its log. */
export async function claimsOfShown(
  world: World,
  events: readonly SessionEvent[],
  exported: Exported,
): Promise<string[]> {
  const { id } = exported.session
  const session = await world.read<SessionData>(`/v1/sessions/${id}`)
  const messages = events.flatMap((event) => (event.type === 'message' ? [event.message] : []))
  const state = reduce(newState(0), events)
  const end = events.findLast(({ type }) => type === 'run-end')
  const isOver = (state.run?.endSeq ?? 0) > 0
  const differs = (what: string, shown: unknown, known: unknown) =>
    same(shown, known) ? [] : [`${what} is ${JSON.stringify(shown)}, by the log ${JSON.stringify(known)}`]
  return [
    ...differs('status', session.status, state.status),
    ...differs('finish_reason', session.finish_reason, state.finishReason),
    ...differs('result', session.result, isOver && end?.type === 'run-end' ? end.result : null),
    ...differs('ended_by', session.ended_by, state.run?.endedBy ?? null),
    ...differs('error', session.error?.code ?? null, state.run?.error?.code ?? null),
    ...differs('pending', session.pending, state.pending),
    ...differs('usage', session.usage, state.usage),
    ...differs('last_seq', session.last_seq, state.lastSeq),
    ...differs('etag', session.etag, `"${state.lastSeq}"`),
    ...differs('messages', session.messages, messages),
    ...differs('the list of messages', await listed(world, id), messages),
    ...differs('the export', exported.events, events),
    ...differs('model_calls', session.usage.model_calls, repliesIn(events).length),
    ...differs('tool_calls', session.usage.tool_calls, events.filter(({ type }) => type === 'tool-end').length),
  ]
}

async function listed(world: World, id: string): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = 0; ; after = messages.at(-1)?.seq ?? after) {
    const page = await world.read<{ data: Message[] }>(`/v1/sessions/${id}/messages?after=${after}&limit=100`)
    messages.push(...page.data)
    if (page.data.length < 100) return messages
  }
}
