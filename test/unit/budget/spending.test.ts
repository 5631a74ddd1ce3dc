import { describe, test } from 'vitest'
import { earlierSpending, ownSpending, type SpentAt, spendCall, spendCount } from '../../../src/budget/spending.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { Money, Spending } from '../../../src/domain/usage.ts'

const at = (time: string, run = 'run_1', model = 'a'): SpentAt => ({ run, model, time: `2026-01-${time}:00.000Z` })
const TOKENS = { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 }
const CNY: Money = { amount: 1, currency: 'CNY' }
const call = (rows: Spending[], place: SpentAt, cost: Money | null = CNY) => spendCall(rows, place, TOKENS, cost)
const shown = (rows: readonly Spending[]) =>
  rows.map(({ run, n, day, model, usage }) => [run, n, day, model, usage.model_calls])

describe('what was spent', () => {
  test('is split at midnight UTC, and by model', ({ expect }) => {
    const places = [at('01T23:59'), at('01T23:59', 'run_1', 'b'), at('02T00:00'), at('02T00:01')]
    expect(shown(places.reduce((rows, place) => call(rows, place), [] as Spending[]))).toEqual([
      ['run_1', 0, '2026-01-01', 'a', 1],
      ['run_1', 1, '2026-01-01', 'b', 1],
      ['run_1', 2, '2026-01-02', 'a', 2],
    ])
  })

  test('has rounds and tools in the row of the model that they are of, priced or not yet', ({ expect }) => {
    let rows = spendCount(undefined, at('01T10:00'), 'iterations')
    rows = spendCount(call(rows, at('01T10:00')), at('01T10:01'), 'tool_calls')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ usage: { iterations: 1, tool_calls: 1, model_calls: 1, cost: CNY } })
    expect(rows[0]?.time).toBe(Date.parse('2026-01-01T10:01:00Z'))
  })

  test('has a row of its own for each currency, and for calls without a price', ({ expect }) => {
    const costs = [CNY, { amount: 2, currency: 'USD' }, null, CNY]
    const rows = costs.reduce((known, cost) => call(known, at('01T10:00'), cost), [] as Spending[])
    expect(rows.map(({ usage }) => [usage.cost, usage.model_calls])).toEqual([
      [{ amount: 2, currency: 'CNY' }, 2],
      [{ amount: 2, currency: 'USD' }, 1],
      [null, 1],
    ])
  })

  test('is bounded: the newest rows stay, and no number of a run is used twice', ({ expect }) => {
    const days = Array.from({ length: LIMITS.usage.rowsMax + 9 }, (_, index) =>
      new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    )
    const rows = days.reduce(
      (known, time) => spendCall(known, { run: 'run_1', model: 'a', time }, TOKENS, CNY),
      [] as Spending[],
    )
    expect(rows).toHaveLength(LIMITS.usage.rowsMax)
    expect(rows.at(-1)?.n).toBe(days.length - 1)
    expect(earlierSpending(rows)).toEqual(rows.slice(-LIMITS.usage.earlierRowsMax))
  })

  test('of a copied log is what came after the copy', ({ expect }) => {
    const copied = call(call([], at('01T10:00')), at('01T10:00', 'run_2'))
    expect(ownSpending(copied, copied)).toEqual([])
    const later = call(call(copied, at('01T11:00', 'run_2')), at('01T12:00', 'run_3'))
    expect(
      ownSpending(later, copied).map(({ run, usage }) => [run, usage.model_calls, usage.cost, usage.total_tokens]),
    ).toEqual([
      ['run_2', 1, CNY, 15],
      ['run_3', 1, CNY, 15],
    ])
    expect(ownSpending(later, undefined)).toEqual(later)
    const dear = (rows: Spending[], amount: number) => call(rows, at('01T10:00'), { amount, currency: 'CNY' })
    const [own] = ownSpending(dear(dear([], 0.1), 0.2), dear([], 0.1))
    expect(own?.usage.cost?.amount).toBe(0.2)
  })
})
