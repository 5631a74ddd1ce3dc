import type { UIMessage as AnyUIMessage } from 'ai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { NodeChat } from '../../../support/ai-sdk/chat.ts'
import { NOTHING_LEFT, plan } from '../../../support/planned.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { smallPng } from '../../../support/small-image.ts'

type UIMessage = AnyUIMessage<Record<string, unknown>>

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: '<p>Water boils at 100 °C.</p>',
    config: { tools: { write_file: { auto_approve: true } } },
  })
})
afterAll(() => served.close())

let chats = 0
type Init = ConstructorParameters<typeof NodeChat>[1]
const begin = (init: Init = {}) => new NodeChat(served, { id: `held ${++chats}/中`, ...init })
const loaded = async (id: string, { key = served.key, query = '' } = {}) => {
  const answer = await fetch(`${served.url}/v1/ai-sdk/chat/${encodeURIComponent(id)}${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: answer.status, body: await answer.json<{ id: string; messages: UIMessage[]; code?: string }>() }
}
/** What is told anew with each rest stands where it was told last. */
const said = (messages: readonly UIMessage[]) =>
  structuredClone(messages).map(({ id, role, parts }) => ({
    id,
    role,
    parts: parts.filter(({ type }) => type !== 'data-usage' && type !== 'data-session'),
  }))
const HELD = { content: 'One two three.', chunks: ['One ', 'two ', 'three.'], hold_after: 2 }

describe('a page that loads a chat', () => {
  test('has what its client was told: thoughts, words, calls, decisions, pages and files', async ({ expect }) => {
    const { url } = served.site
    await served.script([
      calls('write_file', { path: '笔记/水.md', content: '# 水' }),
      { content: 'Let me look.', reasoning: 'A page.', tool_calls: [{ name: 'web_access', arguments: { url } }] },
      says('Read.'),
      calls('web_access', { url: `${url}/again` }),
      says('Then not.'),
    ])
    const chat = begin()
    await chat.sendMessage({ text: '读一读' })
    await chat.addToolApprovalResponse({ id: chat.approvals[0]?.approval?.id ?? '', approved: true })
    await chat.sendMessage()
    await chat.sendMessage({ text: 'And again' })
    await chat.addToolApprovalResponse({ id: chat.approvals[0]?.approval?.id ?? '', approved: false, reason: 'no' })
    await chat.sendMessage()
    expect(chat.texts.at(-1)).toBe('Then not.')
    const { status, body } = await loaded(chat.id)
    expect([status, body.id]).toEqual([200, chat.id])
    expect(said(body.messages)).toEqual(said(chat.messages))
    expect(body.messages.at(-1)?.metadata).toMatchObject({ session_id: chat.session, status: 'completed' })
  })

  test('has tools of the page, a plan, and what the user brought along', async ({ expect }) => {
    await served.script([calls('read_kettle', { kettle: 'blue' }), says('It boils.')])
    const tools = { read_kettle: { description: 'Reads.', inputSchema: { type: 'object', properties: {} } } }
    const chat = begin({ body: { tools } })
    await chat.sendMessage({ text: 'Look' })
    const [call] = chat.tools
    await chat.addToolOutput({ tool: 'read_kettle', toolCallId: call?.toolCallId ?? '', output: { degrees: 100 } })
    await chat.sendMessage()
    expect(said((await loaded(chat.id)).body.messages)).toEqual(said(chat.messages))
    await served.script([says(plan('Say A')), says('A'), says(NOTHING_LEFT), says('All of it: A.')])
    const planned = begin({ body: { model: 'yaa/plan' } })
    const picture = `data:image/png;base64,${Buffer.from(smallPng()).toString('base64')}`
    await planned.sendMessage({
      text: 'Say A.',
      files: [{ type: 'file', mediaType: 'image/png', url: picture, filename: 'a.png' }],
    })
    const [asked, answered] = (await loaded(planned.id)).body.messages
    expect(said(answered ? [answered] : [])).toEqual(said([planned.last]))
    const file = asked?.parts.find((part) => part.type === 'file')
    expect(asked?.parts.find((part) => part.type === 'text')).toMatchObject({ text: 'Say A.' })
    expect(file).toMatchObject({ mediaType: 'image/png' })
    const bytes = await fetch(file?.url ?? '', { headers: { authorization: `Bearer ${served.key}` } })
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(Buffer.from(smallPng()))
  })

  test('goes on where the newest answer is, after a fork and a crash', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Tell me' })
    await chat.regenerate()
    await served.restart()
    const { messages } = (await loaded(chat.id)).body
    expect(said(messages)).toEqual(said(chat.messages))
    const page = begin({ id: chat.id, messages })
    await page.sendMessage({ text: 'More' })
    expect([page.texts, page.session]).toEqual([['Tell me', 'Two.', 'More', 'Three.'], chat.session])
  })

  test('is told the run that goes on by its stream, with each message once', async ({ expect }) => {
    await served.script([says('Zero.'), HELD, says('And milk too.')])
    const chat = begin()
    await chat.sendMessage({ text: 'First' })
    const sent = chat.sendMessage({ text: 'Count' })
    await chat.when(({ texts }) => texts.at(-1)?.startsWith('One') === true)
    const { messages } = (await loaded(chat.id)).body
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const page = begin({ id: chat.id, messages })
    const resumed = page.resumeStream()
    await page.when(({ texts }) => texts.at(-1)?.startsWith('One') === true)
    await served.release()
    await Promise.all([sent, resumed])
    expect(said(page.messages)).toEqual(said(chat.messages))
    expect(said((await loaded(chat.id)).body.messages)).toEqual(said(chat.messages))
  })

  test('has a history that its client gave, and none of a chat that nobody began', async ({ expect }) => {
    await served.script([says('Twelve.')])
    const text = (id: string, role: 'user' | 'assistant', words: string): UIMessage => ({
      id,
      role,
      parts: [{ type: 'text', text: words }],
    })
    const called = { toolCallId: 'c-1', state: 'output-available' as const, input: { a: 6 }, output: { 和: 12 } }
    const parts: UIMessage['parts'] = [
      { type: 'text', text: 'Let me add.', state: 'done' },
      { type: 'tool-add', ...called },
      { type: 'dynamic-tool', toolName: 'sum', ...called, toolCallId: 'c-2', output: 'twelve' },
      { type: 'tool-add', toolCallId: 'c-3', state: 'output-error', input: {}, errorText: 'nothing to add' },
      { type: 'text', text: 'Ask again.', state: 'done' },
      { type: 'tool-add', ...called, toolCallId: 'c-4' },
    ]
    const agents: UIMessage = { id: 'a-1', role: 'assistant', parts }
    const chat = begin({ messages: [text('u-1', 'user', 'Six and six?'), agents] })
    await chat.sendMessage({ text: 'Once more' })
    const { messages } = (await loaded(chat.id)).body
    expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
    expect(messages[1]).toEqual(agents)
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toMatch(
      /Let me add[^]*和[^]*nothing to add[^]*Ask again/,
    )
    expect((await loaded('nobody')).body).toEqual({ id: 'nobody', messages: [] })
    expect((await loaded(chat.id, { query: '?user=ann' })).body.messages).toEqual([])
    const { key = '' } = await served.client.keys.create({ name: 'runs-only', scopes: ['run'] })
    expect(await loaded(chat.id, { key })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })
})
