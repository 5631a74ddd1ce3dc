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

/** Whether another model may be asked: the service failed, or does not serve this key or this model. What is wrong with the
 *  request would be wrong for any. */
export function mayFallBack({ code, status, retryable }: ModelFailure): boolean {
  return retryable || code === 'model_unauthorized' || status === 402 || status === 404
}

/** Milliseconds after which a call with all its tries is over, whatever happens. */
export function callMsMax({ retry, timeoutMs, spareKeys }: ModelSpec): number {
  return (retry.times + 1) * (timeoutMs * (spareKeys.length + 1) + LIMITS.model.retryDelayMsMax)
}
