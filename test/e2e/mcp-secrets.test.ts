import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { startAuthorisationServer, type AuthorisationServer } from '../support/authorisation-server.ts'
import { startMcpServer, type McpTestServer } from '../support/mcp-server.ts'
import { registerTestTools } from '../support/mcp-tools.ts'
import { calls } from '../support/scripted-model.ts'
import { startServed, type Served } from '../support/served.ts'

const CANARY = 'canary-of-a-header-7d21'
const CLIENT_CANARY = 'canary-of-a-client-7d21'
let open: McpTestServer
let closed: McpTestServer
let authority: AuthorisationServer
let served: Served

beforeAll(async () => {
  authority = await startAuthorisationServer()
  open = await startMcpServer({ era: 'modern', register: registerTestTools })
  closed = await startMcpServer({ era: 'modern', register: registerTestTools })
  closed.fail = async (request) => authority.guard(request)
  const hosts = [open.host, closed.host, authority.host]
  served = await startServed({ html: '', logs: true, config: { web: { allow_private_hosts: hosts } } })
})
afterAll(async () => {
  await Promise.all([served.close(), open.close(), closed.close(), authority.close()])
})

/** All that the server has written: databases, files and the log. */
function kept(): string {
  const files = readdirSync(served.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n')
}

const added = (body: Record<string, unknown>) =>
  served.client.json<{ status: string; authorization_url?: string }>({ method: 'POST', path: '/v1/mcp-servers', body })

test('a header of an MCP server goes to it alone, and stands nowhere', async ({ expect }) => {
  const headers = { authorization: `Bearer ${CANARY}`, 'x-team': 'canary-team-in-plain' }
  expect(await added({ name: 'words', url: open.url, trust_hints: true, headers })).toMatchObject({ status: 'ok' })
  open.fail = async (request) => {
    const { id, method } = await request.json<{ id: unknown; method: string }>()
    if (method !== 'tools/call') return null
    const text = `You are ${request.headers.get('authorization')} of ${request.headers.get('x-team')}`
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } })
  }
  await served.script([calls('words__look_up', { word: 'yak' }), calls('finish', { reason: 'Found.' })])
  const { id, result } = await served.client.sessions.create({ task: 'What is a yak?', config: { language: 'en' } })
  expect(result).toBe('Found.')
  expect(open.sent.find(({ rpc }) => rpc === 'tools/call')?.headers['authorization']).toBe(`Bearer ${CANARY}`)
  const paths = [`/v1/sessions/${id}/export`, `/v1/sessions/${id}/events?limit=100`, '/v1/mcp-servers', '/v1/audit']
  const told = JSON.stringify(await Promise.all(paths.map((path) => served.client.json({ path }))))
  expect(told).toContain('You are *** of canary-team-in-plain')
  const prompts = served.model.requests.map(({ body }) => JSON.stringify(body)).join()
  expect(prompts).toContain('You are *** of')
  expect(kept()).toContain('canary-team-in-plain')
  expect([told, prompts, kept()].map((text) => text.includes(CANARY))).toEqual([false, false, false])
  const patched = { method: 'PATCH', path: '/v1/mcp-servers/words', body: { description: 'Words' } } as const
  expect(await served.client.json(patched)).toMatchObject({ status: 'ok', headers: { authorization: '***' } })
  await served.restart()
  expect(await served.client.json({ method: 'POST', path: '/v1/mcp-servers/words/refresh', body: {} })).toMatchObject({
    status: 'ok',
  })
  expect(open.sent.at(-1)?.headers['authorization']).toBe(`Bearer ${CANARY}`)
  expect(kept()).not.toContain(CANARY)
})

test('the secret of a client and the tokens of an MCP server are kept encrypted, and used', async ({ expect }) => {
  const client = { client_id: 'ours', client_secret: CLIENT_CANARY }
  const { authorization_url: address = '' } = await added({ name: 'shut', url: closed.url, oauth_client: client })
  expect(kept()).not.toContain(CLIENT_CANARY)
  const { headers } = await fetch(address, { redirect: 'manual' })
  const { pathname, search } = new URL(headers.get('location') ?? '')
  const page = await fetch(`${served.url}${pathname}${search}`, { headers: { authorization: `Bearer ${served.key}` } })
  expect(page.status).toBe(200)
  expect(await served.client.json({ path: '/v1/mcp-servers/shut' })).toMatchObject({ status: 'ok' })
  const token = /^Bearer (.+)$/.exec(closed.sent.at(-1)?.headers['authorization'] ?? '')?.[1] ?? ''
  expect(token.length).toBeGreaterThan(8)
  expect([CLIENT_CANARY, token].filter((secret) => kept().includes(secret))).toEqual([])
  closed.fail = async (request) => {
    const refusal = authority.guard(request.clone())
    const { id, method } = refusal ? { id: null, method: '' } : await request.json<Record<string, unknown>>()
    if (refusal || method !== 'tools/call') return refusal
    const text = `You are ${request.headers.get('authorization')}`
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } })
  }
  await served.script([calls('shut__look_up', { word: 'yak' }), calls('finish', { reason: 'Found.' })])
  const { id } = await served.client.sessions.create({
    task: 'What is a yak?',
    config: { language: 'en', tools: { shut__look_up: { auto_approve: true } } },
  })
  const told = JSON.stringify(await served.client.json({ path: `/v1/sessions/${id}/export` }))
  expect(told).toContain('You are Bearer ***')
  expect([told, kept()].map((text) => text.includes(token))).toEqual([false, false])
  closed.fail = async (request) => authority.guard(request)
  await served.restart()
  const refreshed = { method: 'POST', path: '/v1/mcp-servers/shut/refresh', body: {} } as const
  expect(await served.client.json(refreshed)).toMatchObject({ status: 'ok', error: null })
})
