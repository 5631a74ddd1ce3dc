import { expect, test } from 'vitest'
import { matchesHost } from '../../../src/lib/host-pattern.ts'

test.each([
  ['a.example.com', '*.Example.com', true],
  ['a.example.com.', 'a.example.com', true],
  ['a.example.com', 'a.example.com.', true],
  ['a.b.example.com', '*.example.com', false],
  ['xn--fsqu00a.xn--0zwm56d', '例子.测试', true],
  ['a.xn--0zwm56d', '*.测试', true],
  ['evil-example.com', 'example.com', false],
])('%s fits %s: %s', (host, pattern, fits) => {
  expect(matchesHost(host, pattern)).toBe(fits)
})
