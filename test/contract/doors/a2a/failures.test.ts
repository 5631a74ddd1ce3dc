import { TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  a2aClient,
  answerOf,
  BINDINGS,
  dataPart,
  filePart,
  followed,
  sending,
  taskOf,
  textPart,
} from '../../../support/a2a.ts'
import { says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const { TASK_STATE_COMPLETED, TASK_STATE_FAILED } = TaskState
const TEXT = 'Water boils at one hundred degrees, 在海平面。'

let served: Served

beforeAll(async () => {
  served = await startServed({ html: '<p>x</p>' })
})
afterAll(() => served.close())

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe.each(BINDINGS)('over %s', (binding) => {
  let client: Client
  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding)
  })

  test('a stream that a crash cuts goes on where its task is subscribed to', async ({ expect }) => {
    await served.script([
      { content: TEXT, chunks: 8, hold_after: 5 },
      { content: TEXT, chunks: 8, hold_after: 3 },
    ])
    const told = await (async () => {
      for await (const { payload } of client.sendMessageStream(sending('Killed'))) {
        if (payload?.$case !== 'artifactUpdate') continue
        await served.restart()
        return payload.value.taskId
      }
      return ''
    })()
    const released: Promise<void>[] = []
    const later = await followed(client.resubscribeTask({ tenant: '', id: told }), ({ task }) => {
      if (task && answerOf(task) !== '' && released.length === 0) released.push(served.release())
      return false
    })
    await Promise.all(released)
    expect(later.states.at(-1)).toBe(TASK_STATE_COMPLETED)
    expect(later.task && answerOf(later.task)).toBe(TEXT)
    expect(answerOf(await client.getTask({ tenant: '', id: told }))).toBe(TEXT)
  })

  test('the same message again joins its task, and a client that goes away stops nothing', async ({ expect }) => {
    await served.script([{ content: TEXT, chunks: 8, hold_after: 3 }])
    const sent = sending('Twice')
    const left = await followed(client.sendMessageStream(sent), ({ task }) => task !== null && answerOf(task) !== '')
    const again = client.sendMessage(sent)
    await served.release()
    const task = taskOf(await again)
    expect([task.id, answerOf(task)]).toEqual([left.task?.id, TEXT])
    expect(taskOf(await client.sendMessage(sent)).id).toBe(task.id)
  })

  test('a message to a task that works steers it', async ({ expect }) => {
    await served.script([{ content: 'First thought.', chunks: 4, hold_after: 2 }, says('With that in mind.')])
    const begun = taskOf(await client.sendMessage(sending('Think', { configuration: { returnImmediately: true } })))
    const asked = { tenant: '', id: begun.id }
    await followed(client.resubscribeTask(asked), ({ task }) => task !== null && answerOf(task) !== '')
    const steered = client.sendMessage(sending('Be brief', { taskId: begun.id }))
    for (;;) {
      const { history } = await client.getTask(asked)
      if (history.some(({ parts }) => parts[0]?.content?.value === 'Be brief')) break
    }
    await served.release()
    expect(answerOf(taskOf(await steered))).toBe('With that in mind.')
    expect((await client.getTask(asked)).id).toBe(begun.id)
  })

  test('two contexts go on at once', async ({ expect }) => {
    await served.script([
      { when: { last_contains: '红' }, content: '红色' },
      { when: { last_contains: '蓝' }, content: '蓝色' },
    ])
    const both = await Promise.all(['红', '蓝'].map((word) => client.sendMessage(sending(word))))
    expect(both.map((one) => answerOf(taskOf(one)))).toEqual(['红色', '蓝色'])
  })

  test('what cannot be is refused in the words of the protocol, and nothing is lost', async ({ expect }) => {
    const wrong = await a2aClient(served.url, 'yaa_wrong_key_that_is_none', binding)
    expect(JSON.stringify(await caught(wrong.sendMessage(sending('x'))))).toMatch(/401|-32000/)
    const reader = await served.client.keys.create({ name: `reads ${binding}`, scopes: ['read'] })
    const weak = await a2aClient(served.url, reader.key ?? '', binding)
    expect(String(await caught(weak.sendMessage(sending('x'))))).toMatch(/scope|run/)
    const none = client.getTask({ tenant: '', id: 'task_none' })
    await expect(none).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    const model = client.sendMessage(sending('x', { metadata: { model: 'nobody' } }))
    await expect(model).rejects.toThrow(/There are: yaa, yaa\/plan/)
    const huge = caught(client.sendMessage(sending([filePart(Buffer.alloc(11 << 20), 'big.bin', 'application/zip')])))
    expect(String(await huge)).toMatch(/bytes|larger|MiB|MB/i)
    const picture = sending([textPart('See'), dataPart({ month: 5 }), filePart('no picture', 'a.png', 'image/png')])
    await expect(client.sendMessage(picture)).rejects.toThrow(/message\.parts\.2\.raw: a PNG/)
    const empty = client.sendMessage(sending('   '))
    await expect(empty).rejects.toMatchObject({ name: 'RequestMalformedError' })
  })

  test('a model that fails and a budget that ends are failed tasks', async ({ expect }) => {
    await served.script([{ status: 500, content: '' }])
    const failed = taskOf(await client.sendMessage(sending('Fail')))
    expect(failed.status?.state).toBe(TASK_STATE_FAILED)
    expect(failed.status?.message?.metadata).toMatchObject({ 'yaa/code': expect.stringMatching(/^model_/) })
    const made = await served.client.keys.create({
      name: `poor ${binding}`,
      scopes: ['run', 'read'],
      limits: { day: { max_total_tokens: 10 } },
    })
    const poor = await a2aClient(served.url, made.key ?? '', binding)
    const ended = taskOf(await poor.sendMessage(sending('Spend')))
    expect(ended.status?.message?.metadata).toEqual({ 'yaa/code': 'budget_exhausted' })
  })
})

describe('the card', () => {
  const card = (headers: Record<string, string> = {}) => fetch(`${served.url}/.well-known/agent-card.json`, { headers })

  test('is open, kept by caches, and names skills and both bindings', async ({ expect }) => {
    const answer = await card()
    expect(answer.headers.get('cache-control')).toContain('max-age=')
    const told = await answer.json<{ supportedInterfaces: { url: string }[]; skills: { id: string }[] }>()
    expect(told.supportedInterfaces.map(({ url }) => url)).toEqual([`${served.url}/a2a`, `${served.url}/a2a/v1`])
    expect(told.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['yaa', 'yaa/plan', 'yaa/route']))
    const again = await card({ 'if-none-match': answer.headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('has the skills of a tenant for those with a key only', async ({ expect }) => {
    const skill = {
      name: 'secret-skill',
      version: '1',
      description: 'Of the tenant alone.',
      prompt: 'Do it: {{user_input}}',
      inputs: [],
    }
    const headers = { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' }
    const kept = await fetch(`${served.url}/v1/skills`, { method: 'POST', body: JSON.stringify(skill), headers })
    expect(kept.status).toBe(201)
    expect(await (await card()).text()).not.toContain('secret-skill')
    const client = await a2aClient(served.url, served.key, 'HTTP+JSON')
    const { skills } = await client.getAgentCard()
    expect(skills.find(({ id }) => id === 'yaa/skill/secret-skill')?.description).toBe('Of the tenant alone.')
    const refused = await fetch(`${served.url}/a2a/v1/extendedAgentCard`, { headers: { 'a2a-version': '1.0' } })
    expect([refused.status, (await refused.json<{ error: { status: string } }>()).error.status]).toEqual([
      401,
      'UNAUTHENTICATED',
    ])
  })
})

describe('requests of no client', () => {
  const rpc = async (body: string, headers: Record<string, string> = { 'a2a-version': '1.0' }) => {
    const answer = await fetch(`${served.url}/a2a`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json', ...headers },
    })
    return answer.json<{ id: unknown; error: { code: number; data: { reason?: string }[] } }>()
  }

  test('are refused by the codes of JSON-RPC and A2A, under their own id', async ({ expect }) => {
    const call = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params })
    expect((await rpc('{')).error.code).toBe(-32700)
    expect((await rpc('[]')).error.code).toBe(-32600)
    const lengthless = { length: { toString: 'x' } }
    expect((await rpc(JSON.stringify({ jsonrpc: '2.0', id: lengthless, method: 'GetTask' }))).error.code).toBe(-32600)
    expect((await rpc(call('GetTask', { id: lengthless }))).error.code).toBe(-32602)
    expect(await rpc(call('Nothing'))).toMatchObject({ id: 'a', error: { code: -32601 } })
    expect(await rpc(call('GetTask'))).toMatchObject({ id: 'a', error: { code: -32602 } })
    expect(await rpc(call('GetTask', { id: 'x' }))).toMatchObject({
      error: { code: -32001, data: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }] },
    })
    const got = await fetch(`${served.url}/a2a`, { headers: { authorization: `Bearer ${served.key}` } })
    expect([got.status, await got.json()]).toMatchObject([405, { error: { code: -32000 } }])
    for (const headers of [{}, { 'a2a-version': '0.3' }])
      expect(await rpc(call('GetTask', { id: 'x' }), headers as Record<string, string>)).toMatchObject({
        error: { code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
      })
  })
})
