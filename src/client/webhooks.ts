import type { NewWebhook, SecretRotation, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import { sendForJson, type Connection } from './http.ts'
import { pathsBelow, resourceOf } from './resource.ts'
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

const BASE = '/v1/webhooks'

/** The routes of webhooks as functions. Errors: see `send` in http.ts. */
export function webhooksOf(connection: Connection) {
  const path = pathsBelow(BASE)
  return {
    ...resourceOf<WebhookInfo, NewWebhook, WebhookPatch>(connection, BASE),
    /** Replace the secret; both hold for a while. */
    rotate: (id: string, rotation: SecretRotation = {}) =>
      sendForJson<WebhookInfo>(connection, { method: 'POST', path: path(id, '/rotate'), body: rotation }),
    deliveries: (id: string, query: PageQuery = {}) =>
      sendForJson<Page<DeliveryInfo>>(connection, { path: path(id, '/deliveries'), query: { ...query } }),
    test: (id: string, test: WebhookTest) =>
      sendForJson<WebhookTrialInfo>(connection, { method: 'POST', path: path(id, '/test'), body: test }),
  }
}
