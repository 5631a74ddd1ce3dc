import type { CallbackEvent, News, NewsData, NotifiedPending } from '../../domain/callback.ts'
import type { EventType, SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Pending } from '../../domain/pending.ts'
import { withinTime } from '../../lib/wait.ts'
import { cutText } from '../../lib/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { eventsBehind } from '../../log/read-pages.ts'

/** Under this key of the log's texts stands the seq up to which the tenant's callbacks were told. */
const NOTIFIED = 'callbacks'

/** The events that callbacks may want to be told of, and that which ends a pending item. */
const TYPES: readonly EventType[] = ['pending', 'pending-end', 'run-pause', 'run-end']

interface Batch {
  news: News[]
  seq: number
}

/** Tell the tenant's outbox what happened since the last time; `since` (Unix ms): from when on there is somebody to be told, null:
 *  nobody is. What is told is found in the log and marked there, so that a crash repeats it at most, which changes nothing. False:
 *  it has to be tried again. */
export async function notifyOutbox(journal: Journal, ports: SessionPorts, since: number | null): Promise<boolean> {
  const { outbox, engine } = ports
  if (since === null || outbox === null) return true
  try {
    for (let batch = nextBatch(journal, engine, since); batch !== null; batch = nextBatch(journal, engine, since)) {
      await withinTime(outbox.put(journal.record.tenant, batch.news), LIMITS.callback.notifyMs)
      if (!journal.exists) return true
      markNotified(journal, batch.seq)
    }
    return true
  } catch (error) {
    ports.report(error)
    return false
  }
}

/** What happened up to a seq needs no telling: it is told, or happened elsewhere. */
export function markNotified(journal: Journal, seq: number = journal.state.lastSeq): void {
  if (seq > notifiedSeq(journal)) journal.append([], { texts: [{ key: NOTIFIED, text: String(seq) }] })
}

function notifiedSeq({ log }: Journal): number {
  return Number(log.text(NOTIFIED) ?? 0)
}

/** The oldest that is not told; null: nothing. */
function nextBatch(journal: Journal, engine: Engine, since: number): Batch | null {
  const news: News[] = []
  let open: Pending[] = []
  let seq = 0
  for (const event of eventsBehind(journal, notifiedSeq(journal), TYPES)) {
    if (event.type === 'pending') open = [...open, event.pending]
    if (event.type === 'pending-end') open = open.filter(({ id }) => id !== event.id)
    if (Date.parse(event.time) < since) continue
    const found = newsOf(event, journal, engine, open)
    news.push(...found)
    if (found.length > 0) seq = event.seq
    if (news.length >= LIMITS.callback.newsPerNotifyMax) break
  }
  return news.length === 0 ? null : { news, seq }
}

function newsOf(event: SessionEvent, journal: Journal, engine: Engine, open: readonly Pending[]): News[] {
  const { record } = journal
  const { seq, time } = event
  const data = dataOf(event, journal, engine, open)
  return eventsOf(event, data).map((name) => ({ event: name, sessionId: record.id, seq, time: Date.parse(time), data }))
}

/** A question is told with the rest of its run. */
const REQUESTED: Readonly<Record<Pending['type'], CallbackEvent[]>> = {
  approval: ['approval.requested'],
  tool_call: ['tool_call.requested'],
  question: [],
}

/** What waits for a time, a delivery or another session asks nobody, and a rest without anything that waits does not either. */
const isAsked = ({ wait }: Pick<NotifiedPending, 'wait'>) => wait === undefined

/** What an event of the log is to callbacks. */
function eventsOf(event: SessionEvent, { pending = [] }: NewsData): CallbackEvent[] {
  if (event.type === 'pending') return REQUESTED[event.pending.type]
  if (event.type === 'run-pause') return pending.some(isAsked) ? ['run.interrupted'] : []
  if (event.type !== 'run-end') return []
  if (event.status === 'completed') return ['run.completed']
  if (event.status === 'cancelled') return ['run.cancelled']
  const isBudget = event.finish_reason === 'budget_exhausted' || event.finish_reason === 'no_money'
  return isBudget ? ['run.failed', 'run.budget_exhausted'] : ['run.failed']
}

function dataOf(event: SessionEvent, journal: Journal, engine: Engine, open: readonly Pending[]): NewsData {
  const { id, title, user } = journal.record
  const whose = { session_id: id, run_id: event.run_id, title, user }
  if (event.type === 'run-end') {
    const { status, finish_reason: reason, result, error } = event
    return { ...whose, status, finish_reason: reason, ...resultOf(result, id), ...(error ? { error } : {}) }
  }
  const reason = event.type === 'run-pause' ? event.finish_reason : 'interrupted'
  const items = event.type === 'pending' ? [event.pending] : waiting(journal, event, open)
  const pending = items.slice(0, LIMITS.callback.pendingItemsMax).map((item) => notifiedItem(item, engine))
  return { ...whose, status: 'interrupted', finish_reason: reason, pending }
}

/** What waited at an event: what was asked since the last time, and what had waited before and still does. */
function waiting({ state }: Journal, event: SessionEvent, open: readonly Pending[]): readonly Pending[] {
  const known = new Set(open.map(({ id }) => id))
  const before = state.pending.filter((item) => !known.has(item.id) && item.created_time <= event.time)
  return [...before, ...open]
}

function resultOf(result: string | null, sessionId: string): Pick<NewsData, 'result' | 'truncated'> {
  const max = LIMITS.callback.resultCharsMax
  if (result === null || result.length <= max) return { result }
  const kept = cutText(result, max)
  const rest = `/v1/sessions/${sessionId}?messages=last_run`
  return { result: kept, truncated: { original_length: result.length, kept_length: kept.length, rest } }
}

/** A pending item as callbacks are told of it, within its limits. */
function notifiedItem({ arguments: args, ...item }: Pending, engine: Engine): NotifiedPending {
  const { argumentsCharsMax, argumentsExcerptChars, questionCharsMax } = LIMITS.callback
  const question = item.question === undefined ? {} : { question: cutText(item.question, questionCharsMax) }
  if (args === undefined) return { ...item, ...question }
  const json = JSON.stringify(args)
  const shown =
    json.length <= argumentsCharsMax ? { arguments: args } : { arguments_excerpt: cutText(json, argumentsExcerptChars) }
  // What a call of the caller reaches is known to the caller alone.
  if (item.type === 'tool_call') return { ...item, ...shown }
  return { ...item, ...question, ...shown, touches: touchedBy(item.tool, args, engine) }
}

function touchedBy(tool: string | undefined, args: Record<string, unknown>, engine: Engine) {
  const touched = toolOf(engine, tool ?? '')?.effects(args)
  const { touchedMax, touchedCharsMax } = LIMITS.callback
  const short = (texts: readonly string[] = []) =>
    texts.slice(0, touchedMax).map((text) => cutText(text, touchedCharsMax))
  return { addresses: short(touched?.addresses), paths: short(touched?.paths) }
}
