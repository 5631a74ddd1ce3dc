import { expect, test } from 'vitest'
import { addressesIn, addressesWithin, textsWithin } from '../../../src/lib/addresses-in.ts'

test.each([
  ['see https://a.example/x?y=(1), and FTP://b.example/z.', ['https://a.example/x?y=(1', 'FTP://b.example/z']],
  ['打开https://a.example/页。谢谢', ['https://a.example/页']],
  ['no address, a/b.md nor http:// alone', []],
])('addresses in: %s', (text, addresses) => {
  expect(addressesIn(text)).toEqual(addresses)
})

test('addresses within a value are those of every depth, of names of fields too, and those without a scheme', () => {
  const value = {
    list: ['https://a.example/', { 'https://b.example/': 1 }],
    bare: '//c.example/x',
    host: 'd.e.example',
    file: 'README.md',
    n: 3,
  }
  const expected = ['https://a.example/', 'https://b.example/', 'https://c.example/x', 'https://d.e.example']
  expect(addressesWithin(value, 8)).toEqual(expected)
  expect(addressesWithin({ a: { b: { c: 'https://deep.example/' } } }, 1)).toEqual(['https://deep.example/'])
})

test('texts within a value', () => {
  expect(textsWithin({ a: ['b', 1, null, true], c: { d: 'e' } }, 8)).toEqual(['a', 'c', 'b', '1', 'd', 'e'])
})
