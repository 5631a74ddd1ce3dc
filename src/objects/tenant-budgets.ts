import { accountsOf } from '../budget/budget-ledger.ts'
import type { BudgetPort } from '../domain/budget.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { directoryObject, type Env } from './env.ts'

/** The budgets of a config, and of keys, in the objects of their tenants. */
export function tenantBudgets(env: Env, config: ServerConfig): BudgetPort {
  return {
    accountsOf: (run) => accountsOf(config, run),
    reserve: (tenant, wanted) => asked(env, tenant, (object) => object.reserveBudget(wanted)),
    settle: (tenant, id, spent) => asked(env, tenant, (object) => object.settleBudget(id, spent)),
  }
}

type BudgetObject = Pick<ReturnType<typeof directoryObject>, 'reserveBudget' | 'settleBudget'>

/** Once more through a fresh stub when the object died meanwhile, as at a deploy: both are harmless to repeat. */
async function asked<T>(env: Env, tenant: string, ask: (object: BudgetObject) => Promise<T>): Promise<T> {
  try {
    return await ask(directoryObject(env, tenant))
  } catch {
    return ask(directoryObject(env, tenant))
  }
}
