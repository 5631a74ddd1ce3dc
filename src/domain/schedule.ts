import * as z from 'zod'
import { timezone } from './config.ts'
import { LIMITS } from './limits.ts'
import { startPatchShape, startShape, type StartWith } from './start.ts'

const { trigger } = LIMITS

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
  session: z.enum(['new', 'same']),
  missed: z.enum(['skip', 'once']),
  overlap: z.enum(['skip', 'queue', 'interrupt', 'allow']),
  jitter_ms: z.int().min(0).max(trigger.jitterMsMax),
  enabled: z.boolean(),
}

export const newSchedule = z.strictObject({
  name,
  description: description.optional(),
  task,
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
  session: 'new' | 'same'
  missed: 'skip' | 'once'
  overlap: 'skip' | 'queue' | 'interrupt' | 'allow'
  jitterMs: number
  enabled: boolean
  with: StartWith
  createdTime: number
  updatedTime: number
}
