import { TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  a2aClient,
  answerOf,
  BINDINGS,
  dataIn,
  dataPart,
  filePart,
  followed,
  sending,
  taskOf,
  textPart,
  textsIn,
  urlPart,
} from '../../../support/a2a.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const { TASK_STATE_CANCELED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_COMPLETED } = TaskState

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: PAGE,
    config: { tools: { ask_form: { enabled: true }, wait: { enabled: true } } },
  })
})
afterAll(() => served.close())

const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)
const visit = (page = 'a') => calls('web_access', { url: `${served.site.url}/${page}` })

interface Waiting {
  pending_id: string
  type: string
  tool?: string
  arguments?: Record<string, unknown>
}

describe.each(BINDINGS)('what waits over %s', (binding) => {
  let client: Client
  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding)
  })

  const asked = async (words: string, more: Parameters<typeof sending>[1] = {}) => {
    const task = taskOf(await client.sendMessage(sending(words, more)))
    const parts = task.status?.message?.parts ?? []
    const [item] = dataIn(parts) as Waiting[]
    if (!item) throw new Error(`nothing waits in ${JSON.stringify(task)}`)
    return { task, item, words: textsIn(parts) }
  }

  test('is cancelled with its task, which stands so from then on', async ({ expect }) => {
    await served.script([visit()])
    const { task } = await asked('Read the page (cancelled).')
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    expect(cancelled.status?.state).toBe(TASK_STATE_CANCELED)
    expect((await client.getTask({ tenant: '', id: task.id })).status?.state).toBe(TASK_STATE_CANCELED)
  })

  test('is approved by data, refused by words, or approved with other arguments', async ({ expect }) => {
    await served.script([visit(), says('Read.')])
    const first = await asked('Read the page (approved).')
    expect(first.task.status?.state).toBe(TASK_STATE_INPUT_REQUIRED)
    expect(first.item).toMatchObject({ type: 'approval', tool: 'web_access' })
    expect(first.words).toContain(`approve ${first.item.pending_id}`)
    const read = await client.getTask({ tenant: '', id: first.task.id })
    expect(textsIn(read.status?.message?.parts ?? [])).toEqual(first.words)
    const yes = dataPart({ pending_id: first.item.pending_id, decision: 'approve' })
    const done = taskOf(await client.sendMessage(sending([yes], { taskId: first.task.id })))
    expect([done.id, done.status?.state, answerOf(done)]).toEqual([first.task.id, TASK_STATE_COMPLETED, 'Read.'])
    await served.script([visit(), says('Then not.')])
    const second = await asked('Read the page (refused).')
    const no = sending(`reject ${second.item.pending_id} too far`, { taskId: second.task.id })
    const told = await followed(client.sendMessageStream(no))
    expect(told.task && answerOf(told.task)).toBe('Then not.')
    expect(lastAsked()).toContain('too far')
    await served.script([visit(), says('The other.')])
    const third = await asked('Read the page (edited).')
    const edited = { url: `${served.site.url}/b` }
    const other = dataPart({ pending_id: third.item.pending_id, decision: 'approve', arguments: edited })
    expect(answerOf(taskOf(await client.sendMessage(sending([other], { contextId: third.task.contextId }))))).toBe(
      'The other.',
    )
    expect(lastAsked()).toContain('/b')
  })

  test('is decided by a key that may, and is nobody else’s', async ({ expect }) => {
    const made = await served.client.keys.create({ name: `runs ${binding}`, scopes: ['run', 'read'] })
    const runner = await a2aClient(served.url, made.key ?? '', binding)
    await served.script([visit()])
    const task = taskOf(await runner.sendMessage(sending('Read the page (no decider).')))
    const [item] = dataIn(task.status?.message?.parts ?? []) as Waiting[]
    const yes = sending(`approve ${item?.pending_id}`, { taskId: task.id })
    const error = await runner.sendMessage(yes).catch((caught: unknown) => caught)
    expect(JSON.stringify(error)).toMatch(/-32000|403/)
    expect(String(error)).toMatch(/decide/)
    await expect(client.getTask({ tenant: '', id: task.id })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    await expect(client.sendMessage(yes)).rejects.toMatchObject({ name: 'TaskNotFoundError' })
  })

  test('is a question that the next message answers', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which city?', options: ['Köln', 'Bonn'] }), says('Bonn it is.')])
    const { task, words } = await asked('Book a room.')
    expect(words).toMatch(/Which city\?[^]*Köln[^]*Bonn/)
    const done = taskOf(await client.sendMessage(sending('Bonn', { taskId: task.id })))
    expect(answerOf(done)).toBe('Bonn it is.')
    expect(done.history.map(({ parts }) => textsIn(parts)).filter((text) => text !== '')).toEqual([
      'Book a room.',
      expect.stringContaining('Which city?'),
      'Bonn',
    ])
    const over = client.sendMessage(sending('And?', { taskId: task.id }))
    await expect(over).rejects.toMatchObject({ name: 'UnsupportedOperationError' })
  })

  test('is a form, or a time, which the data say', async ({ expect }) => {
    const form = { type: 'object', properties: { nights: { type: 'integer' } }, required: ['nights'] }
    await served.script([calls('ask_form', { question: 'How long?', form }), says('Three nights.')])
    const { task, item } = await asked('Book a room by form.')
    expect(item).toMatchObject({ type: 'question', form })
    const answer = dataPart({ pending_id: item.pending_id, decision: 'answer', answer: '{"nights": 3}' })
    expect(answerOf(taskOf(await client.sendMessage(sending([answer], { taskId: task.id }))))).toBe('Three nights.')
    await served.script([calls('wait', { seconds: 3_600, reason: 'The kettle.' })])
    const later = await asked('Wait an hour.')
    expect(later.item).toMatchObject({ wait: { reason: 'The kettle.' } })
  })

  test('is a call of a tool of the caller, whose result leads on', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says('It is in Köln.')])
    const tool = { name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }
    const { task, item } = await asked('Where is order 7?', { metadata: { client_tools: [tool] } })
    expect(item).toMatchObject({ type: 'tool_call', tool: 'find_order', arguments: { number: 7 } })
    const result = dataPart({ pending_id: item.pending_id, result: { place: 'Köln' } })
    expect(answerOf(taskOf(await client.sendMessage(sending([result], { taskId: task.id }))))).toBe('It is in Köln.')
    expect(lastAsked()).toContain('Köln')
  })
})

describe.each(BINDINGS)('parts over %s', (binding) => {
  let client: Client
  beforeAll(async () => {
    client = await a2aClient(served.url, served.key, binding)
  })

  test('bring text, bytes, an address and data along', async ({ expect }) => {
    await served.script([says('Seen.')])
    const parts = [
      textPart('Look at these.'),
      filePart('Wörter aus 文件', 'notes.txt', 'text/plain'),
      urlPart(`${served.site.url}/page.html`, 'page.html', 'text/html'),
      dataPart({ order: 7 }),
    ]
    const task = taskOf(await client.sendMessage(sending(parts)))
    expect(answerOf(task)).toBe('Seen.')
    expect(lastAsked()).toMatch(/Wörter aus 文件/)
    expect(lastAsked()).toContain('100 degrees')
    const [said] = task.history
    expect(said?.parts.map(({ content }) => content?.$case)).toEqual(['text', 'url', 'url', 'data'])
    const url = said?.parts[1]?.content
    const file = await fetch(url?.$case === 'url' ? url.value : '', {
      headers: { authorization: `Bearer ${served.key}` },
    })
    expect(await file.text()).toBe('Wörter aus 文件')
  })

  test('give files that were written, and an answer that has to fit as data', async ({ expect }) => {
    await served.script([calls('write_file', { path: 'out/note.txt', content: '你好' }), says('{"n":1}')])
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const sent = sending('Write a note.', { metadata: { output_schema: schema } })
    let task = taskOf(await client.sendMessage(sent))
    const [item] = dataIn(task.status?.message?.parts ?? []) as Waiting[]
    if (item) {
      const yes = dataPart({ pending_id: item.pending_id, decision: 'approve' })
      task = taskOf(await client.sendMessage(sending([yes], { taskId: task.id })))
    }
    expect(dataIn(task.artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts ?? [])).toEqual([{ n: 1 }])
    const file = task.artifacts.find(({ name }) => name === 'out/note.txt')?.parts[0]
    expect(file?.filename).toBe('note.txt')
    expect(file?.content?.$case === 'raw' && file.content.value.toString()).toBe('你好')
  })

  test('are those that a client takes', async ({ expect }) => {
    const none = client.sendMessage(sending('x', { configuration: { acceptedOutputModes: ['audio/wav'] } }))
    await expect(none).rejects.toMatchObject({ name: 'ContentTypeNotSupportedError' })
    await served.script([says('{"city":"Bonn"}')])
    const json = sending('As JSON', { configuration: { acceptedOutputModes: ['application/json'] } })
    const task = taskOf(await client.sendMessage(json))
    expect(dataIn(task.artifacts[0]?.parts ?? [])).toEqual([{ city: 'Bonn' }])
  })
})
