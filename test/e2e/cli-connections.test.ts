import { createServer } from 'node:http'
import { afterAll, beforeAll, test } from 'vitest'
import { runYaa, workFolder } from '../support/cli.ts'
import { onLoopback, type OnLoopback } from '../support/on-loopback.ts'
import { calls } from '../support/scripted-model.ts'
import { startServed, type Served } from '../support/served.ts'

const CANARY = 'canary-given-by-stdin-5e7c'
const folder = workFolder()
let api: OnLoopback
let served: Served
/** What the API was asked, as its method, path and authorization. */
const asked: string[] = []

beforeAll(async () => {
  api = await onLoopback(
    createServer((request, response) => {
      asked.push([request.method, request.url, request.headers.authorization].join(' '))
      response.setHeader('content-type', 'application/json')
      const paths = { '/items': { get: { operationId: 'listItems' } } }
      const document = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, servers: [{ url: api.url }], paths }
      response.end(JSON.stringify(request.url === '/openapi.json' ? document : { items: ['tea'] }))
    }),
  )
  served = await startServed({
    html: '',
    config: { web: { allow_private_hosts: [api.host] }, locked: ['models'] },
    env: { YAA_SECRETS_KEY: 'a-key-of-the-terminal-tests-000000000' },
  })
})
afterAll(async () => {
  await Promise.all([served.close(), api.close()])
  folder.remove()
})

const yaa = (args: string[], stdin?: string) =>
  runYaa([...args, '--server', served.url], {
    cwd: folder.path,
    env: { YAA_API_KEY: served.key },
    ...(stdin === undefined ? {} : { stdin }),
  })

test('connections are added by stdin, listed by their end, of a user too, and revoked', async ({ expect }) => {
  const ofTenant = await yaa(['connections', '--add', 'shop', '--origin', api.url], `${CANARY}\n`)
  expect(ofTenant).toMatchObject({ code: 0, stdout: `shop  ${api.url}  …5e7c\n` })
  const ofUser = await yaa(['connections', '--add', 'shop', '--origin', api.url, '--user', 'ana'], `${CANARY}-ana\n`)
  expect(ofUser).toMatchObject({ code: 0, stdout: `shop  ${api.url}  …-ana\n` })
  expect(await yaa(['connections', '--user', 'bo'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/connection/),
  })
  expect(await yaa(['connections', '--delete', 'shop', '--user', 'ana'])).toMatchObject({ code: 0, stdout: '' })
  await served.client.connections.create({ name: 'theirs', origin: api.url, each_user: true })
  const { stdout } = await yaa(['connections'])
  expect(stdout).toContain('…5e7c')
  expect(stdout).toMatch(/^theirs .* each user gives their own$/m)
  expect(JSON.stringify([ofTenant, ofUser])).not.toContain(CANARY)
})

test('connections that do not fit are refused with the field', async ({ expect }) => {
  expect(await yaa(['connections', '--add', 'x'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/--origin/) })
  expect(await yaa(['connections', '--origin', api.url])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--add/),
  })
  const wrong = await yaa(['connections', '--add', 'a b', '--origin', 'ftp://x'], 'secret')
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/name: 1 to 64 .*; origin: an absolute http or https address/),
  })
  const empty = await yaa(['connections', '--add', 'none', '--origin', api.url], '')
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/^yaa: no secret was given/) })
  expect(await yaa(['connections', '--delete', 'nobody'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no such connection/),
  })
})

test('an API is added from its document with a connection, called by a session, and deleted', async ({ expect }) => {
  await yaa(['connections', '--add', 'till', '--origin', api.url], CANARY)
  const add = ['openapi-tools', '--add', 'till', '--url', `${api.url}/openapi.json`]
  const missing = await yaa([...add, '--connection', 'nobody'])
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('auth.connection: a connection of GET') })
  expect(await yaa([...add, '--connection', 'till'])).toMatchObject({ code: 0, stdout: `till  1  ok  ${api.url}\n` })
  expect(await yaa(add)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is an API or MCP server till'),
  })
  await served.script([calls('till__listItems', {}), calls('finish', { reason: 'Tea.' })])
  const tools = { 'till__*': { permission: 'allow', trusted: true } } as const
  const { result } = await served.client.sessions.create({ task: 'What is sold?', config: { tools, language: 'en' } })
  expect([result, asked.at(-1)]).toEqual(['Tea.', `GET /items Bearer ${CANARY}`])
  expect(await yaa(['openapi-tools', '--delete', 'till'])).toMatchObject({ code: 0, stdout: '' })
  const page = await yaa(['openapi-tools', '--add', 'page', '--url', `${api.url}/items`])
  expect(page).toMatchObject({ code: 1, stderr: expect.stringContaining('url: not an OpenAPI document') })
  expect(await yaa(['openapi-tools', '--url', api.url])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--add/),
  })
})

test('settings are told a field a line, with who set it and when, or that the config file does', async ({ expect }) => {
  const hosts = `["${api.host}"]`
  const file = (name: string, value: string) =>
    new RegExp(`^${RegExp.escape(name)} +${RegExp.escape(value)} +config file$`, 'm')
  const bare = await yaa(['settings'])
  expect(bare).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing has been set yet') })
  expect(bare.stdout).toMatch(file('web.allow_private_hosts', hosts))
  await yaa(['settings', 'limits.max_iterations=7'])
  const set = await yaa(['settings', 'limits.deadline_ms=60000', 'tools.web_search.permission=deny'])
  expect(set).toMatchObject({ code: 0, stderr: '' })
  expect(set.stdout).toMatch(/^limits\.max_iterations +7 +version 1, 20\S+Z, YAA_API_KEY$/m)
  expect(set.stdout).toMatch(/^tools\.web_search\.permission +deny +version 2, 20\S+Z, YAA_API_KEY$/m)
  expect(set.stdout).toMatch(file('default_model', 'm'))
  expect(set.stdout).toMatch(/^models\.m\.protocol +native +config file, locked$/m)
  const versions = await yaa(['settings', '--versions'])
  expect(versions.stdout).toMatch(/^2 .* limits\.deadline_ms, tools\.web_search\.permission\n1 /)
  const json: unknown = JSON.parse((await yaa(['settings', '--rollback', '0', '--json'])).stdout)
  expect(json).toMatchObject({ object: 'settings', version: 3, settings: {} })
  const changed = await yaa(['settings', 'limits.max_iterations=6', '--versions'])
  expect(changed.stdout).toMatch(/^4 .* limits\.max_iterations\n3 /)
  const wrong = await yaa(['settings', 'limits.max_iteration=7'])
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('limits.max_iteration') })
})

test('a secret that a call lacks is asked for in the conversation, and the run goes on with it', async ({ expect }) => {
  const origin = api.url
  const body = { name: 'own', origin, each_user: true }
  await served.client.json({ method: 'POST', path: '/v1/connections', body })
  const headers = { authorization: 'Bearer {{secret:own}}' }
  const request = { method: 'GET', url: `${origin}/items`, headers }
  const tools = { http_request: { permission: 'allow', trusted: true } } as const
  const waiting = async (user: string) => {
    await served.script([calls('http_request', request), calls('finish', { reason: 'Tea.' })])
    return served.client.sessions.create({ task: 'Look', user, config: { tools, language: 'en' } })
  }
  const { id } = await waiting('cy')
  const given = await yaa(['chat', '--session', id], `${CANARY}-of-cy\n`)
  expect(given).toMatchObject({ code: 0, stdout: 'Tea.\n' })
  expect(asked.at(-1)).toBe(`GET /items Bearer ${CANARY}-of-cy`)
  const text = JSON.stringify([given, await served.client.json({ path: `/v1/sessions/${id}/export` })])
  expect([text.includes('Tea.'), text.includes(CANARY)]).toEqual([true, false])
  const declined = await waiting('di')
  expect(await yaa(['chat', '--session', declined.id], '\n')).toMatchObject({ code: 0, stdout: 'Tea.\n' })
  expect((await served.client.connections.list({ user: 'di' })).data).toEqual([])
})
