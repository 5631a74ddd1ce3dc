import type { Callback } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Random } from '../domain/ports.ts'

/** Milliseconds to wait after try `step` (1-based) failed, spread by `retryJitterShare`; a longer `retryAfterMs` of the receiver
 *  wins, up to its limit. Null: that was the last try. */
export function retryDelay(
  { retry }: Pick<Callback, 'retry'>,
  step: number,
  retryAfterMs: number | null,
  random: Random,
): number | null {
  const { retryDelaysMs, retryDelayMsMax, retryJitterShare, retryAfterMsMax } = LIMITS.callback
  const times = retry?.times ?? retryDelaysMs.length
  if (step > times) return null
  const own = retry && Math.min(retryDelayMsMax, retry.delayMs * 2 ** (step - 1))
  const plain = own ?? retryDelaysMs[step - 1] ?? retryDelayMsMax
  const spread = plain * (1 + retryJitterShare * (2 * random() - 1))
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, retryAfterMsMax)))
}
