import type { ModelFailure, ModelSpec } from '../domain/model.ts'
import type { Random } from '../domain/ports.ts'
import { LIMITS } from '../domain/limits.ts'

/** Milliseconds to wait before retry `attempt` (1-based): uniform in [0, min(cap, delayMs·2^attempt)); a longer
 *  Retry-After of the service wins. Source: AWS "Exponential Backoff and Jitter"; RFC 9110 §10.2.3. */
export function retryDelayMs(attempt: number, delayMs: number, retryAfterMs: number | null, random: Random): number {
  const jittered = random() * Math.min(LIMITS.model.retryDelayMsMax, delayMs * 2 ** attempt)
  return Math.max(Math.floor(jittered), retryAfterMs ?? 0)
}

/** Whether retry `attempt` (1-based) may be made; a service that asks for a longer wait than the cap is left alone. */
export function mayRetry(failure: ModelFailure, attempt: number, retry: ModelSpec['retry']): boolean {
  return failure.retryable && attempt <= retry.times && (failure.retryAfterMs ?? 0) <= LIMITS.model.retryDelayMsMax
}

/** Milliseconds that a Retry-After header asks for, in seconds or as a date; null when it says nothing readable. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : null
}

/** Whether another model may be asked: the service failed, or does not serve this key or this model. What is wrong with the
 *  request would be wrong for any. */
export function mayFallBack({ code, status, retryable }: ModelFailure): boolean {
  return retryable || code === 'model_unauthorized' || status === 402 || status === 404
}

/** Milliseconds after which a call with all its tries is over, whatever happens. */
export function callMsMax({ retry, timeoutMs, spareKeys }: ModelSpec): number {
  return (retry.times + 1) * (timeoutMs * (spareKeys.length + 1) + LIMITS.model.retryDelayMsMax)
}
