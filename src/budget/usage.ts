import type { Money, Price, TokenUsage, Usage } from '../domain/usage.ts'

const PER_MTOK = 1_000_000

/** What tokens cost at a price; cached prompt tokens at their own price where there is one. */
export function costOf(tokens: TokenUsage, price: Price): Money {
  const cached = Math.min(tokens.cached_tokens, tokens.prompt_tokens)
  const prompt =
    (tokens.prompt_tokens - cached) * price.prompt_per_mtok + cached * (price.cached_per_mtok ?? price.prompt_per_mtok)
  return {
    amount: (prompt + tokens.completion_tokens * price.completion_per_mtok) / PER_MTOK,
    currency: price.currency,
  }
}

/** The sum of two amounts; of two currencies the first is kept (a run has one priced currency, see `checkBudget`). */
export function addMoney(a: Money | null, b: Money | null): Money | null {
  if (a === null || b === null) return a ?? b
  return a.currency === b.currency ? { amount: a.amount + b.amount, currency: a.currency } : a
}

/** Usage with one answered model call more. `cost` null: the model has no price, and its alias is named instead. */
export function addModelCall(usage: Usage, tokens: TokenUsage, cost: Money | null, alias: string): Usage {
  const unpriced = cost === null ? [...new Set([...(usage.unpriced_models ?? []), alias])] : usage.unpriced_models
  return {
    ...usage,
    prompt_tokens: usage.prompt_tokens + tokens.prompt_tokens,
    completion_tokens: usage.completion_tokens + tokens.completion_tokens,
    total_tokens: usage.total_tokens + tokens.prompt_tokens + tokens.completion_tokens,
    cached_tokens: usage.cached_tokens + tokens.cached_tokens,
    reasoning_tokens: usage.reasoning_tokens + tokens.reasoning_tokens,
    model_calls: usage.model_calls + 1,
    cost: addMoney(usage.cost, cost),
    ...(unpriced ? { unpriced_models: unpriced } : {}),
  }
}
