import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startYaa, workFolder, type Running } from '../support/cli.ts'
import { receiverFor } from '../support/receivers.ts'
import { startReceivers } from '../support/receivers-server.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'
import { ADMIN_KEY, WITH_KEY } from '../support/admin-key.ts'

const SESSIONS = 4

const folder = workFolder()
const running: Running[] = []
let receivers: Awaited<ReturnType<typeof startReceivers>>
let model: MockModel
let config: string

beforeAll(async () => {
  receivers = await startReceivers()
  const finish = calls('finish', { reason: 'It is done.' })
  model = await startScriptedModel({ script: Array.from({ length: SESSIONS * 4 }, () => finish) })
  config = folder.file('config.json', {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
    web: { allow_private_hosts: [receivers.host] },
  })
})
afterEach(async () => {
  for (const one of running.splice(0)) await killed(one)
})
afterAll(async () => {
  await receivers.close()
  await model.close()
  folder.remove()
})

async function serving(): Promise<{ yaa: Running; server: string }> {
  const yaa = startYaa(['serve', '--port', '0', '--data', 'data', '--config', config], { cwd: folder.path })
  running.push(yaa)
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  return { yaa, server: `http://127.0.0.1:${port}` }
}

async function killed({ process, ended }: Running): Promise<void> {
  process.kill('SIGKILL')
  await ended
}

test('a SIGKILL while receivers are told loses no delivery, and gives none a second id', async ({ expect }) => {
  const receiver = receiverFor({ receiversUrl: receivers.url })
  await receiver.answer(Array.from({ length: SESSIONS }, () => ({ status: 503 })))
  const first = await serving()
  const retry = { times: 20, delay_ms: 100 }
  const made = await createClient({ server: first.server, key: ADMIN_KEY }).callbacks.create({
    url: receiver.url,
    events: ['run.completed'],
    retry,
  })
  const ids: string[] = []
  for (let count = 0; count < SESSIONS; count++) {
    const { id } = await createClient({ server: first.server, key: ADMIN_KEY }).sessions.create({})
    ids.push(id)
    await fetch(`${first.server}/v1/sessions/${id}/messages`, {
      method: 'POST',
      headers: { ...WITH_KEY, 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ content: 'Do it' }),
    })
  }
  await receiver.received(1)
  await killed(first.yaa)
  // A session that was cut is taken up by its alarm.
  const second = await serving()
  const taken = await receiver.taken(SESSIONS)
  expect(new Set(taken.map(({ body }) => body.data.session_id))).toEqual(new Set(ids))
  expect(taken.every((one) => one.verifies(made.secret))).toBe(true)
  const all = await receiver.received(SESSIONS)
  const names = new Set(all.map(({ body, headers }) => `${body.data.session_id} ${headers['webhook-id']}`))
  expect(names.size).toBe(SESSIONS)
  const { data } = await createClient({ server: second.server, key: ADMIN_KEY }).callbacks.deliveries(made.id)
  expect(new Set(data.map(({ id }) => id))).toEqual(new Set(taken.map(({ headers }) => headers['webhook-id'])))
})
