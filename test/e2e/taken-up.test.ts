import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, describe, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'
import { startYaa, workFolder, type Running } from '../support/cli.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'

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
  const script = [{ hang: true }, calls('finish', { reason: 'Taken up.' })]
  const model = await startScriptedModel({ script, onRequest: () => asked[count++]?.resolve() })
  models.push(model)
  const config = folder.file(`config-${model.port}.json`, {
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
  })
  return { config, data: `data-${folders++}`, asked: (number: number) => asked[number - 1]?.promise }
}

async function serving({ config, data }: { config: string; data: string }) {
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

/** Whether an alarm was ever set in the object of a session. A copy is looked at: whoever closes a database last clears away what shows
 *  that it was open. Source: workerd, sqlite-metadata.h. */
function hasAlarm(data: string): boolean {
  const [sessions, copy] = [join(folder.path, data, 'yaa-Session'), join(folder.path, `copy-of-${data}`)]
  cpSync(sessions, copy, { recursive: true })
  const [file = ''] = readdirSync(copy).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  const database = new DatabaseSync(join(copy, file))
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE name = '_cf_METADATA'").all()
  database.close()
  return found.length > 0
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
    const { data } = await again.client.sessions.list()
    await expect.poll(() => again.client.sessions.get(data[0]?.id ?? '')).toMatchObject({ status: 'completed' })
  })

  test('goes on when its server was stopped and is started again', async ({ expect }) => {
    const world = await hangingModel()
    const { yaa, url } = await serving(world)
    await begun(url, world.asked(1))
    yaa.process.kill('SIGTERM')
    expect((await yaa.ended).code).toBe(0)
    const noted = join(folder.path, world.data, 'open-sessions')
    expect(existsSync(noted)).toBe(true)
    const again = await serving(world)
    await world.asked(2)
    await expect.poll(() => existsSync(noted)).toBe(false)
    const { data } = await again.client.sessions.list()
    await expect.poll(() => again.client.sessions.get(data[0]?.id ?? '')).toMatchObject({ status: 'completed' })
  })
})

test('only who started the server has it take up sessions', async ({ expect }) => {
  const { url } = await serving(await hangingModel())
  for (const authorization of ['', `Bearer ${ADMIN_KEY}`, 'Bearer ']) {
    const response = await fetch(`${url}/take-up`, {
      method: 'POST',
      headers: { authorization },
      body: '{"objects":[]}',
    })
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  }
})
