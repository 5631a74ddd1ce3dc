import { expect, test } from 'vitest'
import { holdsAddress } from '../../../src/lib/address-spellings.ts'
import { isLinear } from '../../support/cpu-time.ts'

test.each([
  ['see https://a.example/x?b=1&c=2.', 'https://a.example/x?b=1&c=2', true],
  ['see https://a.example/x?b=1&amp;c=2', 'https://a.example/x?b=1&c=2', true],
  ['{"u":"https:\\/\\/a.example\\/x?b=1\\u0026c=2"}', 'https://a.example/x?b=1&c=2', true],
  ['see HTTPS://A.Example:443/x', 'https://a.example/x', true],
  ['见https://a.example/港口。', 'https://a.example/%E6%B8%AF%E5%8F%A3', true],
  ['see https://a.example/%e6%b8%af', 'https://a.example/%E6%B8%AF', true],
  ['see https://例子.测试/x', 'https://xn--fsqu00a.xn--0zwm56d/x', true],
  ['see (https://a.example/x).', 'https://a.example/x', true],
  ['see a.example/x', 'https://a.example/x', true],
  ['see https://a.example', 'https://a.example/', true],
  ['see https://a.example/x#part', 'https://a.example/x', true],
  ['see https://a.example/xy', 'https://a.example/x', false],
  ['see https://a.example/x', 'https://a.example/xy', false],
  ['see https://a.example/%AA%BB', 'https://a.example/%aA%Bb', false],
  ['see https://a.example/abc', 'https://a.example/aBc', false],
  ['see https://b.a.example/x', 'https://a.example/x', false],
  ['see nota.example/x', 'https://a.example/x', false],
])('%s holds %s: %s', (text, address, holds) => {
  expect(holdsAddress(text, address)).toBe(holds)
})

test('a text of many addresses is looked through in time linear in its length', () => {
  const addresses = (count: number) => 'https://a.example/))))))))) '.repeat(count)
  const look = (text: string) => holdsAddress(text, 'https://a.example/none')
  expect(look(addresses(20_000))).toBe(false)
  expect(isLinear(look, addresses(600), addresses(9_600))).toBe(true)
})
