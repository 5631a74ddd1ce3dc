import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, type ExpectStatic, test } from 'vitest'
import { bundleWorker, ROOT, writeWorker } from '../../src/build/bundle.ts'
import { createClient, type Client } from '../../src/client/client.ts'
import { launchWorkerd, type Workerd } from '../../src/cli/serve/launch.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import { startSite, workFolder } from '../support/cli.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'

const FIXTURES = `${ROOT}test/fixtures`
const KEY = 'the-key-of-the-releases-test'
const SECRET = 'the-secret-of-the-server-of-the-releases-test'
const USER = 'li'
/** Recorded with the code of each release (test/support/record-bundle.ts), oldest first; the code that is here comes last. The first is the
 *  last before logs were kept as records. */
const RELEASES = ['ff0d404', '54b2b66', '99c5df2', 'this'] as const
type Release = (typeof RELEASES)[number]
const folder = workFolder()
const running: Workerd[] = []
const models: MockModel[] = []
const site = await startSite('<title>Facts</title><p>Water boils at 100 degrees.</p>')
afterEach(async () => {
  for (const workerd of running.splice(0)) await killed(workerd)
  for (const model of models.splice(0)) await model.close()
})
afterAll(async () => {
  await site.close()
  folder.remove()
})

async function killed(workerd: Workerd): Promise<void> {
  workerd.signal('SIGKILL')
  await workerd.exited
}

interface Bundle {
  capnp: string
  modules: { name: string; text: string }[]
}

/** A folder with what workerd serves of a release. */
async function workerOf(release: Release): Promise<string> {
  const path = join(folder.path, `worker-${release}`)
  mkdirSync(path, { recursive: true })
  if (readdirSync(path).length > 0) return path
  if (release === 'this') {
    writeWorker(path, await bundleWorker())
    copyFileSync(`${ROOT}src/cli/serve/config.capnp`, join(path, 'config.capnp'))
    return path
  }
  const text = gunzipSync(readFileSync(`${FIXTURES}/${release}.json.gz`)).toString()
  const { capnp, modules }: Bundle = JSON.parse(text)
  const encoder = new TextEncoder()
  writeWorker(
    path,
    modules.map(({ name, text: code }) => ({ name, bytes: encoder.encode(code), first: false })),
  )
  writeFileSync(join(path, 'config.capnp'), capnp)
  return path
}

const taskOf = (by: string) => `The task of ${by}.`

/** A model whose runs read a page, which asks, and then answer; one that never answers the first request of a run; the same data folder. */
async function world(name: string, turns: readonly string[]) {
  /** The steps of each turn's run, which its task tells. */
  const ofTurns = (first: object, reason: string) =>
    startScriptedModel({
      script: turns.flatMap((by) =>
        [first, calls('finish', { reason })].map((step) => ({ ...step, when: { contains: taskOf(by) } })),
      ),
    })
  const asking = await ofTurns(calls('web_access', { url: `${site.url}/a` }), 'It boils.')
  const cut = await ofTurns({ hang: true }, 'It went on.')
  models.push(asking, cut)
  const model = (url: string) => ({ api_url: url, model: 'm', protocol: 'native' }) as const
  const config: ServerConfig = {
    language: 'en',
    models: { asking: model(asking.url), cut: model(cut.url) },
    default_model: 'built-in',
    web: { allow_private_hosts: [site.host] },
  }
  const data = join(folder.path, `data-${name}`)
  mkdirSync(data)
  const assets = join(folder.path, 'assets')
  mkdirSync(assets, { recursive: true })
  const serve = async (release: Release) => {
    const workerd = launchWorkerd({
      config: join(await workerOf(release), 'config.capnp'),
      dataFolder: data,
      assetsFolder: assets,
      port: 0,
      env: {
        PATH: process.env['PATH'],
        YAA_API_KEY: KEY,
        YAA_SECRET: SECRET,
        YAA_CONFIG: JSON.stringify(config),
        YAA_SECRETS: '{}',
      },
      onLine: () => {},
    })
    running.push(workerd)
    const listening = await workerd.listening
    if (!listening.ok) throw new Error(listening.exit.output)
    const server = `http://127.0.0.1:${listening.port}`
    return { server, release, client: createClient({ server, key: KEY }), stop: () => killed(workerd) }
  }
  /** How often the models were asked for the task of somebody. */
  const asked = (by: string) =>
    [asking, cut].map(({ requests }) => requests.filter(({ body }) => JSON.stringify(body).includes(taskOf(by))).length)
  return { serve, cut, asked }
}

type World = Awaited<ReturnType<typeof world>>

/** What one release leaves to the next. */
interface Left {
  by: string
  waiting: string
  /** The log of the session that waits. */
  log: object[]
  cut: string
  key: string
  link: string
  hook: string
  schedule: string
}

const input = (model: string, user: string) => ({ user, config: { model } })

/** Makes something of everything; a run waits for a human, and another one is under way when the process dies. */
async function leave(
  { client, server }: { client: Client; server: string },
  { cut }: World,
  by: string,
): Promise<Left> {
  const { id: waiting } = await client.sessions.create({ ...input('asking', USER), title: `${by} waits` })
  await client.sessions.send(waiting, { content: taskOf(by) })
  const log = await logOf(client, waiting)
  const { key = '' } = await client.keys.create({ name: by, scopes: ['read'] })
  const { url } = await client.links.create(waiting, { scope: 'read' })
  const webhook = await client.webhooks.create({
    name: by,
    scheme: 'bearer',
    secret: 'x'.repeat(32),
    task_template: 'Say {{body.a}}',
  })
  const schedule = await client.schedules.create({ name: by, task: 'Read', cron: '0 3 * * *', timezone: 'UTC' })
  await client.memory.setPreference(USER, by, 'yes')
  const { id: under } = await client.sessions.create({ ...input('cut', `of ${by}`), title: `${by} is cut` })
  const before = cut.requests.length
  const body = JSON.stringify({ content: taskOf(by) })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, prefer: 'respond-async' }
  await fetch(`${server}/v1/sessions/${under}/messages`, { method: 'POST', headers, body })
  while (cut.requests.length === before) await new Promise((done) => setImmediate(done))
  return {
    by,
    waiting,
    log,
    cut: under,
    key,
    link: new URL(url ?? '', server).pathname,
    hook: new URL(webhook.url, server).pathname,
    schedule: schedule.id,
  }
}

async function logOf(client: Client, id: string): Promise<object[]> {
  const found = await client.json<{ data: object[] }>({ path: `/v1/sessions/${id}/events?limit=100` })
  return found.data
}

/** All that was left is there and works; what waits is approved where it still waits. */
async function take({ client, server }: { client: Client; server: string }, left: Left, expect: ExpectStatic) {
  const get = (path: string, key: string) =>
    fetch(server + path, { headers: { authorization: `Bearer ${key}`, accept: 'application/json' } })
  const post = {
    method: 'POST',
    body: '{"a":"hello"}',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${'x'.repeat(32)}` },
  }
  const opened = {
    by: left.by,
    key: (await get('/v1/sessions', left.key)).status,
    hook: (await fetch(server + left.hook, post)).status,
    link: (await get(left.link, '')).status,
  }
  expect(opened).toEqual({ by: left.by, key: 200, hook: 202, link: 200 })
  expect((await client.schedules.get(left.schedule)).name).toBe(left.by)
  expect(await client.memory.preference(USER, left.by)).toEqual({ key: left.by, value: 'yes' })
  expect(left.log.length).toBeGreaterThan(8)
  expect((await logOf(client, left.waiting)).slice(0, left.log.length)).toEqual(left.log)
  await expect.poll(async () => (await client.sessions.get(left.cut)).result).toBe('It went on.')
  const { pending } = await client.sessions.get(left.waiting)
  for (const { id, arguments_hash: hash = '' } of pending)
    await client.sessions.decide(left.waiting, id, { decision: 'approve', arguments_hash: hash })
  expect(await client.sessions.get(left.waiting)).toMatchObject({
    status: 'completed',
    result: 'It boils.',
    pending: [],
  })
  expect(await client.audit.verify()).toMatchObject({ ok: true, broken: null })
}

describe('two releases, one after the other and back, over the same data', () => {
  test.for([
    ['54b2b66', '99c5df2'],
    ['99c5df2', 'this'],
  ] as const)(
    '%s and %s go on with what the other left in flight, and lose nothing',
    async ([older, newer], { expect }) => {
      const turns = [older, newer, older, newer].map((release, turn) => ({ release, by: `${turn} ${release}` }))
      const scene = await world(
        `${older}-${newer}`,
        turns.map(({ by }) => by),
      )
      const all: Left[] = []
      for (const { release, by } of turns) {
        const server = await scene.serve(release)
        for (const left of all) await take(server, left, expect)
        all.push(await leave(server, scene, by))
        await server.stop()
      }
      const last = await scene.serve(newer)
      for (const left of all) await take(last, left, expect)
      const { data } = await last.client.sessions.list({ limit: 100, user: USER })
      expect(data.map(({ title }) => title).toSorted()).toEqual(all.map(({ by }) => `${by} waits`))
    },
  )
})

test('a release before records goes on with nothing that this one wrote to, and forward again nothing is lost', async ({
  expect,
}) => {
  const [older, newer] = ['0 ff0d404', '1 this']
  const scene = await world('before-records', [older, newer])
  const before = await scene.serve('ff0d404')
  const left = await leave(before, scene, older)
  await before.stop()
  const forward = await scene.serve('this')
  await take(forward, left, expect)
  const all = [left, await leave(forward, scene, newer)]
  const sessions = all.flatMap(({ waiting, cut }) => [waiting, cut])
  const logs = await Promise.all(sessions.map((id) => logOf(forward.client, id)))
  await forward.stop()

  const back = await scene.serve('ff0d404')
  const asked = all.flatMap(({ by }) => scene.asked(by))
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, accept: 'application/json' }
  const orders: [string, string, string?][] = [
    ['GET', ''],
    ['POST', '/messages', '{"content":"More"}'],
    ['POST', '/continue', '{}'],
    ['POST', '/cancel', '{}'],
  ]
  for (const id of sessions) {
    for (const [method, path, body = null] of orders) {
      const answer = await fetch(`${back.server}/v1/sessions/${id}${path}`, { method, headers, body })
      expect([method, path, answer.status]).toEqual([method, path, 503])
    }
  }
  expect(all.flatMap(({ by }) => scene.asked(by))).toEqual(asked)
  await back.stop()

  const again = await scene.serve('this')
  for (const [index, id] of sessions.entries()) {
    const known = logs[index] ?? []
    expect(known.length).toBeGreaterThan(2)
    expect((await logOf(again.client, id)).slice(0, known.length)).toEqual(known)
  }
  for (const one of all) await take(again, one, expect)
})
