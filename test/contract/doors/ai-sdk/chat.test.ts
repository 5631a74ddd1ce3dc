import { afterAll, beforeAll, describe, test } from 'vitest'
import { NodeChat } from '../../../support/ai-sdk/chat.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: PAGE })
})
afterAll(() => served.close())

let chats = 0
const begin = (init: ConstructorParameters<typeof NodeChat>[1] = {}) =>
  new NodeChat(served, { id: `chat-${++chats}`, ...init })
const asked = () => JSON.stringify(served.model.requests.at(-1)?.body)

describe('a chat', () => {
  test('streams words as they are written, and goes on in one session', async ({ expect }) => {
    await served.script([{ content: '水在一百度沸腾。', chunks: 4, hold_after: 2 }, says('At 100.')])
    const chat = begin()
    const sent = chat.sendMessage({ text: '水什么时候沸腾？' })
    await chat.when(() => chat.texts.at(-1)?.startsWith('水在') ?? false)
    expect(chat.status).toBe('streaming')
    await served.release()
    await sent
    expect([chat.status, chat.texts]).toEqual(['ready', ['水什么时候沸腾？', '水在一百度沸腾。']])
    const [answer] = chat.answers
    expect(answer?.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(answer?.headers.get('x-yaa-run')).toMatch(/^run_/)
    await chat.sendMessage({ text: 'And in Fahrenheit?' })
    expect(chat.texts.at(-1)).toBe('At 100.')
    expect(chat.answers.map(({ headers }) => headers.get('x-yaa-session'))).toEqual([chat.session, chat.session])
    expect(asked().match(/水在一百度沸腾。/g)).toHaveLength(1)
  })

  test('is told apart from another that goes on at once', async ({ expect }) => {
    const colours = ['红', '蓝']
    await served.script(colours.map((word) => ({ when: { last_contains: word }, content: `${word}色` })))
    const chats = colours.map((word) => begin({ id: `两个/${word}` }))
    await Promise.all(chats.map((chat, index) => chat.sendMessage({ text: colours[index] ?? '' })))
    expect(chats.map(({ texts }) => texts)).toEqual(colours.map((word) => [word, `${word}色`]))
    expect(chats[0]?.session).not.toBe(chats[1]?.session)
  })

  test('has the session, the run and the usage as data and as metadata', async ({ expect }) => {
    await served.script([says('Done.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Do it' })
    const ids = { session_id: chat.session, run_id: expect.stringMatching(/^run_/) }
    const usage = expect.objectContaining({ prompt_tokens: expect.any(Number), model_calls: 1 })
    expect(chat.last.metadata).toMatchObject({ ...ids, model: 'yaa', status: 'completed', usage })
    expect(chat.last.parts).toEqual([
      { type: 'data-session', id: 'session', data: { ...ids, status: 'completed', finish_reason: 'completed' } },
      { type: 'step-start' },
      { type: 'text', text: 'Done.', state: 'done' },
      { type: 'data-usage', id: 'usage', data: usage },
    ])
  })

  test('shows thoughts apart from words, and an answer that is given to finish', async ({ expect }) => {
    await served.script([{ reasoning: 'Let me see.', ...calls('finish', { reason: 'It boils.' }) }])
    const chat = begin()
    await chat.sendMessage({ text: 'Think' })
    expect(chat.last.parts.filter(({ type }) => type === 'reasoning' || type === 'text')).toEqual([
      { type: 'reasoning', id: 'reasoning-1', text: 'Let me see.', state: 'done' },
      { type: 'text', text: 'It boils.', state: 'done' },
    ])
  })

  test('knows an id of another user or key as another chat', async ({ expect }) => {
    await served.script([says('One.'), says('Two.')])
    const one = begin()
    const other = new NodeChat(served, { id: one.id, body: { user: 'ann' } })
    await one.sendMessage({ text: 'First' })
    await other.sendMessage({ text: 'First' })
    expect(other.texts).toEqual(['First', 'Two.'])
    expect(other.session).not.toBe(one.session)
  })

  test('that is not known holds the history that its client sends, as given', async ({ expect }) => {
    await served.script([says('As I said: at 100.')])
    const said = (id: string, role: 'user' | 'assistant', text: string) => ({
      id,
      role,
      parts: [{ type: 'text' as const, text }],
    })
    const chat = begin({ messages: [said('u1', 'user', 'When does water boil?'), said('a1', 'assistant', 'At 100.')] })
    await chat.sendMessage({ text: 'Again?' })
    expect(asked()).toMatch(/When does water boil\?[^]*At 100\.[^]*Again\?/)
    const { messages } = await served.client.sessions.get(chat.session)
    expect(messages.map(({ given = false }) => given)).toEqual([true, true, false, false, false])
  })

  test('asks whom the body names, and says which names there are', async ({ expect }) => {
    await served.script([says('By name.')])
    const chat = begin({ body: { model: 'm' } })
    await chat.sendMessage({ text: 'Hello' })
    expect(chat.last.metadata).toMatchObject({ model: 'm' })
    const other = begin({ body: { model: 'nobody' } })
    await other.sendMessage({ text: 'Hello' })
    expect(other.status).toBe('error')
    expect(JSON.parse(other.error?.message ?? '')).toMatchObject({
      code: 'not_found',
      error: expect.stringContaining('yaa/plan'),
    })
  })
})

describe('a message while a run goes on', () => {
  test('is heard by the next model call, and answered in a message of its own', async ({ expect }) => {
    const looks = { content: 'I look.', ...calls('list_files', {}), chunks: 2, hold_after: 2 }
    await served.script([looks, says('In short: 100.')])
    const chat = begin()
    const first = chat.sendMessage({ text: 'Read it' })
    await chat.when(() => chat.texts.length === 2 && chat.texts[1] !== '')
    const second = chat.sendMessage({ text: 'Be short' })
    await served.release()
    await Promise.all([first, second])
    expect(chat.texts).toEqual(['Read it', 'I look.', 'Be short', 'In short: 100.'])
    expect(chat.messages.map(({ parts }) => parts.filter(({ type }) => type === 'dynamic-tool').length)).toEqual([
      0, 1, 0, 0,
    ])
    expect(asked()).toContain('Be short')
  })
})
