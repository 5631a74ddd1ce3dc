import { describe, test } from 'vitest'
import { standOf, takeRequest } from '../../../src/access/rates.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** What becomes of requests at these times (ms after NOW), each with what is left after it. */
function play(max: number, times: readonly number[]) {
  let fullAt = 0
  return times.map((time) => {
    const taken = takeRequest(fullAt, max, NOW + time)
    fullAt = taken.fullAt
    return taken.stand.retryAfterMs === null ? taken.stand.remaining : { retryAfterMs: taken.stand.retryAfterMs }
  })
}

describe('a bucket of requests', () => {
  test('gives all of a minute at once, then one each time it has room again', ({ expect }) => {
    expect(play(3, [0, 0, 0, 0, 19_999, 20_000, 20_000])).toEqual([
      2,
      1,
      0,
      { retryAfterMs: 20_000 },
      { retryAfterMs: 1 },
      0,
      { retryAfterMs: 20_000 },
    ])
  })

  test('is full after a minute of silence and never more than that', ({ expect }) => {
    expect(play(2, [0, 0, 60_000, 60_000, 60_000, 10_000_000])).toEqual([1, 0, 1, 0, { retryAfterMs: 30_000 }, 1])
  })

  test.for([1, 3, 7, 60, 999, 60_000])('of %i lets exactly so many through in an instant', (max, { expect }) => {
    let fullAt = 0
    let count = 0
    for (;;) {
      const taken = takeRequest(fullAt, max, NOW)
      if (taken.stand.retryAfterMs !== null) break
      count++
      fullAt = taken.fullAt
      if (count > max) break
    }
    expect(count).toBe(max)
  })

  test('keeps nobody out for longer where the clock is set back', ({ expect }) => {
    expect(play(2, [3_600_000, 3_600_000, 0, 0, 0, 30_000])).toEqual([1, 0, 1, 0, { retryAfterMs: 30_000 }, 0])
    expect(standOf(NOW + 3_600_000, 60, NOW)).toMatchObject({ remaining: 60, resetMs: 0 })
  })

  test('tells where it stands without taking', ({ expect }) => {
    const { fullAt } = takeRequest(0, 60, NOW)
    expect(standOf(fullAt, 60, NOW)).toEqual({ max: 60, remaining: 59, resetMs: 1_000, retryAfterMs: null })
    expect(standOf(0, 60, NOW)).toEqual({ max: 60, remaining: 60, resetMs: 0, retryAfterMs: null })
  })
})
