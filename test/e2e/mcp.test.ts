import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startYaa, workFolder, type Running } from '../support/cli.ts'
import { startScriptedModel, type MockModel } from '../support/scripted-model.ts'
import { native } from '../support/words.ts'
import { ADMIN_KEY, WITH_KEY } from '../support/admin-key.ts'

/** The public reference server, over HTTP, and a server of ours that has it in its config. */
const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')

const folder = workFolder()
let everything: ChildProcess
let model: MockModel
let yaa: Running
let url: string
let mcpUrl: string

beforeAll(async () => {
  const port = await freePort()
  mcpUrl = `http://127.0.0.1:${port}/mcp`
  everything = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await said(everything, /listening on port/)
  model = await startScriptedModel({ script: [] })
  const config = folder.file('config.json', {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
    mcp_servers: { everything: { url: mcpUrl, description: 'Shows what servers can do' } },
  })
  yaa = startYaa(['serve', '--port', '0', '--data', 'data', '--config', config], { cwd: folder.path })
  const [, ready] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  url = `http://127.0.0.1:${ready}`
})
afterAll(async () => {
  yaa.process.kill('SIGTERM')
  await yaa.ended
  everything.kill('SIGKILL')
  await model.close()
  folder.remove()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((found, failed) => {
    let text = ''
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (pattern.test(text)) found()
    })
    child.once('exit', () => failed(new Error(`it ended: ${text}`)))
  })
}

const script = (steps: unknown[]) =>
  fetch(new URL('/script', model.url), { method: 'POST', body: JSON.stringify(steps) })
const json = async <T>(path: string): Promise<T> => (await fetch(`${url}${path}`, { headers: WITH_KEY })).json<T>()

test('the first runs of a server that was just started have its tools, all of them', async ({ expect }) => {
  await script([{ ...native('finish', { reason: 'all done' }), repeat: true }])
  const { sessions } = createClient({ server: url, key: ADMIN_KEY })
  const begun = model.requests.length
  const first = await Promise.all(Array.from({ length: 5 }, () => sessions.create({ task: 'Try them' })))
  expect(first.map(({ status }) => status)).toEqual(Array(5).fill('completed'))
  const asked = model.requests.slice(begun).map(({ body }) => JSON.stringify(body))
  expect(asked.map((body) => body.includes('everything__echo'))).toEqual(Array(5).fill(true))
})

test('the reference server is listed with its tools', async ({ expect }) => {
  const server = await json<{ status: string; tools: { id: string }[] }>('/v1/mcp-servers/everything')
  expect(server).toMatchObject({ status: 'ok', error: null, source: 'config' })
  expect(server.tools.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['everything__echo', 'everything__get-sum', 'everything__get-tiny-image']),
  )
})

test('its tools do what they say: text, numbers, structure, pictures as files', async ({ expect }) => {
  await script([
    native('everything__echo', { message: 'hello' }),
    native('everything__get-sum', { a: 19, b: 23 }),
    native('everything__get-structured-content', { location: 'Chicago' }),
    native('everything__get-tiny-image', {}),
    native('finish', { reason: 'all done' }),
  ])
  const { sessions } = createClient({ server: url, key: ADMIN_KEY })
  const tools = { 'everything__*': { auto_approve: true, trusted: true } }
  const { id } = await sessions.create({ config: { tools } })
  const answer = await sessions.send(id, { content: 'Try them' })
  expect(answer).toMatchObject({ status: 'completed', result: 'all done' })
  const results = answer.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  expect(results[0]).toContain('Echo: hello')
  expect(results[1]).toContain('42')
  expect(results[2]).toMatch(/"temperature":\s*\d+/)
  expect(results[3]).toMatch(/\[image\/png, \d+ bytes\] kept as mcp\/call_\w+\/1\.png/)
  const files = await json<{ data: { path: string; content_type: string }[] }>(`/v1/sessions/${id}/files`)
  expect(files.data).toMatchObject([
    { path: expect.stringMatching(/^mcp\/call_\w+\/1\.png$/), content_type: 'image/png' },
  ])
})

test('what it asks in the middle of a call is asked, and the call is made again with the answer', async ({
  expect,
}) => {
  await script([native('everything__trigger-elicitation-request', {}), native('finish', { reason: 'all done' })])
  const { sessions } = createClient({ server: url, key: ADMIN_KEY })
  const { id } = await sessions.create({
    config: { tools: { 'everything__*': { auto_approve: true, trusted: true } } },
  })
  const asked = await sessions.send(id, { content: 'Fill it in' })
  expect(asked.pending).toMatchObject([
    { type: 'question', question: expect.stringMatching(/following fields[^]*- name \([^]*42 if left out/) },
  ])
  const answer = await sessions.send(id, { content: 'name: Ada Lovelace' })
  expect(answer).toMatchObject({ status: 'completed', result: 'all done' })
  const [result] = answer.messages.filter(({ role }) => role === 'tool')
  expect(result?.content).toContain('"name": "Ada Lovelace"')
  expect(result?.content).toContain('"integer": 42')
})
