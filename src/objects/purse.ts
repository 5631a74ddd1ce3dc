import { accountsOf } from '../budget/accounts.ts'
import type { BudgetPort } from '../domain/budget.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { directoryObject, type Env } from './env.ts'

/** The budgets of a config, and of keys, in the objects of their tenants. */
export function tenantPurse(env: Env, config: ServerConfig): BudgetPort {
  return {
    accountsOf: (run) => accountsOf(config, run),
    reserve: (tenant, hold) => asked(env, tenant, (object) => object.reserveBudget(hold)),
    settle: (tenant, id, spent) => asked(env, tenant, (object) => object.settleBudget(id, spent)),
  }
}

type Teller = Pick<ReturnType<typeof directoryObject>, 'reserveBudget' | 'settleBudget'>

/** Once more through a fresh stub when the object died meanwhile, as at a deploy: both are harmless to repeat. */
async function asked<T>(env: Env, tenant: string, ask: (object: Teller) => Promise<T>): Promise<T> {
  try {
    return await ask(directoryObject(env, tenant))
  } catch {
    return ask(directoryObject(env, tenant))
  }
}
