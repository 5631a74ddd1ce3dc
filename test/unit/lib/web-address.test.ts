import { expect, test } from 'vitest'
import { webAddress } from '../../../src/lib/web-address.ts'

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
