import { ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Firing } from '../domain/start.ts'
import type { SecretRotation, Webhook, WebhookPatch } from '../domain/webhook.ts'
import type { TriggerPorts } from './starter.ts'
import { type TriggerPage, TriggerStore } from './trigger-store.ts'
import { patchedWebhook, rotatedWebhook } from './webhook-spec.ts'

/** The webhooks of a tenant. */
export class Webhooks {
  readonly #ports: Pick<TriggerPorts, 'db' | 'now'>
  readonly #store: TriggerStore<Webhook>

  constructor(ports: Pick<TriggerPorts, 'db' | 'now'>) {
    this.#ports = ports
    const max = LIMITS.trigger.webhooksMax
    this.#store = new TriggerStore(ports.db, { prefix: 'whk', what: 'webhook', plural: 'webhooks', max })
  }

  /** Keep a webhook; one that the request made before is given as it is now. */
  add(webhook: Webhook, request: string | null): Result<Webhook> {
    return specOf(this.#store.add(webhook, null, request, this.#ports.now()))
  }

  get(id: string): Result<Webhook> {
    return specOf(this.#store.find(id))
  }

  list(page: TriggerPage): Webhook[] {
    return this.#store.list(page).map(({ spec }) => spec)
  }

  patch(id: string, patch: WebhookPatch): Result<Webhook> {
    return this.#change(id, (known) => patchedWebhook(known, patch, this.#ports.now()), null)
  }

  /** Replace the secret; the present one holds on for a while. */
  rotate(id: string, rotation: SecretRotation, request: string | null): Result<Webhook> {
    return this.#change(id, (known) => rotatedWebhook(known, rotation, this.#ports.now()), request)
  }

  remove(id: string): Result<null> {
    return this.#store.remove(id)
  }

  deliveries(id: string, page: TriggerPage): Result<Firing[]> {
    return this.#store.log(id, page)
  }

  #change(id: string, change: (known: Webhook) => Result<Webhook>, request: string | null): Result<Webhook> {
    const changed = this.#store.change(
      id,
      ({ spec, next }) => {
        const made = change(spec)
        return made.ok ? ok({ spec: made.value, next }) : made
      },
      request,
      this.#ports.now(),
    )
    return specOf(changed)
  }
}

function specOf(stored: Result<{ spec: Webhook }>): Result<Webhook> {
  return stored.ok ? ok(stored.value.spec) : stored
}
