import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { NodeChat } from '../../../support/ai-sdk/chat.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
let visit: ReturnType<typeof calls>
beforeAll(async () => {
  served = await startServed({ html: PAGE })
  visit = calls('web_access', { url: served.site.url })
})
afterAll(() => served.close())

let chats = 0
type Init = ConstructorParameters<typeof NodeChat>[1]
const begin = (init: Init = {}, key = served.key) =>
  new NodeChat({ url: served.url, key }, { id: `chat-${++chats}`, ...init })
const deciding = (init: Init = {}, key = served.key) =>
  begin({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses, ...init }, key)
const asked = () => JSON.stringify(served.model.requests.at(-1)?.body)

/** The approval that a chat waits for. */
async function waits(chat: NodeChat, text = 'Read it'): Promise<string> {
  await chat.sendMessage({ text })
  const [part] = chat.approvals
  if (part?.state !== 'approval-requested') throw new Error(`nothing waits: ${JSON.stringify(chat.messages)}`)
  return part.approval.id
}

const settled = (chat: NodeChat, requests: number) =>
  chat.when(() => chat.answers.length === requests && chat.status !== 'streaming' && chat.status !== 'submitted')

const WEATHER = {
  description: 'The weather of a place.',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}

describe('a call that waits for approval', () => {
  test('goes on when it is approved, in the same message', async ({ expect }) => {
    await served.script([visit, says('It boils at 100.')])
    const chat = deciding()
    const id = await waits(chat)
    expect(id).toMatch(/^pnd_/)
    await chat.addToolApprovalResponse({ id, approved: true })
    await settled(chat, 2)
    expect(chat.texts).toEqual(['Read it', 'It boils at 100.'])
    expect(chat.tools).toMatchObject([
      {
        type: 'dynamic-tool',
        toolName: 'web_access',
        providerExecuted: true,
        state: 'output-available',
        output: expect.stringContaining('Water boils'),
        approval: { id, approved: true },
      },
    ])
    expect(chat.last.parts).toContainEqual(expect.objectContaining({ type: 'source-url', url: served.site.url }))
  })

  test('within a plan goes on with the plan that its message has', async ({ expect }) => {
    const plan = JSON.stringify({ plan: [{ name: 'web-research', description: 'Read the page' }] })
    await served.script([says(plan), visit, says('It boils.'), says('{"plan": []}'), says('All is read.')])
    const chat = deciding({ body: { model: 'yaa/plan' } })
    await chat.addToolApprovalResponse({ id: await waits(chat), approved: true })
    await settled(chat, 2)
    expect(chat.last.parts.filter(({ type }) => type === 'data-plan')).toMatchObject([
      { id: 'plan', data: { status: 'completed', tasks: [{ status: 'completed', result: 'It boils.' }] } },
    ])
  })

  test('is denied with the reason that the model hears', async ({ expect }) => {
    await served.script([visit, says('Then not.')])
    const chat = deciding()
    const id = await waits(chat)
    await chat.addToolApprovalResponse({ id, approved: false, reason: '不要访问' })
    await settled(chat, 2)
    expect(chat.texts.at(-1)).toBe('Then not.')
    expect(chat.tools).toMatchObject([
      { state: 'output-denied', approval: { id, approved: false, reason: '不要访问' } },
    ])
    expect(asked()).toContain('不要访问')
  })

  test('is made with the arguments that the body has for it', async ({ expect }) => {
    await served.script([visit, says('Read.')])
    const chat = deciding()
    const id = await waits(chat)
    const url = `${served.site.url}/?edited=1`
    await chat.addToolApprovalResponse({ id, approved: true, options: { body: { editedInputs: { [id]: { url } } } } })
    await settled(chat, 2)
    expect(chat.tools).toMatchObject([{ state: 'output-available', input: { url }, approval: { id, approved: true } }])
  })

  test('is decided by no key without the scope', async ({ expect }) => {
    await served.script([visit])
    const { key } = await served.client.keys.create({ name: `runs-${chats}`, scopes: ['run', 'read'] })
    const chat = deciding({}, key)
    const id = await waits(chat)
    await chat.addToolApprovalResponse({ id, approved: true })
    await settled(chat, 2)
    expect(chat.status).toBe('error')
    expect(JSON.parse(chat.error?.message ?? '')).toMatchObject({ code: 'forbidden' })
    expect(chat.answers.at(-1)?.status).toBe(403)
    const { pending } = await served.client.sessions.get(chat.answers[0]?.headers.get('x-yaa-session') ?? '')
    expect(pending.map((item) => item.id)).toEqual([id])
  })

  test('is decided once: what another tab says later is refused', async ({ expect }) => {
    await served.script([visit, says('Done.')])
    const chat = deciding()
    const id = await waits(chat)
    const tab = deciding({ id: chat.id, messages: structuredClone(chat.messages) })
    await chat.addToolApprovalResponse({ id, approved: true })
    await settled(chat, 2)
    await tab.addToolApprovalResponse({ id, approved: false })
    await settled(tab, 1)
    expect([tab.status, JSON.parse(tab.error?.message ?? '{}').code]).toEqual(['error', 'stale_decision'])
    expect(chat.texts.at(-1)).toBe('Done.')
  })
})

describe('a tool of the client', () => {
  const acts = (chat: () => NodeChat): Init => ({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    body: { tools: { weather: WEATHER } },
    onToolCall: ({ toolCall }) => {
      const { place } = toolCall.input as { place: string }
      void chat().addToolOutput({ tool: 'weather', toolCallId: toolCall.toolCallId, output: { in: place, sky: '晴' } })
    },
  })

  test('is called by its client, once each, and its results lead on', async ({ expect }) => {
    const both = {
      tool_calls: [
        { name: 'weather', arguments: { place: '北京' } },
        { name: 'weather', arguments: { place: 'Köln' } },
      ],
    }
    await served.script([both, says('Both are fine.')])
    const chat: NodeChat = begin(acts(() => chat))
    await chat.sendMessage({ text: 'Which weather?' })
    await settled(chat, 2)
    expect(chat.texts).toEqual(['Which weather?', 'Both are fine.'])
    expect(chat.tools).toMatchObject([
      { type: 'tool-weather', state: 'output-available', output: { in: '北京', sky: '晴' } },
      { type: 'tool-weather', state: 'output-available', output: { in: 'Köln', sky: '晴' } },
    ])
    expect(asked()).toMatch(/北京[^]*Köln/)
    expect(served.model.requests).toHaveLength(2)
  })

  test('that fails says so to the model', async ({ expect }) => {
    await served.script([calls('weather', { place: 'Rom' }), says('No weather.')])
    const chat = begin({ body: { tools: { weather: WEATHER } } })
    await chat.sendMessage({ text: 'Weather?' })
    const [call] = chat.tools
    await chat.addToolOutput({
      tool: 'weather',
      toolCallId: call?.toolCallId ?? '',
      state: 'output-error',
      errorText: 'the station is closed',
    })
    await chat.sendMessage()
    expect(chat.texts.at(-1)).toBe('No weather.')
    expect(asked()).toContain('the station is closed')
  })

  test('whose result comes again is answered once', async ({ expect }) => {
    await served.script([calls('weather', { place: 'Rom' }), says('Fine.')])
    const chat: NodeChat = begin(acts(() => chat))
    await chat.sendMessage({ text: 'Weather?' })
    await settled(chat, 2)
    const body = { id: chat.id, messages: chat.messages.slice(0, 2), trigger: 'submit-message' }
    const again = await fetch(`${served.url}/v1/ai-sdk/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'stale_decision' }])
  })
})

describe('a question', () => {
  test('is told as words, and answered by the next message', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which one?', options: ['A', 'B'] }), says('A it is.')])
    const chat = begin()
    await chat.sendMessage({ text: 'Choose' })
    expect(chat.texts.at(-1)).toBe('Which one?\n- A\n- B')
    await chat.sendMessage({ text: 'A' })
    expect(chat.texts).toEqual(['Choose', 'Which one?\n- A\n- B', 'A', 'A it is.'])
  })
})
