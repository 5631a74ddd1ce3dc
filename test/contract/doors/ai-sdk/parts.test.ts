import { afterAll, beforeAll, describe, test } from 'vitest'
import { NodeChat } from '../../../support/ai-sdk/chat.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const PRICE = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'USD' }
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let served: Served
beforeAll(async () => {
  const config = { tools: { web_access: { auto_approve: true }, write_file: { auto_approve: true } } }
  served = await startServed({ html: '<p>Water boils at 100 °C.</p>', price: PRICE, config })
})
afterAll(() => served.close())

let chats = 0
type Init = ConstructorParameters<typeof NodeChat>[1]
const begin = (init: Init = {}, key = served.key) =>
  new NodeChat({ url: served.url, key }, { id: `parts-${++chats}`, ...init })

const typesOf = ({ last }: NodeChat) => last.parts.map(({ type }) => type).filter((type) => !type.startsWith('data-'))
const dataOf = ({ last }: NodeChat, type: string) =>
  last.parts.flatMap((part) => (part.type === type && 'data' in part ? [part.data] : []))

describe('what a message brings along', () => {
  test('may be pictures, files and data', async ({ expect }) => {
    await served.script([says('Seen.')])
    const chat = begin()
    await chat.sendMessage({
      parts: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', mediaType: 'image/png', url: PIXEL, filename: 'dot.png' },
        { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,S8O2bG4=', filename: 'note.txt' },
        { type: 'data-form', data: { month: 5 } },
      ],
    })
    expect([chat.status, chat.texts.at(-1)]).toEqual(['ready', 'Seen.'])
    const { messages } = await served.client.sessions.get(chat.session)
    expect(messages[0]?.content).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'image', media_type: 'image/png', name: 'dot.png' },
      { type: 'file', name: 'note.txt' },
      { type: 'data', data: { form: { month: 5 } } },
    ])
    expect(typesOf(chat)).not.toContain('file')
  })

  test('that cannot be taken is an error with its place, and leaves nothing', async ({ expect }) => {
    const chat = begin()
    const placed = { code: 'invalid_input', path: 'messages.0.parts.1.url' }
    const sent = async (url: string) => {
      chat.messages = []
      await chat.sendMessage({ parts: [{ type: 'step-start' }, { type: 'file', mediaType: 'image/png', url }] })
      return JSON.parse(chat.error?.message ?? '{}') as object
    }
    expect(await sent('blob:nothing')).toMatchObject(placed)
    expect(await sent('data:image/png;base64,AAAA')).toMatchObject(placed)
    expect(await (await fetch(`${served.url}/v1/ai-sdk/chat/${chat.id}/stop`, stopOf())).json()).toMatchObject({
      code: 'not_found',
    })
  })
})

const stopOf = () => ({ method: 'POST', headers: { authorization: `Bearer ${served.key}` } })

describe('what a run does beside its answer', () => {
  test('are pages and files as parts', async ({ expect }) => {
    await served.script([
      { content: '我先记下来。', ...calls('write_file', { path: 'notes/水 1.md', content: '# Water' }) },
      calls('web_access', { url: served.site.url }),
      says('一百度。'),
    ])
    const chat = begin()
    await chat.sendMessage({ text: '水在几度沸腾？' })
    expect(chat.texts.at(-1)).toBe('我先记下来。|一百度。')
    expect(typesOf(chat)).toEqual([
      'step-start',
      'text',
      'dynamic-tool',
      'file',
      'step-start',
      'dynamic-tool',
      'source-url',
      'step-start',
      'text',
    ])
    const file = chat.last.parts.find((part) => part.type === 'file')
    expect(file).toMatchObject({ mediaType: 'text/markdown' })
    const read = await fetch(file?.url ?? '', { headers: { authorization: `Bearer ${served.key}` } })
    expect(await read.text()).toBe('# Water')
  })

  test('is a plan as data, task by task', async ({ expect }) => {
    await served.script([
      says(JSON.stringify({ plan: [{ name: 'llm_tool', description: 'Say a number' }] })),
      says('Seven.'),
      says('{"plan": []}'),
      says('It is seven.'),
    ])
    const chat = begin({ body: { model: 'yaa/plan' } })
    await chat.sendMessage({ text: 'Plan something' })
    expect(dataOf(chat, 'data-plan')).toMatchObject([
      { status: 'completed', tasks: [{ description: 'Say a number', status: 'completed' }] },
    ])
    expect(chat.texts.at(-1)).toContain('seven')
  })

  test('is a team as data, round by round', async ({ expect }) => {
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    const chat = begin({ body: { model: 'yaa/team/software' } })
    await chat.sendMessage({ text: 'Build it' })
    expect(chat.texts.at(-1)).toContain('The code.')
    const rounds = dataOf(chat, 'data-team') as { messages: { content: string }[] }[]
    expect(rounds.flatMap(({ messages }) => messages.map(({ content }) => content)).join('|')).toContain('The design.')
  })

  test('is words beside an answer that was cut, each told once', async ({ expect }) => {
    await served.script([
      {
        content: 'Here it is.',
        tool_calls: [{ name: 'finish', arguments: '{"reason":"Paris is the cap' }],
        finish_reason: 'length',
      },
    ])
    const chat = begin()
    await chat.sendMessage({ text: 'Cut my finish' })
    const texts = chat.last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    expect(texts).toEqual(['Here it is.', 'Paris is the cap'])
  })

  test('is a reply whose thoughts end and never began', async ({ expect }) => {
    await served.script([{ content: 'The capital?</think>\n\nParis.', chunks: 6 }])
    const chat = begin()
    await chat.sendMessage({ text: 'Think first' })
    const texts = chat.last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    expect(texts).toEqual(['The capital?', 'Paris.'])
    expect((await served.client.sessions.get(chat.session)).result).toBe('Paris.')
  })

  test('is a reply that breaks off and is made again, told once', async ({ expect }) => {
    await served.script([
      { content: 'One two three four five six.', chunks: 6, stream_cut_after: 4 },
      says('Uno dos tres.'),
    ])
    const patient = { llm: { retry: { times: 2, delay_ms: 1 } } }
    const { id } = await served.client.sessions.create({ title: 'Retried', config: patient })
    const body = {
      metadata: { session_id: id },
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Count' }] }],
    }
    const answer = await fetch(`${served.url}/v1/ai-sdk/chat`, {
      ...stopOf(),
      headers: { ...stopOf().headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const chunks = await answer.text()
    expect(answer.headers.get('x-yaa-session')).toBe(id)
    expect(chunks).toMatch(/"delta":"One[^]*"type":"reset-step"[^]*"delta":"Uno/)
    expect(chunks.split('"type":"reset-step"')[1]).not.toMatch(/One|two|three/)
  })
})

describe('a budget that ends', () => {
  test('is an error of the stream with its code, and loses nothing', async ({ expect }) => {
    const limits = { day: { max_cost: { amount: 0.000_001, currency: 'USD' } } }
    const { key } = await served.client.keys.create({ name: 'poor', scopes: ['run'], limits })
    await served.script([{ content: 'Too dear.', repeat: true }])
    const chat = begin({}, key)
    await chat.sendMessage({ text: 'Poor' })
    expect(chat.status).toBe('error')
    expect(chat.last.metadata).toMatchObject({ status: 'failed', error: 'budget_exhausted' })
    const { messages } = await served.client.sessions.get(chat.session)
    expect(messages[0]).toMatchObject({ role: 'user', content: 'Poor', client_id: chat.messages[0]?.id })
  })
})
