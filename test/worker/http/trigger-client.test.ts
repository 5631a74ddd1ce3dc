import { createExecutionContext } from 'cloudflare:test'
import { test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import worker from '../../../src/index.ts'
import { ADMIN_KEY } from '../../support/admin-key.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { ended } from './hooks.ts'
import { stage } from './http.ts'

const client = createClient({
  server: 'http://localhost',
  key: ADMIN_KEY,
  fetch: async (url, init) => {
    const request = new Request(url, init)
    request.headers.set('host', 'localhost')
    return worker.fetch(request, env, createExecutionContext())
  },
})
const FINISHES = [{ content: WORDS.en.finish('done'), repeat: true as const }]

test('the client makes, tries, changes and deletes a webhook', async ({ expect }) => {
  const { config } = await stage(FINISHES)
  const given = { name: 'w', scheme: 'bearer' as const, task_template: 'Do {{body.what}}', config }
  const made = await client.webhooks.create(given)
  expect(made.url).toBe(`http://localhost/hooks/${made.id}`)
  const { secret } = await client.webhooks.rotate(made.id)
  expect([secret, made.secret]).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)])
  const trial = await client.webhooks.test(made.id, { body: { what: 'it' }, run: true })
  await ended(trial.session_id ?? '')
  const { data } = await client.webhooks.deliveries(made.id, { limit: 1 })
  expect(data).toMatchObject([{ status: 'started', session_id: trial.session_id, is_test: true }])
  expect(await client.webhooks.update(made.id, { enabled: false })).toMatchObject({ enabled: false })
  expect((await client.webhooks.list({ limit: 1 })).data).toEqual([await client.webhooks.get(made.id)])
  await client.webhooks.delete(made.id)
  await expect(client.webhooks.get(made.id)).rejects.toMatchObject({ status: 404 })
})

test('the client makes, starts, changes and deletes a schedule', async ({ expect }) => {
  const { config } = await stage(FINISHES)
  const made = await client.schedules.create({ name: 's', task: 'Do it', cron: '0 9 * * *', timezone: 'UTC', config })
  expect(made.next_run_time).toMatch(/T09:00:00.000Z$/)
  const { session_id: id } = await client.schedules.run(made.id)
  await ended(id ?? '')
  expect((await client.schedules.runs(made.id)).data).toMatchObject([{ status: 'started', session_id: id }])
  expect((await client.schedules.update(made.id, { enabled: false })).next_run_time).toBeNull()
  expect((await client.schedules.list({ limit: 1 })).data).toMatchObject([{ id: made.id }])
  await client.schedules.delete(made.id)
  await expect(client.schedules.get(made.id)).rejects.toMatchObject({ status: 404 })
})
