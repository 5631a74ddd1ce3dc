import type { Account, BudgetLimits } from '../domain/budget.ts'
import type { ServerConfig } from '../domain/server-config.ts'

/** The accounts that a run spends from; empty: nothing has a budget. `payer`: the key that began it, if that has one. */
export function accountsOf(
  config: ServerConfig,
  { tenant, user, payer }: { tenant: string; user: string | null; payer: string | null },
): Account[] {
  return [
    ...tenantAccount(config, tenant),
    ...(user === null ? [] : account('user', user, config.budgets?.user)),
    ...(payer === null ? [] : [keyAccount(config, tenant, payer)]),
  ]
}

/** The account of a tenant that has a budget. */
export function tenantAccount({ budgets }: ServerConfig, tenant: string): Account[] {
  return account('tenant', tenant, budgets?.tenants?.[tenant] ?? budgets?.tenant)
}

function account(of: Account['of'], id: string, limits: BudgetLimits | undefined): Account[] {
  return limits ? [{ of, id, limits }] : []
}

/** That of a key of the config; what a made key may spend is known by the tenant's object alone. */
function keyAccount({ auth }: ServerConfig, tenant: string, id: string): Account {
  const known = auth?.keys?.find((key) => key.id === id && (key.tenant ?? 'default') === tenant)
  return { of: 'key', id, limits: known?.limits ?? {} }
}
