import * as z from 'zod'
import type { ShownCallback, ShownDelivery, WholeDelivery } from '../../callbacks/shown.ts'
import { CALLBACK_EVENTS, CALLBACK_TEMPLATES, TEST_EVENT, type NewsData } from '../../domain/callback.ts'
import { count, time } from '../../lib/shape.ts'
import { FINISH_REASONS, loggedError, STATUSES } from '../../domain/run.ts'
import { pending } from '../../domain/pending.ts'

/** Answers about callbacks and their deliveries. */

export const callback = z.object({
  id: z.string(),
  object: z.literal('callback'),
  name: z.string().nullable(),
  url: z.string(),
  events: z.array(z.enum(CALLBACK_EVENTS)),
  /** The secret itself where it was just made, else `***`. */
  secret: z.string(),
  previous_secret_until: time().nullable(),
  retry: z.object({ times: count(), delay_ms: count() }).nullable(),
  template: z.enum(CALLBACK_TEMPLATES).nullable(),
  template_secret: z.literal('***').nullable(),
  enabled: z.boolean(),
  status: z.enum(['ok', 'failing', 'disabled']),
  failing_since: time().nullable(),
  disabled_reason: z.literal('gone').nullable(),
  created_time: time(),
  updated_time: time(),
}) satisfies z.ZodType<ShownCallback>

const deliveryHead = {
  id: z.string(),
  object: z.literal('delivery'),
  callback_id: z.string(),
  event: z.enum([...CALLBACK_EVENTS, TEST_EVENT]),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  status: z.enum(['pending', 'delivered', 'dead']),
  attempts: count(),
  created_time: time(),
  next_attempt_time: time().nullable(),
  ended_time: time().nullable(),
}
export const delivery = z.object(deliveryHead) satisfies z.ZodType<ShownDelivery>

const toldPending = pending().extend({
  arguments_excerpt: z.string().exactOptional(),
  touches: z.object({ addresses: z.array(z.string()), paths: z.array(z.string()) }).exactOptional(),
})

const newsData = z.object({
  session_id: z.string(),
  run_id: z.string().nullable(),
  title: z.string().exactOptional(),
  user: z.string().nullable().exactOptional(),
  status: z.enum(STATUSES),
  finish_reason: z.enum(FINISH_REASONS).nullable(),
  result: z.string().nullable().exactOptional(),
  truncated: z.object({ original_length: count(), kept_length: count(), rest: z.string() }).exactOptional(),
  pending: z.array(toldPending).exactOptional(),
  error: loggedError().nullable().exactOptional(),
}) satisfies z.ZodType<NewsData>

const attempt = z.object({
  time: time(),
  ms: count(),
  status: z.int().nullable(),
  answer: z.string().nullable(),
  error: z
    .object({
      code: z.enum([
        'address_refused',
        'unreachable',
        'timeout',
        'answer_too_large',
        'redirect',
        'http_status',
        'gone',
        'refused_by_template',
        'outbox_full',
        'cut',
      ]),
      detail: z.string(),
    })
    .nullable(),
})

export const wholeDelivery = z.object({
  ...deliveryHead,
  attempt_log: z.array(attempt),
  data: z.union([newsData, z.object({ test: z.literal(true) })]),
}) satisfies z.ZodType<WholeDelivery>
