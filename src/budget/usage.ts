import { LIMITS } from '../domain/limits.ts'
import { type Money, type Price, rounded, type TokenUsage, type Usage } from '../domain/usage.ts'

const PER_MTOK = 1_000_000

/** What tokens cost at a price; cached prompt tokens at their own price where there is one. */
export function costOf(tokens: TokenUsage, price: Price): Money {
  const cached = Math.min(tokens.cached_tokens, tokens.prompt_tokens)
  const prompt =
    (tokens.prompt_tokens - cached) * price.prompt_per_mtok + cached * (price.cached_per_mtok ?? price.prompt_per_mtok)
  return {
    amount: withoutNoise((prompt + tokens.completion_tokens * price.completion_per_mtok) / PER_MTOK),
    currency: price.currency,
  }
}

/** An amount without the noise of its last bits, however small it is. */
const withoutNoise = (amount: number) => Number(amount.toPrecision(12))

/** Amounts with one more added: one a currency, in the order in which they came. */
export function addMoney(amounts: readonly Money[], more: Money | null): Money[] {
  if (more === null) return [...amounts]
  if (amounts.every(({ currency }) => currency !== more.currency)) return [...amounts, more]
  return amounts.map((one) =>
    one.currency === more.currency ? { ...one, amount: rounded(one.amount + more.amount) } : one,
  )
}

/** What of some amounts is in a currency. */
export function amountIn(costs: readonly Money[], currency: string): number {
  return costs.find((cost) => cost.currency === currency)?.amount ?? 0
}

/** Amounts are sums of fractions: a part in a billion over the bound is none. */
export function isWithin(amount: number, bound: number): boolean {
  return amount <= bound * (1 + 1e-9)
}

/** Usage with one answered model call more. What cannot be in its one amount, for want of a price (`cost` null) or in another
 *  currency, is told by the alias. */
export function addModelCall(usage: Usage, tokens: TokenUsage, cost: Money | null, alias: string): Usage {
  const [first, second] = addMoney(usage.cost ? [usage.cost] : [], cost)
  const isCounted = cost !== null && second === undefined
  const unpriced = isCounted ? usage.unpriced_models : named(usage.unpriced_models ?? [], alias)
  const estimated = (usage.estimated_calls ?? 0) + (tokens.estimated ? 1 : 0)
  return {
    ...usage,
    prompt_tokens: usage.prompt_tokens + tokens.prompt_tokens,
    completion_tokens: usage.completion_tokens + tokens.completion_tokens,
    total_tokens: usage.total_tokens + tokens.prompt_tokens + tokens.completion_tokens,
    cached_tokens: usage.cached_tokens + tokens.cached_tokens,
    reasoning_tokens: usage.reasoning_tokens + tokens.reasoning_tokens,
    model_calls: usage.model_calls + 1,
    cost: first ?? null,
    ...(unpriced ? { unpriced_models: unpriced } : {}),
    ...(estimated > 0 ? { estimated_calls: estimated } : {}),
  }
}

function named(aliases: readonly string[], alias: string): string[] {
  const isNew = !aliases.includes(alias) && aliases.length < LIMITS.usage.unpricedMax
  return isNew ? [...aliases, alias] : [...aliases]
}
