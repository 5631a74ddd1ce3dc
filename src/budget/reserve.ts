import type { LimitsConfig } from '../domain/config.ts'
import type { ModelFailure, ModelSpec } from '../domain/model.ts'
import type { Charged, Reservation, RunState, BranchState } from '../domain/state.ts'
import { type TokenUsage, type Money, rounded } from '../domain/usage.ts'
import { addMoney, amountIn, costOf, isWithin } from './usage.ts'

type BudgetLimits = Pick<LimitsConfig, 'max_total_tokens' | 'max_cost'>

/** What one call may take at most, whichever of the models answers: the prompt as estimated and all of `maxTokens`, at the
 *  dearest price. */
export function reservationFor(
  specs: readonly Pick<ModelSpec, 'maxTokens' | 'price'>[],
  promptTokens: number,
): Reservation {
  const costs = specs.flatMap(({ price, maxTokens }) =>
    price ? [costOf({ ...NO_TOKENS, prompt_tokens: promptTokens, completion_tokens: maxTokens }, price)] : [],
  )
  const dearest = costs.toSorted((a, b) => b.amount - a.amount)[0] ?? null
  return { tokens: promptTokens + Math.max(...specs.map(({ maxTokens }) => maxTokens)), cost: dearest }
}

const NO_TOKENS: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

/** The model that a money limit cannot be held with: it has no price in its currency. Null: there is none. */
export function unpricedFor<T extends Pick<ModelSpec, 'price'>>(
  specs: readonly T[],
  { max_cost: limit }: BudgetLimits,
): T | null {
  return (limit && specs.find(({ price }) => price?.currency !== limit.currency)) ?? null
}

/** Why money cannot be held with a model, and what is to be set so that it can. */
export function unpricedMessage(
  { price, alias, model, origin, base }: Pick<ModelSpec, 'price' | 'alias' | 'model' | 'origin' | 'base'>,
  { currency }: Pick<Money, 'currency'>,
): string {
  const isOther = base !== null && base.model !== model
  const priced = price ? `is priced in ${price.currency}` : 'has no price (price: null in GET /v1/models)'
  const remedy =
    origin === 'client'
      ? 'leave the bound out, or choose a model of the server'
      : isOther
        ? `leave llm.model out, or add ${JSON.stringify(model)} as an alias of its own with models.ALIAS.price`
        : `set models.${alias}.price in the server's config: {prompt_per_mtok, completion_per_mtok, currency: "${currency}"}`
  return `model ${isOther ? model : alias} ${priced}, so a bound in ${currency} cannot be held; ${remedy}`
}

/** Why a call with this reservation may not be made. Counted are all that the run has spent, holds and has under way. Null: it may. */
export function refusalOf(
  run: Pick<RunState, 'charged' | 'scopes'>,
  specs: readonly Pick<ModelSpec, 'price'>[],
  wanted: Reservation,
  limits: BudgetLimits,
): 'budget_exhausted' | 'unpriced_model' | null {
  if (unpricedFor(specs, limits)) return 'unpriced_model'
  const underWay = Object.values(run.scopes).flatMap(({ model }) => (model ? [model.reserved] : []))
  const { tokens, costs } = [...underWay, wanted].reduce(charge, run.charged)
  const { max_total_tokens: tokensMax = Infinity, max_cost: limit } = limits
  const fits = tokens <= tokensMax && (!limit || isWithin(amountIn(costs, limit.currency), limit.amount))
  return fits ? null : 'budget_exhausted'
}

/** The account with a reservation, or what was spent, on it. */
export function charge(charged: Charged, { tokens, cost }: Reservation): Charged {
  return { tokens: charged.tokens + tokens, costs: addMoney(charged.costs, cost) }
}

/** Failures after which the provider may have spent tokens that it never told of. */
const SPENT_UNTOLD: ReadonlySet<string> = new Set<ModelFailure['code']>([
  'model_timeout',
  'model_cancelled',
  'model_bad_answer',
  'model_unreachable',
])

/** Whether a failed call keeps its reservation. */
export function keepsReservation({ code }: { code: string }): boolean {
  return SPENT_UNTOLD.has(code)
}

/** What may be spent, null: any; and what counts against it. One amount a currency. */
interface Investment {
  investment: Money | null
  charged: Money[]
}

/** Why the team may not make a call with this reservation. Counted are all that it has spent, holds and has under way. Null: it may.
 *  `lines`: its branches. */
export function investmentRefusal(
  team: Investment,
  lines: readonly Pick<BranchState, 'model'>[],
  specs: readonly Pick<ModelSpec, 'price'>[],
  wanted: Reservation,
): 'no_money' | 'unpriced_model' | null {
  const { investment } = team
  if (!investment) return null
  if (specs.some(({ price }) => price?.currency !== investment.currency)) return 'unpriced_model'
  const underWay = lines.map(({ model }) => model?.reserved.cost ?? null)
  const costs = [...underWay, wanted.cost].reduce(addMoney, team.charged)
  return isWithin(amountIn(costs, investment.currency), investment.amount) ? null : 'no_money'
}

/** What a team may cost, what it did and what is left of it, as clients see it. */
export function accountOf({ investment, charged }: Investment): TeamAccount {
  if (!investment) return { investment, spent: amountOf(charged), left: null }
  const { currency } = investment
  const spent = amountIn(charged, currency)
  return {
    investment,
    spent: { amount: spent, currency },
    left: { amount: Math.max(0, rounded(investment.amount - spent)), currency },
  }
}

interface TeamAccount {
  investment: Money | null
  spent: Money | null
  left: Money | null
}

/** The one amount that there is; null: none, or several currencies. */
export function amountOf(costs: readonly Money[]): Money | null {
  return costs.length === 1 ? (costs[0] ?? null) : null
}
