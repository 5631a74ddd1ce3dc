import * as z from 'zod'
import { type Status, STATUSES } from './run.ts'
import { LIMITS } from './limits.ts'
import { onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { isPathPart, NO_PATH_PART } from './path-name.ts'

/** A task and its answer, as they were said. */
export const round = /* @__PURE__ */ onDemand(() =>
  z.object({
    session_id: z.string(),
    run_id: z.string(),
    user_message: z.string(),
    ai_response: z.string(),
    /** When the run ended. */
    timestamp: time(),
    /** Text from outside had a part in it. */
    untrusted: z.boolean(),
  }),
)
export type Round = ShapeOf<typeof round>

/** What became of a task; `result` null: nothing. */
export const rememberedTask = /* @__PURE__ */ onDemand(() =>
  z.object({
    user_id: z.string(),
    session_id: z.string(),
    run_id: z.string(),
    task_data: z.object({ task: z.string(), result: z.string().nullable(), status: z.enum(STATUSES) }),
    timestamp: time(),
    untrusted: z.boolean(),
  }),
)
export type RememberedTask = ShapeOf<typeof rememberedTask>

export const preference = /* @__PURE__ */ onDemand(() => z.object({ key: z.string(), value: z.string() }))
export type Preference = ShapeOf<typeof preference>

/** What a run is told of its user, newest first. */
export interface Remembered {
  rounds: Round[]
  preferences: Preference[]
  tasks: RememberedTask[]
}

/** A run that is over, to be remembered. `time`: Unix ms of its end. */
export interface EndedRun {
  runId: string
  sessionId: string
  task: string
  result: string | null
  status: Status
  time: number
  untrusted: boolean
}

/** What is remembered of one user. Every verb rejects when it cannot be reached. */
export interface Memory {
  /** For a run of this session. */
  load(sessionId: string): Promise<Remembered>
  /** Saving a run again replaces what was saved of it. */
  save(runs: readonly EndedRun[]): Promise<void>
  /** Rounds that fit a query, best first. */
  search(query: string, count: number): Promise<Round[]>
  put(preference: Preference): Promise<void>
  /** False: there was no such preference. */
  remove(key: string): Promise<boolean>
}

/** The memory of a tenant's user. */
export type MemoryOf = (tenant: string, user: string) => Memory

const { keyCharsMax, valueCharsMax } = LIMITS.memory
const KEY = `1–${keyCharsMax}`
const VALUE = `1–${valueCharsMax}`

/** The name of a preference: the same letters are the same name, however they are encoded. */
export const preferenceKey = z
  .string(KEY)
  .transform((key) => key.trim().normalize('NFC'))
  .pipe(z.string().min(1, KEY).max(keyCharsMax, KEY).refine(isPathPart, NO_PATH_PART))

export const preferenceValue = z.string(VALUE).trim().min(1, VALUE).max(valueCharsMax, VALUE)
