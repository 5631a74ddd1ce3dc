import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { ToolQuestion, ToolContext, ToolNews } from '../../domain/tool.ts'
import { cutText } from '../../lib/text.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import { type NewPending, pendingItem } from '../../engine/open.ts'

interface Place {
  scope: string | null
  callId: string
}

/** What the call asked before it was cut off for the answer, and the answer. */
export function answerOf(
  { id, feedback, status, declined, result }: OpenCall,
  { journal }: MoveContext,
): ToolContext['answer'] {
  if (status === 'open') return null
  const state = journal.log.text(askedKey(id))
  if (state === null) return null
  const delivered = result && journal.log.events(result.seq - 1, 1)[0]
  return {
    state,
    said: feedback ?? '',
    ...(delivered?.type === 'pending-end' ? { delivered: delivered.result ?? null } : {}),
    ...(delivered?.type === 'pending-end' && delivered.by?.kind === 'server' ? { from: delivered.by.id } : {}),
    ...(declined ? { declined } : {}),
  }
}

/** What the human said along with the decision on the call; null: nothing, or it is the answer to what the call asked. */
export function feedbackOn(open: OpenCall, context: MoveContext): string | null {
  return answerOf(open, context) ? null : open.feedback
}

/** The call waits for the user; with the answer it is made again. */
export function askedOf(tool: string, { scope, callId }: Place, asked: ToolQuestion, context: MoveContext): Outcome {
  const item = { type: 'question', call_id: callId, tool, ...questionOf(asked), scope } as const
  return { events: [pendingItem(item, context, asked.until)], texts: [{ key: askedKey(callId), text: asked.state }] }
}

function questionOf({
  question,
  options,
  form,
  default: otherwise,
  wait,
  connection,
  until,
}: ToolQuestion): Partial<NewPending> {
  const { webhookKey, session, reason } = wait ?? {}
  return {
    question,
    ...(options ? { options } : {}),
    ...(form ? { form } : {}),
    ...(connection ? { connection } : {}),
    ...(otherwise === undefined ? {} : { default: otherwise }),
    ...(wait && until !== undefined
      ? {
          wait: {
            until: new Date(until).toISOString(),
            ...(webhookKey === undefined ? {} : { webhook_key: webhookKey }),
            ...(session === undefined ? {} : { session }),
            ...(reason === undefined ? {} : { reason }),
          },
        }
      : {}),
  }
}

function askedKey(callId: string): string {
  return `asked:${callId}`
}

/** Tells watchers of a call, as long as it is under way. */
export function reporterOf(place: Place, isUnderWay: () => boolean, { journal }: MoveContext): ToolContext['report'] {
  let reported = 0
  return (news) => {
    if (++reported <= LIMITS.tool.newsMax && isUnderWay()) journal.append([newsEvent(news, place)])
  }
}

function newsEvent(news: ToolNews, { scope, callId }: Place): NewEvent {
  const { newsCharsMax } = LIMITS.tool
  const call = { scope, call_id: callId }
  if (news.type === 'log')
    return {
      type: 'tool-log',
      ...call,
      level: news.level.slice(0, newsCharsMax),
      text: cutText(news.text, newsCharsMax),
    }
  const { progress, total, message } = news
  return { type: 'tool-progress', ...call, progress, total, message: message && cutText(message, newsCharsMax) }
}
