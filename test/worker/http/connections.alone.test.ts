import { runInDurableObject } from 'cloudflare:test'
import { describe, inject, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { ConnectionAuthorization, ConnectionInfo } from '../../../src/domain/connection.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { CLIENT_SECRET } from '../../support/client-secret.ts'
import { receiverFor } from '../../support/receivers.ts'
import { native, WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, type CallOptions, json, type List, problem, stage } from './http.ts'

const words = WORDS.en
const CANARY = 'canary-of-a-connection-5e7c'

/** An administrator of a tenant of its own. */
async function adminOf() {
  const tenant = `t-${crypto.randomUUID()}`
  const key = { id: `admin-of-${tenant}`, sha256: await sha256Hex(`k-${tenant}`), scopes: ['admin'], tenant }
  const YAA_CONFIG = JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys: [key] } })
  const headers = { authorization: `Bearer k-${tenant}` }
  const ask = (method: string, path: string, body?: unknown, more: CallOptions['env'] = {}) =>
    call(method, path, { env: { YAA_CONFIG, ...more }, body, headers })
  return { tenant, ask }
}

const origin = new URL(inject('peers').pagesUrl).origin

/** An API at a receiver of its own. */
function echoApi(title: string) {
  const receiver = receiverFor(inject('peers'))
  const { origin: place, pathname } = new URL(receiver.url)
  const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object' } } } }
  const paths = { [pathname]: { post: { operationId: 'look', requestBody } } }
  const document = { openapi: '3.1.0', info: { title, version: '1' }, servers: [{ url: place }], paths }
  return { receiver, document, origin: place }
}
const connection = (secret = CANARY, at = origin) => ({ name: 'tracker', origin: at, secret })
const request = (url: string, authorization: string) =>
  `<http_request>\n<method>GET</method>\n<url>${url}</url>\n<headers>{"authorization": "${authorization}"}</headers>\n</http_request>`

describe('a connection', () => {
  test('is kept, listed without its secret, changed and revoked, and the audit tells of each', async ({ expect }) => {
    const { ask } = await adminOf()
    const made = await json<ConnectionInfo>(ask('POST', '/v1/connections', connection()), 201)
    expect(made).toMatchObject({ object: 'connection', name: 'tracker', origin, last_four: '5e7c' })
    expect(await problem(ask('POST', '/v1/connections', connection()), 409)).toMatchObject({ code: 'already_exists' })
    expect((await json<List<ConnectionInfo>>(ask('GET', '/v1/connections'))).data).toEqual([made])
    const basic = { username: 'ana', password: 'sesame' }
    const changed = await json<ConnectionInfo>(ask('PATCH', '/v1/connections/tracker', { basic }))
    expect(changed).toMatchObject({ last_four: null, created_time: made.created_time })
    expect(await json(ask('GET', '/v1/connections/tracker'))).toEqual(changed)
    expect((await ask('DELETE', '/v1/connections/tracker')).status).toBe(204)
    await problem(ask('GET', '/v1/connections/tracker'), 404)
    await problem(ask('DELETE', '/v1/connections/tracker'), 404)
    const { data } = await json<List<AuditEntry>>(ask('GET', '/v1/audit?limit=100'))
    const acts = data.filter(({ action, outcome }) => action.startsWith('connection.') && outcome === 'done')
    expect(acts.toReversed().map(({ action, target }) => [action, target])).toEqual([
      ['connection.create', 'tracker'],
      ['connection.update', 'tracker'],
      ['connection.delete', 'tracker'],
    ])
    expect(JSON.stringify(data)).not.toMatch(/canary|sesame/)
  })

  test('is refused with the field and what to do: no key to encrypt with, a foreign network, a place in the clear', async ({
    expect,
  }) => {
    const { ask } = await adminOf()
    const keyless = await problem(ask('POST', '/v1/connections', connection(), { YAA_SECRETS_KEY: '' }), 503)
    expect([keyless.code, keyless.detail]).toEqual(['not_configured', expect.stringContaining('YAA_SECRETS_KEY')])
    const issuesOf = async (body: unknown) => (await problem(ask('POST', '/v1/connections', body), 400)).errors
    expect(await issuesOf({ ...connection(), origin: 'http://10.0.0.7:11434' })).toEqual([
      { path: 'origin', message: expect.stringContaining('web.allow_private_hosts') },
    ])
    expect(await issuesOf({ ...connection(), origin: 'http://tracker.example' })).toMatchObject([{ path: 'origin' }])
    expect(await issuesOf({ name: 'x', origin })).toEqual([{ path: 'secret', message: 'either secret or basic' }])
    expect(await issuesOf({ ...connection(), name: '{x}' })).toMatchObject([{ path: 'name' }])
    expect((await json<List<unknown>>(ask('GET', '/v1/connections'))).data).toEqual([])
  })

  test('goes with a call that names it to its origin, and is seen nowhere', async ({ expect }) => {
    const { ask, tenant } = await adminOf()
    await json(ask('POST', '/v1/connections', connection()), 201)
    const set = await stage((page) => [request(page('echo'), 'Bearer {{secret:tracker}}'), words.finish('done')])
    const run = { task: words.task, config: { ...set.config, language: 'en' } }
    const { id, pending } = await json<SessionData>(ask('POST', '/v1/sessions', run), 201)
    const decided = ask('POST', `/v1/sessions/${id}/pending/${pending[0]?.id}`, { decision: 'approve' })
    const { status, messages } = await json<AgentResponseData>(decided)
    expect(status).toBe('completed')
    expect(JSON.stringify(messages)).toMatch(/authorization\W+Bearer \*\*\*/)
    const seen = await Promise.all(
      [
        `/v1/sessions/${id}`,
        `/v1/sessions/${id}/export`,
        `/v1/sessions/${id}/events?limit=100`,
        '/v1/connections',
        '/v1/settings',
        '/v1/audit?limit=100',
        '/v1/tools?limit=100',
      ].map(async (path) => (await ask('GET', path)).text()),
    )
    expect([...seen, JSON.stringify(await set.model.asked())].filter((text) => text.includes(CANARY))).toEqual([])
    const rows = await runInDurableObject(env.DIRECTORY.getByName(tenant), (_object, { storage }) =>
      storage.sql.exec<{ connection: string }>('SELECT connection FROM kept_connections').toArray(),
    )
    expect([rows.length, JSON.stringify(rows).includes(CANARY)]).toEqual([1, false])
  })

  test('is of its tenant alone, and goes nowhere once it is revoked', async ({ expect }) => {
    const [own, other] = [await adminOf(), await adminOf()]
    await json(own.ask('POST', '/v1/connections', connection()), 201)
    const answered = async ({ ask }: typeof own) => {
      const set = await stage((page) => [request(page('echo'), 'Bearer {{secret:tracker}}'), words.finish('done')])
      const tools = { http_request: { auto_approve: true, trusted: true } }
      const run = { task: words.task, config: { ...set.config, language: 'en', tools } }
      const { messages } = await json<SessionData>(ask('POST', '/v1/sessions', run), 201)
      return { told: JSON.stringify(messages), visits: await set.site.visits() }
    }
    expect((await answered(own)).visits).toEqual(['echo'])
    const none = { told: expect.stringContaining('There is no secret called tracker'), visits: [] }
    expect(await answered(other)).toEqual(none)
    expect((await own.ask('DELETE', '/v1/connections/tracker')).status).toBe(204)
    expect(await answered(own)).toEqual(none)
  })

  test('is the key of a model of the settings, which hold none themselves', async ({ expect }) => {
    const { ask } = await adminOf()
    await json(
      ask('POST', '/v1/connections', { ...connection(), name: 'models', origin: 'https://models.example' }),
      201,
    )
    const models = { main: { api_url: 'https://models.example/v1', model: 'm', connection: 'models' } }
    const answer = await ask('PATCH', '/v1/settings', { models })
    expect([answer.status, (await answer.text()).includes(CANARY)]).toEqual([200, false])
    const { errors } = await problem(ask('PATCH', '/v1/settings', { models: { main: { api_key: 'sk' } } }), 400)
    expect(errors).toEqual([{ path: 'models.main.api_key', message: expect.stringContaining('/v1/connections') }])
  })

  test('of a user is used by sessions of that user alone, before that of the tenant', async ({ expect }) => {
    const { ask } = await adminOf()
    const api = echoApi('user')
    const place = api.origin
    await json(ask('POST', '/v1/connections', connection('of-the-tenant-0000', place)), 201)
    const made = await json<ConnectionInfo>(
      ask('POST', '/v1/connections', { ...connection(CANARY, place), user: 'ana' }),
      201,
    )
    expect(made).toMatchObject({ name: 'tracker', user: 'ana', last_four: '5e7c' })
    await problem(ask('POST', '/v1/connections', { ...connection(CANARY, place), user: 'ana' }), 409)
    expect((await json<List<ConnectionInfo>>(ask('GET', '/v1/connections'))).data).toMatchObject([{ user: null }])
    expect((await json<List<ConnectionInfo>>(ask('GET', '/v1/connections?user=ana'))).data).toEqual([made])
    const auth = { connection: 'tracker' }
    await json(ask('POST', '/v1/openapi-tools', { name: 'desk', document: api.document, auth }), 201)
    const came = async (user?: string) => {
      const set = await stage([native('desk__look', { body: {} }), native('finish', { reason: 'done' })])
      const llm = { extra_body: { script: set.model.name }, protocol: 'native' }
      const tools = { 'desk__*': { permission: 'allow', trusted: true } }
      const run = { task: 'Look', config: { llm, tools }, ...(user === undefined ? {} : { user }) }
      const { id } = await json<SessionData>(ask('POST', '/v1/sessions', run), 201)
      const text = await (await ask('GET', `/v1/sessions/${id}/export`)).text()
      expect(text).not.toMatch(/canary|of-the-tenant/)
      return (await api.receiver.received(1)).at(-1)?.headers['authorization']
    }
    expect([await came(), await came('bo'), await came('ana')]).toEqual([
      'Bearer of-the-tenant-0000',
      'Bearer of-the-tenant-0000',
      `Bearer ${CANARY}`,
    ])
    const basic = { username: 'ana', password: 'sesame' }
    await json(ask('PATCH', '/v1/connections/tracker?user=ana', { basic }))
    expect(await came('ana')).toBe(`Basic ${btoa('ana:sesame')}`)
    expect((await ask('DELETE', '/v1/connections/tracker?user=ana')).status).toBe(204)
    expect(await came('ana')).toBe('Bearer of-the-tenant-0000')
    expect((await (await ask('GET', '/v1/audit?limit=100')).text()).includes('"user":"ana"')).toBe(true)
  })

  test('that a user has to give is asked for by a call of an API or an MCP server, which is made once it is kept', async ({
    expect,
  }) => {
    const { ask } = await adminOf()
    const api = echoApi('wanted')
    const words = inject('mcp').modern
    const own = { each_user: true }
    await json(ask('POST', '/v1/connections', { ...own, name: 'desk', origin: api.origin }), 201)
    await json(ask('POST', '/v1/connections', { ...own, name: 'words', origin: new URL(words).origin }), 201)
    const auth = { connection: 'desk' }
    await json(ask('POST', '/v1/openapi-tools', { name: 'desk', document: api.document, auth }), 201)
    const headers = { authorization: 'Bearer {{secret:words}}' }
    const server = { name: 'words', url: words, headers }
    const listed = await json<{ tools: { id: string }[] }>(ask('POST', '/v1/mcp-servers', server), 201)
    expect(listed).toMatchObject({ status: 'ok', error: null })
    expect(listed.tools.map(({ id }) => id)).toContain('words__look_up')
    const set = await stage([
      native('desk__look', { body: {} }),
      native('words__look_up', { word: 'yak' }),
      native('finish', { reason: 'done' }),
    ])
    const allowed = { permission: 'allow', trusted: true }
    const config = {
      language: 'en',
      llm: { extra_body: { script: set.model.name }, protocol: 'native' },
      tools: { 'desk__*': allowed, 'words__*': allowed },
    }
    const begun = await json<SessionData>(ask('POST', '/v1/sessions', { task: 'Look', user: 'ana', config }), 201)
    const { id } = begun
    const wanted = (name: string, at: string) => ({
      type: 'question',
      question: expect.stringContaining('POST /v1/connections'),
      connection: { of: 'connection', name, origin: at, wants: 'secret', user: 'ana' },
    })
    expect(begun.pending).toMatchObject([wanted('desk', api.origin)])
    const other = { name: 'desk', origin: api.origin, user: 'bo', secret: 'of-somebody-else' }
    await json(ask('POST', '/v1/connections', other), 201)
    await json(ask('POST', '/v1/connections', { ...other, user: 'ana', secret: CANARY }), 201)
    const read = () => json<SessionData>(ask('GET', `/v1/sessions/${id}`))
    const patience = { timeout: 15_000 }
    await expect
      .poll(read, patience)
      .toMatchObject({ status: 'interrupted', pending: [wanted('words', new URL(words).origin)] })
    const [came, ...more] = await api.receiver.received(1)
    expect([came?.headers['authorization'], more.length]).toEqual([`Bearer ${CANARY}`, 0])
    const mine = { name: 'words', origin: new URL(words).origin, user: 'ana', secret: CANARY }
    await json(ask('POST', '/v1/connections', mine), 201)
    await expect.poll(read, patience).toMatchObject({ status: 'completed', result: 'done' })
    const paths = [`/v1/sessions/${id}/export`, `/v1/sessions/${id}/events?limit=100`, '/v1/audit?limit=100']
    const told = await Promise.all(paths.map(async (path) => (await ask('GET', path)).text()))
    expect(told.join()).toContain('yak means something')
    expect(told.join()).not.toContain(CANARY)
    const decided = async () => {
      const { data } = await json<List<AuditEntry>>(ask('GET', '/v1/audit?limit=100'))
      return data.filter(({ action }) => action === 'session.decide').map(({ actor }) => actor)
    }
    const itself = { kind: 'server', id: 'connections' }
    await expect.poll(decided, patience).toEqual([itself, itself])
  })

  test('that a user does not give is not asked for again, and the model is told', async ({ expect }) => {
    const { ask } = await adminOf()
    const api = echoApi('declined')
    await json(ask('POST', '/v1/connections', { name: 'desk', origin: api.origin, each_user: true }), 201)
    const auth = { connection: 'desk' }
    await json(ask('POST', '/v1/openapi-tools', { name: 'desk', document: api.document, auth }), 201)
    const set = await stage([native('desk__look', { body: {} }), native('finish', { reason: 'done' })])
    const llm = { extra_body: { script: set.model.name }, protocol: 'native' }
    const config = { language: 'en', llm, tools: { 'desk__*': { permission: 'allow', trusted: true } } }
    const begun = await json<SessionData>(ask('POST', '/v1/sessions', { task: 'Look', user: 'ana', config }), 201)
    const said = ask('POST', `/v1/sessions/${begun.id}/pending/${begun.pending[0]?.id}`, { decision: 'reject' })
    const end = await json<AgentResponseData>(said)
    expect(end).toMatchObject({ status: 'completed', result: 'done' })
    expect(JSON.stringify(end.messages)).toContain('The user did not give the connection desk')
  })

  test('that somebody writes into an answer or a message is kept nowhere, and is asked for again', async ({
    expect,
  }) => {
    const { ask } = await adminOf()
    const api = echoApi('answered')
    await json(ask('POST', '/v1/connections', { name: 'desk', origin: api.origin, each_user: true }), 201)
    const auth = { connection: 'desk' }
    await json(ask('POST', '/v1/openapi-tools', { name: 'desk', document: api.document, auth }), 201)
    const set = await stage([native('desk__look', { body: {} }), native('finish', { reason: 'done' })])
    const llm = { extra_body: { script: set.model.name }, protocol: 'native' }
    const config = { language: 'en', llm, tools: { 'desk__*': { permission: 'allow', trusted: true } } }
    const begun = await json<SessionData>(ask('POST', '/v1/sessions', { task: 'Look', user: 'ana', config }), 201)
    const answer = { decision: 'answer', answer: CANARY }
    const said = ask('POST', `/v1/sessions/${begun.id}/pending/${begun.pending[0]?.id}`, answer)
    expect(await json<AgentResponseData>(said)).toMatchObject({
      status: 'interrupted',
      pending: [{ type: 'question', connection: { name: 'desk', wants: 'secret' } }],
    })
    const written = ask('POST', `/v1/sessions/${begun.id}/messages`, { content: `It is ${CANARY}` })
    expect(await json<AgentResponseData>(written)).toMatchObject({ status: 'interrupted' })
    const { messages } = await json<SessionData>(ask('GET', `/v1/sessions/${begun.id}`))
    expect(messages.at(-1)).toMatchObject({ kind: 'answer', content: expect.stringContaining('not kept') })
    const told = await (await ask('GET', `/v1/sessions/${begun.id}/export`)).text()
    expect(told).not.toContain(CANARY)
  })

  test('that an API names has to be there, and for where the API is', async ({ expect }) => {
    const { ask } = await adminOf()
    const { document, origin: place } = echoApi('named')
    const add = (name: string) =>
      problem(ask('POST', '/v1/openapi-tools', { name: 'desk', document, auth: { connection: name } }), 400)
    expect((await add('tracker')).errors).toEqual([
      {
        path: 'auth.connection',
        message: `a connection of GET /v1/connections for ${place}: keep it first (POST /v1/connections)`,
      },
    ])
    await json(ask('POST', '/v1/connections', { ...connection(), origin: 'https://models.example' }), 201)
    expect((await add('tracker')).errors).toEqual([
      { path: 'auth.connection', message: `a connection for ${place}; this one is for https://models.example` },
    ])
    const each = { name: 'own', origin: place, each_user: true }
    expect(await json<ConnectionInfo>(ask('POST', '/v1/connections', each), 201)).toMatchObject({ each_user: true })
    const issues = async (body: object) => (await problem(ask('POST', '/v1/connections', body), 400)).errors
    expect(await issues({ ...each, name: 'x', secret: 's' })).toMatchObject([{ path: 'secret' }])
    expect(await issues({ name: 'own', user: 'ana', origin: 'https://models.example', secret: 's' })).toEqual([
      { path: 'origin', message: expect.stringContaining(place) },
    ])
  })

  test.for(['secret', 'token'])(
    'whose %s is a key of a model is in nothing it gives back',
    async (kind, { expect }) => {
      const { ask } = await adminOf()
      const { authority } = inject('oauth')
      const api = receiverFor(inject('peers'))
      const oauth2 = { grant: 'client_credentials', token_url: `${authority}/token`, client_id: 'yaa' }
      const kept = kind === 'token' ? { secret: CLIENT_SECRET, oauth2 } : { secret: CANARY }
      const body = { name: 'models', origin: new URL(api.url).origin, ...kept }
      await json(ask('POST', '/v1/connections', body), 201)
      const main = { api_url: api.url, model: 'm', connection: 'models', retry: { times: 0 } }
      await json(ask('PATCH', '/v1/settings', { models: { main } }))
      const run = async (answer: object) => {
        await fetch(`${api.url}/chat/completions`, { method: 'PUT', body: JSON.stringify([answer]) })
        const task = { task: 'Look', config: { model: 'main', language: 'en' } }
        const made = await json<SessionData>(ask('POST', '/v1/sessions', task), 201)
        return [JSON.stringify(made), await (await ask('GET', `/v1/sessions/${made.id}/export`)).text()].join()
      }
      await run({ status: 503 })
      const sent = await (
        await fetch(`${api.url}/chat/completions?count=1`)
      ).json<{ headers: { authorization: string } }[]>()
      const token = sent[0]?.headers.authorization.replace('Bearer ', '') ?? ''
      const issued = kind === 'token' ? await json<string[]>(fetch(`${authority}/issued`)) : [CANARY]
      expect(issued).toContain(token)
      const error = { message: `no good: ${btoa(token)} ${token}` }
      const refused = await run({ status: 401, body: JSON.stringify({ error }) })
      expect(refused).toContain('no good')
      const message = { role: 'assistant', content: `You showed ${token}.` }
      const reply = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }
      const answered = await run({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) })
      expect(answered).toContain('You showed ***.')
      expect([refused, answered].join()).not.toContain(token)
      expect([refused, answered].join()).not.toContain(btoa(token).slice(0, 20))
    },
  )

  test('of an authorization server is granted by who began it, used, and revoked', async ({ expect }) => {
    const { ask } = await adminOf()
    const { authority } = inject('oauth')
    const api = echoApi('granted')
    const oauth2 = {
      authorize_url: `${authority}/authorize`,
      token_url: `${authority}/token`,
      revoke_url: `${authority}/revocation`,
      client_id: 'yaa',
      scopes: ['read'],
    }
    const body = { name: 'desk', origin: api.origin, each_user: true, secret: CANARY, oauth2 }
    const made = await json<ConnectionInfo>(ask('POST', '/v1/connections', body), 201)
    expect(made).toMatchObject({ oauth2: { ...oauth2, grant: 'authorization_code', authorized: false } })
    const begin = (query = '') => ask('POST', `/v1/connections/desk/authorize${query}`, {})
    expect((await problem(begin(), 400)).errors).toMatchObject([{ path: 'user' }])
    const { url } = await json<ConnectionAuthorization>(begin('?user=ana'))
    const { headers } = await fetch(url, { redirect: 'manual' })
    const { pathname, search } = new URL(headers.get('location') ?? '')
    const stranger = await call('GET', pathname + search, { headers: { authorization: '' } })
    expect(stranger.status).toBe(403)
    const page = await ask('GET', pathname + search)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('连接 desk 已授权')])
    expect((await ask('GET', pathname + search)).status).toBe(400)
    const auth = { connection: 'desk' }
    await json(ask('POST', '/v1/openapi-tools', { name: 'desk', document: api.document, auth }), 201)
    const looked = async (user: string) => {
      const set = await stage([native('desk__look', { body: {} }), native('finish', { reason: 'done' })])
      const tools = { 'desk__*': { permission: 'allow', trusted: true } }
      const run = {
        task: 'Look',
        user,
        config: { language: 'en', llm: { extra_body: { script: set.model.name }, protocol: 'native' }, tools },
      }
      const { id } = await json<SessionData>(ask('POST', '/v1/sessions', run), 201)
      return (await ask('GET', `/v1/sessions/${id}/export`)).text()
    }
    const told = [await looked('ana')]
    const [came] = await api.receiver.received(1)
    const issued = await json<string[]>(fetch(`${authority}/issued`))
    const token = came?.headers['authorization']?.replace('Bearer ', '') ?? ''
    expect(issued).toContain(token)
    const set = await stage([native('desk__look', { body: {} }), native('finish', { reason: 'done' })])
    const llm = { extra_body: { script: set.model.name }, protocol: 'native' }
    const config = { language: 'en', llm, tools: { 'desk__*': { permission: 'allow', trusted: true } } }
    const run = ask('POST', '/v1/sessions', { task: 'Look', user: 'bo', config })
    const { id, pending } = await json<SessionData>(run, 201)
    expect(pending).toMatchObject([
      {
        type: 'question',
        tool: 'desk__look',
        question: expect.stringContaining(authority),
        connection: { of: 'connection', name: 'desk', wants: 'grant', user: 'bo', origin: api.origin },
      },
    ])
    const away = pending[0]?.connection?.authorize_url ?? ''
    expect(pending[0]?.question).toContain(away)
    const back = new URL((await fetch(away, { redirect: 'manual' })).headers.get('location') ?? '')
    expect((await ask('GET', back.pathname + back.search)).status).toBe(200)
    const end = () => json<SessionData>(ask('GET', `/v1/sessions/${id}`))
    await expect.poll(end, { timeout: 15_000 }).toMatchObject({ status: 'completed', result: 'done' })
    const own = (await api.receiver.received(2))[1]?.headers['authorization']?.replace('Bearer ', '')
    expect(own).not.toBe(token)
    expect(await json<string[]>(fetch(`${authority}/issued`))).toContain(own)
    expect((await ask('DELETE', '/v1/connections/desk?user=ana')).status).toBe(204)
    await expect
      .poll(async () => (await json<string[]>(fetch(`${authority}/revoked`))).some((one) => issued.includes(one)))
      .toBe(true)
    told.push(
      await looked('ana'),
      ...(await Promise.all(
        ['/v1/audit?limit=100', '/v1/connections'].map(async (path) => (await ask('GET', path)).text()),
      )),
    )
    expect(await api.receiver.received(1)).toHaveLength(2)
    expect(told.join().includes(CANARY) || issued.some((one) => told.join().includes(one))).toBe(false)
  })
})
