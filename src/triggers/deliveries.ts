import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Firing, FiringFacts } from '../domain/start.ts'
import type { Webhook, WebhookTest } from '../domain/webhook.ts'
import { newId, idBefore } from '../lib/id.ts'
import {
  claimFiring,
  countRefused,
  countRepeat,
  findFiring,
  forgetFiring,
  type NewFiring,
  type LogBounds,
  replaceFiring,
} from '../store/firings.ts'
import { findThread } from '../store/threads.ts'
import {
  checkSignature,
  type SignedDelivery,
  filterReason,
  readDelivery,
  deliveryFacts,
  type WebhookTask,
  orderOf,
  workFor,
} from './delivery.ts'
import { type TriggerPorts, type Starter, reasonOf } from './starter.ts'
import { SCHEMES } from './schemes.ts'
import type { Webhooks } from './webhooks.ts'

/** What a sender is answered. */
export type Received =
  /** `began`: it started the run, also where it had come before and its process died. */
  | { outcome: 'accepted'; sessionId: string; runId: string | null; repeated: boolean; began: boolean }
  | { outcome: 'ignored'; reason: string }
  /** It only asked whether it speaks to the right one. */
  | { outcome: 'answered'; body: Record<string, unknown> }

/** What a delivery would do, and what it did where it was told to. */
export interface WebhookTrial {
  event: string | null
  deliveryId: string
  /** Null: it is let through. */
  ignored: string | null
  task: string
  inputs: Record<string, unknown> | null
  missing: string[]
  sessionKey: string | null
  /** The session that the key leads to by now. */
  sessionId: string | null
  firing: Firing | null
}

/** What comes to the webhooks of a tenant. The same delivery starts one run, also when the process dies in the middle. */
export class Deliveries {
  readonly #ports: TriggerPorts
  readonly #webhooks: Webhooks
  readonly #starter: Starter
  readonly #refusals: Refusals

  constructor(ports: TriggerPorts, webhooks: Webhooks, starter: Starter) {
    this.#ports = ports
    this.#webhooks = webhooks
    this.#starter = starter
    this.#refusals = new Refusals(ports)
  }

  /** A delivery: proved, read, written down, and its run started. */
  async receive(
    id: string,
    headers: Readonly<Record<string, string>>,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Result<Received>> {
    const webhook = this.#webhooks.get(id)
    if (!webhook.ok) return webhook
    const request = { headers, bytes, now: this.#ports.now() }
    const signed = await checkSignature(webhook.value, request)
    if (!signed.ok) return this.#refuse(id, signed.error)
    const read = await readDelivery(webhook.value, request)
    if (!read.ok) return this.#refuse(id, read.error)
    const answer = SCHEMES[webhook.value.scheme].answerTo(read.value.body)
    if (answer) return ok({ outcome: 'answered', body: answer })
    if (!webhook.value.enabled) return this.#refuse(id, { code: 'webhook_disabled' }, read.value)
    return answerOf(await this.#take(webhook.value, read.value))
  }

  /** Try a webhook with a delivery that needs no signature. `run`: it starts its run, once for a `request`. */
  async test(id: string, { body, headers, run }: WebhookTest, request: string | null): Promise<Result<WebhookTrial>> {
    const webhook = this.#webhooks.get(id)
    if (!webhook.ok) return webhook
    const now = this.#ports.now()
    const lower = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name.toLowerCase(), value])
    const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify(body ?? null)))
    const read = await readDelivery(webhook.value, { headers: Object.fromEntries(lower), bytes, now })
    if (!read.ok) return read
    const { event, deliveryId } = read.value
    const { task, inputs, missing, sessionKey } = await orderOf(webhook.value, read.value, this.#ports)
    const taken = run ? await this.#take(webhook.value, read.value, `t:${request ?? newId('dlv', now)}`) : null
    const sessionId = sessionKey === null ? null : findThread(this.#ports.db, id, sessionKey)
    return ok({
      event,
      deliveryId,
      ignored: filterReason(webhook.value, event),
      task,
      inputs,
      missing,
      sessionKey,
      sessionId,
      firing: taken?.firing ?? null,
    })
  }

  /** What becomes of a delivery; of one that is known, what became of it. Null: the webhook is gone. */
  async #take(webhook: Webhook, delivery: SignedDelivery, key = `d:${delivery.deliveryId}`): Promise<Taken | null> {
    const known = this.#known(webhook, key)
    if (known) return this.#started(known.id, known.status === 'pending' && !this.#starter.isAt(known.id))
    const ignored = filterReason(webhook, delivery.event)
    const order = ignored === null ? await orderOf(webhook, delivery, this.#ports) : null
    const firing = this.#firingOf(webhook, delivery, { key, ignored, order })
    const isFirst = this.#claim(firing)
    const taken = isFirst ? firing : this.#known(webhook, key)
    return taken ? this.#started(taken.id, isFirst) : null
  }

  async #started(id: string, began: boolean): Promise<Taken | null> {
    const firing = await this.#starter.start(id)
    return firing && { firing, began }
  }

  /** False: the webhook is gone, or the delivery came in the meantime. */
  #claim(firing: NewFiring): boolean {
    const { db, now } = this.#ports
    return db.transaction(() => this.#webhooks.get(firing.trigger).ok && claimFiring(db, firing, deliveryBounds(now())))
  }

  /** What a repeat finds. What was refused by its session is forgotten: it is tried anew. */
  #known(webhook: Webhook, key: string): Firing | null {
    const { db } = this.#ports
    const known = findFiring(db, webhook.id, key)
    if (!known) return null
    if (known.status !== 'failed' || known.facts.error?.code === 'unavailable') {
      countRepeat(db, known.id)
      return known
    }
    db.transaction(() => forgetFiring(db, known))
    return null
  }

  #firingOf(
    webhook: Webhook,
    delivery: SignedDelivery,
    { key, ignored, order }: { key: string; ignored: string | null; order: WebhookTask | null },
  ): NewFiring {
    const now = this.#ports.now()
    const facts = {
      ...deliveryFacts(delivery),
      ...(key.startsWith('t:') ? { isTest: true as const } : {}),
      ...(ignored === null ? {} : { reason: ignored }),
      ...(order ? { sessionKey: order.sessionKey, missing: order.missing } : {}),
    }
    return {
      id: newId('dlv', now),
      trigger: webhook.id,
      key,
      time: now,
      status: order ? 'pending' : 'ignored',
      facts,
      work: order && workFor(webhook, order, delivery.deliveryId),
      retryTime: order ? now + LIMITS.trigger.retryMs : null,
    }
  }

  #refuse(id: string, error: AppError, delivery?: SignedDelivery): Result<never> {
    this.#refusals.write(id, error, delivery ? deliveryFacts(delivery) : {})
    return fail(error)
  }
}

/** A delivery, and whether it is what starts the run. */
interface Taken {
  firing: Firing
  began: boolean
}

function answerOf(taken: Taken | null): Result<Received> {
  if (!taken) return fail({ code: 'not_found', what: 'webhook' })
  const { status, sessionId, runId, repeats, facts } = taken.firing
  if (status === 'ignored') return ok({ outcome: 'ignored', reason: facts.reason ?? '' })
  if (status === 'started' && sessionId !== null)
    return ok({ outcome: 'accepted', sessionId, runId, repeated: repeats > 0, began: taken.began })
  return fail(facts.error ?? { code: 'unavailable' })
}

const MINUTE_MS = 60_000

/** How much of a webhook's log is kept. */
function deliveryBounds(now: number): LogBounds {
  const { deliveriesMax: entriesMax, deliveriesKeptMs, forgottenAtOnceMax } = LIMITS.trigger
  return { entriesMax, forgottenAtOnceMax, oldestId: idBefore('dlv', now - deliveriesKeptMs) }
}

/** Deliveries that start nothing because of what they are. They are kept in a ring, so that whoever cannot sign pushes nothing
 *  else out of the log, and only so many a minute. */
class Refusals {
  readonly #ports: Pick<TriggerPorts, 'db' | 'now'>
  /** Those of the present minute, by webhook. */
  readonly #counts = new Map<string, { minute: number; count: number }>()

  constructor(ports: Pick<TriggerPorts, 'db' | 'now'>) {
    this.#ports = ports
  }

  write(webhookId: string, error: AppError, facts: FiringFacts): void {
    const { db, now } = this.#ports
    const { refusedMax, refusedPerMinuteMax } = LIMITS.trigger
    const { count, minute } = this.#counted(webhookId)
    if (count > refusedPerMinuteMax) return
    const firing = {
      id: newId('dlv', now()),
      trigger: webhookId,
      key: `r:${(minute * refusedPerMinuteMax + count) % refusedMax}`,
      time: now(),
      status: 'refused' as const,
      facts: { ...facts, reason: reasonOf(error), error },
      work: null,
      retryTime: null,
    }
    db.transaction(() => replaceFiring(db, firing, deliveryBounds(now())))
  }

  #counted(webhookId: string): { minute: number; count: number } {
    const { db, now } = this.#ports
    const minute = Math.floor(now() / MINUTE_MS)
    const known = this.#counts.get(webhookId)
    // A process before may have written some of this minute.
    const before = known ?? { minute, count: countRefused(db, webhookId, minute * MINUTE_MS) }
    const counted = { minute, count: before.minute === minute ? before.count + 1 : 1 }
    this.#counts.set(webhookId, counted)
    return counted
  }
}
