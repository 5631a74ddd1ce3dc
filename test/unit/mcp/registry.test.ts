import { test } from 'vitest'
import type { McpServer } from '../../../src/domain/mcp.ts'
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
