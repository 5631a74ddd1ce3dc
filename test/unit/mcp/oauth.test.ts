import { afterEach, beforeEach, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { McpServer } from '../../../src/domain/mcp.ts'
import type { Fetch } from '../../../src/domain/ports.ts'
import { McpRegistry } from '../../../src/mcp/registry.ts'
import { closeConnections } from '../../../src/mcp/open-connections.ts'
import type { TenantGrants, CameBack } from '../../../src/mcp/oauth-grant.ts'
import { createFetchLike } from '../../../src/net/guarded-fetch.ts'
import { startAuthorisationServer, type AuthorisationServer } from '../../support/authorisation-server.ts'
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'
import { nodeGrants } from '../../support/node-grants.ts'

const BASE = 'http://localhost:8787'
const MINUTES = 60_000

let authority: AuthorisationServer
let mcp: McpTestServer
let grants: TenantGrants
let jumped = 0
let homes: object[] = []

const now = () => Date.now() + jumped

beforeEach(async () => {
  jumped = 0
  homes = []
  authority = await startAuthorisationServer()
  mcp = await startMcpServer({ era: 'modern', register: registerTestTools })
  mcp.fail = async (request) => authority.guard(request)
  grants = nodeGrants(now)
})

afterEach(async () => {
  await Promise.all(homes.map((home) => closeConnections(home)))
  await mcp.close()
  await authority.close()
})

const serverWith = (more: Partial<McpServer> = {}): McpServer => ({
  name: 'words',
  url: mcp.url,
  headers: { 'x-key': 'sesame' },
  description: null,
  enabled: true,
  trustHints: false,
  origin: 'tenant',
  version: '1',
  ...more,
})

function registryOf(server: McpServer, through: Fetch = fetch): McpRegistry {
  const tenants = { servers: async () => [server], probe: async () => null, keepProbe: async () => {}, grants }
  return new McpRegistry({ config: [], tenants, fetchFor: () => through, now, publicUrl: null })
}

async function sentAway(registry: McpRegistry, server: McpServer, tenant = 'default'): Promise<string> {
  const { authorisationUrl } = await registry.refreshFor(tenant, server, { base: BASE, by: 'own', language: 'en' })
  if (authorisationUrl === null) throw new Error('nobody is sent away')
  return authorisationUrl
}

/** What a browser does: goes there, and is sent back. */
async function visit(address: string): Promise<CameBack> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  const back = new URL(headers.get('location') ?? '')
  const { state = '', code, iss } = Object.fromEntries(back.searchParams)
  return { state, code, iss }
}

/** With the cookie that the browser was sent away with. */
const comeBack = (registry: McpRegistry, tenant: string, said: CameBack) =>
  registry.comeBack(tenant, said, { type: 'cookie' })

async function authorised(server: McpServer, tenant = 'default'): Promise<McpRegistry> {
  const registry = registryOf(server)
  const end = await comeBack(registry, tenant, await visit(await sentAway(registry, server, tenant)))
  if (end.outcome !== 'authorised') throw new Error(end.outcome)
  return registry
}

/** A session calls a tool. */
async function call(
  registry: McpRegistry,
  server: McpServer,
  tenant = 'default',
  { user = null, by = null }: { user?: string | null; by?: string | null } = {},
) {
  const called = await callFor(registry, server, { tenant, user, by })
  return called.ok ? 'answered' : called.failure.code
}

async function callFor(
  registry: McpRegistry,
  server: McpServer,
  whose: { tenant: string; user: string | null; by: string | null },
) {
  const home = {}
  homes.push(home)
  const tool = { name: 'look_up', inputSchema: {} }
  const { signal } = new AbortController()
  const context = {
    home,
    ...whose,
    sessionId: 'ses_1',
    language: 'en',
    callId: 'call_1',
    trace: null,
    signal,
    notify: () => {},
  } as const
  return registry.call(server, tool, { word: 'yak' }, context, null)
}

describe('an MCP server that wants authorisation', () => {
  test('sends an administrator away, who comes back with tokens for it alone', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const url = new URL(await sentAway(registry, server))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${BASE}/oauth/callback`,
      resource: mcp.url,
    })
    expect(await comeBack(registry, 'default', await visit(url.href))).toEqual({
      outcome: 'authorised',
      given: { of: 'mcp_server', name: 'words', user: null, session: null },
      language: 'en',
    })
    const { probe } = await registry.offer('default', server, () => {})
    expect(probe.error).toBeNull()
    expect(probe.tools.map(({ name }) => name)).toContain('look_up')
    expect(await call(registry, server)).toBe('answered')
    expect(authority.asked).toMatchObject([{ grant_type: 'authorization_code', resource: mcp.url }])
    expect(authority.registered).toMatchObject([{ redirect_uris: [`${BASE}/oauth/callback`], client_name: 'yaa' }])
  })

  test('is told the headers of its own, and its authorisation server is not', async ({ expect }) => {
    await authorised(serverWith())
    expect(authority.headers.map((headers) => headers['x-key'])).toEqual(authority.headers.map(() => undefined))
    expect(mcp.sent.filter(({ rpc }) => rpc !== '').every(({ headers }) => headers['x-key'] === 'sesame')).toBe(true)
  })

  test('sends nobody away where its headers say who we are', async ({ expect }) => {
    const server = serverWith({ headers: { Authorization: 'Bearer wrong' } })
    const { authorisationUrl, offer } = await registryOf(server).refreshFor('default', server, {
      base: BASE,
      by: 'own',
      language: 'en',
    })
    expect(authorisationUrl).toBeNull()
    expect(offer.probe.error).toContain('authorisation')
    expect(authority.headers).toEqual([])
  })

  test('sends nobody away for a session that only looks, or where our own address is not known', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    expect(await call(registry, server)).toBe('unauthorized')
    expect((await registry.refresh('default', server)).probe.error).toContain('authorisation')
    await sentAway(registry, server)
    expect(await call(registry, server)).toBe('authorise')
  })

  test('that has no authorisation server is one that refuses', async ({ expect }) => {
    const server = serverWith()
    mcp.fail = async () => new Response(null, { status: 401 })
    const found = await registryOf(server).refreshFor('default', server, { base: BASE, by: 'own', language: 'en' })
    expect(found).toMatchObject({
      authorisationUrl: null,
      offer: { probe: { error: expect.stringContaining('headers') } },
    })
  })
})

describe('an authorisation server', () => {
  test('at a private address is not asked for a server that a tenant has added', async ({ expect }) => {
    const server = serverWith()
    const guarded = createFetchLike({ publicFetch: fetch, privateFetch: null, allowPrivateHosts: [mcp.host] })
    const found = await registryOf(server, guarded).refreshFor('default', server, {
      base: BASE,
      by: 'own',
      language: 'en',
    })
    expect(found.authorisationUrl).toBeNull()
    expect(found.offer.probe.error).toContain('private')
    expect(authority.headers).toEqual([])
  })

  test('that a server names in place of another does not get the client that was registered with that', async ({
    expect,
  }) => {
    const server = serverWith({ oauthClient: { id: 'c1', secret: 'sesame' } })
    await authorised(server)
    const other = await startAuthorisationServer()
    mcp.fail = async (request) => other.guard(request)
    const registry = registryOf(server)
    expect(await call(registry, server)).toBe('authorisation_failed')
    expect(await call(registry, server)).toBe('authorisation_failed')
    expect(other.asked).toEqual([])
    expect(other.headers.map(({ authorization }) => authorization)).toEqual(other.headers.map(() => undefined))
    await other.close()
  })
})

describe('who comes back', () => {
  test('with a state that nobody was sent away with is not known', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server))
    expect(await comeBack(registry, 'default', { ...back, state: `${back.state}x` })).toEqual({ outcome: 'unknown' })
    expect(authority.asked).toEqual([])
  })

  test('comes once', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server))
    expect(await comeBack(registry, 'default', back)).toMatchObject({ outcome: 'authorised' })
    expect(await comeBack(registry, 'default', back)).toEqual({ outcome: 'unknown' })
    expect(authority.asked).toHaveLength(1)
  })

  test('has ten minutes', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const [first, second] = [
      await visit(await sentAway(registry, server)),
      await visit(await sentAway(registry, server)),
    ]
    jumped += 9 * MINUTES
    expect(await comeBack(registry, 'default', first)).toMatchObject({ outcome: 'authorised' })
    jumped += 2 * MINUTES
    expect(await comeBack(registry, 'default', second)).toEqual({ outcome: 'unknown' })
  })

  test('comes back to the tenant that it was sent away from', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server, 'ta'))
    expect(back.state).toMatch(/^ta\./)
    expect(await comeBack(registry, 'tb', { ...back, state: back.state.replace('ta', 'tb') })).toEqual({
      outcome: 'unknown',
    })
    expect(await comeBack(registry, 'tb', back)).toEqual({ outcome: 'unknown' })
    expect(await comeBack(registry, 'ta', back)).toMatchObject({ outcome: 'authorised' })
    expect(await call(registry, server, 'tb')).toBe('unauthorized')
    expect(await call(registry, server, 'ta')).toBe('answered')
  })

  test('comes back to the server as it was', async ({ expect }) => {
    const server = serverWith()
    const back = await visit(await sentAway(registryOf(server), server))
    expect(await comeBack(registryOf(serverWith({ version: '2' })), 'default', back)).toEqual({ outcome: 'unknown' })
  })

  test('was refused when there is no code', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server))
    expect(await comeBack(registry, 'default', { ...back, code: undefined })).toMatchObject({ outcome: 'refused' })
  })

  test.for([undefined, 'https://elsewhere.example'])('from the issuer %s is not believed', async (iss, { expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server))
    expect(await comeBack(registry, 'default', { ...back, iss })).toMatchObject({ outcome: 'failed' })
    expect(authority.asked).toEqual([])
    expect(await call(registry, server)).toBe('authorise')
  })
})

describe('metadata', () => {
  test.for([{ issuer: 'https://elsewhere.example' }, { resource: 'https://elsewhere.example/mcp' }])(
    '%j is not believed',
    async (manner, { expect }) => {
      Object.assign(authority.manner, manner)
      const server = serverWith()
      const found = await registryOf(server).refreshFor('default', server, { base: BASE, by: 'own', language: 'en' })
      expect(found).toMatchObject({
        authorisationUrl: null,
        offer: { probe: { error: expect.stringContaining('could not be authorised') } },
      })
      expect(authority.registered).toEqual([])
    },
  )
})

describe('tokens', () => {
  const refreshes = () => authority.asked.filter((fields) => fields['grant_type'] === 'refresh_token')

  test('are refreshed before they end, by one of several calls', async ({ expect }) => {
    authority.manner.expiresIn = 600
    const server = serverWith()
    const registry = await authorised(server)
    jumped += 8 * MINUTES
    expect(await call(registry, server)).toBe('answered')
    expect(refreshes()).toEqual([])
    jumped += 1.5 * MINUTES
    const ends = await Promise.all([call(registry, server), call(registry, server), call(registry, server)])
    expect(ends).toEqual(['answered', 'answered', 'answered'])
    expect(refreshes()).toMatchObject([{ resource: mcp.url }])
  })

  test('that are taken no more are refreshed, too', async ({ expect }) => {
    const server = serverWith()
    const registry = await authorised(server)
    authority.revoke()
    expect(await call(registry, server)).toBe('answered')
    expect(refreshes()).toHaveLength(1)
  })

  test('that are taken no more are refreshed by one of several calls, of whatever process', async ({ expect }) => {
    const server = serverWith()
    const registry = await authorised(server)
    authority.revoke()
    const ends = await Promise.all([
      call(registry, server),
      call(registryOf(server), server),
      call(registryOf(server), server),
    ])
    expect(ends).toEqual(['answered', 'answered', 'answered'])
    expect(refreshes()).toHaveLength(1)
  })

  test('that a dead process was about to refresh are refreshed by another when its time is over', async ({
    expect,
  }) => {
    const server = serverWith()
    await authorised(server)
    authority.revoke()
    const from = (await grants.read('default', 'words')) ?? ''
    expect(await grants.lease('default', 'words', from)).toBe(true)
    const kept = grants
    const waits = Promise.withResolvers<void>()
    const lease: TenantGrants['lease'] = async (...asked) => {
      const isOurs = await kept.lease(...asked)
      if (!isOurs) waits.resolve()
      return isOurs
    }
    grants = { ...kept, lease }
    const called = call(registryOf(server), server)
    await waits.promise
    expect(refreshes()).toEqual([])
    jumped += LIMITS.mcp.refreshLeaseMs + 1
    expect(await called).toBe('answered')
    expect(refreshes()).toHaveLength(1)
  })

  test('that cannot be refreshed are forgotten, and a user is sent away', async ({ expect }) => {
    const server = serverWith()
    const registry = await authorised(server)
    authority.revoke()
    authority.manner.refreshes = false
    expect(await call(registry, server)).toBe('authorise')
    expect(JSON.parse((await grants.read('default', 'words')) ?? '')).toMatchObject({ tokens: null })
  })

  test('of a server that has changed do not count', async ({ expect }) => {
    await authorised(serverWith())
    const changed = serverWith({ version: '2' })
    expect(await call(registryOf(changed), changed)).toBe('unauthorized')
  })
})

describe('who comes back', () => {
  const caller = (account: string, mayDecide = true) => ({ type: 'caller', account, mayDecide }) as const

  test('has to be who began it; another leaves it as it is', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    const back = await visit(await sentAway(registry, server))
    expect(await registry.comeBack('default', back, caller('another'))).toEqual({ outcome: 'other' })
    expect(await call(registry, server)).toBe('authorise')
    expect(await registry.comeBack('default', back, caller('own'))).toMatchObject({ outcome: 'authorised' })
    expect(await call(registry, server)).toBe('answered')
  })

  test('is whoever may decide, where a trigger began it', async ({ expect }) => {
    const server = serverWith()
    const registry = registryOf(server)
    await registry.refreshFor('default', server, { base: BASE, by: 'own', language: 'en' })
    const asked = await callFor(registry, server, { tenant: 'default', user: null, by: null })
    const url = !asked.ok && asked.failure.code === 'authorise' ? asked.failure.url : ''
    const back = await visit(url)
    expect(await registry.comeBack('default', back, caller('own', false))).toEqual({ outcome: 'other' })
    expect(await registry.comeBack('default', back, caller('own'))).toMatchObject({ outcome: 'authorised' })
  })

  test('lets in their own user alone where grants are of users', async ({ expect }) => {
    const server = serverWith({ grants: 'user' })
    const registry = await authorised(server)
    const asked = await callFor(registry, server, { tenant: 'default', user: 'ann', by: 'own' })
    const url = !asked.ok && asked.failure.code === 'authorise' ? asked.failure.url : ''
    expect(await registry.comeBack('default', await visit(url), caller('own'))).toMatchObject({ outcome: 'authorised' })
    expect(await call(registry, server, 'default', { user: 'ann' })).toBe('answered')
    expect(await call(registry, server, 'default', { user: 'bob' })).toBe('authorise')
    expect(await call(registry, server)).toBe('authorise')
  })
})
