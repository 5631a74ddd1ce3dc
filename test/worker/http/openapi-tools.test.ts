import { env as bindings } from 'cloudflare:workers'
import { afterEach, describe, inject, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { ApiCatalogue, ApiSource } from '../../../src/domain/openapi-tools.ts'
import { serverOf } from '../../../src/objects/engine.ts'
import { directoryObject, type Env } from '../../../src/objects/env.ts'
import { native } from '../../support/words.ts'
import { receiverFor } from '../../support/receivers.ts'
import { call, json, newSession, problem, sent, stage, type List } from './http.ts'

const env = bindings as unknown as Env

interface Shown {
  name: string
  url: string | null
  base_url: string | null
  auth: Record<string, unknown> | null
  status: string
  tools_count: number
  tools: { id: string; name: string; method: string; input_schema: unknown }[]
}

const add = (body: Record<string, unknown>) => call('POST', '/v1/openapi-tools', { body })
const added = (body: Record<string, unknown>) => json<Shown>(add(body), 201)

afterEach(async () => {
  const { data } = await json<List<Shown>>(call('GET', '/v1/openapi-tools'))
  for (const { name } of data) await call('DELETE', `/v1/openapi-tools/${name}`)
  for (const { name } of (await json<List<Shown>>(call('GET', '/v1/mcp-servers'))).data)
    await call('DELETE', `/v1/mcp-servers/${name}`)
})

/** An API at a receiver of its own, which answers everything with `ok`. */
function boxApi() {
  const receiver = receiverFor(inject('peers'))
  const { origin, pathname } = new URL(receiver.url)
  const document = {
    openapi: '3.1.0',
    info: { title: 'Box', version: '2' },
    servers: [{ url: origin }],
    paths: {
      [pathname]: {
        post: {
          operationId: 'put-in',
          summary: 'Puts something in',
          tags: ['write'],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', required: ['what'], properties: { what: { type: 'string' } } },
              },
            },
          },
        },
        delete: { operationId: 'empty' },
      },
    },
  }
  return { receiver, document, origin }
}

const puts = native('box__put-in', { body: { what: 'a hat' } })
const ends = native('finish', { reason: 'done' })

describe('an API added over HTTP', () => {
  test('is in the audit with whatever is done to it, and without what says who we are', async ({ expect }) => {
    const { document } = boxApi()
    const name = `box-${crypto.randomUUID().slice(0, 8)}`
    await added({ name, document, auth: { bearer: 'sesame-open-1' } })
    await json(call('PATCH', `/v1/openapi-tools/${name}`, { body: { description: 'Keeps things' } }))
    expect((await call('DELETE', `/v1/openapi-tools/${name}`)).status).toBe(204)
    const { data } = await json<List<AuditEntry>>(call('GET', `/v1/audit?limit=100&target=${name}`))
    const acts = data.filter(({ target, outcome }) => target === name && outcome === 'done')
    expect(acts.map(({ action }) => action).toReversed()).toEqual([
      'openapi_tools.create',
      'openapi_tools.update',
      'openapi_tools.delete',
    ])
    expect(JSON.stringify(data)).not.toContain('sesame')
  })

  test('is shown with its tools, and never with what says who we are', async ({ expect }) => {
    const { document, origin } = boxApi()
    const shown = await added({ name: 'box', document, auth: { bearer: 'sesame-open-1' }, description: 'Keeps things' })
    expect(shown).toMatchObject({
      object: 'openapi_tools',
      name: 'box',
      url: null,
      base_url: origin,
      auth: { origin, bearer: '***' },
      source: 'tenant',
      status: 'ok',
      title: 'Box',
      version: '2',
      tools_count: 2,
      warnings: [],
    })
    expect(shown.tools.map(({ id, method }) => [id, method])).toEqual([
      ['box__put-in', 'POST'],
      ['box__empty', 'DELETE'],
    ])
    const everywhere = await Promise.all(
      ['/v1/openapi-tools', '/v1/openapi-tools/box', '/v1/tools', '/v1/audit'].map(async (path) =>
        (await call('GET', path)).text(),
      ),
    )
    expect(everywhere.join()).not.toContain('sesame')
    const { data } = await json<List<{ id: string; risk: string; server: string }>>(call('GET', '/v1/tools?limit=100'))
    expect(data.filter(({ server }) => server === 'box').map(({ id, risk }) => [id, risk])).toEqual([
      ['box__put-in', 'write'],
      ['box__empty', 'destructive'],
    ])
  })

  test('keeps what says who we are encrypted, and sends nothing where it cannot be opened', async ({ expect }) => {
    const { receiver, document, origin } = boxApi()
    await added({ name: 'box', document, auth: { bearer: 'sesame-open-1' } })
    const [kept] = await directoryObject(env, 'default').apis()
    expect(kept).toMatchObject({ name: 'box', auth: null, sealedAuth: expect.any(String) })
    expect(JSON.stringify(kept)).not.toContain('sesame')
    await json(call('PATCH', '/v1/openapi-tools/box', { body: { description: 'Keeps things' } }))
    await directoryObject(env, 'default').putApi(
      { ...kept, sealedAuth: 'v1.other.AAAA.AAAA', version: 'of-another-key' } as ApiSource,
      { ...(await directoryObject(env, 'default').apiCatalogue('box')), version: 'of-another-key' } as ApiCatalogue,
      true,
    )
    serverOf(env).engine.apis.forget('default')
    const shown = await json<Shown>(call('GET', '/v1/openapi-tools/box'))
    expect(shown.auth).toEqual({ origin })
    const play = await stage([puts, ends])
    const llm = { extra_body: { script: play.model.name }, protocol: 'native' }
    const { id } = await newSession(play, {
      config: { language: 'en', llm, tools: { 'box__*': { auto_approve: true } } },
    })
    const answer = await sent(id, 'Put a hat in')
    expect(JSON.stringify(answer.messages)).toContain('no value for the secret auth of box')
    expect(await receiver.received(0)).toEqual([])
  })

  for (const protocol of ['native', 'xml'] as const)
    test(`is called by a session once that is approved, ${protocol}`, async ({ expect }) => {
      const { receiver, document } = boxApi()
      await added({ name: 'box', document, auth: { bearer: 'sesame-open-1' } })
      const words = '<box__put-in><body>{"what": "a hat"}</body></box__put-in>'
      const play = await stage(protocol === 'native' ? [puts, ends] : [words, '<finish><reason>done</reason></finish>'])
      const { id } = await newSession(play, {
        config: { language: 'en', llm: { extra_body: { script: play.model.name }, protocol } },
      })
      const asked = await sent(id, 'Put a hat in')
      expect(asked.pending).toMatchObject([
        { tool: 'box__put-in', risk: 'write', arguments: { body: { what: 'a hat' } } },
      ])
      const path = `/v1/sessions/${id}/pending/${asked.pending[0]?.id}`
      const answer = await json<{ messages: { content: string }[] }>(
        call('POST', path, { body: { decision: 'approve' } }),
      )
      expect(answer).toMatchObject({ status: 'completed', result: 'done' })
      expect(JSON.stringify(answer.messages)).toContain('Status: 200')
      const [came, ...more] = await receiver.received(1)
      expect(more).toEqual([])
      expect(came).toMatchObject({ text: '{"what":"a hat"}', headers: { authorization: 'Bearer sesame-open-1' } })
      expect(await (await call('GET', `/v1/sessions/${id}/export`)).text()).not.toContain('sesame')
    })

  test('is let run by config, refused by it, and named by a glob', async ({ expect }) => {
    const { receiver, document } = boxApi()
    await added({ name: 'box', document })
    const play = await stage([native('box__empty', {}), puts, ends])
    const tools = { 'box__*': { permission: 'allow' }, box__empty: { permission: 'deny' } }
    const { id } = await newSession(play, { config: { tools, llm: { model: play.model.name, protocol: 'native' } } })
    expect(await sent(id, 'Go')).toMatchObject({ status: 'completed', result: 'done' })
    expect(await receiver.received(1)).toHaveLength(1)
    expect((await play.model.asked())[0]?.body.tools?.map((tool) => tool.function.name)).not.toContain('box__empty')
  })

  test('is used by a skill that names its tools, and by a stateless call', async ({ expect }) => {
    const { receiver, document } = boxApi()
    await added({ name: 'box', document })
    const play = await stage([puts, ends, puts, ends])
    const llm = { model: play.model.name, protocol: 'native' }
    const skill = {
      name: 'packer',
      version: '1',
      description: 'd',
      prompt: '{{user_input}}',
      tools: ['box__*'],
      permissions: { 'box__put-in': 'allow' },
    }
    await json(call('POST', '/v1/skills', { body: skill }), 201)
    const run = await json(call('POST', '/v1/skills/packer/run', { body: { input: 'Go', config: { llm } } }), 200)
    expect(run).toMatchObject({ status: 'completed' })
    const names = (await play.model.asked())[0]?.body.tools?.map((tool) => tool.function.name) ?? []
    expect(names).toContain('box__put-in')
    expect(names).not.toContain('web_access')
    await call('DELETE', '/v1/skills/packer')
    const config = { llm, tools: { 'box__put-in': { permission: 'allow' } } }
    const messages = [{ role: 'user', content: 'Go' }]
    expect(await json(call('POST', '/v1/agent', { body: { messages, config } }))).toMatchObject({ status: 'completed' })
    expect(await receiver.received(2)).toHaveLength(2)
  })

  test('is a step of a workflow', async ({ expect }) => {
    const { receiver, document } = boxApi()
    await added({ name: 'box', document })
    const definition = {
      name: 'pack',
      description: 'Packs.',
      steps: [{ id: 'put', type: 'tool', tool: 'box__put-in', arguments: { body: { what: 'a box' } } }],
    }
    const made = await json(call('POST', '/v1/workflows', { body: definition }), 201)
    expect(made).toMatchObject({ name: 'pack' })
    const config = { tools: { 'box__put-in': { permission: 'allow' } } }
    const run = await json(call('POST', '/v1/workflows/pack/run', { body: { config } }), 201)
    expect(run).toMatchObject({ status: 'completed' })
    expect((await receiver.received(1))[0]?.text).toBe('{"what":"a box"}')
    await call('DELETE', '/v1/workflows/pack')
  })

  test('many tools are found, not listed', async ({ expect }) => {
    const { document } = boxApi()
    const text = 'Looks into the drawer and says at length what is in it, and what is not. '.repeat(8)
    const drawers = Array.from({ length: 120 }, (_, at) => [
      `/drawer-${at}`,
      { get: { operationId: `look-${at}`, description: text } },
    ])
    await added({
      name: 'box',
      document: { ...document, paths: { ...document.paths, ...Object.fromEntries(drawers) } },
    })
    const play = await stage([native('find_tools', { query: 'put in' }), puts, ends])
    const config = { tools: { 'box__*': { permission: 'allow' } }, llm: { model: play.model.name, protocol: 'native' } }
    const { id } = await newSession(play, { config })
    expect(await sent(id, 'Go')).toMatchObject({ status: 'completed' })
    const offered = (await play.model.asked()).map(({ body }) => body.tools?.map((tool) => tool.function.name) ?? [])
    expect(offered[0]).toContain('find_tools')
    expect(offered[0]?.filter((name) => name.startsWith('box__'))).toEqual([])
    expect(offered[1]).toContain('box__put-in')
  })
})

describe('what is changed of an API', () => {
  test('is what is given; what says who we are stays with its origin', async ({ expect }) => {
    const { document, origin } = boxApi()
    await added({ name: 'box', document, auth: { bearer: 'sesame-open-1', headers: { 'x-team': 'red-team' } } })
    const patch = (body: Record<string, unknown>) => call('PATCH', '/v1/openapi-tools/box', { body })
    expect(await json(patch({ description: 'new' }))).toMatchObject({
      description: 'new',
      auth: { origin, bearer: '***' },
      tools_count: 2,
    })
    expect(await json(patch({ auth: { bearer: '***' } }))).toMatchObject({ auth: { origin, bearer: '***' } })
    const lost = await problem(patch({ auth: { headers: { 'x-team': '***' } } }), 400)
    expect(lost.errors).toMatchObject([
      { path: 'auth.headers.x-team', message: expect.stringContaining('the value itself') },
    ])
    const kept = await problem(patch({ include: ['empty'] }), 400)
    expect(kept.errors).toMatchObject([{ path: 'document', message: expect.stringContaining('send it again') }])
    expect(await json(patch({ include: ['empty'], document }))).toMatchObject({ tools_count: 1, auth: { origin } })
    const moved = { ...document, servers: [{ url: 'https://elsewhere.example' }] }
    expect(await json(patch({ document: moved }))).toMatchObject({
      base_url: 'https://elsewhere.example',
      auth: { origin },
    })
    expect(await json(patch({ document: moved, base_url: 'https://other.example' }))).toMatchObject({ auth: null })
    expect(await json(patch({ enabled: false }))).toMatchObject({ status: 'disabled' })
    expect(await (await call('GET', '/v1/tools?limit=100')).text()).not.toContain('box__')
    expect((await problem(call('POST', '/v1/openapi-tools/box/refresh'), 400)).errors).toMatchObject([
      { path: 'document' },
    ])
  })

  test('holds for a session that is there', async ({ expect }) => {
    const { receiver, document } = boxApi()
    await added({ name: 'box', document })
    const play = await stage([ends, puts, ends])
    const config = {
      language: 'en',
      tools: { 'box__*': { permission: 'allow' } },
      llm: { model: play.model.name, protocol: 'native' },
    }
    const { id } = await newSession(play, { config })
    await sent(id, 'one')
    await call('DELETE', '/v1/openapi-tools/box')
    expect(JSON.stringify((await sent(id, 'two')).messages)).toContain('box__put-in')
    expect(await receiver.received(0)).toEqual([])
  })
})

describe('what is refused', () => {
  const small = { openapi: '3.1.0', servers: [{ url: 'https://api.example' }], paths: { '/a': { get: {} } } }

  test.for([
    [{ name: 'a' }, { url: /either url.*or document/ }],
    [{ name: 'a', url: 'https://x.example', document: small }, { document: /either url/ }],
    [{ name: 'a b', document: small }, { name: /1–64 characters/ }],
    [{ name: 'a', document: { swagger: '2.0', paths: {} } }, { document: /Convert the document to OpenAPI 3/ }],
    [{ name: 'a', document: 'openapi: 3.1.0' }, { document: /no `paths`/ }],
    [{ name: 'a', document: { ...small, servers: [] } }, { base_url: /give its address as base_url/ }],
    [{ name: 'a', document: small, include: ['b'] }, { include: /none of its 1 operations fits/ }],
    [{ name: 'a', document: small, include: [] }, { include: /leave it out for all/ }],
    [{ name: 'a', document: small, auth: {} }, { auth: /one of connection, bearer, basic, headers and query/ }],
    [
      { name: 'a', document: small, auth: { bearer: 'x', basic: { username: 'a', password: 'b' } } },
      { 'auth.basic': /one authorization/ },
    ],
    [{ name: 'a', document: small, auth: { headers: { host: 'x' } } }, { 'auth.headers.host': /./ }],
    [{ name: 'a', document: small, auth: { bearer: 'a\nb' } }, { 'auth.bearer': /control characters/ }],
    [
      { name: 'a', document: small, auth: { headers: { 'x-key': '{{secret:nope}}' } } },
      { 'auth.headers.x-key': /keep it first/ },
    ],
    [
      { name: 'a', document: small, base_url: 'http://api.example', auth: { bearer: 'x' } },
      { base_url: /an https address/ },
    ],
    [{ name: 'a', document: small, base_url: 'http://127.0.0.1:1' }, { base_url: /private/ }],
    [
      { name: 'a', document: { ...small, servers: [{ url: 'http://169.254.169.254/latest' }] } },
      { base_url: /private/ },
    ],
    [{ name: 'a', url: 'http://127.0.0.1:1/openapi.json' }, { url: /private/ }],
    [{ name: 'a', document: small, more: 1 }, { more: /unknown/ }],
  ] as const)('%j names the field and what to do', async ([body, wanted], { expect }) => {
    const { errors = [] } = await problem(add(body), 400)
    expect(errors.map(({ path }) => path)).toEqual(Object.keys(wanted))
    for (const { path, message } of errors) expect(message).toMatch(Object(wanted)[path] as RegExp)
    expect((await json<List<Shown>>(call('GET', '/v1/openapi-tools'))).data).toEqual([])
  })

  test('a document at an address that answers with something else', async ({ expect }) => {
    const { site } = await stage()
    const refused = async (page: string) => (await problem(add({ name: 'a', url: site.url(page) }), 400)).errors
    expect(await refused('missing')).toMatchObject([{ path: 'url', message: expect.stringContaining('status 404') }])
    expect(await refused('article')).toMatchObject([
      { path: 'url', message: expect.stringContaining('not the page that shows it') },
    ])
    expect(await refused('to-metadata')).toMatchObject([
      { path: 'url', message: expect.stringContaining('may not be visited') },
    ])
  })

  test('a name that an API or an MCP server has, whichever is first', async ({ expect }) => {
    await added({ name: 'a', document: small })
    expect((await problem(add({ name: 'a', document: small }), 409)).code).toBe('already_exists')
    const server = { url: inject('mcp').modern, enabled: false }
    expect((await problem(call('POST', '/v1/mcp-servers', { body: { name: 'a', ...server } }), 409)).code).toBe(
      'already_exists',
    )
    await json(call('POST', '/v1/mcp-servers', { body: { name: 'b', ...server } }), 201)
    expect((await problem(add({ name: 'b', document: small }), 409)).code).toBe('already_exists')
  })

  test('an unknown name, and one of the config file', async ({ expect }) => {
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/refresh'],
    ] as const)
      await problem(call(method, `/v1/openapi-tools/nope${rest}`, { body: method === 'PATCH' ? {} : undefined }), 404)
    const config = { ...JSON.parse(inject('config')), openapi_tools: { own: { document: small } } }
    const own = { env: { YAA_CONFIG: JSON.stringify(config) } }
    expect(await json(call('GET', '/v1/openapi-tools/own', own))).toMatchObject({
      source: 'config',
      status: 'ok',
      tools_count: 1,
    })
    await problem(call('PATCH', '/v1/openapi-tools/own', { body: {}, ...own }), 403)
    expect(
      (await problem(call('POST', '/v1/openapi-tools', { body: { name: 'own', document: small }, ...own }), 409)).code,
    ).toBe('already_exists')
    expect(await (await call('GET', '/v1/tools?limit=100', own)).text()).toContain('own__get_a')
  })
})
