import type { ModelSpec } from '../domain/model.ts'
import type { Reservation, RunState } from '../domain/state.ts'
import type { TeamState } from '../domain/team.ts'
import type { Money } from '../domain/usage.ts'
import { addMoney } from './usage.ts'

/** Amounts are sums of fractions: a part in a billion over the bound is none. */
const TOLERANCE = 1 + 1e-9

/** Why a call with this reservation may not be made for the team, with all that it has spent, holds or has under way; null: it may. */
export function investmentRefusal(
  team: Pick<TeamState, 'investment' | 'charged'>,
  run: Pick<RunState, 'scopes'>,
  specs: readonly Pick<ModelSpec, 'price'>[],
  wanted: Reservation,
): 'no_money' | 'unpriced_model' | null {
  const { investment } = team
  if (!investment) return null
  if (specs.some(({ price }) => price?.currency !== investment.currency)) return 'unpriced_model'
  const underWay = Object.values(run.scopes).map(({ model }) => model?.reserved.cost ?? null)
  const costs = [...underWay, wanted.cost].reduce(addMoney, team.charged)
  return spentOf(costs, investment.currency) <= investment.amount * TOLERANCE ? null : 'no_money'
}

/** What of some amounts is in a currency. */
export function spentOf(costs: readonly Money[], currency: string): number {
  return costs.find((cost) => cost.currency === currency)?.amount ?? 0
}
