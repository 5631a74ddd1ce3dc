import { DurableObject } from 'cloudflare:workers'
import type { SchedulePatch } from '../domain/schedule.ts'
import type { SecretRotation, Webhook, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import type { Timed } from '../triggers/schedule-spec.ts'
import type { TriggerPage } from '../triggers/trigger-store.ts'
import { onDemand } from '../lib/shape.ts'
import type { Env } from './env.ts'

/** The webhooks and schedules of one tenant. Everything is forwarded; nothing is decided here. */
export class TriggerObject extends DurableObject<Env> {
  readonly #triggers = onDemand(async () => {
    const [{ Triggers }, { triggerPorts }] = await Promise.all([
      import('../triggers/triggers.ts'),
      import('./trigger-ports.ts'),
    ])
    return new Triggers(triggerPorts(this.ctx, this.env))
  })

  async addWebhook(tenant: string, webhook: Webhook, request: string | null) {
    const triggers = await this.#triggers()
    triggers.open(tenant)
    return triggers.webhooks.add(webhook, request)
  }

  async webhook(id: string) {
    return (await this.#triggers()).webhooks.get(id)
  }

  async webhooks(page: TriggerPage) {
    return (await this.#triggers()).webhooks.list(page)
  }

  async patchWebhook(id: string, patch: WebhookPatch) {
    return (await this.#triggers()).webhooks.patch(id, patch)
  }

  async rotateWebhook(id: string, rotation: SecretRotation, request: string | null) {
    return (await this.#triggers()).webhooks.rotate(id, rotation, request)
  }

  async removeWebhook(id: string) {
    return (await this.#triggers()).webhooks.remove(id)
  }

  async deliveries(id: string, page: TriggerPage) {
    return (await this.#triggers()).webhooks.deliveries(id, page)
  }

  async testWebhook(id: string, test: WebhookTest, request: string | null) {
    return (await this.#triggers()).deliveries.test(id, test, request)
  }

  async receive(id: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array<ArrayBuffer>) {
    return (await this.#triggers()).deliveries.receive(id, headers, bytes)
  }

  async addSchedule(tenant: string, schedule: Timed, request: string | null) {
    const triggers = await this.#triggers()
    triggers.open(tenant)
    return triggers.schedules.add(schedule, request)
  }

  async schedule(id: string) {
    return (await this.#triggers()).schedules.get(id)
  }

  async schedules(page: TriggerPage) {
    return (await this.#triggers()).schedules.list(page)
  }

  async patchSchedule(id: string, patch: SchedulePatch) {
    return (await this.#triggers()).schedules.patch(id, patch)
  }

  async removeSchedule(id: string) {
    return (await this.#triggers()).schedules.remove(id)
  }

  async scheduledRuns(id: string, page: TriggerPage) {
    return (await this.#triggers()).schedules.runs(id, page)
  }

  async startSchedule(id: string, request: string | null) {
    return (await this.#triggers()).schedules.start(id, request)
  }

  override async alarm() {
    return (await this.#triggers()).wake()
  }
}
