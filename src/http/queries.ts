import type { Context } from 'hono'
import { STATUSES, WHEN_BUSY } from '../domain/run.ts'
import { invalid, ok, type Result } from '../domain/errors.ts'
import { languageTag } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { statusInput } from '../domain/session-input.ts'
import { tenantOfHook } from '../domain/webhook.ts'
import { withinBytes } from '../lib/bytes.ts'
import { isId } from '../lib/id.ts'
import type { Cursor } from '../log/deltas.ts'
import type { TriggerPage } from '../triggers/trigger-store.ts'
import * as z from 'zod'
import type { AppEnv } from './context.ts'

/** Cursors of lists. What is no cursor of its list is refused: taken for one, it would give a page that nobody asked for. */

const OTHER = 'the next_cursor of this list'
const BEHIND = 'behind:'

/** Of a list whose entries have ids with this prefix: the id of the last entry. */
export const idCursor = (prefix: string) =>
  z
    .string()
    .refine((text) => isId(prefix, text), OTHER)
    .optional()

/** Of a list by row: a number. */
export const rowCursor = z
  .string()
  .regex(/^\d{1,15}$/, OTHER)
  .optional()

/** Of a list by name: the handler gets the name of the last entry. */
export const nameCursor = z
  .string()
  .max(2_000, OTHER)
  .startsWith(BEHIND, OTHER)
  .transform((text) => text.slice(BEHIND.length))
  .optional()

/** What `nameCursor` reads; null: there is no more. */
export function behindName(name: string | null | undefined): string | null {
  return name === undefined || name === null ? null : `${BEHIND}${name}`
}

interface NamedPage<T> {
  data: T[]
  next: string | null
}

/** A page of a list that is at hand as a whole, in its order. An error: the entry that the cursor means is not there (any more). */
export function pageOfWhole<T>(
  all: readonly T[],
  nameOf: (entry: T) => string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Result<NamedPage<T>> {
  const from = cursor === undefined ? 0 : all.findIndex((entry) => nameOf(entry) === cursor) + 1
  if (cursor !== undefined && from === 0) return invalid([{ path: 'cursor', message: OTHER }])
  const data = withinBytes(all.slice(from, from + limit), LIMITS.http.pageBytesMax)
  const last = data.at(-1)
  return ok({ data, next: last !== undefined && all.length > from + data.length ? behindName(nameOf(last)) : null })
}

const whole = (text: string) => Number(text)
const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number')
  .meta({ type: 'integer', minimum: 0 })

/** `?limit=`: 1 to `listMax`. */
export const limit = digits
  .meta({ type: 'integer', minimum: 1, maximum: LIMITS.http.listMax, default: LIMITS.http.listDefault })
  .transform(whole)
  .pipe(z.number().min(1, `1 to ${LIMITS.http.listMax}`).max(LIMITS.http.listMax, `1 to ${LIMITS.http.listMax}`))
  .default(LIMITS.http.listDefault)

/** A date (its start in UTC) or a time, as Unix ms. */
export const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'an RFC 3339 date or time')
  .transform((text) => Date.parse(text))

/** `?after=`: a seq, 0 for the start. */
export const seq = digits.transform(whole)

/** `?after=` of a stream: an event's id, a delta's (`SEQ.N`) included. */
export const eventId = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,9})?$/, 'an event id: SEQ or SEQ.N')
  .transform((text) => {
    const [seqText, n] = text.split('.')
    return { seq: Number(seqText), n: Number(n ?? 0) }
  })

/** `?min_age_ms=`: of nothing younger. */
export const ageMs = digits.transform(whole).optional()

export const sessionListQuery = z.strictObject({
  limit,
  cursor: idCursor('ses'),
  status: statusInput.meta({ enum: [...STATUSES] }).optional(),
  user: z.string().max(LIMITS.text.nameCharsMax).optional(),
  q: z.string().max(LIMITS.text.titleCharsMax).optional(),
  /** Only those whose metadata says `pinned: true`. */
  pinned: z.enum(['true', 'false']).optional(),
  /** Only runs that gave no sign for `min_age_ms`, by default ten minutes. */
  stuck: z.enum(['true', 'false']).optional(),
  min_age_ms: ageMs,
})

export const sessionQuery = z.strictObject({ messages: z.enum(['all', 'last_run', 'none']).default('all') })

export const messageListQuery = z.strictObject({ limit, after: seq.optional(), cursor: seq.optional() })

export const eventListQuery = z.strictObject({ limit, after: eventId.optional(), cursor: seq.optional() })

/** What becomes of a message while a run is going. */
export const messageQuery = z.strictObject({ when_busy: z.enum(WHEN_BUSY).default('reject') })

const language = languageTag().optional()

/** Of a list by name. */
export const namedListQuery = z.strictObject({ limit, cursor: nameCursor })

export const skillListQuery = namedListQuery.extend({ language })
export const skillQuery = z.strictObject({ language })
export const workflowQuery = z.strictObject({ language, version: digits.transform(Number).optional() })

/** Of lists that are newest first: the cursor is the id of the last entry. */
export const webhookListQuery = z.strictObject({
  limit,
  cursor: z
    .string()
    .refine((text) => tenantOfHook(text) !== null, 'the next_cursor of this list')
    .optional(),
})
export const deliveryListQuery = z.strictObject({ limit, cursor: idCursor('dlv') })
export const scheduleListQuery = z.strictObject({ limit, cursor: idCursor('sch') })
export const runListQuery = z.strictObject({ limit, cursor: idCursor('srn') })

/** One more than asked for, which tells whether there is a next page. */
export function pageOf({ limit: max, cursor }: z.infer<typeof deliveryListQuery>): TriggerPage {
  return { before: cursor, limit: max + 1 }
}

/** Behind the event that a client knows last (`Last-Event-ID`), else behind `after`. */
export function resumedFrom(c: Context<AppEnv>, after: Cursor = { seq: 0, n: 0 }): Result<Cursor> {
  const last = c.req.header('last-event-id')
  if (last === undefined) return ok(after)
  const resumed = eventId.safeParse(last)
  if (resumed.success) return ok(resumed.data)
  const issues = [{ path: 'Last-Event-ID', message: 'an event id: SEQ or SEQ.N' }]
  return invalid(issues, 'Last-Event-ID is not an id of this stream.')
}
