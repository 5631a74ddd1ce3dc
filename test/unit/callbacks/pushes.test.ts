import { afterEach, describe, test } from 'vitest'
import type { Callback, TaskPush } from '../../../src/domain/callback.ts'
import { taskPushSecret } from '../../../src/callbacks/task-push.ts'
import { OUTBOX_SCHEMA } from '../../../src/store/callbacks.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { news, ok, openWorld, START } from '../../support/outbox-world.ts'

const SESSION = 'ses_1'

/** Who is told of a task, as a client asked for it. */
function pushOf(push: Partial<TaskPush> = {}): Callback & { push: TaskPush } {
  const kept = { session: SESSION, run: null, owner: 'abcdefgh', contextId: 'theirs', configId: 'mine', ...push }
  return {
    id: 'cbk_1',
    tenant: 'default',
    name: null,
    url: 'https://receiver.example/in',
    events: ['run.completed', 'run.interrupted'],
    secret: taskPushSecret(kept),
    previousSecret: null,
    retry: null,
    template: null,
    templateSecret: null,
    enabled: true,
    disabledReason: null,
    origin: 'https://yaa.example',
    createdTime: START,
    updatedTime: START,
    push: kept,
  }
}

describe('who is told of a task', () => {
  let db: ReturnType<typeof nodeDatabase>
  const open = () => {
    db = nodeDatabase()
    migrate(db, OUTBOX_SCHEMA)
    return openWorld(db, () => ok())
  }
  afterEach(() => db.close())

  test('before its run had a name, is told of the first run alone', async ({ expect }) => {
    const world = open()
    await world.outbox.putPush(pushOf())
    await world.outbox.put([news(SESSION, 1, START), news(SESSION, 2, START)])
    await world.outbox.put([news(SESSION, 3, START)])
    await world.pass(1_000)
    expect(world.sent.map(({ body }) => body)).toMatchObject([{ task: { contextId: 'theirs', artifacts: [{}] } }])
    expect(world.outbox.pushes(SESSION).map(({ push }) => push?.run)).toEqual(['run_1'])
    await world.end()
  })

  test('is told of a run that ended before the config was given its name', async ({ expect }) => {
    const world = open()
    await world.outbox.putPush(pushOf())
    const named = pushOf({ run: 'run_1' })
    await world.outbox.putPush({ ...named, createdTime: START + 2, updatedTime: START + 2 })
    await world.outbox.put([news(SESSION, 1, START + 1)])
    await world.pass(1_000)
    expect(world.sent).toHaveLength(1)
    await world.end()
  })

  test('is told once where a crash has the session tell the same again', async ({ expect }) => {
    const world = open()
    await world.outbox.putPush(pushOf())
    await world.outbox.put([news(SESSION, 1, START)])
    await world.pass(1_000)
    const again = openWorld(db, () => ok())
    await again.outbox.put([news(SESSION, 1, START)])
    await again.pass(1_000)
    expect([world.sent.length, again.sent.length]).toEqual([1, 0])
    await world.end()
    await again.end()
  })

  test('knows a delivery by a secret that never goes along', async ({ expect }) => {
    const secret = `whsec_${Buffer.from('a secret of twenty-four bytes and more').toString('base64')}`
    const world = open()
    await world.outbox.putPush(pushOf({ token: 'theirs', authentication: { scheme: 'whsec', credentials: secret } }))
    await world.outbox.put([news(SESSION, 1, START)])
    await world.pass(1_000)
    const { headers } = world.sent[0] ?? {}
    expect(headers?.get('x-a2a-notification-token')).toBe('theirs')
    expect(headers?.get('webhook-signature')).toMatch(/^v1,/)
    expect(JSON.stringify([...(headers ?? [])])).not.toContain('whsec')
    expect(headers?.get('authorization')).toBeNull()
    expect(world.outbox.pushes(SESSION)[0]?.secret).toBe(secret)
    await world.end()
  })

  test('repeats nothing that it is known by to whoever reads how a try went', async ({ expect }) => {
    db = nodeDatabase()
    migrate(db, OUTBOX_SCHEMA)
    const secret = `whsec_${Buffer.from('a secret of twenty-four bytes and more').toString('base64')}`
    const world = openWorld(db, ({ headers }) => new Response(JSON.stringify([...headers, secret]), { status: 500 }))
    const authentication = { scheme: 'Bearer', credentials: 'their-credentials' }
    await world.outbox.putPush({ ...pushOf({ token: 'their-token', authentication }), secret })
    await world.outbox.put([news(SESSION, 1, START)])
    await world.pass(1_000)
    const logged = world.outbox.delivery('cbk_1', world.sent[0]?.id ?? '')
    const answer = logged.ok ? logged.value.attempts[0]?.answer : ''
    expect(answer).toContain('["authorization","Bearer ***"]')
    for (const value of ['their-token', 'their-credentials', secret.slice(6)]) expect(answer).not.toContain(value)
    await world.end()
  })
})
