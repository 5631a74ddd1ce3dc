import * as z from 'zod'
import { timezone } from './config.ts'
import { LIMITS } from './limits.ts'
import {
  FIRING_STATUSES,
  hasWork,
  startPatchShape,
  startShape,
  startViewShape,
  type StartWith,
  WORK_MESSAGE,
} from './start.ts'
import { isObject } from '../lib/json.ts'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'

const { trigger } = LIMITS

/** Whether each time has a session of its own, or all have one. */
const SESSIONS = ['new', 'same'] as const
/** What becomes of times that passed while nothing could run. */
const MISSED = ['skip', 'once'] as const
/** What becomes of a time at which the run before is still going. */
const OVERLAPS = ['skip', 'queue', 'interrupt', 'allow'] as const

const name = z.string().trim().min(1).max(LIMITS.text.nameCharsMax)
const description = z.string().max(trigger.descriptionCharsMax)
const task = z.string().min(1).max(trigger.taskCharsMax)
const cron = z.string().trim().min(1).max(trigger.cronCharsMax)
const at = z.iso.datetime({ offset: true, error: 'a time such as 2027-01-31T09:00:00Z or 2027-01-31T09:00:00+08:00' })
const everyMs = z
  .int()
  .min(trigger.everyMsMin, `at least ${trigger.everyMsMin} ms`)
  .max(trigger.everyMsMax, `at most ${trigger.everyMsMax} ms`)

const how = {
  session: z.enum(SESSIONS),
  missed: z.enum(MISSED),
  overlap: z.enum(OVERLAPS),
  jitter_ms: z.int().min(0).max(trigger.jitterMsMax),
  enabled: z.boolean(),
}

export const newSchedule = z
  .strictObject({
    name,
    description: description.optional(),
    /** Of a workflow it may be left out. */
    task: task.optional(),
    cron: cron.optional(),
    timezone: timezone.optional(),
    at: at.optional(),
    every_ms: everyMs.optional(),
    session: how.session.optional(),
    missed: how.missed.optional(),
    overlap: how.overlap.optional(),
    jitter_ms: how.jitter_ms.optional(),
    enabled: how.enabled.optional(),
    ...startShape,
  })
  .refine(({ task: words, workflow }) => hasWork({ words, workflow }), {
    path: ['task'],
    error: WORK_MESSAGE,
    when: ({ value }) => isObject(value),
  })
export type NewSchedule = z.infer<typeof newSchedule>

/** A change. One of `cron`, `at` and `every_ms` takes the place of what was there. */
export const schedulePatch = z.strictObject({
  name: name.optional(),
  description: description.nullable().optional(),
  task: task.optional(),
  cron: cron.nullable().optional(),
  timezone: timezone.nullable().optional(),
  at: at.nullable().optional(),
  every_ms: everyMs.nullable().optional(),
  session: how.session.optional(),
  missed: how.missed.optional(),
  overlap: how.overlap.optional(),
  jitter_ms: how.jitter_ms.optional(),
  enabled: how.enabled.optional(),
  ...startPatchShape,
})
export type SchedulePatch = z.infer<typeof schedulePatch>

/** Starts a run only if it is told to. */
export const scheduleTest = z.strictObject({ run: z.boolean().optional() })

/** When a schedule fires. `from`: the time in Unix ms that intervals are counted from. */
export type When =
  | { kind: 'cron'; cron: string; timezone: string }
  | { kind: 'at'; at: number }
  | { kind: 'every'; everyMs: number; from: number }

/** Times in Unix ms. */
export interface Schedule {
  id: string
  name: string
  description: string | null
  task: string
  when: When
  /** Of a cron, and of what is shown. */
  timezone: string
  session: (typeof SESSIONS)[number]
  missed: (typeof MISSED)[number]
  overlap: (typeof OVERLAPS)[number]
  jitterMs: number
  enabled: boolean
  with: StartWith
  createdTime: number
  updatedTime: number
}

/** A schedule as a list shows it. */
export const listedSchedule = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('schedule'),
    name: z.string(),
    description: z.string().nullable(),
    task: z.string(),
    cron: z.string().nullable(),
    at: time().nullable(),
    every_ms: count().nullable(),
    timezone: z.string(),
    session: how.session,
    missed: how.missed,
    overlap: how.overlap,
    jitter_ms: count(),
    enabled: z.boolean(),
    /** Null: it is over, or switched off. */
    next_run_time: time().nullable(),
    last_session_id: z.string().nullable(),
    ...startViewShape(),
    created_time: time(),
    updated_time: time(),
  }),
)
export type ListedSchedule = ShapeOf<typeof listedSchedule>

/** The same with the times at which it is next due. */
export const schedule = /* @__PURE__ */ onDemand(() => listedSchedule().extend({ next_runs: z.array(time()) }))
export type ScheduleInfo = ShapeOf<typeof schedule>

/** One time that a schedule was due, and what it did. */
export const scheduledRun = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('schedule.run'),
    schedule_id: z.string(),
    due_time: time(),
    time: time(),
    status: z.enum(FIRING_STATUSES),
    reason: z.string().nullable(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    is_test: z.boolean(),
  }),
)
export type ScheduledRunInfo = ShapeOf<typeof scheduledRun>

/** What a schedule would start, and did. */
export const scheduleTrial = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('schedule.trial'),
    task: z.string(),
    next_runs: z.array(time()),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    run: scheduledRun().nullable(),
  }),
)
export type ScheduleTrialInfo = ShapeOf<typeof scheduleTrial>
