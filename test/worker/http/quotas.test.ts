import { describe, test } from 'vitest'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, problem, stage } from './http.ts'

/** An administrator of a tenant of a server whose tenants may have three sessions each. */
async function adminOf(tenant: string) {
  const key = { id: `admin-of-${tenant}`, sha256: await sha256Hex(`k-${tenant}`), scopes: ['admin'], tenant }
  const config: ServerConfig = JSON.parse(env.YAA_CONFIG ?? '{}')
  const quotas = { sessions_max: 3 }
  const YAA_CONFIG = JSON.stringify({ ...config, auth: { keys: [key] }, quotas })
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(method, path, { env: { YAA_CONFIG }, body, headers: { authorization: `Bearer k-${tenant}`, ...headers } })
}

describe('sessions of a tenant', () => {
  test('are bounded, however they are made, and free again when one is deleted', async ({ expect }) => {
    const ask = await adminOf('quota-three')
    const made: SessionData[] = []
    for (let n = 0; n < 3; n++) made.push(await json<SessionData>(ask('POST', '/v1/sessions', {}), 201))
    const [first, second] = made
    const document = await json(ask('GET', `/v1/sessions/${first?.id}/export`))
    const tries: [string, unknown][] = [
      ['/v1/sessions', {}],
      ['/v1/sessions/import', document],
      [`/v1/sessions/${first?.id}/fork`, {}],
    ]
    for (const [path, body] of tries) {
      const refused = await problem(ask('POST', path, body), 409)
      const detail = 'At most 3 sessions of a tenant are kept; delete one first.'
      expect([path, refused]).toEqual([path, expect.objectContaining({ code: 'too_many', detail })])
    }
    await ask('DELETE', `/v1/sessions/${second?.id}`)
    await json(ask('POST', `/v1/sessions/${first?.id}/fork`, {}), 201)
    expect(await problem(ask('POST', '/v1/sessions', {}), 409)).toMatchObject({ code: 'too_many' })
    const other = await adminOf('quota-another')
    await json(other('POST', '/v1/sessions', {}), 201)
  })

  test('a key answers for what it made, and takes no second place', async ({ expect }) => {
    const ask = await adminOf('quota-keyed')
    const keyed = (key: string) => ask('POST', '/v1/sessions', {}, { 'idempotency-key': key })
    const { id } = await json<SessionData>(keyed('one'), 201)
    for (let n = 0; n < 4; n++) expect((await json<SessionData>(keyed('one'), 201)).id).toBe(id)
    await json(keyed('two'), 201)
    await json(keyed('three'), 201)
    expect(await problem(keyed('four'), 409)).toMatchObject({ code: 'too_many' })
    expect((await json<SessionData>(keyed('one'), 201)).id).toBe(id)
  })

  test('what is refused takes no place', async ({ expect }) => {
    const ask = await adminOf('quota-refused')
    const unpriced = { task: 'x', config: { limits: { max_cost: { amount: 1, currency: 'XTS' } } } }
    for (let n = 0; n < 4; n++) expect((await problem(ask('POST', '/v1/sessions', unpriced), 400)).code).toBeDefined()
    for (let n = 0; n < 3; n++) await json(ask('POST', '/v1/sessions', {}), 201)
  })
})

test('many at the same time pass no bound', async ({ expect }) => {
  const ask = await adminOf('ten-at-once')
  const { config } = await stage(Array.from({ length: 3 }, () => WORDS['zh-CN'].finish('好')))
  const body = { task: WORDS['zh-CN'].task, config }
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/v1/sessions', body)))
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([201, 201, 201, 409, 409, 409, 409, 409, 409, 409])
  await Promise.all(answers.map((answer) => answer.text()))
})
