import { DurableObject } from 'cloudflare:workers'
import type { SchedulePatch } from '../domain/schedule.ts'
import type { SecretRotation, Webhook, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import type { Timed } from '../triggers/schedule-spec.ts'
import type { TriggerPage } from '../triggers/trigger-store.ts'
import { Triggers } from '../triggers/triggers.ts'
import type { Env } from './env.ts'
import { triggerPorts } from './trigger-ports.ts'

/** The webhooks and schedules of one tenant. Everything is forwarded; nothing is decided here. */
export class TriggerObject extends DurableObject<Env> {
  readonly #triggers = new Triggers(triggerPorts(this.ctx, this.env))

  addWebhook(tenant: string, webhook: Webhook, request: string | null) {
    this.#triggers.open(tenant)
    return this.#triggers.webhooks.add(webhook, request)
  }

  webhook(id: string) {
    return this.#triggers.webhooks.get(id)
  }

  webhooks(page: TriggerPage) {
    return this.#triggers.webhooks.list(page)
  }

  patchWebhook(id: string, patch: WebhookPatch) {
    return this.#triggers.webhooks.patch(id, patch)
  }

  rotateWebhook(id: string, rotation: SecretRotation, request: string | null) {
    return this.#triggers.webhooks.rotate(id, rotation, request)
  }

  removeWebhook(id: string) {
    return this.#triggers.webhooks.remove(id)
  }

  deliveries(id: string, page: TriggerPage) {
    return this.#triggers.webhooks.deliveries(id, page)
  }

  testWebhook(id: string, test: WebhookTest, request: string | null) {
    return this.#triggers.deliveries.test(id, test, request)
  }

  receive(id: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array<ArrayBuffer>) {
    return this.#triggers.deliveries.receive(id, headers, bytes)
  }

  addSchedule(tenant: string, schedule: Timed, request: string | null) {
    this.#triggers.open(tenant)
    return this.#triggers.schedules.add(schedule, request)
  }

  schedule(id: string) {
    return this.#triggers.schedules.get(id)
  }

  schedules(page: TriggerPage) {
    return this.#triggers.schedules.list(page)
  }

  patchSchedule(id: string, patch: SchedulePatch) {
    return this.#triggers.schedules.patch(id, patch)
  }

  removeSchedule(id: string) {
    return this.#triggers.schedules.remove(id)
  }

  scheduledRuns(id: string, page: TriggerPage) {
    return this.#triggers.schedules.runs(id, page)
  }

  startSchedule(id: string, request: string | null) {
    return this.#triggers.schedules.start(id, request)
  }

  override alarm() {
    return this.#triggers.wake()
  }
}
