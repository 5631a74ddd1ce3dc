import type { LimitsConfig } from '../domain/config.ts'
import type { Reservation, RunState } from '../domain/state.ts'
import type { Price } from '../domain/usage.ts'
import { addMoney, costOf } from './usage.ts'

/** What one call may take at most: the prompt as estimated and all of `maxTokens`, at the model's price. */
export function reservationFor(promptTokens: number, maxTokens: number, price: Price | null): Reservation {
  const tokens = { prompt_tokens: promptTokens, completion_tokens: maxTokens, cached_tokens: 0, reasoning_tokens: 0 }
  return { tokens: promptTokens + maxTokens, cost: price && costOf(tokens, price) }
}

/** Whether a call with this reservation stays within the run's token and money limits, with all that is spent, held or under way. */
export function fits(
  run: RunState,
  wanted: Reservation,
  limits: Pick<LimitsConfig, 'max_total_tokens' | 'max_cost'>,
): boolean {
  const underWay = Object.values(run.scopes).flatMap((scope) => (scope.model ? [scope.model.reserved] : []))
  const all = [run.held, ...underWay, wanted].reduce(addReservations)
  if (limits.max_total_tokens !== undefined && run.usage.total_tokens + all.tokens > limits.max_total_tokens)
    return false
  if (limits.max_cost === undefined) return true
  return (addMoney(run.usage.cost, all.cost)?.amount ?? 0) <= limits.max_cost.amount
}

export function addReservations(a: Reservation, b: Reservation): Reservation {
  return { tokens: a.tokens + b.tokens, cost: addMoney(a.cost, b.cost) }
}
