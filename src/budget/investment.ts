import type { ModelSpec } from '../domain/model.ts'
import type { Reservation, BranchState } from '../domain/state.ts'
import type { Money } from '../domain/usage.ts'
import { addMoney, amountIn, isWithin } from './usage.ts'

/** What may be spent, null: any; and what counts against it. One amount a currency. */
interface Investment {
  investment: Money | null
  charged: Money[]
}

/** Why a call with this reservation may not be made for the team, with all that it has spent, holds or has under way; null: it may.
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
    left: { amount: Math.max(0, investment.amount - spent), currency },
  }
}

export interface TeamAccount {
  investment: Money | null
  spent: Money | null
  left: Money | null
}

/** The one amount that there is; null: none, or several currencies. */
export function amountOf(costs: readonly Money[]): Money | null {
  return costs.length === 1 ? (costs[0] ?? null) : null
}
