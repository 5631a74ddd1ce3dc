import type * as z from 'zod'
import type { CallbackInfo, DeliveryInfo, WholeDelivery } from '../domain/callback.ts'
import type { callbackPatch, newCallback } from '../domain/callback-input.ts'
import type {
  ListedSchedule,
  NewSchedule,
  ScheduledRunInfo,
  ScheduleInfo,
  SchedulePatch,
  ScheduleTrialInfo,
} from '../domain/schedule.ts'
import type {
  NewWebhook,
  SecretRotation,
  WebhookDeliveryInfo,
  WebhookInfo,
  WebhookPatch,
  WebhookTest,
  WebhookTrialInfo,
} from '../domain/webhook.ts'
import {
  type Connection,
  type Page,
  type PageQuery,
  pathsBelow,
  type Request,
  resourceOf,
  sendForJson,
} from './http.ts'

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
      sendForJson<Page<WebhookDeliveryInfo>>(connection, { path: path(id, '/deliveries'), query: { ...query } }),
    test: (id: string, test: WebhookTest) =>
      sendForJson<WebhookTrialInfo>(connection, { method: 'POST', path: path(id, '/test'), body: test }),
  }
}

const SCHEDULES = '/v1/schedules'

/** The routes of schedules as functions. Errors: see `send` in http.ts. */
export function schedulesOf(connection: Connection) {
  const path = pathsBelow(SCHEDULES)
  return {
    ...resourceOf<ScheduleInfo, NewSchedule, SchedulePatch, ListedSchedule>(connection, SCHEDULES),
    runs: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<ScheduledRunInfo>>(connection, { path: path(id, '/runs'), query: { ...query } }),
    /** Start its run now. */
    run: (id: string) =>
      sendForJson<ScheduleTrialInfo>(connection, {
        method: 'POST',
        path: path(id, '/test'),
        body: { run: true },
      }),
  }
}

/** A delivery; its tries and what it tells are there when it was asked for by its id. */
export type CallbackDeliveryInfo = DeliveryInfo & Partial<WholeDelivery>

export interface CallbackDeliveryQuery {
  status?: DeliveryInfo['status']
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
    ...resourceOf<CallbackInfo, z.input<typeof newCallback>, z.input<typeof callbackPatch>>(connection, CALLBACKS),
    rotate: (id: string, secret?: string) =>
      json<CallbackInfo>({ method: 'POST', path: path(id, '/rotate'), body: secret === undefined ? {} : { secret } }),
    test: (id: string) => json<CallbackDeliveryInfo>({ method: 'POST', path: path(id, '/test') }),
    deliveries: (id: string, query: CallbackDeliveryQuery = {}) =>
      json<Page<CallbackDeliveryInfo>>({ path: path(id, '/deliveries'), query: { ...query } }),
    delivery: (id: string, delivery: string) => json<CallbackDeliveryInfo>({ path: path(id, ofDelivery(delivery)) }),
    retry: (id: string, delivery: string) =>
      json<CallbackDeliveryInfo>({ method: 'POST', path: path(id, `${ofDelivery(delivery)}/retry`) }),
  }
}
