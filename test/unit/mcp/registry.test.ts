import { test } from 'vitest'
import type { McpServer } from '../../../src/domain/mcp.ts'
import { closeConnections } from '../../../src/mcp/open-connections.ts'
import { McpRegistry } from '../../../src/mcp/registry.ts'
import { startMcpServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'

test('a list that is known is used while its server is asked anew, by one, and kept when it comes', async ({
  expect,
}) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  let jumped = 0
  const words: McpServer = {
    name: 'words',
    url: server.url,
    headers: {},
    description: null,
    enabled: true,
    trustHints: true,
    origin: 'config',
    version: '1',
  }
  const now = () => Date.now() + jumped
  const registry = new McpRegistry({ config: [words], tenants: null, fetchFor: () => fetch, now, publicUrl: null })
  const held: Promise<unknown>[] = []
  const waiting = { hold: (work: Promise<unknown>) => held.push(work), msMax: 10_000 }
  const load = async () => (await registry.load('default', null, waiting))[0]?.probe
  const first = await load()
  expect(first?.tools.length).toBeGreaterThan(0)
  jumped = 11 * 60_000
  server.sent.length = 0
  let answer = () => {}
  const asked = new Promise<null>((resolve) => {
    answer = () => resolve(null)
  })
  server.fail = () => asked
  expect(await load()).toMatchObject({ error: null, tools: first?.tools })
  expect(await load()).toMatchObject({ error: null, tools: first?.tools })
  await server.when(() => true, 1)
  expect(server.sent).toHaveLength(1)
  expect(held).toHaveLength(2)
  answer()
  await Promise.all(held)
  expect((await load())?.listedTime).toBeGreaterThanOrEqual((first?.listedTime ?? 0) + jumped)
  expect(held).toHaveLength(2)
  await server.close()
})

test("a server whose grants are its users' is not asked for a list without a session, which would take the grant of the tenant", async ({
  expect,
}) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  const about = { url: server.url, headers: {}, description: null, enabled: true, trustHints: true, version: '1' }
  const config: McpServer[] = [
    { ...about, name: 'shared', origin: 'config' },
    { ...about, name: 'own', origin: 'config', grants: 'user' },
  ]
  let jumped = 0
  const now = () => Date.now() + jumped
  const registry = new McpRegistry({ config, tenants: null, fetchFor: () => fetch, now, publicUrl: null })
  const held: Promise<unknown>[] = []
  const load = async (waiting: { usesGrant?: boolean } = {}) => {
    const offers = await registry.load('default', null, { hold: (work) => held.push(work), msMax: 10_000, ...waiting })
    await Promise.all(held)
    return offers.map(({ probe }) => probe.tools.length > 0)
  }
  expect(await load({ usesGrant: false })).toEqual([true, false])
  expect(held).toHaveLength(1)
  expect(await load()).toEqual([true, true])
  expect(held).toHaveLength(2)
  jumped = 11 * 60_000
  expect(await load({ usesGrant: false })).toEqual([true, true])
  expect(held).toHaveLength(3)
  await server.close()
})

test('headers are filled with the secret of whom a call is for, to the origin of the server alone, and it is taken out of what comes back', async ({
  expect,
}) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  const headers = { authorization: 'Bearer {{secret:desk}}' }
  const about = { headers, description: null, enabled: true, trustHints: true, origin: 'tenant', version: '1' } as const
  const own: McpServer = { ...about, name: 'own', url: server.url }
  const other: McpServer = { ...about, name: 'other', url: server.url.replace('127.0.0.1', 'localhost') }
  const values: Record<string, string> = { ana: 'canary-of-ana-77', '': 'canary-of-all-77' }
  const registry = new McpRegistry({
    config: [own, other],
    tenants: null,
    fetchFor: () => fetch,
    secretsFor: async ({ user }) => [
      { name: 'desk', origin: new URL(server.url).origin, value: () => values[user ?? ''] },
    ],
    now: Date.now,
    publicUrl: null,
  })
  const offers = await registry.load('t', null, { hold: () => {}, msMax: 10_000 })
  expect(offers.map(({ probe }) => probe.error)).toEqual([null, expect.stringContaining('goes to http://127.0.0.1')])
  const [tool] = offers[0]?.probe.tools.filter(({ name }) => name === 'look_up') ?? []
  const home = {}
  const context = {
    home,
    tenant: 't',
    sessionId: 'ses_1',
    by: null,
    language: 'en',
    callId: 'c1',
    trace: null,
  } as const
  const call = (user: string | null, word: string) =>
    registry.call(
      own,
      tool ?? expect.unreachable(),
      { word },
      { ...context, user, signal: new AbortController().signal, notify: () => {} },
      null,
    )
  const called = await call('ana', 'canary-of-ana-77')
  expect(called).toMatchObject({ ok: true })
  expect(JSON.stringify(called)).toContain('***')
  expect(JSON.stringify(called)).not.toContain('canary')
  const shown = new Set(server.sent.map((sent) => `${sent.rpc} ${sent.headers['authorization']}`))
  expect([...shown].filter((line) => line.startsWith('tools/'))).toEqual([
    'tools/list Bearer canary-of-all-77',
    'tools/call Bearer canary-of-ana-77',
  ])
  values['ana'] = ''
  expect(await call('ana', 'yak')).toMatchObject({
    ok: false,
    failure: { code: 'secret', problem: { code: 'no_value' } },
  })
  await closeConnections(home)
  await server.close()
})
