import { afterEach, describe, inject, onTestFinished, test, vi } from 'vitest'
import type { McpServer } from '../../../src/domain/mcp.ts'
import { serverFrom } from '../../../src/mcp/servers.ts'
import { DirectoryObject } from '../../../src/objects/directory-object.ts'
import { serverOf } from '../../../src/objects/engine.ts'
import { directoryObject } from '../../../src/objects/env.ts'
import { native } from '../../support/words.ts'
import { call, json, newSession, problem, sent, stage, type List } from './http.ts'
import { env } from '../session/worker-home.ts'

interface Shown {
  name: string
  url: string
  headers: Record<string, string>
  status: string
  error: string | null
  enabled: boolean
  tools: { id: string; name: string; input_schema?: unknown; annotations?: unknown }[]
}

const add = (body: Record<string, unknown>) => call('POST', '/v1/mcp-servers', { body })
const added = (body: Record<string, unknown>) => json<Shown>(add(body), 201)

afterEach(async () => {
  const { data } = await json<List<Shown>>(call('GET', '/v1/mcp-servers'))
  for (const { name } of data) await call('DELETE', `/v1/mcp-servers/${name}`)
})

for (const era of ['modern', 'legacy'] as const)
  describe(`an MCP server added over HTTP, ${era}`, () => {
    const server = { name: 'words', url: inject('mcp')[era], description: 'Words and their meaning' }

    test('is asked what it offers, and never shows its headers', async ({ expect }) => {
      const shown = await added({ ...server, headers: { authorization: 'Bearer sesame' } })
      expect(shown).toMatchObject({
        object: 'mcp_server',
        name: 'words',
        url: server.url,
        headers: { authorization: '***' },
        description: server.description,
        enabled: true,
        trust_hints: false,
        source: 'tenant',
        status: 'ok',
        error: null,
        warnings: [],
      })
      expect(shown.tools.find(({ id }) => id === 'words__look_up')).toMatchObject({
        name: 'look_up',
        description: expect.stringContaining('Look a word up.'),
        input_schema: { type: 'object', properties: { word: { type: 'string' } } },
        annotations: { readOnlyHint: true },
      })
      const everywhere = await Promise.all(
        ['/v1/mcp-servers', '/v1/mcp-servers/words', '/v1/tools'].map(async (path) => (await call('GET', path)).text()),
      )
      expect(everywhere.join()).not.toContain('sesame')
      expect(everywhere.map((text) => text.includes('words__look_up'))).toEqual([true, true, true])
    })

    test('its tools are used by sessions of the tenant; its hints count for nothing', async ({ expect }) => {
      await added(server)
      const play = await stage([native('words__look_up', { word: 'yak' }), native('finish', { reason: 'found' })])
      const { id } = await newSession(play, {
        config: { language: 'en', llm: { model: play.model.name, protocol: 'native' } },
      })
      const asked = await sent(id, 'What is a yak?')
      expect(asked.pending).toMatchObject([{ tool: 'words__look_up', risk: 'write' }])
      const path = `/v1/sessions/${id}/pending/${asked.pending[0]?.id}`
      const answer = await json<{ messages: { content: string }[] }>(
        call('POST', path, { body: { decision: 'approve' } }),
      )
      expect(answer).toMatchObject({ status: 'completed', result: 'found' })
      expect(JSON.stringify(answer.messages)).toContain('yak means something')
    })

    test('added with trust_hints a tool that only reads runs at once', async ({ expect }) => {
      await added({ ...server, trust_hints: true })
      const play = await stage([native('words__look_up', { word: 'yak' }), native('finish', { reason: 'found' })])
      const { id } = await newSession(play, { config: { llm: { model: play.model.name, protocol: 'native' } } })
      expect(await sent(id, '查一查 yak')).toMatchObject({ status: 'completed', result: 'found' })
    })

    test('switched off it is absent, and asked anew when it is switched on', async ({ expect }) => {
      await added({ ...server, enabled: false })
      expect(await json(call('GET', '/v1/mcp-servers/words'))).toMatchObject({ status: 'disabled', tools: [] })
      expect(await (await call('GET', '/v1/tools')).text()).not.toContain('words__')
      const on = await json<Shown>(call('PATCH', '/v1/mcp-servers/words', { body: { enabled: true } }))
      expect(on).toMatchObject({ status: 'ok', enabled: true })
      expect(on.tools.length).toBeGreaterThan(0)
      expect(await json(call('POST', '/v1/mcp-servers/words/refresh'))).toMatchObject({ status: 'ok' })
    })
  })

describe('headers of an MCP server', () => {
  const directory = () => directoryObject(env, 'default')
  const server = { name: 'words', url: inject('mcp').modern, headers: { authorization: 'Bearer sesame-open-1' } }

  test('that an older release kept in the clear are sent, and encrypted by the next change', async ({ expect }) => {
    await directory().putMcpServer(serverFrom(server), false)
    serverOf(env).engine.mcp.forget('default')
    expect((await json<Shown>(call('GET', '/v1/mcp-servers/words'))).headers).toEqual({ authorization: '***' })
    await json(call('PATCH', '/v1/mcp-servers/words', { body: {} }))
    const [kept] = await directory().mcpServers()
    expect(kept).toMatchObject({ name: 'words', headers: {}, sealed: expect.any(String) })
    expect(JSON.stringify(kept)).not.toContain('sesame')
    const headers = { 'x-team': 'red' }
    expect(await json(call('PATCH', '/v1/mcp-servers/words', { body: { headers } }))).toMatchObject({
      headers: { authorization: '***', 'x-team': '***' },
    })
  })

  test('that an older release has set beside the encrypted ones go before them', async ({ expect }) => {
    await added({ ...server, oauth_client: { client_id: 'one', client_secret: 'sesame-of-one' } })
    const [kept] = await directory().mcpServers()
    const changed = { headers: { 'x-team': 'red' }, oauthClient: { id: 'two', secret: null }, version: 'changed' }
    await directory().putMcpServer({ ...(kept as McpServer), ...changed }, true)
    const opened = await serverOf(env).engine.mcp.serverNow('default', 'words')
    expect(opened).toMatchObject({
      headers: { authorization: 'Bearer sesame-open-1', 'x-team': 'red' },
      oauthClient: { id: 'two', secret: null },
    })
  })

  test('that cannot be opened are not left out in silence: nothing is sent, and it says so', async ({ expect }) => {
    await added(server)
    const [kept] = await directory().mcpServers()
    const sealed = 'v1.other.AAAA.AAAA'
    await directory().putMcpServer({ ...(kept as McpServer), sealed, version: 'of-another-key' }, true)
    serverOf(env).engine.mcp.forget('default')
    const shown = await json<Shown>(call('POST', '/v1/mcp-servers/words/refresh'))
    expect(shown).toMatchObject({ status: 'error', error: expect.stringContaining('headers of words') })
    const anew = { headers: server.headers }
    expect(await json(call('PATCH', '/v1/mcp-servers/words', { body: anew }))).toMatchObject({ status: 'ok' })
  })
})

describe('MCP servers over HTTP', () => {
  test('one that cannot be reached is kept, and says why', async ({ expect }) => {
    const { modern } = inject('mcp')
    const shown = await added({ name: 'odd', url: `${new URL(modern).origin}/nowhere`, headers: { 'x-a': 'b' } })
    expect(shown.name).toBe('odd')
    const { host } = new URL(inject('peers').pagesUrl)
    const wrong = await added({ name: 'page', url: `http://${host}/no-server` })
    expect(wrong).toMatchObject({ status: 'error', error: expect.stringContaining('MCP server'), tools: [] })
    const headers = { 'accept-language': 'zh-CN' }
    const { data } = await json<List<Shown>>(call('GET', '/v1/mcp-servers', { headers }))
    expect(data.find(({ name }) => name === 'page')?.error).toBe('MCP 服务以状态码 404 拒绝。')
  })

  test.for([
    [
      'by the config of the session',
      (id: string) => call('PATCH', `/v1/sessions/${id}`, { body: { config: { mcp_servers: [] } } }),
    ],
    ['with all that the tenant has', () => call('DELETE', '/v1/mcp-servers/words')],
  ] as const)('one that is taken away %s is called no more', async ([, takeAway], { expect }) => {
    await added({ name: 'words', url: inject('mcp').modern, trust_hints: true })
    const looksUp = native('words__look_up', { word: 'yak' })
    const play = await stage([native('finish', { reason: 'a' }), looksUp, native('finish', { reason: 'b' })])
    const { id } = await newSession(play, {
      config: { language: 'en', llm: { model: play.model.name, protocol: 'native' } },
    })
    await sent(id, 'one')
    expect((await takeAway(id)).ok).toBe(true)
    // Others may have seen meanwhile that there is none.
    await call('GET', '/v1/tools')
    const { messages } = await sent(id, 'two')
    expect(JSON.stringify(messages)).not.toContain('yak means something')
    expect(JSON.stringify(messages)).toContain('words__look_up')
  })

  test('one that is not there costs as much to many who name it at once', async ({ expect }) => {
    const body = { config: { mcp_servers: ['nope'] } }
    const reads = vi.spyOn(DirectoryObject.prototype, 'mcpServers')
    onTestFinished(() => reads.mockRestore())
    await Promise.all(Array.from({ length: 50 }, () => problem(call('POST', '/v1/sessions', { body }), 400)))
    expect(reads.mock.calls.length).toBeLessThanOrEqual(100)
  })

  test('that a config names and that are not there are refused by their place, one just added is not', async ({
    expect,
  }) => {
    const config = { mcp_servers: ['late', 'nope'] }
    const { errors } = await problem(call('POST', '/v1/sessions', { body: { config } }), 400)
    expect(errors?.map(({ path }) => path)).toEqual(['config.mcp_servers.0', 'config.mcp_servers.1'])
    await added({ name: 'late', url: inject('mcp').modern })
    const made = await problem(call('POST', '/v1/sessions', { body: { config } }), 400)
    expect(made.errors?.map(({ path }) => path)).toEqual(['config.mcp_servers.1'])
    const body = { config: { mcp_servers: ['late'] } }
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { body }), 201)
    const more = { config: { mcp_servers: ['nope'] } }
    for (const [method, path, rest] of [
      ['PATCH', `/v1/sessions/${id}`, {}],
      ['POST', `/v1/sessions/${id}/messages`, { content: '你好' }],
      ['POST', '/v1/agent', { messages: [{ role: 'user', content: '你好' }] }],
      ['POST', '/v1/skills/translate/run', { input: '你好' }],
    ] as const) {
      const refused = await problem(call(method, path, { body: { ...rest, ...more } }), 400)
      expect(refused.errors, path).toMatchObject([{ path: 'config.mcp_servers.0' }])
    }
  })

  test('a private address is refused, a command is not run, names are taken once', async ({ expect }) => {
    const refused = await problem(add({ name: 'a', url: 'http://127.0.0.1:1/mcp' }), 400)
    expect(refused.errors).toEqual([{ path: 'url', message: expect.stringContaining('private') }])
    const command = await problem(add({ name: 'a', command: 'npx', args: ['server'] }), 422)
    expect(command.code).toBe('unsupported_transport')
    await added({ name: 'a', url: inject('mcp').modern })
    expect((await problem(add({ name: 'a', url: inject('mcp').modern }), 409)).code).toBe('already_exists')
    const bad = await problem(add({ name: 'a b', url: 'ftp://x', headers: { 'mcp-session-id': '1' }, more: 1 }), 400)
    expect(bad.errors?.map(({ path }) => path).toSorted()).toEqual(['headers.mcp-session-id', 'more', 'name', 'url'])
  })

  test("a change takes no headers that are the protocol's own, and not more than a new one with those that are kept", async ({
    expect,
  }) => {
    const many = (begin: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${begin}-${at}`, 'v']))
    const patch = (headers: Record<string, string | null>) => call('PATCH', '/v1/mcp-servers/a', { body: { headers } })
    await added({ name: 'a', url: inject('mcp').modern, headers: many('x', 30) })
    const own = await problem(patch({ host: 'a', 'MCP-Session-Id': '1', accept: null }), 400)
    expect(own.errors?.map(({ path }) => path)).toEqual(['headers.host', 'headers.MCP-Session-Id'])
    const tooMany = await problem(patch(many('y', 3)), 400)
    expect(tooMany.errors).toEqual([{ path: 'headers', message: expect.stringContaining('at most 32') }])
    const { headers } = await json<Shown>(patch({ ...many('y', 3), 'x-0': null }))
    expect(Object.keys(headers)).toHaveLength(32)
  })

  test('a changed server keeps the headers that come back masked, and loses them with its origin', async ({
    expect,
  }) => {
    const { modern, legacy } = inject('mcp')
    await added({ name: 'a', url: modern, headers: { one: '1', two: '2' } })
    const patch = (body: Record<string, unknown>) => json<Shown>(call('PATCH', '/v1/mcp-servers/a', { body }))
    expect((await patch({ headers: { one: '***', two: null, three: '3' } })).headers).toEqual({
      one: '***',
      three: '***',
    })
    expect((await patch({ url: legacy })).headers).toEqual({})
  })

  test('a server of the config file is shown, and is changed there only', async ({ expect }) => {
    const config = { ...JSON.parse(inject('config')), mcp_servers: { own: { url: inject('mcp').legacy } } }
    const own = { env: { YAA_CONFIG: JSON.stringify(config) } }
    expect(await json(call('GET', '/v1/mcp-servers/own', own))).toMatchObject({
      source: 'config',
      status: 'ok',
      trust_hints: true,
    })
    await problem(call('PATCH', '/v1/mcp-servers/own', { ...own, body: { enabled: false } }), 403)
    await problem(call('DELETE', '/v1/mcp-servers/own', own), 403)
    await problem(call('POST', '/v1/mcp-servers', { ...own, body: { name: 'own', url: inject('mcp').modern } }), 409)
  })

  test('tenants do not see each other’s, and changing one needs an admin', async ({ expect }) => {
    const hash = async (key: string) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
      return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    }
    const keys = [
      { id: 'a', sha256: await hash('ka'), scopes: ['admin'], tenant: 'ta' },
      { id: 'b', sha256: await hash('kb'), scopes: ['read', 'run'], tenant: 'tb' },
    ]
    const bound = { ...env, YAA_CONFIG: JSON.stringify({ ...JSON.parse(inject('config')), auth: { keys } }) }
    const as = (key: string) => ({ env: bound, headers: { authorization: `Bearer ${key}` } })
    await json(call('POST', '/v1/mcp-servers', { ...as('ka'), body: { name: 'a', url: inject('mcp').modern } }), 201)
    expect(await json(call('GET', '/v1/mcp-servers', as('kb')))).toMatchObject({ data: [] })
    expect(await (await call('GET', '/v1/tools', as('kb'))).text()).not.toContain('a__')
    await problem(call('GET', '/v1/mcp-servers/a', as('kb')), 404)
    await problem(call('POST', '/v1/mcp-servers', { ...as('kb'), body: { name: 'b', url: inject('mcp').modern } }), 403)
    expect((await call('DELETE', '/v1/mcp-servers/a', as('ka'))).status).toBe(204)
  })
})
