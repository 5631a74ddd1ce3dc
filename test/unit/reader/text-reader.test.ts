import { expect, test } from 'vitest'
import { decodeAttribute, decodeReferences } from '../../../src/reader/text-reader.ts'

test.each([
  ['a &amp; b', 'a & b'],
  ['&lt;p&gt;', '<p>'],
  ['&#20013;&#x6587;', '中文'],
  ['&notit; &copy2025', '¬it; ©2025'],
  ['&amp;lt;', '&lt;'],
  ['&nosuch; &x & &&', '&nosuch; &x & &&'],
  ['&#128;&#x1F600;', '€😀'],
  ['&#0;', '\uFFFD'],
])('in text %s stands for %s', (text, expected) => {
  expect(decodeReferences(text)).toBe(expected)
  expect(decodeReferences(text)).toBe(expected)
})

test.each([
  ['/x?a=1&amp;b=2', '/x?a=1&b=2'],
  ['/x?a=1&copy=2&reg=3', '/x?a=1&copy=2&reg=3'],
  ['/x?a&lt;b', '/x?a<b'],
  ['&quot;q&quot;', '"q"'],
])('in an attribute %s stands for %s', (value, expected) => {
  expect(decodeAttribute(value)).toBe(expected)
})

test('a reference without end is no reference, and is passed over once', () => {
  const text = `&${'a'.repeat(4_000_000)}`
  expect(decodeReferences(text)).toBe(text)
  expect(decodeAttribute(text)).toBe(text)
})
