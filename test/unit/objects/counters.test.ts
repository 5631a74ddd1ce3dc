import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Measure, TELEMETRY_LIMITS } from '../../../src/domain/telemetry.ts'
import { countMeasures, flushCounters } from '../../../src/objects/counters.ts'
import type { Env } from '../../../src/objects/env.ts'

const ONE: Measure = { name: 'yaa_runs_total', labels: {}, add: 1 }

/** A tenant's object that keeps how many measures each write brought. */
function world() {
  const writes: number[] = []
  const metrics = { add: async (measures: readonly Measure[]) => void writes.push(measures.length) }
  const promised: Promise<unknown>[] = []
  const ctx = { waitUntil: (work: Promise<unknown>) => void promised.push(work) }
  return { env: { METRICS: { getByName: () => metrics } } as unknown as Env, ctx, writes, promised }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what is counted within a second is written once, by who counted first', async () => {
  const { env, ctx, writes, promised } = world()
  for (let n = 0; n < 5; n++) countMeasures(env, 'a', [ONE], ctx)
  expect([writes, promised.length]).toEqual([[], 1])
  await vi.advanceTimersByTimeAsync(TELEMETRY_LIMITS.measuresMsMax)
  expect(writes).toEqual([5])
})

test('too many are written at once, and nothing is nothing', async () => {
  const { env, ctx, writes } = world()
  countMeasures(env, 'b', [], ctx)
  countMeasures(
    env,
    'b',
    Array.from({ length: TELEMETRY_LIMITS.measuresMax }, () => ONE),
    ctx,
  )
  expect(writes).toEqual([TELEMETRY_LIMITS.measuresMax])
})

test('writes between do not multiply those of each second, and nothing is lost', async () => {
  const { env, ctx, writes, promised } = world()
  for (let ms = 0; ms < 30_000; ms += 10) {
    countMeasures(env, 'c', [ONE], ctx)
    if (ms % 370 === 0) await flushCounters(env, 'c')
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(promised.length).toBeLessThan(35)
  await vi.advanceTimersByTimeAsync(TELEMETRY_LIMITS.measuresMsMax)
  expect(writes.reduce((sum, one) => sum + one, 0)).toBe(3_000)
})

test('when who promised to write has died, the next who counts does', async () => {
  const { env, ctx, writes } = world()
  countMeasures(env, 'd', [ONE], ctx)
  vi.clearAllTimers()
  await vi.advanceTimersByTimeAsync(TELEMETRY_LIMITS.measuresMsMax + 1)
  countMeasures(env, 'd', [ONE], ctx)
  await vi.advanceTimersByTimeAsync(TELEMETRY_LIMITS.measuresMsMax)
  expect(writes).toEqual([2])
})
