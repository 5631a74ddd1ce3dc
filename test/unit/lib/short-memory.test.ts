import { describe, test } from 'vitest'
import { ShortMemory } from '../../../src/lib/short-memory.ts'

/** A memory of 5 s for 2 keys, whose reads end when they are told to. */
function stage() {
  const clock = { now: 0 }
  const reads: { key: string; ends: (value: string) => void; fails: (error: Error) => void }[] = []
  const read = (key: string) => new Promise<string>((ends, fails) => void reads.push({ key, ends, fails }))
  const memory = new ShortMemory<string>({ read, keptMs: 5_000, keysMax: 2, now: () => clock.now })
  return { clock, reads, memory }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a short memory', () => {
  test('reads once in its time, and again behind it', async ({ expect }) => {
    const { clock, reads, memory } = stage()
    const first = memory.load('a')
    reads[0]?.ends('one')
    expect(await first).toBe('one')
    clock.now = 4_999
    expect([await memory.load('a'), memory.isFresh('a')]).toEqual(['one', true])
    clock.now = 5_000
    expect([memory.at('a'), memory.isFresh('a')]).toEqual(['one', false])
    const second = memory.load('a')
    reads[1]?.ends('two')
    expect(await second).toBe('two')
    expect(reads).toHaveLength(2)
  })

  test('reads again where the clock is set back', async ({ expect }) => {
    const { clock, reads, memory } = stage()
    clock.now = 3_600_000
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    clock.now = 0
    const second = memory.load('a')
    reads[1]?.ends('two')
    expect([await second, memory.isFresh('a')]).toEqual(['two', true])
    expect(reads).toHaveLength(2)
  })

  test('counts from when a read began, and reads no more for one that took long', async ({ expect }) => {
    const { clock, reads, memory } = stage()
    const slow = memory.load('a')
    clock.now = 3_000
    reads[0]?.ends('one')
    expect([await slow, memory.isFresh('a')]).toEqual(['one', true])
    clock.now = 5_000
    expect(memory.isFresh('a')).toBe(false)
    const slower = memory.load('a')
    clock.now = 20_000
    reads[1]?.ends('two')
    expect([await slower, memory.isFresh('a'), reads.length]).toEqual(['two', false, 2])
  })

  test('reads anew before it is too old what is in use, once at a time, while all take what it has', async ({
    expect,
  }) => {
    const { clock, reads, memory } = stage()
    expect(memory.refresh('a')).toBeNull()
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    clock.now = 2_499
    expect(memory.refresh('a')).toBeNull()
    clock.now = 2_500
    const refreshing = memory.refresh('a')
    expect([memory.refresh('a'), await memory.load('a'), reads.length]).toEqual([null, 'one', 2])
    clock.now = 4_000
    reads[1]?.ends('two')
    await refreshing
    expect([memory.at('a'), memory.refresh('a')]).toEqual(['two', null])
    clock.now = 7_499
    expect(memory.isFresh('a')).toBe(true)
    clock.now = 7_500
    expect([memory.isFresh('a'), memory.refresh('a'), reads.length]).toEqual([false, null, 2])
  })

  test('reads ahead of time again behind a read that never ended', async ({ expect }) => {
    const { clock, reads, memory } = stage()
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    clock.now = 3_000
    expect([memory.refresh('a') !== null, memory.refresh('a')]).toEqual([true, null])
    clock.now = 6_000
    const second = memory.load('a')
    reads[2]?.ends('two')
    await second
    clock.now = 9_000
    expect([memory.refresh('a') !== null, reads.length]).toEqual([true, 4])
  })

  test('keeps what a later read gave, though an earlier one ends behind it, and what it has where one fails', async ({
    expect,
  }) => {
    const { clock, reads, memory } = stage()
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    clock.now = 3_000
    const refreshing = memory.refresh('a')
    clock.now = 5_500
    const late = memory.load('a')
    reads[2]?.ends('three')
    await late
    reads[1]?.ends('two')
    await refreshing
    expect([memory.at('a'), memory.isFresh('a')]).toEqual(['three', true])
    clock.now = 9_000
    const failing = memory.refresh('a')
    reads[3]?.fails(new Error('not reached'))
    await failing
    expect([memory.at('a'), memory.isFresh('a'), memory.refresh('a') !== null]).toEqual(['three', true, true])
  })

  test('reads again what was forgotten while it was read', async ({ expect }) => {
    const { reads, memory } = stage()
    const loaded = memory.load('a')
    memory.forget('a')
    reads[0]?.ends('before the change')
    await settled()
    reads[1]?.ends('after it')
    expect(await loaded).toBe('after it')
    expect([memory.at('a'), memory.isFresh('a')]).toEqual(['after it', true])
  })

  test('reads twice at most, however often it is forgotten, and then knows that it is old', async ({ expect }) => {
    const { reads, memory } = stage()
    const loaded = memory.load('a')
    memory.forget('a')
    reads[0]?.ends('one')
    await settled()
    memory.forget('a')
    reads[1]?.ends('two')
    expect(await loaded).toBe('two')
    expect([reads.length, memory.at('a'), memory.isFresh('a')]).toEqual([2, 'two', false])
  })

  test('does not put what was read before a change in the place of what was read after it', async ({ expect }) => {
    const { reads, memory } = stage()
    const early = memory.load('a')
    memory.forget('a')
    const late = memory.load('a')
    reads[1]?.ends('after the change')
    await late
    reads[0]?.ends('before it')
    expect([await early, memory.at('a'), reads.length]).toEqual(['after the change', 'after the change', 2])
  })

  test('reads again what was forgotten while others had taken its place', async ({ expect }) => {
    const { reads, memory } = stage()
    const loaded = memory.load('a')
    const others = [memory.load('b'), memory.load('c')]
    for (const { key, ends } of reads.slice(1)) ends(key)
    await Promise.all(others)
    memory.forget('a')
    reads[0]?.ends('before the change')
    await settled()
    reads[3]?.ends('after it')
    expect(await loaded).toBe('after it')
  })

  test('keeps what it had where it is forgotten while it cannot be read', async ({ expect }) => {
    const { reads, memory } = stage()
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    memory.forget('a')
    const second = memory.load('a')
    reads[1]?.fails(new Error('away'))
    expect(await second).toBe('one')
  })

  test('keeps what it had where it cannot be read', async ({ expect }) => {
    const { clock, reads, memory } = stage()
    const first = memory.load('a')
    reads[0]?.ends('one')
    await first
    clock.now = 5_000
    const second = memory.load('a')
    reads[1]?.fails(new Error('away'))
    expect(await second).toBe('one')
    const never = memory.load('b')
    reads[2]?.fails(new Error('away'))
    expect([await never, memory.isFresh('b')]).toEqual([null, true])
  })

  test('holds so many keys and no more', async ({ expect }) => {
    const { reads, memory } = stage()
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const loaded = memory.load(key)
      reads[index]?.ends(key)
      await loaded
    }
    expect(['a', 'b', 'c'].map((key) => memory.at(key))).toEqual([null, null, 'c'])
  })

  test('gives all of more keys than it holds that are read at once, each read once', async ({ expect }) => {
    const { reads, memory } = stage()
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => memory.load(key)))
    for (const { key, ends } of reads) ends(key)
    expect(await all).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(reads).toHaveLength(5)
  })
})
