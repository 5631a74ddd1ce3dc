import type { FinishReason, LoggedError, Status } from './run.ts'
import type { Pending } from './pending.ts'

/** What callbacks can be told of. */
export const CALLBACK_EVENTS = [
  'run.completed',
  'run.failed',
  'run.budget_exhausted',
  'run.interrupted',
  'run.cancelled',
  'approval.requested',
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
}

/** A pending item as a payload tells it: long arguments as an excerpt, and what the call touches. */
export type ToldPending = Omit<Pending, 'arguments'> & {
  arguments?: Record<string, unknown>
  arguments_excerpt?: string
  touches?: { addresses: string[]; paths: string[] }
  /** Where a human decides it; it carries its own proof. Kept as a path of this server, told as an address. */
  decide_path?: string
  decide_url?: string
}

/** What a delivery tells of a run: `data` of its payload. Of a session that is gone there are but ids and how it ended. */
export interface NewsData {
  session_id: string
  run_id: string | null
  title?: string
  user?: string | null
  status: Status
  finish_reason: FinishReason | null
  result?: string | null
  /** `rest`: a path of this server. */
  truncated?: { original_length: number; kept_length: number; rest: string }
  pending?: ToldPending[]
  error?: LoggedError | null
}

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

export type DeliveryStatus = 'pending' | 'delivered' | 'dead'

/** Why an attempt failed. `detail` is for a person. */
export interface AttemptError {
  code:
    | 'address_refused'
    | 'unreachable'
    | 'timeout'
    | 'answer_too_large'
    | 'redirect'
    | 'http_status'
    | 'gone'
    | 'refused_by_template'
    | 'outbox_full'
    | 'cut'
  detail: string
}

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
