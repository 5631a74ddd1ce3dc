import * as z from 'zod'
import { sessionConfig } from '../../domain/config.ts'
import type { FiringStatus } from '../../domain/start.ts'
import { teamInput } from '../../domain/team.ts'
import { webhookScheme } from '../../domain/webhook.ts'
import { count, time } from '../../lib/shape.ts'
import { ORCHESTRATOR_NAMES } from '../../domain/run.ts'

/** Answers about webhooks and schedules, and what came of them. */

const firingStatus = z.enum([
  'pending',
  'started',
  'ignored',
  'skipped',
  'missed',
  'failed',
  'refused',
]) satisfies z.ZodType<FiringStatus>

const startWith = {
  skill: z.string().nullable(),
  config: sessionConfig,
  orchestrator: z.enum(ORCHESTRATOR_NAMES).nullable(),
  team: teamInput.nullable(),
  user: z.string().nullable(),
}

/** `secret`: masked, but in the first answer where it was made here. */
export const webhook = z.object({
  id: z.string(),
  object: z.literal('webhook'),
  name: z.string(),
  description: z.string().nullable(),
  scheme: webhookScheme,
  url: z.string(),
  secret: z.string(),
  previous_secret_expires_time: time().nullable(),
  task_template: z.string(),
  events: z.array(z.string()).nullable(),
  session_key_template: z.string().nullable(),
  ...startWith,
  enabled: z.boolean(),
  created_time: time(),
  updated_time: time(),
})

export const delivery = z.object({
  id: z.string(),
  object: z.literal('webhook.delivery'),
  webhook_id: z.string(),
  delivery_id: z.string().nullable(),
  received_time: time(),
  event: z.string().nullable(),
  status: firingStatus,
  reason: z.string().nullable(),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  session_key: z.string().nullable(),
  missing: z.array(z.string()),
  repeats: count(),
  is_test: z.boolean(),
  bytes: count().nullable(),
  excerpt: z.string().nullable(),
})

export const webhookTrial = z.object({
  object: z.literal('webhook.trial'),
  event: z.string().nullable(),
  ignored: z.boolean(),
  reason: z.string().nullable(),
  task: z.string(),
  missing: z.array(z.string()),
  session_key: z.string().nullable(),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  delivery: delivery.nullable(),
})

/** What a sender is answered: the run that it started, or that it started none. */
export const received = z.union([
  z.object({
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    ignored: z.literal(true).exactOptional(),
    reason: z.string().exactOptional(),
  }),
  z.object({ challenge: z.string() }),
])

export const listedSchedule = z.object({
  id: z.string(),
  object: z.literal('schedule'),
  name: z.string(),
  description: z.string().nullable(),
  task: z.string(),
  cron: z.string().nullable(),
  at: time().nullable(),
  every_ms: count().nullable(),
  timezone: z.string(),
  session: z.enum(['new', 'same']),
  missed: z.enum(['skip', 'once']),
  overlap: z.enum(['skip', 'queue', 'interrupt', 'allow']),
  jitter_ms: count(),
  enabled: z.boolean(),
  next_run_time: time().nullable(),
  last_session_id: z.string().nullable(),
  ...startWith,
  created_time: time(),
  updated_time: time(),
})

export const schedule = listedSchedule.extend({ next_runs: z.array(time()) })

export const scheduledRun = z.object({
  id: z.string(),
  object: z.literal('schedule.run'),
  schedule_id: z.string(),
  due_time: time(),
  time: time(),
  status: firingStatus,
  reason: z.string().nullable(),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  is_test: z.boolean(),
})

export const scheduleTrial = z.object({
  object: z.literal('schedule.trial'),
  task: z.string(),
  next_runs: z.array(time()),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  run: scheduledRun.nullable(),
})
