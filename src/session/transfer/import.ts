import { fail, type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import type { ImportInput } from '../../domain/event-input.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { isDeeper } from '../../lib/json.ts'
import { readAllText } from '../../lib/streams.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { Engine } from '../../engine/engine.ts'
import type { AppendExtras, Journal } from '../../log/journal.ts'
import { markRemembered } from '../notify/remember.ts'
import { markNotified } from '../notify/outbox.ts'
import { historyEvents } from '../commands/create.ts'
import { closeCopy } from './close-copy.ts'

/** Read an exported document. What is wrong with it is said with paths, and nothing is kept of it. */
export async function readImport(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Result<ImportInput>> {
  const json = await readJson(body, bytesMax)
  if (!json.ok) return json
  // Its schemas are made when they are first needed.
  const { importInput } = await import('../../domain/event-input.ts')
  const parsed = importInput.safeParse(json.value)
  if (!parsed.success)
    return invalid(
      issuesOf(parsed.error).slice(0, LIMITS.http.issuesMax),
      'This is not an export that can be read; see errors.',
    )
  const issue = placeIssue(parsed.data.events ?? [])
  return issue ? invalid([issue]) : ok(parsed.data)
}

/** The first event that is not in its place; messages are found by theirs, and what waits is ended in its own. */
function placeIssue(events: readonly SessionEvent[]): InputIssue | null {
  for (const [index, event] of events.entries()) {
    const path = `events.${index}`
    if (event.seq !== index + 1)
      return { path: `${path}.seq`, message: `${index + 1}: events are numbered from 1 without gaps` }
    if (event.type === 'pending' && (event.pending.scope ?? null) !== event.scope)
      return { path: `${path}.pending.scope`, message: 'that of its event' }
    if (event.type !== 'message') continue
    const { message, covers } = event
    if (message.seq !== event.seq) return { path: `${path}.message.seq`, message: 'the seq of its event' }
    if ((message.scope ?? null) !== event.scope) return { path: `${path}.message.scope`, message: 'that of its event' }
    if (covers && covers.seq >= event.seq) return { path: `${path}.covers.seq`, message: 'of an earlier event' }
  }
  return null
}

async function readJson(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Result<unknown>> {
  const levelsMax = LIMITS.http.importDepthMax
  try {
    const text = await readAllText(body, bytesMax)
    if (text === null) return fail({ code: 'body_too_large', bytesMax })
    const value: unknown = JSON.parse(text)
    return isDeeper(value, levelsMax)
      ? invalid([{ path: '', message: `nested deeper than ${levelsMax} levels` }])
      : ok(value)
  } catch {
    return invalid([{ path: '', message: 'not valid JSON in UTF-8' }], 'The body is not valid JSON.')
  }
}

const NOT_A_LOG: InputIssue = {
  path: 'events',
  message: 'a log that can be folded: what belongs together is there and in order',
}

/** Fill a new session with what an export holds; what is open or pending in it comes as cancelled. */
export function adopt(
  journal: Journal,
  engine: Engine,
  input: ImportInput,
  extras: AppendExtras & { record: SessionRecord },
): Result<null> {
  const { events } = input
  if (events) {
    const placed = events.map((event) => moved(event, extras.record))
    if (!journal.adopt(placed, recordsOf(input), { ...extras, texts: textsOf(input) })) return invalid([NOT_A_LOG])
  } else {
    journal.append([], extras)
    journal.append(historyEvents(journal, engine, input.session.messages ?? []))
  }
  closeCopy(journal, engine)
  markRemembered(journal)
  markNotified(journal)
  return ok(null)
}

/** An event in its new session: nothing of it is later than now, and the rest of a result is found where it now is. */
function moved(event: SessionEvent, { id, createdTime }: SessionRecord): SessionEvent {
  const time = Date.parse(event.time) > createdTime ? new Date(createdTime).toISOString() : event.time
  const placed = { ...event, time }
  if (placed.type !== 'message' || !placed.message.truncated) return placed
  const rest = `/v1/sessions/${id}/results/${placed.message.tool_call_id}`
  return { ...placed, message: { ...placed.message, truncated: { ...placed.message.truncated, rest } } }
}

/** What its records say, of the events that the document still holds. */
function recordsOf({ events = [], records = [] }: ImportInput): LogRecord[] {
  return records.filter(({ seq }, index) => seq <= events.length && seq > (records[index - 1]?.seq ?? 0))
}

function textsOf({ results = {} }: ImportInput): { key: string; text: string }[] {
  return Object.entries(results).map(([callId, text]) => ({ key: `result:${callId}`, text }))
}
