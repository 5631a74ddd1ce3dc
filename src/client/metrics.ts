import type { UsageSum } from '../domain/usage.ts'
import { send, sendForJson, type Connection } from './http.ts'
import type { Page, PageQuery } from './session-shapes.ts'
import type { BudgetInfo } from '../domain/access.ts'

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
