import { describe, test } from 'vitest'
import { networkOf, WrongKeys } from '../../../src/access/wrong-keys.ts'
import { LIMITS } from '../../../src/domain/limits.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const MAX = LIMITS.access.wrongKeysPerMinuteMax

/** An address that showed as many wrong keys as are taken. */
function exhausted(address: string, keys = new WrongKeys()): WrongKeys {
  for (let count = 0; count < MAX; count++) keys.count(address, NOW)
  return keys
}

describe('wrong keys of an address', () => {
  test('are taken up to the bound, and one each time there is room again', ({ expect }) => {
    const keys = exhausted('192.0.2.1')
    expect(keys.waitMs('192.0.2.1', NOW)).toBe(60_000 / MAX)
    expect(keys.count('192.0.2.1', NOW)).toBe(60_000 / MAX)
    expect(keys.waitMs('192.0.2.1', NOW + 60_000 / MAX)).toBe(0)
    expect(keys.waitMs('192.0.2.1', NOW + 120_000)).toBe(0)
  })

  test('say nothing of another', ({ expect }) => {
    expect(exhausted('192.0.2.1').waitMs('192.0.2.2', NOW)).toBe(0)
  })

  test('are forgotten for those of so many others, and take no room without bound', ({ expect }) => {
    const keys = exhausted('192.0.2.1')
    for (let count = 1; count < LIMITS.access.wrongKeyAddressesMax; count++) keys.count(`other ${count}`, NOW)
    expect(keys.waitMs('192.0.2.1', NOW)).toBeGreaterThan(0)
    keys.count('one more', NOW)
    expect(keys.waitMs('192.0.2.1', NOW)).toBe(0)
  })
})

test.for([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:0001:0002::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
] as const)('of IPv6 the network of the site counts: %s', ([address, network], { expect }) => {
  expect(networkOf(address)).toBe(network)
})
