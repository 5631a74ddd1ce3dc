import { TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { a2aClient, BINDINGS, followed, answerOf, sending, taskOf } from '../../../support/a2a.ts'
import { startListener } from '../../../support/listener.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const { TASK_STATE_INPUT_REQUIRED } = TaskState
const TEXT = 'Water boils at one hundred degrees, 在海平面。'

let served: Served
let listener: Awaited<ReturnType<typeof startListener>>

beforeAll(async () => {
  listener = await startListener()
  served = await startServed({ html: '<p>x</p>', config: { web: { allow_private_hosts: [listener.host] } } })
})
afterAll(async () => {
  await served.close()
  listener.close()
})

describe.each(BINDINGS)('who is told of a task over %s', (binding) => {
  let client: Client
  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding)
  })

  const begun = async (words: string) => {
    const task = taskOf(await client.sendMessage(sending(words, { configuration: { returnImmediately: true } })))
    const stream = client.resubscribeTask({ tenant: '', id: task.id })
    await followed(stream, ({ task: heard }) => heard !== null && answerOf(heard) !== '')
    return task
  }
  const configOf = (taskId: string, id: string) => ({
    tenant: '',
    taskId,
    id,
    url: listener.url,
    token: '',
    authentication: undefined,
  })
  /** What was told since, once it is so many things: one that a crash kept from being noted comes again under its id. */
  const toldApart = async (before: number, count: number): Promise<unknown[]> => {
    const told = new Map<unknown, unknown>()
    for (let n = before + 1; told.size < count; n++) {
      const post = await listener.next(n)
      told.set(post?.headers['webhook-id'], JSON.parse(post?.body ?? ''))
    }
    return [...told.values()]
  }
  const listed = async (taskId: string) =>
    (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs

  test('with a message is told with their token and our signature', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which?' }), says('That one.')])
    const before = listener.posts.length
    const token = 'a token of the client that is long'
    const config = {
      tenant: '',
      id: 'mine',
      taskId: '',
      url: listener.url,
      token,
      authentication: { scheme: 'Bearer', credentials: 'theirs' },
    }
    const sent = sending('Ask me', { configuration: { taskPushNotificationConfig: config } })
    const task = taskOf(await client.sendMessage(sent))
    expect(task.status?.state).toBe(TASK_STATE_INPUT_REQUIRED)
    const asked = await listener.next(before + 1)
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({
      statusUpdate: { taskId: task.id, contextId: task.contextId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    })
    expect(asked?.body).not.toContain('decide_')
    expect(asked?.headers).toMatchObject({
      'x-a2a-notification-token': token,
      authorization: 'Bearer theirs',
      'content-type': 'application/a2a+json',
    })
    const secret = `whsec_${Buffer.from(token).toString('base64')}`
    expect(new Webhook(secret).verify(asked?.body ?? '', asked?.headers as Record<string, string>)).toBeTruthy()
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: task.id,
      pageSize: 0,
      pageToken: '',
    })
    expect(configs).toMatchObject([{ id: 'mine', taskId: task.id, url: listener.url, token }])
    expect(JSON.stringify(configs)).not.toContain('theirs')
    await client.sendMessage(sending('That', { taskId: task.id }))
    const done = await listener.next(before + 2)
    expect(JSON.parse(done?.body ?? '')).toMatchObject({
      task: { id: task.id, status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'That one.' }] }] },
    })
    const named = { tenant: '', taskId: task.id, id: 'mine' }
    expect((await client.getTaskPushNotificationConfig(named)).id).toBe('mine')
    await client.deleteTaskPushNotificationConfig(named)
    await expect(client.getTaskPushNotificationConfig(named)).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    const inside = { ...config, taskId: task.id, url: 'http://169.254.169.254/latest' }
    await expect(client.createTaskPushNotificationConfig(inside)).rejects.toMatchObject({
      name: 'RequestMalformedError',
    })
  })

  test('with each message of a task is told once, where the last of them says', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which?' }), says('This one.')])
    const before = listener.posts.length
    const told = (token: string) => ({
      configuration: { taskPushNotificationConfig: { ...configOf('', ''), token } },
    })
    const task = taskOf(await client.sendMessage(sending('Ask me again', told('first'))))
    await listener.next(before + 1)
    await client.sendMessage(sending('This', { taskId: task.id, ...told('second') }))
    const done = await listener.next(before + 2)
    expect(done?.headers['x-a2a-notification-token']).toBe('second')
    expect(await listed(task.id)).toMatchObject([{ id: 'default', token: 'second' }])
    await client.createTaskPushNotificationConfig({ ...configOf(task.id, ''), token: 'third' })
    expect(await listed(task.id)).toMatchObject([{ id: 'default', token: 'third' }])
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'default' })
    expect(await listed(task.id)).toEqual([])
    const posts = listener.posts.slice(before).map(({ headers }) => headers['x-a2a-notification-token'])
    expect(posts).toEqual(['first', 'second'])
  })

  test('is set, read, listed and deleted by itself, while the task goes on', async ({ expect }) => {
    await served.script([{ content: TEXT, chunks: 8, hold_after: 3 }])
    const before = listener.posts.length
    const task = await begun('Slowly')
    const secret = `whsec_${Buffer.from('thirty-two bytes that nobody sees').toString('base64')}`
    const authentication = { scheme: 'whsec', credentials: secret }
    const made = await client.createTaskPushNotificationConfig({ ...configOf(task.id, 'one'), authentication })
    expect(made).toMatchObject({ id: 'one', taskId: task.id, url: listener.url, authentication: { scheme: 'whsec' } })
    await client.createTaskPushNotificationConfig(configOf(task.id, 'two'))
    await client.createTaskPushNotificationConfig({ ...configOf(task.id, 'two'), token: 'another' })
    expect((await listed(task.id)).map(({ id, token }) => [id, token])).toEqual([
      ['one', ''],
      ['two', 'another'],
    ])
    const two = { tenant: '', taskId: task.id, id: 'two' }
    expect(await client.getTaskPushNotificationConfig(two)).toMatchObject({ id: 'two', token: 'another' })
    await client.deleteTaskPushNotificationConfig(two)
    await client.deleteTaskPushNotificationConfig(two)
    expect((await listed(task.id)).map(({ id }) => id)).toEqual(['one'])
    await served.release()
    const told = await listener.next(before + 1)
    expect(JSON.parse(told?.body ?? '')).toMatchObject({
      task: { id: task.id, artifacts: [{ parts: [{ text: TEXT }] }] },
    })
    expect(new Webhook(secret).verify(told?.body ?? '', told?.headers as Record<string, string>)).toBeTruthy()
    expect(told?.headers['authorization']).toBeUndefined()
    expect(JSON.stringify(told)).not.toContain('whsec_')
  })

  test('is nobody else’s to see or set, and has to be one of a task that is there', async ({ expect }) => {
    await served.script([says('Done.')])
    const task = taskOf(await client.sendMessage(sending('Do')))
    const made = await served.client.keys.create({ name: `other ${binding}`, scopes: ['run', 'read'] })
    const other = await a2aClient(served.url, made.key ?? '', binding)
    const unknown = { name: 'TaskNotFoundError' }
    await expect(other.createTaskPushNotificationConfig(configOf(task.id, 'x'))).rejects.toMatchObject(unknown)
    await expect(client.createTaskPushNotificationConfig(configOf('task_none', 'x'))).rejects.toMatchObject(unknown)
    const weak = { ...configOf(task.id, 'x'), authentication: { scheme: 'whsec', credentials: 'short' } }
    await expect(client.createTaskPushNotificationConfig(weak)).rejects.toThrow(/authentication.credentials.*whsec_/)
    expect(await listed(task.id)).toEqual([])
  })

  test('is told once of a task whose server was killed', async ({ expect }) => {
    await served.script([
      { content: TEXT, chunks: 8, hold_after: 3 },
      { content: TEXT, chunks: 8 },
    ])
    const before = listener.posts.length
    const task = await begun('Killed')
    await client.createTaskPushNotificationConfig(configOf(task.id, ''))
    await served.restart()
    const [first] = await toldApart(before, 1)
    expect(first).toMatchObject({ task: { id: task.id } })
    await served.restart()
    await served.script([says('Next.')])
    const next = sending('Go on', {
      contextId: task.contextId,
      configuration: { taskPushNotificationConfig: configOf('', '') },
    })
    const later = taskOf(await client.sendMessage(next))
    expect((await toldApart(before, 2)).at(-1)).toMatchObject({ task: { id: later.id } })
  })
})
