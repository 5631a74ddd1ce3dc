import * as z from 'zod'
import { tenantAccount } from '../budget/budget-ledger.ts'
import type { Account } from '../domain/budget.ts'
import { ok } from '../domain/errors.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { payerOf } from '../service/caller.ts'
import { factory } from './context.ts'
import { behindName, limit, moment, nameCursor } from './queries.ts'
import { type Call, query, route } from './route.ts'

const usageQuery = z.strictObject({
  by: z.enum(['day', 'model', 'user', 'skill', 'session'], 'day, model, user, skill or session').default('day'),
  from: moment.optional(),
  to: moment.optional(),
  limit,
  cursor: nameCursor,
})

/** What the tenant spent. */
export const usage = factory.createApp().get(
  '/',
  route(
    {
      summary: 'What was spent, by day, model, user, skill or session',
      id: 'getUsage',
      scope: 'read',
      reads: query(usageQuery),
      returns: 'UsageSums',
    },
    async (call) => {
      const { data, nextCursor } = await directoryObject(call.c.env, call.tenant).usage(call.input)
      const budgets = await budgetsOf(call)
      const sums = { object: 'list', data, next_cursor: behindName(nextCursor) }
      return ok({ body: budgets.length > 0 ? { ...sums, budgets } : sums })
    },
  ),
)

/** The budgets that concern the caller: its tenant's and its key's, and what is left of them. */
async function budgetsOf({ c, tenant }: Call<unknown>) {
  const payer = payerOf(c.get('principal'))
  const limits = c.get('principal').limits ?? {}
  const { day, month } = limits
  const own: Account[] =
    payer === null ? [] : [{ of: 'key', id: payer, limits: { ...(day ? { day } : {}), ...(month ? { month } : {}) } }]
  const accounts = [...tenantAccount(serverOf(c.env).config, tenant), ...own]
  if (accounts.length === 0) return []
  const remaining = await directoryObject(c.env, tenant).remainingBudgets(accounts)
  return accounts.map((account, index) => ({
    of: account.of,
    ...(account.of === 'key' ? { id: account.id } : {}),
    limits: account.limits,
    remaining: remaining[index],
  }))
}
