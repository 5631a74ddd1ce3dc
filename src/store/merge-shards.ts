import type { SessionSummary } from '../domain/session.ts'
import { rounded, type UsageKey, type UsageSum } from '../domain/usage.ts'
import { isBefore } from './usage.ts'
import { listedAs } from './directory.ts'

/** What several directories of one tenant answer, as one would: each was asked for a page behind the same cursor. */

export interface ShardPage<T> {
  data: T[]
  nextCursor: string | null
}

/** Sessions, newest first. */
export function mergeSummaries(pages: readonly ShardPage<SessionSummary>[], limit: number): ShardPage<SessionSummary> {
  const entries = pages.flatMap(({ data }) =>
    data.map((summary) => ({ summary, entry: listedAs(summary.id, Date.parse(summary.start_time)) })),
  )
  entries.sort((a, b) => (a.entry < b.entry ? 1 : -1))
  return paged(
    entries,
    limit,
    pages,
    ({ entry }) => entry,
    ({ summary }) => summary,
  )
}

/** Sums by key: what is of one key is added up. */
export function mergeUsage(pages: readonly ShardPage<UsageSum>[], by: UsageKey, limit: number): ShardPage<UsageSum> {
  const byKey = Map.groupBy(
    pages.flatMap(({ data }) => data),
    ({ key }) => key,
  )
  const sums = [...byKey.values()].flatMap(([first, ...more]) => (first ? [more.reduce(added, first)] : []))
  sums.sort((a, b) => (isBefore(by, a.key, b.key) ? -1 : 1))
  return paged(
    sums,
    limit,
    pages,
    ({ key }) => key,
    (sum) => sum,
  )
}

export function mergeCounts(counts: readonly { status: string; count: number }[]): { status: string; count: number }[] {
  const byStatus = Map.groupBy(counts, ({ status }) => status)
  return [...byStatus].map(([status, all]) => ({ status, count: all.reduce((sum, { count }) => sum + count, 0) }))
}

function paged<Entry, T>(
  entries: readonly Entry[],
  limit: number,
  pages: readonly ShardPage<unknown>[],
  cursorOf: (entry: Entry) => string | null,
  shown: (entry: Entry) => T,
): ShardPage<T> {
  const taken = entries.slice(0, limit)
  const isMore = entries.length > limit || pages.some(({ nextCursor }) => nextCursor !== null)
  const last = taken.at(-1)
  return { data: taken.map(shown), nextCursor: isMore && last !== undefined ? cursorOf(last) : null }
}

function added(one: UsageSum, other: UsageSum): UsageSum {
  const unpriced = [...new Set([...(one.unpriced_models ?? []), ...(other.unpriced_models ?? [])])]
  const estimated = (one.estimated_calls ?? 0) + (other.estimated_calls ?? 0)
  return {
    key: one.key,
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    cached_tokens: (one.cached_tokens ?? 0) + (other.cached_tokens ?? 0),
    reasoning_tokens: (one.reasoning_tokens ?? 0) + (other.reasoning_tokens ?? 0),
    model_calls: one.model_calls + other.model_calls,
    tool_calls: one.tool_calls + other.tool_calls,
    iterations: one.iterations + other.iterations,
    cost: costOf([...listed(one.cost), ...listed(other.cost)]),
    ...(unpriced.length > 0 ? { unpriced_models: unpriced } : {}),
    ...(estimated > 0 ? { estimated_calls: estimated } : {}),
  }
}

type Cost = UsageSum['cost']
type Amount = { amount: number; currency: string }

function listed(cost: Cost): Amount[] {
  if (cost === null) return []
  return Array.isArray(cost) ? cost : [cost]
}

/** One amount a currency. */
function costOf(amounts: readonly Amount[]): Cost {
  const byCurrency = Map.groupBy(amounts, ({ currency }) => currency)
  const sums = [...byCurrency].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const costs = sums.map(([currency, all]) => {
    const amount = rounded(all.reduce((sum, one) => sum + one.amount, 0))
    return { amount, currency }
  })
  return costs.length > 1 ? costs : (costs[0] ?? null)
}
