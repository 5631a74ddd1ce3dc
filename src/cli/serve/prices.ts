import type { ServerConfig } from '../../domain/server-config.ts'
import type { Money } from '../../domain/usage.ts'
import { unpricedFor } from '../../budget/reserve.ts'
import { resolveModel } from '../../models/aliases.ts'

/** A bound in money that a config sets, and a model of it with which that cannot be held. */
export interface UnheldBound {
  /** The field that sets it. */
  path: string
  currency: string
  alias: string
}

const NO_ENV = { secret: () => undefined, workersAi: true }

/** Bounds of a config that refuse runs of its own models, because these have no price in their currency. */
export function unheldBounds(config: ServerConfig): UnheldBound[] {
  return Object.keys(config.models ?? {}).flatMap((alias) => {
    const choice = resolveModel(config, { model: alias }, NO_ENV)
    if (!choice.ok) return []
    return boundsOf(config)
      .filter(([, bound]) => unpricedFor([choice.spec], { max_cost: bound }) !== null)
      .map(([path, { currency }]) => ({ path, currency, alias }))
  })
}

/** Every bound in money of a config, and the field that sets it. */
function boundsOf({
  limits,
  budgets: { tenant, user, tenants = {} } = {},
}: ServerConfig): [path: string, bound: Money][] {
  const accounts = Object.entries({ tenant, user, ...prefixed(tenants) })
  const periods = accounts.flatMap(([name, account]) => [
    [`budgets.${name}.day.max_cost`, account?.day?.max_cost] as const,
    [`budgets.${name}.month.max_cost`, account?.month?.max_cost] as const,
  ])
  const all = [['limits.max_cost', limits?.max_cost] as const, ...periods]
  return all.flatMap(([path, bound]): [string, Money][] => (bound ? [[path, bound]] : []))
}

function prefixed<T>(accounts: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(accounts).map(([name, account]) => [`tenants.${name}`, account]))
}
