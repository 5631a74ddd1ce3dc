import * as z from 'zod'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'

const SECOND = 1_000
const DAY = 24 * 60 * 60 * SECOND
const MIB = 1_048_576

export const USER_JOB_LIMITS = {
  /** Rows of the memory or of usage, and sessions, that one step takes. */
  rowsPerStep: 100,
  sessionsPerStep: 20,
  /** One alarm begins no new step after so long. */
  batchMs: 60 * SECOND,
  /** The alarm stands no further ahead while steps are done: a job whose process died goes on by then. It rings when its handler is over at the
   *  soonest. */
  guardMs: 4 * SECOND,
  /** Bytes of one row of an export, and of a whole one. */
  partBytesMax: MIB,
  exportBytesMax: 2_048 * MIB,
  /** Times in a row that a step may fail before its job does; the wait doubles. */
  attemptsMax: 12,
  retryMs: SECOND,
  retryMsMax: 60 * SECOND,
  /** After so long an erasure looks once more for sessions that the tenant had not heard of yet. */
  lookAgainMs: 60 * SECOND,
  /** For how long an export can be had, and a job be looked at, after its end. */
  exportKeptMs: DAY,
  jobKeptMs: 7 * DAY,
} as const

const USER_JOB_TYPES = ['erase', 'export'] as const
export type UserJobType = (typeof USER_JOB_TYPES)[number]

/** Work on all that there is of one user. `counts`: what was erased or exported so far. */
export const userJob = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('user.job'),
    type: z.enum(USER_JOB_TYPES),
    user: z.string(),
    status: z.enum(['in_progress', 'completed', 'failed']),
    counts: z.object({
      sessions: count(),
      conversations: count(),
      tasks: count(),
      preferences: count(),
      links: count(),
      usage_rows: count(),
    }),
    /** Of an export. */
    bytes: count(),
    /** Why it failed. */
    error: z.string().nullable(),
    created_time: time(),
    ended_time: time().nullable(),
    /** Until when an export can be had; null: it cannot, or not yet. */
    expires_time: time().nullable(),
  }),
)
export type UserJob = ShapeOf<typeof userJob>
export type UserCounts = UserJob['counts']

export const NOTHING_COUNTED: UserCounts = {
  sessions: 0,
  conversations: 0,
  tasks: 0,
  preferences: 0,
  links: 0,
  usage_rows: 0,
}

/** What a session of a user spent, as an export has it: one model in one run on one day. */
export type UsageRow = Record<string, string | number | null>
