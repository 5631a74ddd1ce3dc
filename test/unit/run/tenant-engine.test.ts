import { describe, test, vi } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { HeldSettings } from '../../../src/domain/settings.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { TenantEngine } from '../../../src/run/setup/tenant-engine.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'

const party = { tenant: 'own', user: null }

const world = {
  publicFetch: fetch,
  privateFetch: null,
  models: { secret: () => undefined, workersAi: false },
  workersAi: null,
  runtime: 'test',
}

/** The engine of a session whose tenant is read when the test says so. */
function stage() {
  const reads: ((settings: HeldSettings) => void)[] = []
  let held: HeldSettings | null = null
  let isFresh = false
  const load = () =>
    isFresh
      ? null
      : new Promise<void>((resolve) =>
          reads.push((settings) => {
            held = settings
            isFresh = true
            resolve()
          }),
        )
  const base: Engine = {
    ...createEngine({}, world).engine,
    tenants: { load, refresh: () => null, held: () => held, of: () => base, forget: () => {} },
  }
  const kept: Promise<unknown>[] = []
  const engine = new TenantEngine(base, (work) => void kept.push(work))
  return { engine, reads, kept, isStale: () => (isFresh = false) }
}

describe('what a tenant has set, between two moves of a run', () => {
  test('is waited for where it is old, and nobody is asked where it is not', async ({ expect }) => {
    const { engine, reads, kept, isStale } = stage()
    const first = engine.renew(party)
    reads[0]?.({ version: 1, settings: {} })
    await first
    expect(engine.renewInTime()).toBeNull()
    isStale()
    const renewing = engine.renewInTime()
    expect(engine.renewInTime()).not.toBeNull()
    reads[1]?.({ version: 2, settings: {} })
    await renewing
    expect([reads.length, kept.length]).toEqual([2, 1])
    expect(engine.renewInTime()).toBeNull()
  })

  test('is not waited for where the read takes long; that goes on beside the run', async ({ expect }) => {
    vi.useFakeTimers()
    try {
      const { engine, reads, kept, isStale } = stage()
      const first = engine.renew(party)
      reads[0]?.({ version: 1, settings: {} })
      await first
      isStale()
      const renewing = engine.renewInTime()
      await vi.advanceTimersByTimeAsync(LIMITS.settings.awaitedMs)
      await renewing
      reads[1]?.({ version: 2, settings: {} })
      await Promise.all(kept)
      expect([engine.renewInTime(), reads.length]).toEqual([null, 2])
    } finally {
      vi.useRealTimers()
    }
  })
})
