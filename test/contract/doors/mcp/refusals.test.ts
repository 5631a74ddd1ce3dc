import { afterAll, beforeAll, describe, test } from 'vitest'
import { mcpClient, posted } from '../../../support/mcp-clients.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { says } from '../../../support/scripted-model.ts'

const ISSUER = 'https://issuer.example'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '' })
})
afterAll(() => served.close())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('what a client of MCP is refused', () => {
  test('is said as JSON-RPC says it, also by what stands before all routes', async ({ expect }) => {
    const wrong = await posted({ ...served, key: 'yaa_wrong' }, LIST)
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(await wrong.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, data: { code: 'unauthorized' } },
    })
    const huge = await posted(served, { ...LIST, params: { filler: 'x'.repeat(40_000_000) } })
    expect(huge.status).toBe(413)
    expect(await huge.json()).toMatchObject({ error: { data: { code: 'body_too_large' } } })
    const broken = await fetch(`${served.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
      body: '{',
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ error: { code: -32_700 } })
    expect(broken.headers.get('x-request-id')).toMatch(/^req_/)
    const text = await posted(served, LIST, { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
    const got = await fetch(`${served.url}/mcp`, { headers: { authorization: `Bearer ${served.key}` } })
    expect(got.status).toBe(405)
    const headers = { authorization: `Bearer ${served.key}`, 'mcp-session-id': 'none' }
    for (const method of ['GET', 'DELETE']) {
      const gone = await fetch(`${served.url}/mcp`, { method, headers: { ...headers, accept: 'text/event-stream' } })
      expect([gone.status, gone.headers.get('x-request-id')]).toEqual([404, expect.stringMatching(/^req_/)])
    }
  })

  test('is a revision that is not spoken: it is told the newest that has sessions', async ({ expect }) => {
    const initialized = async (protocolVersion: string) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } }
      const answer = await posted(served, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
      const { result } = await answer.json<{ result: { protocolVersion: string } }>()
      return { agreed: result.protocolVersion, session: answer.headers.get('mcp-session-id') ?? '' }
    }
    expect(await initialized('2025-06-18')).toMatchObject({ agreed: '2025-06-18' })
    const { agreed, session } = await initialized('2024-11-05')
    expect(agreed).toBe('2025-11-25')
    const named = (revision: string) =>
      posted(served, LIST, { 'mcp-session-id': session, 'mcp-protocol-version': revision })
    expect([(await named('2025-03-26')).status, (await named(agreed)).status]).toEqual([400, 200])
  })

  test('is a scope that its key does not have, and a budget that ends', async ({ expect }) => {
    const { key: reader = '' } = await served.client.keys.create({ name: 'reader', scopes: ['read'] })
    const client = await mcpClient(served, 'stateless', { key: reader })
    const call = { name: 'run_task', arguments: { task: 'Nothing.' } }
    await expect(client.callTool(call)).rejects.toMatchObject({ name: 'InsufficientScopeError', requiredScope: 'run' })
    await client.close()
    const { key: runner = '' } = await served.client.keys.create({ name: 'runner', scopes: ['run'] })
    const refused = await posted({ ...served, key: runner }, { ...LIST, id: 'seven', method: 'resources/list' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([400, null])
    const blind = await mcpClient(served, 'session', { key: runner })
    await expect(blind.listResources()).rejects.toMatchObject({ requiredScope: 'read' })
    await blind.close()
    const { key: poor = '' } = await served.client.keys.create({
      name: 'poor',
      scopes: ['run', 'read'],
      limits: { day: { max_total_tokens: 1 } },
    })
    await served.script([says('Never.')])
    const other = await mcpClient(served, 'session', { key: poor })
    const result = await other.callTool(call)
    expect(result, JSON.stringify(result)).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', result: null },
    })
    await other.close()
  })

  test('is told where tokens come from, where issuers are configured', async ({ expect }) => {
    const nobody = await fetch(`${served.url}/.well-known/oauth-protected-resource/mcp`)
    expect(nobody.status).toBe(404)
    expect(nobody.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    const config = { auth: { jwt: [{ issuer: ISSUER, audience: 'yaa', jwks_url: `${ISSUER}/jwks`, scopes: ['run'] }] } }
    const issued = await startServed({ html: '', config })
    try {
      for (const path of ['', '/mcp']) {
        const metadata = await fetch(`${issued.url}/.well-known/oauth-protected-resource${path}`)
        expect(await metadata.json()).toMatchObject({ resource: `${issued.url}/mcp`, authorization_servers: [ISSUER] })
      }
      const refused = await posted({ ...issued, key: 'nobody' }, LIST)
      expect(refused.headers.get('www-authenticate')).toContain(
        `resource_metadata="${issued.url}/.well-known/oauth-protected-resource/mcp"`,
      )
    } finally {
      await issued.close()
    }
  })
})
