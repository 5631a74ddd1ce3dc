import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { FeedbackData, FeedbackInput } from '../../domain/feedback.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { type Journal, unfit } from '../../log/journal.ts'

const PAGE = LIMITS.http.listMax

/** Writes what a person says of an answer; nothing, if that was said already. */
export function rate(journal: Journal, messageId: string, input: FeedbackInput): Result<FeedbackData> {
  const gone = unfit(journal)
  if (gone) return gone
  const message = messageOf(journal, messageId)
  if (!message) return fail({ code: 'not_found', what: 'message' })
  if (message.role !== 'assistant') return invalid([{ path: 'message', message: 'a message of the assistant' }])
  const { rating, comment } = { rating: input.rating, comment: input.comment || null }
  const known = ratingOf(journal, message)
  if (known.rating !== rating || known.comment !== comment)
    journal.append([{ type: 'feedback', message_id: messageId, rating, comment }])
  return ok({ object: 'feedback', session_id: journal.record.id, message_id: messageId, rating, comment })
}

/** What was said of an answer last. */
function ratingOf({ log }: Journal, { id, seq }: Message): Pick<FeedbackData, 'rating' | 'comment'> {
  let said: Pick<FeedbackData, 'rating' | 'comment'> = { rating: null, comment: null }
  for (let after = seq; ;) {
    const page = log.events(after, PAGE, ['feedback'])
    for (const event of page) if (event.type === 'feedback' && event.message_id === id) said = event
    if (page.length < PAGE) return said
    after = page.at(-1)?.seq ?? after
  }
}

/** Looked for from the newest on, a page at a time: mostly it is the last answer. */
function messageOf({ log }: Journal, id: string): Message | undefined {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = log.messages({ before, limit: PAGE, newestFirst: true })
    const found = page.find((message) => message.id === id)
    if (found || page.length < PAGE) return found
    before = page.at(-1)?.seq ?? 0
  }
}
