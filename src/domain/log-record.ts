import * as z from 'zod'
import type { AuditAct } from './audit.ts'

const made = z.object({
  /** The move that made it, as it was decided; absent: a command did, or it was told while moves were under way. */
  move: z.looseObject({ type: z.string() }).optional(),
  /** The end of a move whose start has a record of its own. */
  ends: z.literal(true).optional(),
  /** What decide was given and the log does not say. Keys of the moves under way; absent: none were. */
  in_flight: z.array(z.string()).optional(),
  /** Likewise: the window was more than the model takes. Absent: it was not, or was not asked for. */
  must_compact: z.literal(true).optional(),
})

/** What one move or command wrote to the log: the events from `seq`, its number, to the next record. Its branch is the `scope` of its
 *  move. */
export const logRecord = made.extend({ seq: z.int().min(1) }).loose()

/** What a record says beside its events, before it has its place in the log. */
export type RecordHead = z.infer<typeof made>
export type LogRecord = RecordHead & { seq: number }
/** A record as it is written: with what a command did, for the audit, and the ids of earlier acts that the audit was told since the record
 *  before. Both stay in the log of the session; no copy has them. */
export type NewRecord = LogRecord & { act?: AuditAct; told?: readonly string[] }
export type LoggedMove = NonNullable<RecordHead['move']>
