import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { runYaa, startSite, startYaa, workFolder, type Running, type Site } from '../support/cli.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'
import { ADMIN_KEY, WITH_KEY } from '../support/admin-key.ts'

const folder = workFolder()
const running: Running[] = []
let site: Site
let model: MockModel
let config: string

beforeAll(async () => {
  site = await startSite('<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>')
})
beforeEach(async () => {
  site.hits.length = 0
  model = await startScriptedModel({
    script: [calls('web_access', { url: `${site.url}/a` }), calls('finish', { reason: 'It boils at 100.' })],
  })
  config = folder.file(`config-${model.port}.json`, {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
    web: { allow_private_hosts: [site.host] },
  })
})
afterEach(async () => {
  for (const one of running.splice(0)) await killed(one)
  await model.close()
})
afterAll(async () => {
  await site.close()
  folder.remove()
})

async function serving(): Promise<{ yaa: Running; url: string }> {
  const args = ['serve', '--port', '0', '--data', `data-${model.port}`, '--config', config]
  const yaa = startYaa(args, { cwd: folder.path })
  running.push(yaa)
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  return { yaa, url: `http://127.0.0.1:${port}` }
}

async function killed({ process, ended }: Running): Promise<void> {
  process.kill('SIGKILL')
  await ended
}

/** Gives a task, kills the server while it waits for an approval, and starts it again. */
async function waitingOverRestart(expect: (text: string) => void): Promise<{ id: string; url: string }> {
  const first = await serving()
  const task = await runYaa(['task', '--server', first.url, `Read ${site.url}/a`], { cwd: folder.path })
  expect(`${task.code} ${task.stderr}`)
  await killed(first.yaa)
  const { url } = await serving()
  return { id: task.stdout.trim(), url }
}

test('a task that waits for an approval survives a SIGKILL and is approved in the chat', async ({ expect }) => {
  const { id, url } = await waitingOverRestart((text) => expect(text).toMatch(/^3 [^]*waits for you/))
  expect(site.hits).toEqual([])
  const chat = await runYaa(['chat', '--server', url, '--session', id], { cwd: folder.path, stdin: 'y\n' })
  expect(chat).toMatchObject({ code: 0, stdout: expect.stringContaining('It boils at 100.') })
  expect(site.hits).toEqual(['/a'])
  const session = await createClient({ server: url, key: ADMIN_KEY }).sessions.get(id)
  expect(session).toMatchObject({ status: 'completed', pending: [], usage: { model_calls: 2, tool_calls: 2 } })
  expect(session.messages.map(({ kind }) => kind)).toEqual([
    'task',
    'prompt',
    'reply',
    'tool_result',
    'reply',
    'tool_result',
  ])
})

test('the approval may come over HTTP, and comes once only', async ({ expect }) => {
  const { id, url } = await waitingOverRestart((text) => expect(text).toMatch(/^3 /))
  const { sessions } = createClient({ server: url, key: ADMIN_KEY })
  const [pending] = (await sessions.get(id)).pending
  const approval = { decision: 'approve', arguments_hash: pending?.arguments_hash ?? '' } as const
  const answer = await sessions.decide(id, pending?.id ?? '', approval)
  expect(answer).toMatchObject({ status: 'completed', result: 'It boils at 100.' })
  await expect(sessions.decide(id, pending?.id ?? '', approval)).rejects.toMatchObject({ code: 'stale_decision' })
  expect(site.hits).toEqual(['/a'])
})

test('a run that a SIGKILL cut goes on after the restart, though nobody asks for it', async ({ expect }) => {
  const cut = await startScriptedModel({ script: [{ hang: true }, calls('finish', { reason: 'It boils at 100.' })] })
  config = folder.file(`config-${model.port}.json`, {
    language: 'en',
    models: { m: { api_url: cut.url, model: 'm', protocol: 'native' } },
    default_model: 'm',
  })
  const first = await serving()
  const { id } = await createClient({ server: first.url, key: ADMIN_KEY }).sessions.create({})
  const waiting = fetch(`${first.url}/v1/sessions/${id}/messages`, {
    method: 'POST',
    headers: { ...WITH_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'When does water boil?' }),
  }).catch(() => 'cut')
  await expect.poll(() => cut.requests.length).toBe(1)
  await killed(first.yaa)
  expect(await waiting).toBe('cut')
  const { url } = await serving()
  await expect.poll(() => cut.requests.length).toBe(2)
  const session = createClient({ server: url, key: ADMIN_KEY }).sessions
  await expect.poll(async () => (await session.get(id)).status).toBe('completed')
  expect(await session.get(id)).toMatchObject({ result: 'It boils at 100.', usage: { model_calls: 1 } })
  await cut.close()
})

test('what a tenant has set, given and kept survives a SIGKILL, and its secrets stand nowhere in the data', async ({
  expect,
}) => {
  const secret = 'canary-that-outlives-a-kill'
  const first = await serving()
  const before = createClient({ server: first.url, key: ADMIN_KEY })
  await before.settings.patch({ limits: { max_iterations: 5 }, budgets: { user: { day: { max_total_tokens: 10 } } } })
  await before.budgets.credit('ana', { tokens: 7 })
  const kept = await before.connections.create({ name: 'facts', origin: site.url, secret })
  await killed(first.yaa)
  const second = await serving()
  const after = createClient({ server: second.url, key: ADMIN_KEY })
  expect(await after.settings.get()).toMatchObject({ version: 1, settings: { limits: { max_iterations: 5 } } })
  expect(await after.budgets.get('ana')).toMatchObject({ remaining: { day: { max_total_tokens: 17 } } })
  expect((await after.connections.list()).data).toEqual([kept])
  await killed(second.yaa)
  const data = join(folder.path, `data-${model.port}`)
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const holding = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(secret))
  expect([files.length > 3, holding.map(({ name }) => name)]).toEqual([true, []])
})
