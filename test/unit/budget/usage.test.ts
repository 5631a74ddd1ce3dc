import { describe, test } from 'vitest'
import { addModelCall, addMoney, costOf } from '../../../src/budget/usage.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { NO_USAGE, type TokenUsage } from '../../../src/domain/usage.ts'

const tokens = (prompt: number, completion: number, more: Partial<TokenUsage> = {}): TokenUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  cached_tokens: 0,
  reasoning_tokens: 0,
  ...more,
})
const CNY = (amount: number) => ({ amount, currency: 'CNY' })
const USD = (amount: number) => ({ amount, currency: 'USD' })

describe('a cost', () => {
  const price = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }

  test('is that of a million tokens, by parts', ({ expect }) => {
    expect(costOf(tokens(1_000_000, 0), price)).toEqual(CNY(4))
    expect(costOf(tokens(0, 500_000), price)).toEqual(CNY(6))
    expect(costOf(tokens(0, 0), price)).toEqual(CNY(0))
  })

  test('has cached prompt tokens at their own price, and at the usual one where there is none', ({ expect }) => {
    const usage = tokens(1_000_000, 0, { cached_tokens: 750_000 })
    expect(costOf(usage, { ...price, cached_per_mtok: 0.4 })).toEqual(CNY(1.3))
    expect(costOf(usage, price)).toEqual(CNY(4))
  })

  test('is told without the noise of fractions, however small', ({ expect }) => {
    const cents = { prompt_per_mtok: 0.1, completion_per_mtok: 0.2, currency: 'CNY' }
    expect(costOf(tokens(1_000_000, 1_000_000), cents)).toEqual(CNY(0.3))
    expect(costOf(tokens(1, 1), cents)).toEqual(CNY(3e-7))
    expect(costOf(tokens(1, 0), { ...cents, prompt_per_mtok: 0.000_1 })).toEqual(CNY(1e-10))
  })

  test('is never less than nothing, though more were cached than there were', ({ expect }) => {
    expect(costOf(tokens(10, 0, { cached_tokens: 1_000_000 }), { ...price, cached_per_mtok: 0 })).toEqual(CNY(0))
  })
})

describe('amounts', () => {
  test('are summed up by currency', ({ expect }) => {
    const sums = [CNY(1), USD(2), null, CNY(3), USD(4)].reduce(addMoney, [])
    expect(sums).toEqual([CNY(4), USD(6)])
  })
})

describe('usage', () => {
  test('counts a call with its tokens and its cost', ({ expect }) => {
    const usage = addModelCall(NO_USAGE, tokens(10, 5, { cached_tokens: 4, reasoning_tokens: 2 }), CNY(0.5), 'a')
    expect(usage).toEqual({
      ...NO_USAGE,
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      cached_tokens: 4,
      reasoning_tokens: 2,
      model_calls: 1,
      cost: CNY(0.5),
    })
  })

  test('names each alias without a price once, and keeps the cost of the others', ({ expect }) => {
    const calls = [
      ['a', CNY(1)],
      ['b', null],
      ['b', null],
      ['a', CNY(2)],
    ] as const
    const usage = calls.reduce((sum, [alias, cost]) => addModelCall(sum, tokens(1, 1), cost, alias), NO_USAGE)
    expect(usage).toMatchObject({ cost: CNY(3), unpriced_models: ['b'], model_calls: 4 })
  })

  test('names a bounded number of aliases', ({ expect }) => {
    const many = Array.from({ length: LIMITS.usage.unpricedMax + 9 }, (_, index) => `m${index}`)
    const usage = many.reduce((sum, alias) => addModelCall(sum, tokens(1, 1), null, alias), NO_USAGE)
    expect(usage.unpriced_models).toEqual(many.slice(0, LIMITS.usage.unpricedMax))
    expect(usage.model_calls).toBe(many.length)
  })

  test('names an alias whose cost is in another currency: one amount cannot hold it', ({ expect }) => {
    const usage = addModelCall(addModelCall(NO_USAGE, tokens(1, 1), CNY(1), 'a'), tokens(1, 1), USD(9), 'b')
    expect(usage).toMatchObject({ cost: CNY(1), unpriced_models: ['b'] })
  })

  test('tells how many calls are estimated', ({ expect }) => {
    const estimated = tokens(1, 1, { estimated: true })
    const usage = addModelCall(addModelCall(NO_USAGE, estimated, null, 'a'), estimated, null, 'a')
    expect(usage.estimated_calls).toBe(2)
    expect(addModelCall(NO_USAGE, tokens(1, 1), null, 'a')).not.toHaveProperty('estimated_calls')
  })
})
