import {
  type Attempt,
  type Callback,
  CALLBACK_SECRET_MASK,
  type CallbackInfo,
  type Delivery,
  type DeliveryInfo,
  type WholeDelivery,
} from '../domain/callback.ts'
import type { KeptCallback } from '../store/callbacks.ts'
import { withoutLinks } from './payload.ts'

/** A callback as clients see it: without its secrets. */
export function callbackView({ callback, failing }: KeptCallback, now: number): CallbackInfo {
  const { previousSecret, templateSecret, retry } = callback
  return {
    id: callback.id,
    object: 'callback',
    name: callback.name,
    url: callback.url,
    events: callback.events,
    secret: CALLBACK_SECRET_MASK,
    previous_secret_until: previousSecret && previousSecret.until > now ? timeOf(previousSecret.until) : null,
    retry: retry && { times: retry.times, delay_ms: retry.delayMs },
    template: callback.template,
    template_secret: templateSecret === null ? null : CALLBACK_SECRET_MASK,
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
