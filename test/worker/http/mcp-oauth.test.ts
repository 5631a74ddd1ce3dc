import { afterEach, describe, inject, test } from 'vitest'
import type { Pending } from '../../../src/domain/pending.ts'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { native } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, newSession, problem, sent, stage } from './http.ts'

interface Shown {
  name: string
  status: string
  error: string | null
  authorization_url?: string
  oauth_client: unknown
  tools: { id: string }[]
}

const { mcp, authority } = inject('oauth')
const closed = { name: 'closed', url: mcp, trust_hints: true }

const add = (more: Record<string, unknown> = {}) =>
  json<Shown>(call('POST', '/v1/mcp-servers', { body: { ...closed, ...more } }), 201)

const control = (path: string, body: unknown = {}) =>
  fetch(`${authority}${path}`, { method: 'POST', body: JSON.stringify(body) })

afterEach(async () => {
  await call('DELETE', '/v1/mcp-servers/closed')
  await control('/control')
})

/** What a browser does at the authorisation server: where it is sent back to. */
async function visited(address: string | undefined): Promise<string> {
  const { headers } = await fetch(address ?? '', { redirect: 'manual' })
  const { pathname, search } = new URL(headers.get('location') ?? '')
  return pathname + search
}

const addressIn = ({ question = '' }: Partial<Pending> = {}) => /http\S+/.exec(question)?.[0]

describe('an MCP server that wants authorisation', () => {
  test('is authorised by an administrator at the address that it is added with', async ({ expect }) => {
    const added = await add()
    expect(added).toMatchObject({ status: 'error', tools: [], error: expect.stringContaining('authorisation') })
    const page = await call('GET', await visited(added.authorization_url))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(await page.text()).toContain('MCP 服务 closed 已授权')
    const shown = await json<Shown>(call('GET', '/v1/mcp-servers/closed'))
    expect(shown).toMatchObject({ status: 'ok', error: null })
    expect(shown.tools.map(({ id }) => id)).toContain('closed__look_up')
    expect(shown).not.toHaveProperty('authorization_url')
  })

  test('of which a token has ended asks the user in the middle of a call, which then goes on', async ({ expect }) => {
    await call('GET', await visited((await add()).authorization_url))
    await control('/control', { refreshes: false })
    await control('/revoke')
    const play = await stage([native('closed__look_up', { word: 'yak' }), native('finish', { reason: 'found' })])
    const { id } = await newSession(play, {
      config: { language: 'en', llm: { model: play.model.name, protocol: 'native' } },
    })
    const asked = await sent(id, 'What is a yak?')
    const connection = { of: 'mcp_server', name: 'closed', wants: 'grant', user: null, origin: new URL(mcp).origin }
    const question = expect.stringContaining('closed wants authorisation')
    expect(asked).toMatchObject({ pending: [{ type: 'question', tool: 'closed__look_up', question, connection }] })
    expect(asked.pending[0]?.connection?.authorize_url).toBe(addressIn(asked.pending[0]))
    const answer = (words: string, pending: Pending | undefined) =>
      json<AgentResponseData>(
        call('POST', `/v1/sessions/${id}/pending/${pending?.id}`, { body: { decision: 'answer', answer: words } }),
      )
    const again = await answer('not yet', asked.pending[0])
    expect(again.pending).toMatchObject([
      { type: 'question', question: expect.stringContaining('wants authorisation') },
    ])
    const page = await call('GET', await visited(addressIn(again.pending[0])))
    expect(await page.text()).toContain('closed is authorised')
    const read = () => json<AgentResponseData>(call('GET', `/v1/sessions/${id}`))
    await expect.poll(read, { timeout: 15_000 }).toMatchObject({ status: 'completed', result: 'found' })
    const end = await read()
    expect(JSON.stringify(end.messages)).toContain('yak means something')
    const issued = await json<string[]>(fetch(`${authority}/issued`))
    const paths = [`/v1/sessions/${id}/export`, `/v1/sessions/${id}/events?limit=100`, '/v1/mcp-servers/closed']
    const told = await Promise.all(
      paths.map(async (path) => (await call('GET', path, { headers: { accept: 'application/json' } })).text()),
    )
    expect(issued.length).toBeGreaterThan(3)
    expect(told.map((text) => text.includes('closed'))).toEqual([true, true, true])
    expect(issued.filter((secret) => told.join().includes(secret))).toEqual([])
  })

  test('takes nobody back twice, with another state, or for a session that is gone', async ({ expect }) => {
    const back = await visited((await add()).authorization_url)
    const other = await call('GET', back.replace(/state=[^&]+/, 'state=default.x'))
    expect(other.status).toBe(400)
    expect(await other.text()).toContain('已经用过')
    expect((await call('GET', back.replace('state=default', 'state=nobody'))).status).toBe(400)
    expect((await call('GET', '/oauth/callback')).status).toBe(400)
    expect((await call('GET', back)).status).toBe(200)
    expect((await call('GET', back)).status).toBe(400)
    await control('/control', { refreshes: false })
    await control('/revoke')
    const play = await stage([native('closed__look_up', { word: 'yak' }), native('finish', { reason: 'found' })])
    const { id } = await newSession(play, { config: { llm: { model: play.model.name, protocol: 'native' } } })
    const late = await visited(addressIn((await sent(id, '查一查 yak')).pending[0]))
    expect((await call('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    expect((await call('GET', late)).status).toBe(400)
  })

  test('takes nobody back who did not begin it', async ({ expect }) => {
    const answer = await call('POST', '/v1/mcp-servers', { body: closed })
    const { authorization_url: url } = await json<Shown>(Promise.resolve(answer.clone()), 201)
    const [cookie = '', ...said] = (answer.headers.get('set-cookie') ?? '').split('; ')
    expect(said).toEqual(['Path=/oauth/callback', 'Max-Age=600', 'HttpOnly', 'SameSite=Lax'])
    const back = await visited(url)
    const made = await json<{ key: string }>(call('POST', '/v1/keys', { body: { name: 'b', scopes: ['admin'] } }), 201)
    const without = await call('GET', back, { headers: { authorization: '' } })
    expect(without.status).toBe(403)
    expect(await without.text()).toContain(
      `/#/authorise/${encodeURIComponent(new URL(back, 'http://localhost').search)}`,
    )
    const forged = cookie.replace(/=.*/, '=x')
    expect((await call('GET', back, { headers: { authorization: '', cookie: forged } })).status).toBe(403)
    const other = await call('GET', back, { headers: { authorization: `Bearer ${made.key}` } })
    expect(other.status).toBe(403)
    expect(await other.text()).toContain('不是你发起的')
    expect(await json(call('GET', '/v1/mcp-servers/closed'))).toMatchObject({ status: 'error' })
    expect((await call('GET', back, { headers: { authorization: '', cookie } })).status).toBe(200)
    expect(await json(call('GET', '/v1/mcp-servers/closed'))).toMatchObject({ status: 'ok' })
  })

  test('that is changed or deleted has no tokens any more', async ({ expect }) => {
    const first = await add()
    await call('GET', await visited(first.authorization_url))
    const patched = await json<Shown>(call('PATCH', '/v1/mcp-servers/closed', { body: { description: 'Words' } }))
    expect(patched).toMatchObject({ status: 'error', authorization_url: expect.stringContaining(authority) })
    const late = await visited(patched.authorization_url)
    await call('DELETE', '/v1/mcp-servers/closed')
    expect((await call('GET', late)).status).toBe(400)
    expect(await add()).toMatchObject({ authorization_url: expect.stringContaining(authority) })
  })

  test('of the config file is authorised in the same way', async ({ expect }) => {
    const config = {
      ...JSON.parse(inject('config')),
      mcp_servers: { own: { url: mcp } },
      public_url: 'https://yaa.example/',
    }
    const own = { env: { ...env, YAA_CONFIG: JSON.stringify(config) } }
    const shown = await json<Shown>(call('POST', '/v1/mcp-servers/own/refresh', own))
    const { searchParams } = new URL(shown.authorization_url ?? '')
    expect(searchParams.get('redirect_uri')).toBe('https://yaa.example/oauth/callback')
    expect((await call('GET', await visited(shown.authorization_url), own)).status).toBe(200)
    expect(await json(call('GET', '/v1/mcp-servers/own', own))).toMatchObject({ status: 'ok' })
    expect(await json(call('GET', '/oauth/client.json', own))).toMatchObject({
      client_id: 'https://yaa.example/oauth/client.json',
      redirect_uris: ['https://yaa.example/oauth/callback'],
    })
  })

  test('may know us by a client of its own, whose secret is not shown', async ({ expect }) => {
    const added = await add({ oauth_client: { client_id: 'c1', client_secret: 'sesame' } })
    expect(added.oauth_client).toEqual({ client_id: 'c1', client_secret: '***' })
    expect(new URL(added.authorization_url ?? '').searchParams.get('client_id')).toBe('c1')
    const patch = (body: unknown) => json<Shown>(call('PATCH', '/v1/mcp-servers/closed', { body }))
    const same = await patch({ oauth_client: { client_id: 'c1', client_secret: '***' } })
    expect(same.oauth_client).toEqual({ client_id: 'c1', client_secret: '***' })
    const other = await patch({ oauth_client: { client_id: 'c2', client_secret: '***' } })
    expect(other.oauth_client).toEqual({ client_id: 'c2', client_secret: null })
    expect((await patch({ oauth_client: null })).oauth_client).toBeNull()
    const bad = await problem(call('PATCH', '/v1/mcp-servers/closed', { body: { oauth_client: { id: 'x' } } }), 400)
    expect(bad.code).toBe('invalid_input')
  })
})
