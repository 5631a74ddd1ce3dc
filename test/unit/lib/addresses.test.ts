import { describe, expect, test } from 'vitest'
import {
  addressesIn,
  addressesWithin,
  holdsAddress,
  hostsIn,
  shownAddress,
  textsWithin,
  webAddress,
  withKnownSecrets,
} from '../../../src/lib/addresses.ts'
import { isLinear } from '../../support/cpu-time.ts'

test.each([
  ['https://example.com/a?b=c&amp;d#e', 'https://example.com/a?b=c&amp;d#e'],
  ['  \n<https://example.com/>\t', 'https://example.com/'],
  ['HTTP://example.com', 'HTTP://example.com'],
  ['example.com', 'https://example.com'],
  ['example.com/x?y#z', 'https://example.com/x?y#z'],
  ['<www.example.com:8080/x>', 'https://www.example.com:8080/x'],
  ['//example.com/x', 'https://example.com/x'],
  ['例子.中国/路', 'https://例子.中国/路'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['[::1]:80/', 'https://[::1]:80/'],
  ['https://user:pw@example.com/', 'https://user:pw@example.com/'],
])('"%s" means %s', (written, address) => {
  expect(webAddress(written)).toBe(address)
})

test.each([
  '',
  '  ',
  '<>',
  'hello',
  'see https://example.com',
  'https://exa mple.com/',
  'https://',
  'ftp://example.com/',
  'file:///etc/passwd',
  'file:/etc/passwd',
  'javascript:alert(1)',
  'mailto:me@example.com',
  'data:text/html,x',
  'user@example.com',
  '/path/only',
  'example.com:99999',
])('"%s" is no address of the web', (written) => {
  expect(webAddress(written)).toBeNull()
})

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

test.each([
  ['看看example.com的首页', ['example.com']],
  ['See https://News.Example.com:8443/a?b=c, and a.b.example.org.', ['news.example.com', 'a.b.example.org']],
  ['打开 http://例子.测试/页面，好吗', ['xn--fsqu00a.xn--0zwm56d']],
  ['127.0.0.1:9002 is here', ['127.0.0.1']],
  ['v1.2 of it, e.g. 3.5 percent', []],
  ['[docs](https://docs.example/x)', ['docs.example']],
  ['打开 例子.测试，好吗', ['xn--fsqu00a.xn--0zwm56d']],
  ['read README.md, main.rs and run.sh', []],
  ['see https://readme.md/x', ['readme.md']],
  ['ftp://files.example/x', ['files.example']],
])('hosts in: %s', (text, hosts) => {
  expect(hostsIn(text)).toEqual(hosts)
})

test.each(['x', 'a.', '1.', 'a-', '://', 'a://', '例.'])('takes time linear in a long row of %s', (part) => {
  expect(hostsIn(part.repeat(100_000)).length).toBeLessThanOrEqual(1)
})

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

describe('an address as it is shown', () => {
  test.for([
    ['https://a.test/mcp?api_key=s3cret&page=2', 'https://a.test/mcp?api_key=***&page=2'],
    ['https://a.test/mcp/?exaApiKey=a%20b#x', 'https://a.test/mcp/?exaApiKey=***#x'],
    ['https://a.test/?access_token=x&token=y&code=z&key=', 'https://a.test/?access_token=***&token=***&code=***&key='],
    ['https://u:p@a.test/?keyword=x&q={query}', 'https://***@a.test/?keyword=x&q={query}'],
    ['https://a.test/key=x?lang=zh', 'https://a.test/key=x?lang=zh'],
  ] as const)('has no secret: %j', ([address, shown], { expect }) => {
    expect(shownAddress(address)).toBe(shown)
  })

  test('comes back with what it did not show, at its origin alone', ({ expect }) => {
    const known = 'https://a.test/mcp?api_key=$1&page=2'
    expect(withKnownSecrets(shownAddress(known), known)).toBe(known)
    expect(withKnownSecrets('https://a.test/v2?page=3&api_key=***', known)).toBe('https://a.test/v2?page=3&api_key=$1')
    expect(withKnownSecrets('https://a.test/mcp?api_key=new', known)).toBe('https://a.test/mcp?api_key=new')
    for (const other of ['https://b.test/mcp?api_key=***', 'https://a.test/mcp?token=***', 'https://a.test/'])
      expect(withKnownSecrets(other, known)).toBe(other)
  })
})
