import * as z from 'zod'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { SECRET_MASK } from '../lib/text.ts'
import { pending } from './pending.ts'
import { FINISH_REASONS, loggedError, STATUSES } from './run.ts'

/** What callbacks can be told of. */
export const CALLBACK_EVENTS = [
  'run.completed',
  'run.failed',
  'run.budget_exhausted',
  'run.interrupted',
  'run.cancelled',
  'approval.requested',
  'tool_call.requested',
] as const
export type CallbackEvent = (typeof CALLBACK_EVENTS)[number]

/** The event of a delivery that somebody sends to try a callback. */
export const TEST_EVENT = 'callback.test'
export type DeliveryEvent = CallbackEvent | typeof TEST_EVENT

/** How a delivery is written: as it is, or as a message of a chat. */
export const CALLBACK_TEMPLATES = ['slack', 'feishu'] as const
export type CallbackTemplate = (typeof CALLBACK_TEMPLATES)[number]

/** Somebody who wants to be told. Times in Unix ms. Holds secrets; never leaves as it is. */
export interface Callback {
  id: string
  tenant: string
  name: string | null
  url: string
  events: CallbackEvent[]
  secret: string
  /** Signs along until its time. */
  previousSecret: { value: string; until: number } | null
  /** Null: the schedule of the server. */
  retry: { times: number; delayMs: number } | null
  template: CallbackTemplate | null
  /** With which Feishu's own signature is made. */
  templateSecret: string | null
  enabled: boolean
  /** Why it was switched off, where nobody did it: the receiver is gone for good. */
  disabledReason: 'gone' | null
  /** By which address this server was reached when the callback was made: links lead there where config names no other. */
  origin: string
  createdTime: number
  updatedTime: number
  /** One task of a door is told of, to who asked for that; absent: it is a callback of the tenant. */
  push?: TaskPush
}

/** `run` null: the first whose news come. `owner`: see `TaskPlace`. */
export interface TaskPush {
  session: string
  run: string | null
  owner: string
  contextId: string
  /** What its client calls it. */
  configId: string
  token?: string
  authentication?: { scheme: string; credentials?: string }
}

/** A pending item as a payload tells it: long arguments as an excerpt, and what the call touches. */
const shownPending = /* @__PURE__ */ onDemand(() =>
  pending().extend({
    arguments_excerpt: z.string().exactOptional(),
    touches: z.object({ addresses: z.array(z.string()), paths: z.array(z.string()) }).exactOptional(),
  }),
)
/** Before it is sent. `decide_path`, `decide_url`: where a human decides it; it carries its own proof. Kept as a path of this server, told
 *  as an address. */
export type NotifiedPending = ShapeOf<typeof shownPending> & { decide_path?: string; decide_url?: string }

/** What a delivery tells of a run: `data` of its payload. Of a session that is gone there are but ids and how it ended. */
const newsData = /* @__PURE__ */ onDemand(() =>
  z.object({
    session_id: z.string(),
    run_id: z.string().nullable(),
    title: z.string().exactOptional(),
    user: z.string().nullable().exactOptional(),
    status: z.enum(STATUSES),
    finish_reason: z.enum(FINISH_REASONS).nullable(),
    result: z.string().nullable().exactOptional(),
    /** `rest`: a path of this server. */
    truncated: z.object({ original_length: count(), kept_length: count(), rest: z.string() }).exactOptional(),
    pending: z.array(shownPending()).exactOptional(),
    error: loggedError().nullable().exactOptional(),
  }),
)
export type NewsData = Omit<ShapeOf<typeof newsData>, 'pending'> & { pending?: NotifiedPending[] }

/** The body of a delivery, where no template writes it. */
export const callbackPayload = /* @__PURE__ */ onDemand(() => {
  const item = shownPending().extend({ decide_url: z.string().exactOptional() })
  const data = newsData().extend({ pending: z.array(item).exactOptional() })
  return z.object({
    type: z.enum([...CALLBACK_EVENTS, TEST_EVENT]),
    timestamp: time(),
    data: z.union([data, z.object({ test: z.literal(true) })]),
  })
})

/** Something that callbacks of the tenant may want to be told. `seq`: of the event in the session's log; with `event` it makes
 *  the same news the same. */
export interface News {
  event: CallbackEvent
  sessionId: string
  seq: number
  /** When it happened, Unix ms. */
  time: number
  data: NewsData
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Why an attempt failed. `detail` is for a person. */
const attemptError = /* @__PURE__ */ onDemand(() =>
  z.object({
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
  }),
)
export type AttemptError = ShapeOf<typeof attemptError>

/** One try. `time`: Unix ms; `status`: of the answer, null when none came; `answer`: the start of its text. */
export interface Attempt {
  time: number
  ms: number
  status: number | null
  answer: string | null
  error: AttemptError | null
}

/** What one callback is told. Times in Unix ms. */
export interface Delivery {
  id: string
  callbackId: string
  sessionId: string | null
  event: DeliveryEvent
  status: DeliveryStatus
  attempts: number
  /** When it happened that is told. */
  time: number
  /** Null: it waits for an earlier one of its session, or is over. */
  due: number | null
  endedTime: number | null
  data: NewsData | { test: true }
}

/** A callback as clients see it. `secret`: the secret itself where it was just made, else `***`. */
export const callback = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('callback'),
    name: z.string().nullable(),
    url: z.string(),
    events: z.array(z.enum(CALLBACK_EVENTS)),
    secret: z.string(),
    /** Until then the secret before signs along. */
    previous_secret_until: time().nullable(),
    retry: z.object({ times: count(), delay_ms: count() }).nullable(),
    template: z.enum(CALLBACK_TEMPLATES).nullable(),
    template_secret: z.literal(SECRET_MASK).nullable(),
    enabled: z.boolean(),
    status: z.enum(['ok', 'failing', 'disabled']),
    failing_since: time().nullable(),
    disabled_reason: z.literal('gone').nullable(),
    created_time: time(),
    updated_time: time(),
  }),
)
export type CallbackInfo = ShapeOf<typeof callback>

/** A delivery as clients see it. `next_attempt_time` null: it waits for an earlier one of its session, or is over. */
export const delivery = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('delivery'),
    callback_id: z.string(),
    event: z.enum([...CALLBACK_EVENTS, TEST_EVENT]),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: count(),
    created_time: time(),
    next_attempt_time: time().nullable(),
    ended_time: time().nullable(),
  }),
)
export type DeliveryInfo = ShapeOf<typeof delivery>

/** The same with its newest tries, oldest first, and what it tells. */
export const wholeDelivery = /* @__PURE__ */ onDemand(() =>
  delivery().extend({
    attempt_log: z.array(
      z.object({
        time: time(),
        ms: count(),
        status: z.int().nullable(),
        answer: z.string().nullable(),
        error: attemptError().nullable(),
      }),
    ),
    data: z.union([newsData(), z.object({ test: z.literal(true) })]),
  }),
)
export type WholeDelivery = ShapeOf<typeof wholeDelivery>
