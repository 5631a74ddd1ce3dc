import { LIMITS } from '../domain/limits.ts'
import { NO_USAGE, type Money, rounded, type Spending, type TokenUsage, type Usage } from '../domain/usage.ts'
import { addModelCall } from './usage.ts'

/** Where something was spent. `time`: RFC 3339. */
export interface SpentAt {
  run: string
  time: string
  model: string
}

/** Rows with an answered model call more, in the row of its run, UTC day, model and currency. */
export function spendCall(
  rows: readonly Spending[] | undefined,
  place: SpentAt,
  tokens: TokenUsage,
  cost: Money | null,
): Spending[] {
  return spend(rows, place, cost?.currency ?? null, (usage) => addModelCall(usage, tokens, cost, place.model))
}

/** Rows with one more of what has no price. */
export function spendCount(
  rows: readonly Spending[] | undefined,
  place: SpentAt,
  what: 'tool_calls' | 'iterations',
): Spending[] {
  return spend(rows, place, undefined, (usage) => ({ ...usage, [what]: usage[what] + 1 }))
}

/** `currency` null: a call without a price; undefined: no matter which. */
function spend(
  rows: readonly Spending[] = [],
  { run, time, model }: SpentAt,
  currency: string | null | undefined,
  change: (usage: Usage) => Usage,
): Spending[] {
  const day = time.slice(0, 10)
  const isPlace = (row: Spending) =>
    row.run === run && row.day === day && row.model === model && fits(row.usage, currency)
  const known = rows.find(isPlace)
  const n = known?.n ?? (rows.findLast((row) => row.run === run)?.n ?? -1) + 1
  const changed = { run, n, day, time: Date.parse(time), model, usage: change(known?.usage ?? NO_USAGE) }
  const next = known ? rows.map((row) => (row === known ? changed : row)) : [...rows, changed]
  return next.slice(-LIMITS.usage.rowsMax)
}

function fits({ cost, model_calls: calls }: Usage, currency: string | null | undefined): boolean {
  return currency === undefined || calls === 0 || (cost?.currency ?? null) === currency
}

/** What is kept of earlier runs when a new one begins: in case that the tenant was not told of the last of them. */
export function earlierSpending(rows: readonly Spending[] | undefined): Spending[] | undefined {
  return rows?.slice(-LIMITS.usage.earlierRowsMax)
}

/** Rows without what another session had spent before its log was copied. */
export function ownSpending(rows: readonly Spending[] = [], copied: readonly Spending[] = []): Spending[] {
  return rows.flatMap((row) => {
    const before = copied.find(({ run, n }) => run === row.run && n === row.n)
    const usage = before ? less(row.usage, before.usage) : row.usage
    return usage.model_calls + usage.tool_calls + usage.iterations > 0 ? [{ ...row, usage }] : []
  })
}

function less(usage: Usage, before: Usage): Usage {
  const estimated = (usage.estimated_calls ?? 0) - (before.estimated_calls ?? 0)
  return {
    ...usage,
    prompt_tokens: usage.prompt_tokens - before.prompt_tokens,
    completion_tokens: usage.completion_tokens - before.completion_tokens,
    total_tokens: usage.total_tokens - before.total_tokens,
    cached_tokens: usage.cached_tokens - before.cached_tokens,
    reasoning_tokens: usage.reasoning_tokens - before.reasoning_tokens,
    model_calls: usage.model_calls - before.model_calls,
    tool_calls: usage.tool_calls - before.tool_calls,
    iterations: usage.iterations - before.iterations,
    cost: usage.cost && { ...usage.cost, amount: rounded(usage.cost.amount - (before.cost?.amount ?? 0)) },
    ...(usage.estimated_calls === undefined ? {} : { estimated_calls: estimated }),
  }
}
