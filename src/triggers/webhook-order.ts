import { languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { FiringFacts, StartWork } from '../domain/start.ts'
import type { Webhook } from '../domain/webhook.ts'
import { cutText } from '../lib/text.ts'
import { newId } from '../lib/id.ts'
import type { Delivery } from './delivery.ts'
import type { TriggerPorts } from './ports.ts'
import { render, type TemplateData } from './render.ts'

/** What a delivery asks for. */
export interface Order {
  task: string
  title: string
  /** Deliveries of the same key go to the same session; null: to one of their own. */
  sessionKey: string | null
  /** Names in the templates that nothing answers to. */
  missing: string[]
}

/** The task of a delivery, and the key of the session that goes on with it. A key with a hole in it leads nowhere. */
export async function orderOf(
  webhook: Webhook,
  { body, headers, event, deliveryId }: Delivery,
  { now, language: tag }: Pick<TriggerPorts, 'now' | 'language'>,
): Promise<Order> {
  const data: TemplateData = { body, headers, event, delivery_id: deliveryId }
  const language = languageOf(webhook.with.config?.language ?? tag)
  const options = { secret: newId('dlv', now()), language }
  const { text, plain, missing } = await render(webhook.taskTemplate, data, options)
  const key = webhook.sessionKeyTemplate === null ? null : await render(webhook.sessionKeyTemplate, data, options)
  const isWhole = key !== null && key.missing.length === 0 && key.plain.trim() !== ''
  return {
    task: text,
    title: cutText(plain.trim().split('\n', 1)[0] ?? '', LIMITS.text.titleFromTaskChars - 1),
    sessionKey: isWhole ? key.plain.slice(0, LIMITS.trigger.sessionKeyCharsMax) : null,
    missing: [...new Set([...missing, ...(key?.missing ?? [])])],
  }
}

/** The run that an order is, in a session of its own or in that of its key. */
export function workFor(webhook: Webhook, { task, title, sessionKey }: Order, deliveryId: string): StartWork {
  const metadata = { trigger: 'webhook', webhook_id: webhook.id, delivery_id: deliveryId }
  return {
    thread: sessionKey,
    input: { ...webhook.with, task, title, metadata },
    whenBusy: 'queue',
    untrusted: true,
  }
}

/** What the log says of a delivery. */
export function factsOf({ deliveryId, event, bytes, excerpt }: Delivery): FiringFacts {
  return { deliveryId, event, bytes, excerpt }
}
