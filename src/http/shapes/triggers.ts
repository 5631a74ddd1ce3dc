import * as z from 'zod'
import { sessionConfig } from '../../domain/config.ts'
import { teamInput } from '../../domain/team.ts'
import { webhookScheme } from '../../domain/webhook.ts'
import { count, orchestrator, time } from './parts.ts'

/** Answers about webhooks and what comes to them. */

const startWith = {
  skill: z.string().nullable(),
  config: sessionConfig,
  orchestrator: orchestrator.nullable(),
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
  previous_secret_expires_time: time.nullable(),
  task_template: z.string(),
  events: z.array(z.string()).nullable(),
  session_key_template: z.string().nullable(),
  ...startWith,
  enabled: z.boolean(),
  created_time: time,
  updated_time: time,
})

export const delivery = z.object({
  id: z.string(),
  object: z.literal('webhook.delivery'),
  webhook_id: z.string(),
  delivery_id: z.string().nullable(),
  received_time: time,
  event: z.string().nullable(),
  status: z.enum(['pending', 'started', 'ignored', 'skipped', 'missed', 'failed', 'refused']),
  reason: z.string().nullable(),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  session_key: z.string().nullable(),
  missing: z.array(z.string()),
  repeats: count,
  is_test: z.boolean(),
  bytes: count.nullable(),
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
