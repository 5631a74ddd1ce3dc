import { expect, test } from 'vitest'
import { begunEntry, keptEntry, PARTS, withStored } from '../../../../src/console/setup-parts/parts.ts'

test('an entry is kept without its secrets, wherever they stand', () => {
  const entry = {
    url: 'https://a.example',
    secret: 'whsec_1',
    oauth: { client_id: 'me', client_secret: 's' },
    headers: { a: 'b' },
    auth: { connection: 'desk', bearer: 'b', basic: { username: 'u', password: 'p' }, query: { key: 'k' } },
  }
  expect(JSON.parse(keptEntry(JSON.stringify(entry)))).toEqual({
    url: 'https://a.example',
    oauth: { client_id: 'me' },
    auth: { connection: 'desk' },
  })
})

test('text that is no JSON yet is kept, unless it may hold a secret', () => {
  expect(keptEntry('{"url": "https://a')).toBe('{"url": "https://a')
  expect(keptEntry('{"secret": "whsec_')).toBe('')
})

test('what is begun in a language runs in it, where it runs anything', () => {
  const begun = (id: string) => PARTS.flatMap((part) => (part.id === id ? begunEntry(part, 'en') : []))
  expect(begun('webhooks')).toEqual([expect.objectContaining({ scheme: 'standard', config: { language: 'en' } })])
  expect(begun('schedules')).toEqual([expect.objectContaining({ cron: '0 9 * * *', config: { language: 'en' } })])
  expect(begun('callbacks')).toEqual([{ url: 'https://', events: ['run.completed'] }])
})

test('what is stored of secrets comes back to a text that was kept without it, and nothing else does', () => {
  const value = { url: 'https://a.example', headers: { Authorization: '***' } }
  const kept = keptEntry(JSON.stringify({ ...value, url: 'https://a.example/b', headers: { Authorization: 'new' } }))
  expect(JSON.parse(withStored(kept, value))).toEqual({ ...value, url: 'https://a.example/b' })
  expect(withStored('{"headers": {}}', value)).toBe('{"headers": {}}')
  expect(withStored('{"url": ', value)).toBe('{"url": ')
})
