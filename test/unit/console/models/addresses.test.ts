import { expect, test } from 'vitest'
import { freeAlias, hostOf } from '../../../../src/console/models/addresses.ts'

test('a model that has the name of one at another address gets a number, and one at the same address its name', () => {
  const models = { m: { api_url: 'https://a.example/v1' }, 'm-2': { api_url: 'https://b.example/v1' }, local: {} }
  expect(freeAlias('m', 'https://a.example/v1', models)).toBe('m')
  expect(freeAlias('m', 'https://b.example/v1', models)).toBe('m-2')
  expect(freeAlias('m', 'https://c.example/v1', models)).toBe('m-3')
  expect(freeAlias('local', 'https://c.example/v1', models)).toBe('local-2')
  expect(freeAlias('other', 'https://c.example/v1', undefined)).toBe('other')
})

test('an address has a host with its port, or is none that a model can be at', () => {
  expect(hostOf('http://127.0.0.1:11434/v1')).toBe('127.0.0.1:11434')
  expect(hostOf('https://a.example/v1')).toBe('a.example:443')
  expect(hostOf('http://a.example')).toBe('a.example:80')
  for (const none of ['127.0.0.1:4990/v1', 'localhost:4990/v1', 'a.example', '']) expect(hostOf(none)).toBe(null)
})
