import type { Context } from 'hono'
import * as z from 'zod'
import { tenantAccount } from '../budget/accounts.ts'
import type { Account } from '../domain/budget.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { payerOf } from '../service/caller.ts'
import { needs } from './middleware/auth.ts'
import { query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { behindName, nameCursor } from './cursors.ts'
import { describe } from './openapi/describe.ts'
import { limit, moment } from './queries.ts'

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
  describe({
    summary: 'What was spent, by day, model, user, skill or session',
    id: 'getUsage',
    returns: 'UsageSums',
    query: usageQuery,
  }),
  needs('read'),
  query(usageQuery),
  async (c) => {
    const { tenant } = c.get('principal')
    const { data, nextCursor } = await directoryObject(c.env, tenant).usage(c.req.valid('query'))
    const budgets = await budgetsOf(c, tenant)
    return c.json({
      object: 'list',
      data,
      next_cursor: behindName(nextCursor),
      ...(budgets.length > 0 ? { budgets } : {}),
    })
  },
)

/** The budgets that concern the caller: its tenant's and its key's, and what is left of them. */
async function budgetsOf(c: Context<AppEnv>, tenant: string) {
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
