import { expect, test } from 'vitest'
import { matchesGlob, matchesHost } from '../../../src/lib/glob.ts'

test.each([
  ['a.example.com', '*.example.com', '.', true],
  ['a.b.example.com', '*.example.com', '.', false],
  ['a.b.example.com', '**.example.com', '.', true],
  ['example.com', '*.example.com', '.', false],
  ['evil-example.com', 'example.com', '.', false],
  ['drafts/a/b.md', 'drafts/**', '/', true],
  ['drafts/a/b.md', 'drafts/*', '/', false],
  ['drafts/b.md', 'drafts/*.md', '/', true],
  ['drafts/b.mdx', 'drafts/*.md', '/', false],
  ['', '**', '/', true],
  ['a+b(c', 'a+b(c', '/', true],
])('%s fits %s: %#', (text, pattern, separator, fits) => {
  expect(matchesGlob(text, pattern, separator)).toBe(fits)
})

test('a pattern of many stars does not hang', () => {
  expect(matchesGlob('a'.repeat(2_000), `${'*a'.repeat(150)}b`, '/')).toBe(false)
})

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
