import { describe, test } from 'vitest'
import { charge, refusalOf, reservationFor } from '../../../src/budget/reserve.ts'
import { costOf } from '../../../src/budget/usage.ts'
import { newBranch, type Charged, type Reservation, type RunState } from '../../../src/domain/state.ts'
import type { Price } from '../../../src/domain/usage.ts'
import { randomOf } from '../../chaos/random.ts'

const price = (prompt: number, completion: number, currency = 'CNY'): Price => ({
  prompt_per_mtok: prompt,
  completion_per_mtok: completion,
  currency,
})
const model = (maxTokens: number, of: Price | null) => ({ maxTokens, price: of })

type Run = Pick<RunState, 'charged' | 'scopes'>
const NOTHING: Charged = { tokens: 0, costs: [] }

/** A run that has spent so much and has these calls under way, one a scope. */
const runWith = (charged: Charged, underWay: readonly Reservation[] = []): Run => ({
  charged,
  scopes: Object.fromEntries(
    underWay.map((reserved, index) => [
      `tsk_${index}`,
      { ...newBranch(), model: { messageId: `msg_${index}`, alias: 'a', attempt: 1, reserved } },
    ]),
  ),
})

describe('a reservation', () => {
  test('is the prompt as estimated and all that the reply may be, at the price', ({ expect }) => {
    expect(reservationFor([model(1_000, price(2, 10))], 500)).toEqual({
      tokens: 1_500,
      cost: { amount: 0.011, currency: 'CNY' },
    })
  })

  test('is what the dearest and the longest of the models takes that may answer', ({ expect }) => {
    const chain = [model(100, price(1, 1)), model(4_000, price(1, 1)), model(100, price(100, 100))]
    expect(reservationFor(chain, 1_000)).toEqual({ tokens: 5_000, cost: { amount: 0.11, currency: 'CNY' } })
  })
})

describe('a call', () => {
  const spec = model(1_000, price(0, 1_000))
  const wanted = reservationFor([spec], 0)
  const limits = { max_cost: { amount: 3, currency: 'CNY' } }
  const one = { tokens: 1_000, cost: { amount: 1, currency: 'CNY' } }

  test('may be made as long as it fits beside what is spent and what others have under way', ({ expect }) => {
    const spent = charge(NOTHING, one)
    expect(refusalOf(runWith(spent, [one]), [spec], wanted, limits)).toBeNull()
    expect(refusalOf(runWith(spent, [one, one]), [spec], wanted, limits)).toBe('budget_exhausted')
    expect(refusalOf(runWith(NOTHING, [one, one, one]), [spec], wanted, limits)).toBe('budget_exhausted')
  })

  test('is bound by tokens in the same way', ({ expect }) => {
    expect(refusalOf(runWith(NOTHING, [one]), [spec], wanted, { max_total_tokens: 2_000 })).toBeNull()
    expect(refusalOf(runWith(NOTHING, [one]), [spec], wanted, { max_total_tokens: 1_999 })).toBe('budget_exhausted')
  })

  test('that takes all that is left fits, whatever fractions the sum has', ({ expect }) => {
    const tenth = { tokens: 1, cost: { amount: 0.1, currency: 'CNY' } }
    const spent = [tenth, tenth].reduce(charge, NOTHING)
    expect(spent.costs[0]?.amount).toBe(0.2)
    const limit = { max_cost: { amount: 0.3, currency: 'CNY' } }
    expect(refusalOf(runWith(spent), [spec], tenth, limit)).toBeNull()
  })

  test('is refused for want of a price where money is limited, of a fallback too', ({ expect }) => {
    for (const other of [null, price(1, 1, 'USD')])
      expect(refusalOf(runWith(NOTHING), [spec, model(1, other)], wanted, limits)).toBe('unpriced_model')
    expect(refusalOf(runWith(NOTHING), [model(1, null)], wanted, { max_total_tokens: 2_000 })).toBeNull()
  })

  test('counts what was spent in the currency of the limit, whatever was spent in others before', ({ expect }) => {
    const dollars = { tokens: 1, cost: { amount: 2.5, currency: 'USD' } }
    const mixed = [dollars, one, one].reduce(charge, NOTHING)
    expect(refusalOf(runWith(mixed), [spec], wanted, limits)).toBeNull()
    expect(refusalOf(runWith(charge(mixed, one)), [spec], wanted, limits)).toBe('budget_exhausted')
  })
})

describe('a budget under calls that come and go at random', () => {
  /** Calls begin when they may, and end with some usage within their bound, or untold: then they stay held. */
  function play(seed: number): { spent: number; spentTokens: number; refused: number; maxUnderWay: number } {
    const source = randomOf(`budget ${seed}`)
    const random = () => source.next()
    const pick = (max: number) => source.int(0, max - 1)
    const limits = { max_total_tokens: 20_000 + pick(50_000), max_cost: { amount: 0.2 + random(), currency: 'CNY' } }
    let charged = NOTHING
    let underWay: { reserved: Reservation; spec: ReturnType<typeof model>; prompt: number }[] = []
    const seen = { spent: 0, spentTokens: 0, refused: 0, maxUnderWay: 0 }
    for (let step = 0; step < 200; step++) {
      if (random() < 0.5) {
        const spec = { maxTokens: 1 + pick(4_000), price: price(random() * 20, random() * 60) }
        const prompt = pick(4_000)
        const reserved = reservationFor([spec], prompt)
        const run = runWith(
          charged,
          underWay.map((call) => call.reserved),
        )
        if (refusalOf(run, [spec], reserved, limits)) seen.refused++
        else underWay.push({ reserved, spec, prompt })
      } else if (underWay.length > 0) {
        const [call] = underWay.splice(pick(underWay.length), 1)
        if (!call) continue
        const tokens = {
          prompt_tokens: pick(call.prompt + 1),
          completion_tokens: pick(call.spec.maxTokens + 1),
          cached_tokens: 0,
          reasoning_tokens: 0,
        }
        const settled = {
          tokens: tokens.prompt_tokens + tokens.completion_tokens,
          cost: costOf(tokens, call.spec.price ?? price(0, 0)),
        }
        seen.spent += settled.cost.amount
        seen.spentTokens += settled.tokens
        charged = charge(charged, random() < 0.2 ? call.reserved : settled)
      }
      seen.maxUnderWay = Math.max(seen.maxUnderWay, underWay.length)
    }
    if (seen.spent > limits.max_cost.amount || seen.spentTokens > limits.max_total_tokens)
      throw new Error(`seed ${seed}: ${JSON.stringify({ seen, limits })}`)
    return seen
  }

  test('is never overspent', ({ expect }) => {
    const plays = Array.from({ length: 500 }, (_, seed) => play(seed))
    expect(plays.filter(({ refused }) => refused > 0).length).toBeGreaterThan(400)
    expect(Math.max(...plays.map(({ maxUnderWay }) => maxUnderWay))).toBeGreaterThan(3)
  })
})
