import type { Money, UsageSum } from '../domain/usage.ts'
import { send, sendForJson, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'

/** Bounds of one UTC day or month, or what is left of them. */
export interface BudgetBound {
  max_total_tokens?: number
  max_cost?: Money
}

/** A budget that concerns the caller: what may be spent, and what is left of it. `id`: of the key. */
export interface BudgetInfo {
  of: 'tenant' | 'key'
  id?: string
  limits: { day?: BudgetBound; month?: BudgetBound }
  remaining: { day?: BudgetBound; month?: BudgetBound }
}

/** `budgets`: absent where there are none. */
export interface UsagePage extends Page<UsageSum> {
  budgets?: BudgetInfo[]
}

export interface UsageQuery extends PageQuery {
  by?: 'day' | 'model' | 'user' | 'skill' | 'session'
  from?: string
  to?: string
}

/** What a tenant did and spent, as functions. Errors: see `send` in http.ts. */
export function metricsOf(connection: Connection) {
  return {
    /** Counters in the text format of Prometheus. */
    metrics: async (signal?: AbortSignal) =>
      (await send(connection, { path: '/v1/metrics', headers: { accept: 'text/plain' }, signal })).text(),
    usage: (query: UsageQuery = {}) => sendForJson<UsagePage>(connection, { path: '/v1/usage', query: { ...query } }),
  }
}
