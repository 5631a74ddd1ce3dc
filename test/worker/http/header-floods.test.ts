import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import { call, json, type List, problem } from './http.ts'

const MAX = LIMITS.http.headerBytesMax

/** Headers beside those that `call` gives, whose names and values have so many bytes with them. */
function filledTo(bytes: number): Record<string, string> {
  const given = Object.entries({ host: 'localhost', ...WITH_KEY })
    .flat()
    .join('').length
  return { 'x-fill': 'x'.repeat(bytes - given - 'x-fill'.length) }
}

const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x-${n}`, 'y']))
const PATHS = ['/healthz', '/', '/openapi.json', '/links/x', '/hooks/x', '/v1/tools', '/v1/sessions', '/nowhere']

describe('a flood of headers', () => {
  test.for([
    ['5,000 small ones', many],
    ['one of 100 kB', { 'x-long': 'x'.repeat(100_000) }],
    ['one byte too many', filledTo(MAX + 1)],
    ['one long name', { ['x'.repeat(20_000)]: 'y' }],
  ] as const)('is refused with the limit named: %s', async ([, headers], { expect }) => {
    for (const path of PATHS) {
      expect(await problem(call('GET', path, { headers }), 431)).toMatchObject({
        code: 'headers_too_large',
        detail: expect.stringContaining(String(MAX)),
      })
    }
  })

  test('changes nothing, and is refused before anybody is asked for a key', async ({ expect }) => {
    const user = `u-${crypto.randomUUID()}`
    await problem(call('POST', '/v1/sessions', { body: { user }, headers: many }), 431)
    expect((await json<List<unknown>>(call('GET', `/v1/sessions?user=${user}`))).data).toEqual([])
    await problem(
      call('GET', '/v1/tools', { headers: many, env: { YAA_API_KEY: 'k-of-16-characters', YAA_LOCAL: '' } }),
      431,
    )
  })

  test('leaves an answer its request id and what browsers are told', async ({ expect }) => {
    const answer = await call('OPTIONS', '/v1/sessions', { headers: many })
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

test('headers up to the limit are taken', async ({ expect }) => {
  for (const path of ['/healthz', '/v1/tools']) {
    const answer = await call('GET', path, { headers: filledTo(MAX) })
    await answer.body?.cancel()
    expect([path, answer.status]).toEqual([path, 200])
  }
})
