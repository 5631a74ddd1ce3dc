import { describe, test } from 'vitest'
import type { ServerConfig } from '../../../src/domain/server-config.ts'
import type { Settings } from '../../../src/domain/settings.ts'
import { resolveModel } from '../../../src/models/aliases.ts'
import {
  changedFields,
  effectiveConfig,
  lockedFor,
  secretsWith,
  shownConfig,
  withConnections,
} from '../../../src/run/setup/tenant-config.ts'

const FILE: ServerConfig = {
  models: { main: { api_url: 'https://models.example/v1', api_key: 'key of the file', model: 'm' } },
  tools: { http_request: { auto_approve: true } },
}
const connections = [{ name: 'mine', origin: 'https://models.example', key: 'key of mine', value: () => 'key of mine' }]
const secret = secretsWith(connections, () => undefined)

/** The key that the main model is asked with. */
function keyOf(settings: Settings, file = FILE): string | null {
  const config = withConnections(effectiveConfig(file, 'default', settings), connections)
  const choice = resolveModel(config, { model: 'main' }, { workersAi: false, secret })
  if (!choice.ok) throw new Error('there is no such model')
  return choice.spec.apiKey
}

test('what holds is shown without a name or password in an address', ({ expect }) => {
  const search = { provider: 'searxng' as const, url: 'https://me:pass@search.example/' }
  const one = { api_url: 'http://user:pa@ss@models.example/v1?a=@', model: 'm' }
  const file: ServerConfig = { models: { one, ...FILE.models }, web: { search } }
  expect(shownConfig(effectiveConfig(file, 'default', {}), 'default', {})).toMatchObject({
    models: {
      one: { api_url: 'http://***@models.example/v1?a=@' },
      main: { api_url: 'https://models.example/v1' },
    },
    web: { search: { url: 'https://***@search.example/' } },
  })
})

describe('the key of a model', () => {
  test('stays that of the file where the address does', ({ expect }) => {
    expect(keyOf({ models: { main: { temperature: 0 } } })).toBe('key of the file')
    expect(keyOf({ models: { main: { api_url: 'https://models.example/v2' } } })).toBe('key of the file')
  })

  test('of the file goes to no other address', ({ expect }) => {
    expect(keyOf({ models: { main: { api_url: 'https://elsewhere.example/v1' } } })).toBeNull()
    expect(keyOf({ models: { main: { api_url: 'http://models.example/v1' } } })).toBeNull()
  })

  test('is the connection that it names, if that is for its origin', ({ expect }) => {
    expect(keyOf({ models: { main: { connection: 'mine' } } })).toBe('key of mine')
    const elsewhere = { api_url: 'https://elsewhere.example/v1', connection: 'mine' }
    expect(keyOf({ models: { main: elsewhere } })).toBeNull()
  })

  test('of the file may be a connection as well', ({ expect }) => {
    const named = { models: { main: { api_url: 'https://models.example/v1', connection: 'mine' } } }
    expect(keyOf({}, named)).toBe('key of mine')
    expect(keyOf({ models: { main: { api_url: 'https://elsewhere.example' } } }, named)).toBeNull()
  })
})

describe('a service of the web', () => {
  const search = {
    provider: 'custom',
    url: 'https://find.example/q',
    mapping: { query: 'q', results: '.', title: 't', url: 'u' },
  } as const
  const ofFile: ServerConfig = { ...FILE, web: { search: { provider: 'brave', api_key_env: 'BRAVE' } } }
  const webOf = (settings: Settings, origin: string, file = ofFile) =>
    withConnections(effectiveConfig(file, 'default', settings), [{ ...connections[0]!, origin }]).web

  test('takes the place of the file’s as a whole, with the connection for its origin as its key', ({ expect }) => {
    const named = webOf({ web: { search: { ...search, connection: 'mine' } } }, 'https://find.example')?.search
    expect(named).toEqual({ ...search, connection: 'mine', api_key_env: 'connection:mine' })
    expect(secret(named?.api_key_env ?? '')).toBe('key of mine')
    expect(webOf({ web: { search } }, 'https://find.example')?.search).toEqual(search)
  })

  test('is asked with nothing for another origin, nor with the key of the file', ({ expect }) => {
    const elsewhere = webOf({ web: { search: { ...search, connection: 'mine' } } }, 'https://other.example')?.search
    expect(elsewhere?.api_key_env).toBeDefined()
    expect(secret(elsewhere?.api_key_env ?? '')).toBeUndefined()
    const account = 'a'.repeat(32)
    const render = { provider: 'cloudflare', account_id: account, connection: 'mine' } as const
    expect(secret(webOf({ web: { render } }, 'https://api.cloudflare.com')?.render?.api_key_env ?? '')).toBe(
      'key of mine',
    )
    expect(secret(webOf({ web: { render } }, 'https://cloudflare.com')?.render?.api_key_env ?? '')).toBeUndefined()
  })

  test('of which a part is locked stays the file’s', ({ expect }) => {
    const locked = { ...ofFile, locked: ['web.search.provider'] }
    expect(webOf({ web: { search } }, 'https://find.example', locked)).toEqual(ofFile.web)
    expect(lockedFor(locked, 'default')).toEqual(['web.search'])
  })
})

describe('settings over a file', () => {
  test('leave what was locked since as the file has it', ({ expect }) => {
    const settings: Settings = { tools: { http_request: { permission: 'deny' } }, limits: { max_iterations: 2 } }
    const { tools, limits } = effectiveConfig({ ...FILE, locked: ['limits'] }, 'default', settings)
    expect([tools, limits]).toEqual([{ http_request: { auto_approve: true, permission: 'deny' } }, {}])
  })

  test('differ in the innermost fields', ({ expect }) => {
    const before = { limits: { max_iterations: 2 }, tools: { a: { enabled: true } } }
    const after = { limits: { max_iterations: 3 }, web: { trusted_hosts: ['x'] } }
    expect(changedFields(before, after)).toEqual(['limits.max_iterations', 'tools.a.enabled', 'web.trusted_hosts'])
    expect(changedFields(before, before)).toEqual([])
  })
})
