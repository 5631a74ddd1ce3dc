import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Measure, TELEMETRY_LIMITS } from '../../../src/domain/telemetry.ts'
import { countMeasures, flushCounters } from '../../../src/objects/counters.ts'
import type { Env } from '../../../src/objects/env.ts'

const ONE: Measure = { name: 'yaa_runs_total', labels: {}, add: 1 }

/** A tenant's object that keeps what each write brought, and how much was added by it. */
function world() {
  const brought: Measure[][] = []
  const writes: number[] = []
  const metrics = {
    add: async (measures: readonly Measure[]) => {
      brought.push([...measures])
      writes.push(measures.reduce((sum, { add = 0 }) => sum + add, 0))
    },
  }
  const promised: Promise<unknown>[] = []
  const ctx = { waitUntil: (work: Promise<unknown>) => void promised.push(work) }
  return { env: { METRICS: { getByName: () => metrics } } as unknown as Env, ctx, brought, writes, promised }
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

test('what is added to one counter goes as one, what a histogram sees each by itself', async () => {
  const { env, ctx, brought } = world()
  const other = { ...ONE, labels: { status: 'failed' } }
  const seen = { name: 'yaa_run_duration_seconds', labels: {}, observe: 2 }
  const broken = { ...ONE, add: NaN }
  for (let n = 0; n < 3; n++) countMeasures(env, 'e', [ONE, other, seen, broken], ctx)
  await flushCounters(env, 'e')
  expect(brought).toEqual([[{ ...ONE, add: 3 }, { ...other, add: 3 }, seen, seen, seen]])
  await flushCounters(env, 'e')
  expect(brought).toHaveLength(1)
})

test('too many are written at once, and nothing is nothing', async () => {
  const { env, ctx, writes } = world()
  countMeasures(env, 'b', [], ctx)
  countMeasures(
    env,
    'b',
    Array.from({ length: TELEMETRY_LIMITS.measuresMax }, (_, n) => ({ ...ONE, labels: { n: String(n) } })),
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
