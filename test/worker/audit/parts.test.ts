import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { test } from 'vitest'
import type { AuditAct } from '../../../src/domain/audit.ts'
import { env } from '../session/worker-home.ts'

const act = (n: number, time: number): AuditAct => ({
  id: `aud_${n}`,
  time: new Date(time).toISOString(),
  actor: { kind: 'key', id: 'ops' },
  action: 'key.create',
  target: `key_${n}`,
  outcome: 'done',
  status: 201,
  request_id: null,
  details: {},
})

test('entries of a month that is over go to an object of their own, and are listed and checked with the others', async ({
  expect,
}) => {
  const tenant = `t-${crypto.randomUUID()}`
  const audit = env.AUDIT.getByName(tenant)
  const now = Date.now()
  const before = now - 40 * 24 * 60 * 60_000
  await audit.add([act(1, before), act(2, before), act(3, now)])
  await runDurableObjectAlarm(audit)
  const rows = (name: string) =>
    runInDurableObject(env.AUDIT.getByName(name), (_object, { storage: { sql } }) =>
      sql
        .exec<{ id: string }>('SELECT id FROM audit ORDER BY seq')
        .toArray()
        .map(({ id }) => id),
    )
  await expect.poll(() => rows(tenant)).toEqual(['aud_3'])
  expect(await rows(`${tenant}:1`)).toEqual(['aud_1', 'aud_2'])
  expect((await audit.list(null, {}, 10)).map(({ id }) => id)).toEqual(['aud_3', 'aud_2', 'aud_1'])
  const first = await audit.walk(0)
  const last = await audit.walk(first.seq)
  expect([first, last]).toMatchObject([
    { done: false, broken: null, checked: 2 },
    { done: true, broken: null, checked: 1, head: { id: 'aud_3' } },
  ])
})
