import * as z from 'zod'
import { languageTag } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { idCursor, nameCursor } from './cursors.ts'
import { STATUSES, WHEN_BUSY } from '../domain/run.ts'

const whole = (text: string) => Number(text)
const digits = z.string().regex(/^\d{1,15}$/, 'a whole number')

/** `?limit=`: 1 to `listMax`. */
export const limit = digits
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

export const sessionListQuery = z.strictObject({
  limit,
  cursor: idCursor('ses'),
  status: z.enum(STATUSES).optional(),
  user: z.string().max(LIMITS.text.nameCharsMax).optional(),
  q: z.string().max(LIMITS.text.titleCharsMax).optional(),
})

export const sessionQuery = z.strictObject({ messages: z.enum(['all', 'last_run', 'none']).default('all') })

export const messageListQuery = z.strictObject({ limit, after: seq.optional(), cursor: seq.optional() })

export const eventListQuery = z.strictObject({ limit, after: eventId.optional(), cursor: seq.optional() })

/** What becomes of a message while a run is going. */
export const messageQuery = z.strictObject({ when_busy: z.enum(WHEN_BUSY).default('reject') })

const language = languageTag.optional()

/** Of a list by name. */
export const namedListQuery = z.strictObject({ limit, cursor: nameCursor })

export const skillListQuery = namedListQuery.extend({ language })
export const skillQuery = z.strictObject({ language })
