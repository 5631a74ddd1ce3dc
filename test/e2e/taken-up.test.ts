import { cpSync, existsSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, describe, type ExpectStatic, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import type { StepInput } from '../../src/cli/mock-model/script.ts'
import { memberOf } from '../../src/lib/json.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'
import { startYaa, workFolder, type Running } from '../support/cli.ts'
import { workerdOf } from '../support/workerd-of.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'

const FINISH = calls('finish', { reason: 'Taken up.' })
/** Runs that begin late. */
const LATE = 8

const folder = workFolder()
const running: Running[] = []
const models: MockModel[] = []
let folders = 0

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL')
    await one.ended
  }
  for (const model of models.splice(0)) await model.close()
})
afterAll(() => folder.remove())

/** A model that hangs when it is asked first, and ends the run when it is asked again. */
async function hangingModel() {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const world = await worldOf([{ hang: true }, FINISH], () => asked[count++]?.resolve())
  return { ...world, asked: (number: number) => asked[number - 1]?.promise }
}

const finishingModel = () => worldOf(Array.from({ length: LATE }, () => FINISH))

async function worldOf(script: StepInput[], onRequest: () => void = () => {}) {
  const model = await startScriptedModel({ script, onRequest })
  models.push(model)
  const config = folder.file(`config-${model.port}.json`, {
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
  })
  return { config, data: `data-${folders++}` }
}

interface Serving {
  yaa: Running
  url: string
  client: Client
}

async function serving({ config, data }: { config: string; data: string }): Promise<Serving> {
  const yaa = startYaa(['serve', '--port', '0', '--data', data, '--config', config], { cwd: folder.path })
  running.push(yaa)
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  const url = `http://127.0.0.1:${port}`
  return { yaa, url, client: createClient({ server: url, key: ADMIN_KEY }) }
}

/** Begins a run whose answer nobody waits for, once its model was asked. */
async function begun(url: string, isAsked: Promise<void> | undefined): Promise<void> {
  const left = new AbortController()
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ task: 'Wait' })
  const cut = fetch(`${url}/v1/sessions`, { method: 'POST', headers, body, signal: left.signal }).catch(() => null)
  await isAsked
  left.abort()
  await cut
}

interface SlowRequest {
  sendRest: () => void
  /** The session; null: the server was gone before it had the whole request. */
  answered: Promise<string | null>
}

/** Begins to ask for runs: the body of each is there when the rest of it is sent. */
async function slowRequests(url: string): Promise<SlowRequest[]> {
  const body = JSON.stringify({ task: 'Do it' })
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
  const all = Array.from({ length: LATE }, async () => {
    const { promise: answered, resolve } = Promise.withResolvers<string | null>()
    const request = httpRequest(`${url}/v1/sessions`, { method: 'POST', headers })
    request.on('error', () => resolve(null))
    request.on('response', (response) => void json(response).then((answer) => resolve(String(memberOf(answer, 'id')))))
    await new Promise<void>((sent) => void request.write(body.slice(0, 1), () => sent()))
    return { sendRest: () => void request.end(body.slice(1)), answered }
  })
  return Promise.all(all)
}

/** Whether an alarm was ever set in the object of a session. Source: workerd, sqlite-metadata.h. */
const hasAlarm = (data: string) =>
  rowsOf(data, 'yaa-Session', 'sqlite_schema').some(({ name }) => name === '_cf_METADATA')

/** The rows of a table in all databases of a class of objects. A copy is looked at: whoever closes a database last clears away what shows that
 *  it was open. */
function rowsOf(data: string, kind: string, table: string): Record<string, unknown>[] {
  const copy = join(folder.path, `copy-of-${data}-${kind}`)
  cpSync(join(folder.path, data, kind), copy, { recursive: true })
  const files = readdirSync(copy).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  return files.flatMap((file) => {
    const database = new DatabaseSync(join(copy, file))
    const isThere =
      table === 'sqlite_schema' || database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    const rows = isThere ? database.prepare(`SELECT * FROM ${table}`).all() : []
    database.close()
    return rows
  })
}

describe('a short run that nobody asks for any more', () => {
  test('has no alarm, and goes on when its server was killed and is started again', async ({ expect }) => {
    const world = await hangingModel()
    const { yaa, url } = await serving(world)
    await begun(url, world.asked(1))
    yaa.process.kill('SIGKILL')
    await yaa.ended
    expect(hasAlarm(world.data)).toBe(false)
    const again = await serving(world)
    await world.asked(2)
    await expect.poll(() => again.client.sessions.list()).toMatchObject({ data: [{ status: 'completed' }] })
  })

  test('goes on though what was noted beside it is no session', async ({ expect }) => {
    const world = await hangingModel()
    const { yaa, url } = await serving(world)
    await begun(url, world.asked(1))
    yaa.process.kill('SIGKILL')
    await yaa.ended
    const noted = folder.file(join(world.data, 'open-sessions'), `${'7'.repeat(64)}\n`)
    await serving(world)
    await world.asked(2)
    await expect.poll(() => existsSync(noted)).toBe(false)
  })

  test('goes on when its server was stopped and is started again', async ({ expect }) => {
    const world = await hangingModel()
    const { yaa, url } = await serving(world)
    await begun(url, world.asked(1))
    yaa.process.kill('SIGTERM')
    expect((await yaa.ended).code).toBe(0)
    const again = await serving(world)
    await world.asked(2)
    await expect.poll(() => existsSync(join(folder.path, world.data, 'open-sessions'))).toBe(false)
    await expect.poll(() => again.client.sessions.list()).toMatchObject({ data: [{ status: 'completed' }] })
  })
})

describe('runs that begin while their server ends', () => {
  /** What began is listed and paid for: all that was answered, and nothing else. */
  const isTold = async ({ client }: Serving, late: readonly SlowRequest[], expect: ExpectStatic) => {
    const ids = (await Promise.all(late.map(({ answered }) => answered))).filter((id) => id !== null)
    expect(ids.length).toBeGreaterThan(0)
    const listed = async () => (await client.sessions.list()).data.map(({ id, status }) => `${id} ${status}`).toSorted()
    await expect.poll(listed).toEqual(ids.map((id) => `${id} completed`).toSorted())
    await expect.poll(() => client.usage({ by: 'model' })).toMatchObject({ data: [{ model_calls: ids.length }] })
  }

  test('are told to their tenant by the next where it was stopped', async ({ expect }) => {
    const world = await finishingModel()
    const { yaa, url, client } = await serving(world)
    const late = await slowRequests(url)
    await client.health()
    yaa.process.kill('SIGTERM')
    await yaa.says(/stopping/)
    for (const { sendRest } of late) sendRest()
    expect((await yaa.ended).code).toBe(0)
    await isTold(await serving(world), late, expect)
  })

  test('are told by the next where workerd alone was asked to end, as by who stops all processes of a service', async ({
    expect,
  }) => {
    const world = await finishingModel()
    const served = await serving(world)
    const late = await slowRequests(served.url)
    await served.client.health()
    process.kill(workerdOf(join(folder.path, world.data)) ?? 0, 'SIGTERM')
    for (const { sendRest } of late) sendRest()
    await served.yaa.says(/it is started again/)
    await expect.poll(() => served.client.health().catch(() => null)).toMatchObject({ status: 'ok' })
    await isTold(served, late, expect)
  })
})

test('what a session reported is written before its server ends as it was asked to', async ({ expect }) => {
  const world = await finishingModel()
  const { yaa, client } = await serving(world)
  const { id } = await client.sessions.create({ task: 'Do it' })
  yaa.process.kill('SIGTERM')
  expect((await yaa.ended).code).toBe(0)
  expect(rowsOf(world.data, 'yaa-Directory', 'sessions')).toMatchObject([{ id, status: 'completed' }])
})

test('only who started the server has it take up sessions, or write what waits', async ({ expect }) => {
  const { url } = await serving(await hangingModel())
  for (const authorization of ['', `Bearer ${ADMIN_KEY}`, 'Bearer ']) {
    for (const path of ['/take-up', '/settle']) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization },
        body: '{"objects":[]}',
      })
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    }
  }
})
