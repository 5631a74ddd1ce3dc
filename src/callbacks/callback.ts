import type { CallbackPatch, NewCallback } from '../domain/callback-input.ts'
import {
  type Attempt,
  type Callback,
  type CallbackInfo,
  type Delivery,
  type DeliveryInfo,
  type WholeDelivery,
} from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import { newId } from '../lib/id.ts'
import { newSecret, withoutLinks } from './payload.ts'
import { SECRET_MASK } from '../lib/text.ts'
import type { KeptCallback } from '../store/callbacks.ts'

/** A callback of an input. `origin`: by which address the server was reached. */
export function callbackFrom(
  input: NewCallback,
  { tenant, origin }: Pick<Callback, 'tenant' | 'origin'>,
  now: number,
): Callback {
  return {
    id: newId('cbk', now),
    tenant,
    name: input.name ?? null,
    url: input.url,
    events: input.events,
    secret: input.secret ?? newSecret(),
    previousSecret: null,
    retry: retryOf(input.retry),
    template: input.template ?? null,
    templateSecret: input.template_secret ?? null,
    enabled: input.enabled ?? true,
    disabledReason: null,
    origin,
    createdTime: now,
    updatedTime: now,
  }
}

/** The callback with the changes of a patch. Fields that the patch does not name stay, and so does a secret that came back masked. */
export function patchedCallback(callback: Callback, patch: CallbackPatch, now: number): Callback {
  const { name, url, events, retry, template, template_secret: templateSecret, enabled, secret } = patch
  const isNewSecret = secret !== undefined && secret !== SECRET_MASK
  return {
    ...(isNewSecret ? withSecret(callback, secret, now) : callback),
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(retry === undefined ? {} : { retry: retryOf(retry) }),
    ...(template === undefined ? {} : { template }),
    ...(templateSecret === undefined || templateSecret === SECRET_MASK ? {} : { templateSecret }),
    ...(enabled === undefined ? {} : { enabled, disabledReason: null }),
    updatedTime: now,
  }
}

/** The callback with another secret; the present one signs along for a while. */
export function withSecret(callback: Callback, secret: string, now: number): Callback {
  if (secret === callback.secret) return callback
  const until = now + LIMITS.callback.previousSecretMs
  return { ...callback, secret, previousSecret: { value: callback.secret, until }, updatedTime: now }
}

function retryOf(retry: NewCallback['retry']): Callback['retry'] {
  return retry ? { times: retry.times, delayMs: retry.delay_ms } : null
}

/** A callback as clients see it: without its secrets. */
export function callbackView({ callback, failing }: KeptCallback, now: number): CallbackInfo {
  const { previousSecret, templateSecret, retry } = callback
  return {
    id: callback.id,
    object: 'callback',
    name: callback.name,
    url: callback.url,
    events: callback.events,
    secret: SECRET_MASK,
    previous_secret_until: previousSecret && previousSecret.until > now ? timeOf(previousSecret.until) : null,
    retry: retry && { times: retry.times, delay_ms: retry.delayMs },
    template: callback.template,
    template_secret: templateSecret === null ? null : SECRET_MASK,
    enabled: callback.enabled,
    status: statusOf(callback, failing),
    failing_since: callback.enabled && failing !== null ? timeOf(failing) : null,
    disabled_reason: callback.disabledReason,
    created_time: timeOf(callback.createdTime),
    updated_time: timeOf(callback.updatedTime),
  }
}

function statusOf({ enabled }: Callback, failing: number | null): 'ok' | 'failing' | 'disabled' {
  if (!enabled) return 'disabled'
  return failing === null ? 'ok' : 'failing'
}

export function deliveryView(delivery: Delivery): DeliveryInfo {
  const { data } = delivery
  return {
    id: delivery.id,
    object: 'delivery',
    callback_id: delivery.callbackId,
    event: delivery.event,
    session_id: delivery.sessionId,
    run_id: 'run_id' in data ? data.run_id : null,
    status: delivery.status,
    attempts: delivery.attempts,
    created_time: timeOf(delivery.time),
    next_attempt_time: delivery.status === 'pending' && delivery.due !== null ? timeOf(delivery.due) : null,
    ended_time: delivery.endedTime === null ? null : timeOf(delivery.endedTime),
  }
}

/** The same with its newest tries, oldest first, and what it tells. */
export function wholeDeliveryView(delivery: Delivery, attempts: readonly Attempt[]): WholeDelivery {
  return {
    ...deliveryView(delivery),
    attempt_log: attempts.map(({ time, ms, status, answer, error }) => ({
      time: timeOf(time),
      ms,
      status,
      answer,
      error,
    })),
    data: withoutLinks(delivery.data),
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
