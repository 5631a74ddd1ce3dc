import type { NewWebhook, SecretRotation, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import { sendForJson, sendForNothing, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

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

/** The routes of webhooks as functions. Errors: see `send` in http.ts. */
export function webhooksOf(connection: Connection) {
  const path = (id: string, rest = '') => `/v1/webhooks/${encodeURIComponent(id)}${rest}`
  return {
    list: (query: PageQuery = {}) =>
      sendForJson<Page<WebhookInfo>>(connection, { path: '/v1/webhooks', query: { ...query } }),
    create: (webhook: NewWebhook) =>
      sendForJson<WebhookInfo>(connection, { method: 'POST', path: '/v1/webhooks', body: webhook }),
    get: (id: string) => sendForJson<WebhookInfo>(connection, { path: path(id) }),
    update: (id: string, patch: WebhookPatch) =>
      sendForJson<WebhookInfo>(connection, { method: 'PATCH', path: path(id), body: patch }),
    /** Replace the secret; both hold for a while. */
    rotate: (id: string, rotation: SecretRotation = {}) =>
      sendForJson<WebhookInfo>(connection, { method: 'POST', path: path(id, '/rotate'), body: rotation }),
    delete: (id: string) => sendForNothing(connection, { method: 'DELETE', path: path(id) }),
    deliveries: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<DeliveryInfo>>(connection, { path: path(id, '/deliveries'), query: { ...query } }),
    test: (id: string, test: WebhookTest) =>
      sendForJson<WebhookTrialInfo>(connection, { method: 'POST', path: path(id, '/test'), body: test }),
  }
}
