import { sendForJson, type Connection, type Request } from './http.ts'
import { pathsBelow, resourceOf } from './resource.ts'
import type { Page } from './session-shapes.ts'

/** A callback as GET /v1/callbacks shows it. `secret`: the secret itself in the answer that made it, else `***`. */
export interface CallbackInfo {
  id: string
  name: string | null
  url: string
  events: string[]
  secret: string
  enabled: boolean
  status: 'ok' | 'failing' | 'disabled'
  [more: string]: unknown
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

/** A delivery. `attempt_log` and `data` are there when it was asked for by its id. */
export interface CallbackDeliveryInfo {
  id: string
  event: string
  session_id: string | null
  status: 'pending' | 'delivered' | 'dead'
  attempts: number
  created_time: string
  next_attempt_time: string | null
  attempt_log?: {
    time: string
    ms: number
    status: number | null
    answer: string | null
    error: { code: string; detail: string } | null
  }[]
  [more: string]: unknown
}

export interface DeliveryListQuery {
  status?: CallbackDeliveryInfo['status']
  limit?: number
  cursor?: string
}

const BASE = '/v1/callbacks'

/** The routes of callbacks as functions. Errors: see `send` in http.ts. */
export function callbacksOf(connection: Connection) {
  const json = <T>(request: Request) => sendForJson<T>(connection, request)
  const path = pathsBelow(BASE)
  const ofDelivery = (delivery: string) => `/deliveries/${encodeURIComponent(delivery)}`
  return {
    ...resourceOf<CallbackInfo, NewCallback, Partial<NewCallback>>(connection, BASE),
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
export type Callbacks = ReturnType<typeof callbacksOf>
