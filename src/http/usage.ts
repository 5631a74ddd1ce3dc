import * as z from 'zod'
import { tenantAccount } from '../budget/budget-ledger.ts'
import type { Account } from '../domain/budget.ts'
import { ok } from '../domain/errors.ts'
import { USAGE_KEYS } from '../domain/usage.ts'
import { serverFor } from '../objects/engine.ts'
import { directoryObject, metricsObject } from '../objects/env.ts'
import { payerOf } from '../service/caller.ts'
import { shownBudgets, shownCost } from './money.ts'
import { factory } from './context.ts'
import { behindName, limit, moment, nameCursor } from './queries.ts'
import { type Call, query, route, nothing } from './route.ts'
import { flushCounters } from '../objects/counters.ts'
import type { MeasureRow } from '../store/metrics.ts'
import { prometheusText } from '../telemetry/prometheus.ts'
import { TenantLists } from '../objects/tenant-lists.ts'

const usageQuery = z.strictObject({
  by: z.enum(USAGE_KEYS, 'day, model, user, skill or session').default('day'),
  from: moment.optional(),
  to: moment.optional(),
  limit,
  cursor: nameCursor,
})

/** What the tenant spent. */
export const usageRoutes = factory.createApp().get(
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
      const { data, nextCursor } = await new TenantLists(call.c.env, call.tenant).usage(call.input)
      const budgets = await budgetsOf(call)
      const sums = { object: 'list', data: data.map(shownCost), next_cursor: behindName(nextCursor) }
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
  const accounts = [...tenantAccount((await serverFor(c.env, tenant)).engine.config, tenant), ...own]
  if (accounts.length === 0) return []
  const remaining = await directoryObject(c.env, tenant).remainingBudgets(accounts)
  return accounts.map((account, index) => ({
    of: account.of,
    ...(account.of === 'key' ? { id: account.id } : {}),
    limits: shownBudgets(account.limits),
    remaining: shownBudgets(remaining[index] ?? {}),
  }))
}

/** Counters of the tenant for a monitoring system. */
export const metricRoutes = factory.createApp().get(
  '/',
  route(
    {
      summary: 'Counters in the text format of Prometheus',
      id: 'getMetrics',
      scope: 'read',
      reads: nothing,
      answers: 'metrics',
    },
    async ({ c, tenant }) => {
      const flushed = flushCounters(c.env, tenant)
      c.executionCtx.waitUntil(flushed)
      await flushed
      const [rows, counts] = await Promise.all([
        metricsObject(c.env, tenant).read(),
        new TenantLists(c.env, tenant).sessionCounts(),
      ])
      const sessions: MeasureRow[] = counts.map(({ status, count }) => ({
        name: 'yaa_sessions',
        labels: { status },
        value: count,
        buckets: null,
      }))
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
      return ok({ response: c.body(prometheusText([...rows, ...sessions]), 200, headers) })
    },
  ),
)
