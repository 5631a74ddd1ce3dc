import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import type { Log, MessageQuery } from '../domain/ports.ts'

const { recentMessagesMax: COUNT_MAX, recentCharsMax: CHARS_MAX, messagesPerPage: PAGE } = LIMITS.store

/** A log whose newest messages stay in memory, so that what a run asks for at every step is not read and parsed anew.
 *  Those that are folded away are not among them: what is read when an object wakes is the same for a session of any length.
 *  Only through it may the log be written. Messages that it gives are shared: nobody changes them. */
export function withRecentMessages(log: Log): Log {
  let recent: Recent | undefined
  let coveredSeq = 0
  return {
    ...log,
    load: () => {
      const known = log.load()
      recent = undefined
      coveredSeq = known?.state.window.coveredSeq ?? 0
      return known
    },
    append: (append) => {
      log.append(append)
      coveredSeq = append.state.window.coveredSeq
      if (append.state.lastSeq === append.events.length) recent ??= { messages: [], fromSeq: 0, chars: 0 }
      if (recent)
        recent = grown(
          recent,
          append.events.flatMap((event) => (event.type === 'message' ? event.message : [])),
        )
    },
    messages: (query) => find((recent ??= load(log, coveredSeq)), query) ?? log.messages(query),
    clear: () => {
      recent = undefined
      coveredSeq = 0
      log.clear()
    },
  }
}

/** The newest messages without a gap, oldest first: all with a seq of `fromSeq` or more. */
interface Recent {
  messages: Message[]
  fromSeq: number
  chars: number
}

function load(log: Log, after: number): Recent {
  let messages: Message[] = []
  for (let chars = 0, before = Infinity; messages.length < COUNT_MAX && chars < CHARS_MAX;) {
    const page = log.messages({ after, limit: PAGE, newestFirst: true, ...(before === Infinity ? {} : { before }) })
    messages = [...page.toReversed(), ...messages]
    before = messages[0]?.seq ?? 0
    chars += charsOf(page)
    if (page.length < PAGE) return { messages, fromSeq: after + 1, chars }
  }
  return trimmed({ messages, fromSeq: messages[0]?.seq ?? 0, chars: charsOf(messages) })
}

function grown(recent: Recent, added: readonly Message[]): Recent {
  for (const message of added) recent.messages.push(message)
  recent.chars += charsOf(added)
  return trimmed(recent)
}

/** Without the older half when they are too many, the longer half when they are too long. */
function trimmed(recent: Recent): Recent {
  if (recent.messages.length <= COUNT_MAX && recent.chars <= CHARS_MAX) return recent
  let chars = 0
  const start = recent.messages.findLastIndex((message) => (chars += charsOf([message])) > CHARS_MAX / 2)
  const messages = recent.messages.slice(Math.max(start + 1, recent.messages.length - COUNT_MAX / 2))
  const nextSeq = (recent.messages.at(-1)?.seq ?? 0) + 1
  return { messages, fromSeq: messages[0]?.seq ?? nextSeq, chars: charsOf(messages) }
}

/** The answer to a query, or null when older messages may belong to it. */
function find({ messages, fromSeq }: Recent, query: MessageQuery): Message[] | null {
  const { after = 0, before = Infinity, scope, limit, newestFirst = false } = query
  const wanted = (message: Message) => scope === undefined || message.scope === scope
  const isWhole = after + 1 >= fromSeq
  const start = firstBehind(messages, after)
  if (!newestFirst) {
    if (!isWhole) return null
    const end = before === Infinity ? messages.length : firstBehind(messages, before - 1)
    return messages.slice(start, end).filter(wanted).slice(0, limit)
  }
  const found: Message[] = []
  for (let at = messages.length - 1; at >= start && found.length < limit; at--) {
    const message = messages[at]
    if (message && message.seq < before && wanted(message)) found.push(message)
  }
  return isWhole || found.length === limit ? found : null
}

/** The index of the first message with a seq behind this one. */
function firstBehind(messages: readonly Message[], seq: number): number {
  let low = 0
  for (let high = messages.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((messages[middle]?.seq ?? Infinity) > seq) high = middle
    else low = middle + 1
  }
  return low
}

function charsOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content, reasoning, tool_calls: calls }) => {
    return (
      sum +
      (typeof content === 'string' ? content : JSON.stringify(content)).length +
      (reasoning?.length ?? 0) +
      (calls ? JSON.stringify(calls).length : 0)
    )
  }, 0)
}
