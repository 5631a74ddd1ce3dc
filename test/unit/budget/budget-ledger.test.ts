import { describe, test } from 'vitest'
import { accountsOf } from '../../../src/budget/budget-ledger.ts'
import type { ServerConfig } from '../../../src/domain/server-config.ts'

const tokens = (max: number) => ({ day: { max_total_tokens: max } })
const sha256 = '0'.repeat(64)
const CONFIG: ServerConfig = {
  budgets: { tenant: tokens(1), tenants: { big: tokens(2) }, user: tokens(3) },
  auth: {
    keys: [
      { id: 'ops', sha256, scopes: ['run'], limits: tokens(4) },
      { id: 'ops', sha256, scopes: ['run'], tenant: 'big', limits: tokens(5) },
    ],
  },
}

describe('the accounts of a run', () => {
  test('are those of its tenant, its user and the key that pays', ({ expect }) => {
    expect(accountsOf(CONFIG, { tenant: 'default', user: 'ana', payer: 'ops' })).toEqual([
      { of: 'tenant', id: 'default', limits: tokens(1) },
      { of: 'user', id: 'ana', limits: tokens(3) },
      { of: 'key', id: 'ops', limits: tokens(4) },
    ])
  })

  test('are of the tenant that is named, and of its own key', ({ expect }) => {
    expect(accountsOf(CONFIG, { tenant: 'big', user: null, payer: 'ops' })).toEqual([
      { of: 'tenant', id: 'big', limits: tokens(2) },
      { of: 'key', id: 'ops', limits: tokens(5) },
    ])
  })

  test('of a made key leave what it may spend to its tenant', ({ expect }) => {
    expect(accountsOf({}, { tenant: 'default', user: 'ana', payer: 'key_1' })).toEqual([
      { of: 'key', id: 'key_1', limits: {} },
    ])
  })

  test('of who shows a token are those of its issuer', ({ expect }) => {
    const jwt = [{ issuer: 'https://a.example', audience: 'x', jwks_url: 'https://a.example/k', limits: tokens(6) }]
    const access = { team_domain: 't.cloudflareaccess.com', audience: 'x', limits: tokens(7) }
    const of = (payer: string) => accountsOf({ auth: { jwt, access } }, { tenant: 'default', user: null, payer })
    const [ana, ben] = ['token https://a.example ana', 'token https://t.cloudflareaccess.com ben']
    expect(of(ana)).toEqual([{ of: 'key', id: ana, limits: tokens(6) }])
    expect(of(ben)).toEqual([{ of: 'key', id: ben, limits: tokens(7) }])
    expect(of('token https://other.example ana')).toMatchObject([{ limits: {} }])
  })

  test('are none where nothing has a budget', ({ expect }) => {
    expect(accountsOf({}, { tenant: 'default', user: 'ana', payer: null })).toEqual([])
  })
})
