import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { forgetNearKeys, keysAreNear, nearKeys } from '../../../src/objects/near-keys.ts'

const { nearMax, nearMs } = LIMITS.access
const idOf = (tenant: string) => ({ toString: () => `id of ${tenant}` }) as DurableObjectId
const env = { DIRECTORY: { idFromName: idOf } } as unknown as Parameters<typeof nearKeys>[0]
const registry = () => ({ admitFromMemory: () => undefined, takeFromMemory: () => undefined })

test('the keys of an object that lives here are near for a moment after it let somebody in', () => {
  const mine = registry()
  expect(nearKeys(env, 'a', 0)).toBe(null)
  keysAreNear(idOf('a'), mine, 1_000)
  expect([nearKeys(env, 'a', 1_000), nearKeys(env, 'a', 1_000 + nearMs - 1)]).toEqual([mine, mine])
  expect([nearKeys(env, 'a', 1_000 + nearMs), nearKeys(env, 'b', 1_000)]).toEqual([null, null])
})

test('an object that begins to live voids what was known of the one before', () => {
  keysAreNear(idOf('c'), registry(), 0)
  forgetNearKeys(idOf('c'))
  expect(nearKeys(env, 'c', 0)).toBe(null)
})

test("those who let nobody in take nobody's place, and the oldest goes first", () => {
  keysAreNear(idOf('d'), registry(), 0)
  for (let n = 0; n < nearMax; n++) forgetNearKeys(idOf(`scanned ${n}`))
  expect(nearKeys(env, 'd', 0)).not.toBe(null)
  for (let n = 1; n < nearMax; n++) keysAreNear(idOf(`tenant ${n}`), registry(), 0)
  expect(nearKeys(env, 'd', 0)).not.toBe(null)
  keysAreNear(idOf('one more'), registry(), 0)
  expect([nearKeys(env, 'd', 0), nearKeys(env, 'tenant 1', 0) === null]).toEqual([null, false])
})
