import { TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { a2aClient, answerOf, BINDINGS, followed, sending, taskOf } from '../../../support/a2a.ts'
import { says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<p>x</p>' })
})
afterAll(() => served.close())

interface TaskOfPlan {
  description: string
  status: string
}

describe.each(BINDINGS)('a task of many hands over %s', (binding) => {
  let client: Client
  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding)
  })

  test('is told as a plan, each of its sub-tasks as it comes along', async ({ expect }) => {
    await served.script([
      says(JSON.stringify({ plan: [{ name: 'llm_tool', description: 'Say a number' }] })),
      says('Seven.'),
      says('{"plan": []}'),
      says('It is seven.'),
    ])
    const told = await followed(client.sendMessageStream(sending('Plan', { metadata: { skill: 'yaa/plan' } })))
    const plans = told.metadata.flatMap(({ 'yaa/plan': plan }) => (plan ? [plan as { tasks: TaskOfPlan[] }] : []))
    const states = plans.flatMap(({ tasks }) => tasks.map(({ description, status }) => `${description}: ${status}`))
    expect([...new Set(states)]).toEqual(['Say a number: pending', 'Say a number: running', 'Say a number: completed'])
    expect(told.task && answerOf(told.task)).toBe('It is seven.')
    const read = await client.getTask({ tenant: '', id: told.task?.id ?? '' })
    expect(read.metadata?.['yaa/plan']).toEqual(plans.at(-1))
  })

  test('is told what each role of a team says', async ({ expect }) => {
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    const heard: { role: unknown; text: unknown }[] = []
    const asked = sending('Build it', { metadata: { skill: 'yaa/team/software' } })
    const stream = client.sendMessageStream(asked)
    for await (const { payload } of stream) {
      const said = payload?.$case === 'statusUpdate' ? payload.value.status?.message : undefined
      if (said?.metadata) heard.push({ role: said.metadata['yaa/role'], text: said.parts[0]?.content?.value })
    }
    expect(heard.map(({ text }) => text)).toEqual(expect.arrayContaining(['The PRD.', 'The design.']))
    expect(new Set(heard.map(({ role }) => role)).size).toBeGreaterThan(1)
  })

  test('says of an answer that the service cut it', async ({ expect }) => {
    await served.script([{ content: 'Half of', finish_reason: 'length' }])
    const told = await followed(client.sendMessageStream(sending('All of it?')))
    expect(told.metadata.at(-1)).toMatchObject({ 'yaa/finish_reason': 'length' })
    const read = await client.getTask({ tenant: '', id: told.task?.id ?? '' })
    expect(read.metadata).toMatchObject({ 'yaa/finish_reason': 'length' })
  })

  test('is of the tenant of its key, which a client may name', async ({ expect }) => {
    await served.script([says('Here.')])
    const task = taskOf(await client.sendMessage({ ...sending('Where?'), tenant: 'default' }))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect((await client.getTask({ tenant: 'default', id: task.id })).id).toBe(task.id)
    const listed = await client.listTasks({
      tenant: 'default',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    })
    expect(listed.tasks.map(({ id }) => id)).toEqual([task.id])
    const url = 'https://client.example/notify'
    const config = { tenant: 'default', taskId: task.id, id: 'mine', url, token: '', authentication: undefined }
    await client.createTaskPushNotificationConfig(config)
    const named = { tenant: 'default', taskId: task.id, id: 'mine' }
    expect((await client.getTaskPushNotificationConfig(named)).url).toBe(url)
    await client.deleteTaskPushNotificationConfig(named)
    await expect(client.getTask({ tenant: 'elsewhere', id: task.id })).rejects.toThrow(/tenant/)
    await expect(client.sendMessage({ ...sending('Where?'), tenant: 'elsewhere' })).rejects.toThrow(/tenant/)
    await expect(client.createTaskPushNotificationConfig({ ...config, tenant: 'elsewhere' })).rejects.toThrow(/tenant/)
  })
})
