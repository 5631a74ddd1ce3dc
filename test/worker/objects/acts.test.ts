import { runInDurableObject } from 'cloudflare:test'
import { test } from 'vitest'
import type { AuditAct } from '../../../src/domain/audit.ts'
import { DirectoryObject } from '../../../src/objects/directory-object.ts'
import type { AuditApi } from '../../../src/objects/api.ts'
import { env } from '../session/worker-home.ts'

const act = (id: string): AuditAct => ({
  id: `aud_${id}`,
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'key', id: 'k' },
  action: 'session.message',
  target: 'ses_1',
  outcome: 'done',
  status: 200,
  request_id: null,
  details: {},
})
const left = (id: string) => ({
  spent: { session: 'ses_1', user: null, skill: null, rows: [] },
  acts: [act(id)],
  createdTime: 0,
})

test('an act that comes while others are brought to the audit twice at a time is brought there too', async ({
  expect,
}) => {
  const tenant = `t-${crypto.randomUUID()}`
  await runInDurableObject(env.DIRECTORY.getByName(tenant), async (_object, state) => {
    const brought: string[] = []
    const gate = Promise.withResolvers<void>()
    let calls = 0
    const add = async (acts: readonly AuditAct[]) => {
      if (++calls === 1) await gate.promise
      brought.push(...acts.map(({ id }) => id))
    }
    const audit: Pick<AuditApi, 'add'> = { add }
    const withAudit = new Proxy(env, {
      get: (all, name) => (name === 'AUDIT' ? { getByName: () => audit } : Reflect.get(all, name)),
    })
    const object = new DirectoryObject(state, withAudit)
    object.remove(tenant, 'ses_1', left('one'))
    const both = [object.forwardActs(tenant), object.forwardActs(tenant)]
    await new Promise((resolve) => setTimeout(resolve, 0))
    object.remove(tenant, 'ses_1', left('two'))
    gate.resolve()
    await Promise.all(both)
    await object.forwardActs(tenant)
    expect(new Set(brought)).toEqual(new Set(['aud_one', 'aud_two']))
  })
})
