import type { CallbackInfo, DeliveryInfo as CallbackDelivery, WholeDelivery } from '../domain/callback.ts'
import type { NewWebhook, SecretRotation, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import { sendForJson, type Connection, pathsBelow, resourceOf, type Request } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'
import type { NewSchedule, SchedulePatch } from '../domain/schedule.ts'

/** A webhook as the server shows it; `secret` is masked but where it was just made. */
export interface WebhookInfo {
  id: string
  name: string
  url: string
  secret: string
  enabled: boolean
  [more: string]: unknown
}

/** What came to a webhook, and what it did. */
export interface DeliveryInfo {
  id: string
  status: string
  reason: string | null
  session_id: string | null
  run_id: string | null
  [more: string]: unknown
}

/** What a delivery would do, and did. */
export interface WebhookTrialInfo {
  ignored: boolean
  task: string
  session_id: string | null
  run_id: string | null
  [more: string]: unknown
}

const WEBHOOKS = '/v1/webhooks'

/** The routes of webhooks as functions. Errors: see `send` in http.ts. */
export function webhooksOf(connection: Connection) {
  const path = pathsBelow(WEBHOOKS)
  return {
    ...resourceOf<WebhookInfo, NewWebhook, WebhookPatch>(connection, WEBHOOKS),
    /** Replace the secret; both hold for a while. */
    rotate: (id: string, rotation: SecretRotation = {}) =>
      sendForJson<WebhookInfo>(connection, { method: 'POST', path: path(id, '/rotate'), body: rotation }),
    deliveries: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<DeliveryInfo>>(connection, { path: path(id, '/deliveries'), query: { ...query } }),
    test: (id: string, test: WebhookTest) =>
      sendForJson<WebhookTrialInfo>(connection, { method: 'POST', path: path(id, '/test'), body: test }),
  }
}

/** A schedule as the server shows it. */
export interface ScheduleInfo {
  id: string
  name: string
  enabled: boolean
  /** Null: it is over, or switched off. */
  next_run_time: string | null
  [more: string]: unknown
}

/** One time that a schedule was due, and what it did. */
export interface ScheduledRunInfo {
  id: string
  status: string
  reason: string | null
  session_id: string | null
  run_id: string | null
  [more: string]: unknown
}

const SCHEDULES = '/v1/schedules'

/** The routes of schedules as functions. Errors: see `send` in http.ts. */
export function schedulesOf(connection: Connection) {
  const path = pathsBelow(SCHEDULES)
  return {
    ...resourceOf<ScheduleInfo, NewSchedule, SchedulePatch>(connection, SCHEDULES),
    runs: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<ScheduledRunInfo>>(connection, { path: path(id, '/runs'), query: { ...query } }),
    /** Start its run now. */
    run: (id: string) =>
      sendForJson<{ session_id: string | null; run_id: string | null }>(connection, {
        method: 'POST',
        path: path(id, '/test'),
        body: { run: true },
      }),
  }
}

/** Body of POST /v1/callbacks. `secret` not given: one is made. */
export interface NewCallback {
  url: string
  events: string[]
  name?: string | null
  secret?: string
  retry?: { times?: number; delay_ms?: number } | null
  template?: 'slack' | 'feishu' | 'none' | null
  template_secret?: string | null
  enabled?: boolean
}

/** A delivery; its tries and what it tells are there when it was asked for by its id. */
export type CallbackDeliveryInfo = CallbackDelivery & Partial<WholeDelivery>

export interface DeliveryListQuery {
  status?: CallbackDelivery['status']
  limit?: number
  cursor?: string
}

const CALLBACKS = '/v1/callbacks'

/** The routes of callbacks as functions. Errors: see `send` in http.ts. */
export function callbacksOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = pathsBelow(CALLBACKS)
  const ofDelivery = (delivery: string) => `/deliveries/${encodeURIComponent(delivery)}`
  return {
    ...resourceOf<CallbackInfo, NewCallback, Partial<NewCallback>>(connection, CALLBACKS),
    rotate: (id: string, secret?: string) =>
      json<CallbackInfo>({ method: 'POST', path: path(id, '/rotate'), body: secret === undefined ? {} : { secret } }),
    test: (id: string) => json<CallbackDeliveryInfo>({ method: 'POST', path: path(id, '/test') }),
    deliveries: (id: string, query: DeliveryListQuery = {}) =>
      json<Page<CallbackDeliveryInfo>>({ path: path(id, '/deliveries'), query: { ...query } }),
    delivery: (id: string, delivery: string) => json<CallbackDeliveryInfo>({ path: path(id, ofDelivery(delivery)) }),
    retry: (id: string, delivery: string) =>
      json<CallbackDeliveryInfo>({ method: 'POST', path: path(id, `${ofDelivery(delivery)}/retry`) }),
  }
}
