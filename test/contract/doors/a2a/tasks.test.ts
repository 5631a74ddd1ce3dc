import { TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { a2aClient, answerOf, BINDINGS, followed, sending, taskOf, textsIn } from '../../../support/a2a.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const { TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_CANCELED } = TaskState

let served: Served

beforeAll(async () => {
  served = await startServed({ html: PAGE, config: { tools: { web_access: { auto_approve: true } } } })
})
afterAll(() => served.close())

const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)

describe.each(BINDINGS)('a task over %s', (binding) => {
  let client: Client
  const answers: Headers[] = []

  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding, answers)
  })

  test('is answered with its artifact, history and session', async ({ expect }) => {
    await served.script([calls('web_access', { url: `${served.site.url}/a` }), calls('finish', { reason: '一百度。' })])
    const sent = sending('水在几度沸腾？')
    const task = taskOf(await client.sendMessage(sent))
    expect(task.status?.state).toBe(TASK_STATE_COMPLETED)
    expect(answerOf(task)).toBe('一百度。')
    expect(task.history.map(({ messageId, parts }) => [messageId, textsIn(parts)])).toEqual([
      [sent.message.messageId, '水在几度沸腾？'],
    ])
    const session = answers.at(-1)?.get('x-yaa-session') ?? ''
    expect(task.contextId).toBe(session)
    expect(task.metadata).toMatchObject({ 'yaa/session': session, 'yaa/run': answers.at(-1)?.get('x-yaa-run') })
    expect(await served.client.sessions.get(session)).toMatchObject({ status: 'completed', result: '一百度。' })
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task)
    const short = await client.getTask({ tenant: '', id: task.id, historyLength: 0 })
    expect(short.history).toEqual([])
  })

  test('is streamed: as it stands, its words, its end', async ({ expect }) => {
    await served.script([
      { ...calls('web_access', { url: `${served.site.url}/b` }), content: 'I look it up.' },
      { content: 'Water boils at 100 degrees.', chunks: 6 },
    ])
    const told = await followed(client.sendMessageStream(sending('When does water boil?')))
    expect(told.states.filter((state) => state !== TASK_STATE_SUBMITTED)).toEqual([
      TASK_STATE_WORKING,
      TASK_STATE_COMPLETED,
    ])
    const { updates } = told
    expect(updates.filter((one) => one === TASK_STATE_COMPLETED)).toHaveLength(1)
    expect(told.metadata.at(-1)).toMatchObject({ 'yaa/usage': { model_calls: 2, tool_calls: 1 } })
    expect(told.said).toContain('I look it up.')
    expect(told.metadata).toContainEqual({ 'yaa/tool': expect.objectContaining({ name: 'web_access' }) })
    expect(told.task && answerOf(told.task)).toBe('Water boils at 100 degrees.')
    const read = await client.getTask({ tenant: '', id: told.task?.id ?? '' })
    expect(answerOf(read)).toBe('Water boils at 100 degrees.')
    expect(read.history.map(({ parts }) => textsIn(parts))).toEqual(['When does water boil?', 'I look it up.'])
  })

  test('is one of a context, which is the client’s own or the server’s', async ({ expect }) => {
    await served.script([says('Hello Ann.'), says('You are Ann.'), says('Ann still.')])
    const contextId = `context of ${binding}`
    const first = taskOf(await client.sendMessage(sending('I am Ann.', { contextId })))
    expect(first.contextId).toBe(contextId)
    const second = taskOf(await client.sendMessage(sending('Who am I?', { contextId })))
    expect(answerOf(second)).toBe('You are Ann.')
    expect(lastAsked()).toContain('I am Ann.')
    expect(second.id).not.toBe(first.id)
    const third = sending('And now?', { contextId: answers.at(-1)?.get('x-yaa-session') ?? '' })
    expect(answerOf(taskOf(await client.sendMessage(third)))).toBe('Ann still.')
  })

  test('is begun and asked for later, followed, and cancelled by that alone', async ({ expect }) => {
    await served.script([{ content: 'A long answer that is held.', chunks: 8, hold_after: 3 }])
    const begun = taskOf(await client.sendMessage(sending('Slowly', { configuration: { returnImmediately: true } })))
    expect([TASK_STATE_SUBMITTED, TASK_STATE_WORKING]).toContain(begun.status?.state)
    const stream = client.resubscribeTask({ tenant: '', id: begun.id })
    await followed(stream, ({ task }) => task !== null && answerOf(task) !== '')
    const asked = { tenant: '', id: begun.id }
    expect((await client.getTask(asked)).status?.state).toBe(TASK_STATE_WORKING)
    const { promise: follows, resolve } = Promise.withResolvers<boolean>()
    const over = followed(client.resubscribeTask(asked), () => {
      resolve(true)
      return false
    })
    await Promise.race([follows, over])
    const cancelled = await client.cancelTask({ ...asked, metadata: undefined })
    expect(cancelled.status?.state).toBe(TASK_STATE_CANCELED)
    const told = await over
    expect(told.states.at(-1)).toBe(TASK_STATE_CANCELED)
    // What it had said is no answer, and is kept.
    const read = await client.getTask(asked)
    expect([cancelled, read].map(answerOf)).toEqual(['', ''])
    for (const { history } of [cancelled, read])
      expect(history.map(({ parts }) => textsIn(parts))).toEqual(['Slowly', expect.stringMatching(/^A long a/)])
    await served.release()
    await expect(client.cancelTask({ ...asked, metadata: undefined })).rejects.toThrow(
      expect.objectContaining({ name: 'TaskNotCancelableError' }),
    )
  })
})

describe.each(BINDINGS)('the tasks of a caller over %s', (binding) => {
  const list = (client: Client, more: Partial<Parameters<Client['listTasks']>[0]> = {}) =>
    client.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
      ...more,
    })

  /** The list, once it has heard how this task rests. */
  const listed = async (client: Client, id: string): Promise<Awaited<ReturnType<typeof list>>> => {
    for (;;) {
      const waiting = await list(client, { status: TaskState.TASK_STATE_INPUT_REQUIRED })
      if (waiting.tasks.some((one) => one.id === id)) return list(client)
    }
  }

  test('are listed page by page, by state and context, and are nobody else’s', async ({ expect }) => {
    const made = await served.client.keys.create({ name: `lister ${binding}`, scopes: ['run', 'read', 'decide'] })
    const client = await a2aClient(served.url, made.key ?? '', binding)
    await served.script([says('One.'), says('Two.'), calls('ask', { question: 'Which?' })])
    const contextId = `listed ${binding}`
    const one = taskOf(await client.sendMessage(sending('1', { contextId, metadata: { user: 'ann' } })))
    const two = taskOf(await client.sendMessage(sending('2', { contextId })))
    const three = taskOf(await client.sendMessage(sending('3')))
    const all = await listed(client, three.id)
    expect(all.tasks.map(({ id }) => id)).toEqual([three.id, two.id, one.id])
    expect([all.totalSize, all.pageSize, all.nextPageToken]).toEqual([3, 50, ''])
    expect(all.tasks.map(({ artifacts, history }) => artifacts.length + history.length)).toEqual([0, 0, 0])
    const first = await list(client, { pageSize: 2 })
    const second = await list(client, { pageSize: 2, pageToken: first.nextPageToken })
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(all.tasks.map(({ id }) => id))
    const waiting = await list(client, { status: TaskState.TASK_STATE_INPUT_REQUIRED })
    expect(waiting.tasks.map(({ id }) => id)).toEqual([three.id])
    const inContext = await list(client, { contextId, includeArtifacts: true, historyLength: 1 })
    expect(inContext.tasks.map(({ id }) => id)).toEqual([two.id, one.id])
    const [whole] = inContext.tasks
    expect(whole && [whole.contextId, answerOf(whole), whole.history.length]).toEqual([contextId, 'Two.', 1])
    const later = await list(client, { statusTimestampAfter: '2999-01-01T00:00:00Z' })
    expect(later.tasks).toEqual([])
    const other = await list(await a2aClient(served.url, served.key, binding), { pageSize: 100 })
    expect(other.tasks.some(({ id }) => [one.id, two.id, three.id].includes(id))).toBe(false)
  })
})
