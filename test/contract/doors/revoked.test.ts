import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { a2aClient, BINDINGS, sending } from '../../support/a2a.ts'
import { NodeChat } from '../../support/ai-sdk/chat.ts'
import { ERAS, mcpClient, posted } from '../../support/mcp-clients.ts'
import { calls } from '../../support/scripted-model.ts'
import { startServed, type Served } from '../../support/served.ts'
import { agentOf, type Event, last, say } from './ag-ui/support.ts'

/** A model that speaks for longer than any key holds here. */
const SLOW = { content: 'word '.repeat(600), chunks: 600, chunk_delay_ms: 100 }
/** The same by turns, of which clients of MCP are told. */
const TURNS = Array.from({ length: 200 }, (_, turn) => ({
  ...calls('write_file', { path: `notes-${turn}.txt`, content: `Turn ${turn}.` }),
  delay_ms: 300,
}))
const RUN_TASK = { name: 'run_task', arguments: { task: 'Go on and on.' } }

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '', config: { tools: { write_file: { auto_approve: true } } } })
})
afterAll(() => served.close())

interface Held {
  key: string
  /** Ends what the key may, once. */
  end: () => Promise<unknown>
}

/** A key that is there until its stream has begun. */
async function heldKey(name: string): Promise<Held> {
  const { id, key = '' } = await served.client.keys.create({ name, scopes: ['run', 'read'] })
  let ended: Promise<unknown> | undefined
  return { key, end: () => (ended ??= served.client.keys.delete(id)) }
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error: unknown) => error,
  )

async function readOn(stream: AsyncIterable<unknown>, end: Held['end']): Promise<void> {
  for await (const _ of stream) await end()
}

/** The id of the first event of a stream, which is then left. */
async function firstId({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const [, id] = /^id: (.+)\n/m.exec(text) ?? []
    if (id !== undefined) return id
  }
  throw new Error(`no id in ${text}`)
}

/** What the run was stopped by is nothing: it goes on, and the admin stops it. */
async function goesOn(): Promise<void> {
  const [session] = (await served.client.sessions.list({ limit: 1 })).data
  expect(session?.status).toBe('in_progress')
  await served.client.sessions.cancel(session?.id ?? '')
}

describe('a key that is revoked while its stream is open ends it with an error', () => {
  test('of OpenAI', async () => {
    await served.script([SLOW])
    const held = await heldKey('chat')
    const openai = new OpenAI({ apiKey: held.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'Speak.' }]
    const chat = await openai.chat.completions.create({ model: 'yaa', messages, stream: true })
    expect(await caught(readOn(chat, held.end))).toMatchObject({ code: 'unauthorized', type: 'authentication_error' })
    await goesOn()
    await served.script([SLOW])
    const again = await heldKey('responses')
    const other = new OpenAI({ apiKey: again.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
    const response = await other.responses.create({ model: 'yaa', input: 'Speak.', stream: true })
    expect(await caught(readOn(response, again.end))).toMatchObject({ code: 'unauthorized' })
    await goesOn()
  })

  test('of the AI SDK', async () => {
    await served.script([SLOW])
    const held = await heldKey('ai-sdk')
    const chat = new NodeChat({ url: served.url, key: held.key }, { id: 'revoked' })
    const sent = chat.sendMessage({ text: 'Speak.' })
    await chat.when(() => (chat.texts[1] ?? '') !== '')
    await held.end()
    await sent
    expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringContaining('key')])
    await goesOn()
  })

  test('of AG-UI', async () => {
    await served.script([SLOW])
    const held = await heldKey('ag-ui')
    const agent = agentOf(served, { key: held.key })
    const events: Event[] = []
    agent.subscribe({
      onEvent: ({ event }) => void events.push(event),
      onTextMessageContentEvent: async () => void (await held.end()),
    })
    await caught(say(agent, 'Speak.'))
    expect(last(events, 'RUN_ERROR')).toMatchObject({ code: 'unauthorized' })
    await goesOn()
  })

  test.each(BINDINGS)('of A2A over %s', async (binding) => {
    await served.script([SLOW])
    const held = await heldKey(`a2a ${binding}`)
    const client = await a2aClient(served.url, held.key, binding)
    const error = await caught(readOn(client.sendMessageStream(sending('Speak.')), held.end))
    expect(error).toMatchObject({ message: expect.stringContaining('Send a valid key') })
    await goesOn()
  })

  test.each(ERAS)('of MCP in the %s era', async (era) => {
    await served.script(TURNS)
    const held = await heldKey(`mcp ${era}`)
    const client = await mcpClient(served, era, { key: held.key })
    const error = await caught(client.callTool(RUN_TASK, { onprogress: () => void held.end() }))
    expect(error).toMatchObject({ code: -32_000, data: { code: 'unauthorized', status: 401 } })
    await goesOn()
    await client.close()
  })

  test('of MCP, which was taken up again', async () => {
    await served.script(TURNS)
    const held = await heldKey('mcp again')
    const asks = { ...served, key: held.key }
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const begun = await posted(asks, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const session = {
      'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    const call = { ...RUN_TASK, _meta: { progressToken: 'p' } }
    const left = await posted(asks, { jsonrpc: '2.0', id: 'call', method: 'tools/call', params: call }, session)
    const last = await firstId(left)
    const headers = { authorization: `Bearer ${held.key}`, ...session, 'last-event-id': last }
    const again = await fetch(`${served.url}/mcp`, { headers })
    expect(again.status).toBe(200)
    await held.end()
    const data = (await again.text()).trimEnd().split('data: ').at(-1) ?? ''
    expect(JSON.parse(data)).toMatchObject({ id: 'call', error: { code: -32_000, data: { code: 'unauthorized' } } })
    await goesOn()
  })
})

describe('a key that expires while its stream is open', () => {
  test('ends it with an error too, which has our code', async () => {
    await served.script([SLOW])
    const { id, key = '' } = await served.client.keys.create({ name: 'short', scopes: ['run', 'read'] })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' }
    const message = { messageId: 'expires', role: 'ROLE_USER', parts: [{ text: 'Speak.' }] }
    const body = JSON.stringify({ message })
    const answer = await fetch(`${served.url}/a2a/v1/message:stream`, { method: 'POST', headers, body })
    await served.client.keys.update(id, { expires_time: new Date(Date.now() + 5_000).toISOString() })
    const frames = (await answer.text()).trimEnd().split('\n\n')
    const [name, data = ''] = (frames.at(-1) ?? '').split('\ndata: ')
    expect(name).toBe('event: error')
    expect(JSON.parse(data)).toEqual({
      error: {
        code: 401,
        status: 'UNAUTHENTICATED',
        message: 'Send a valid key as Authorization: Bearer KEY.',
        details: [
          expect.objectContaining({
            reason: 'UNAUTHORIZED',
            metadata: expect.objectContaining({ code: 'unauthorized' }),
          }),
        ],
      },
    })
    await goesOn()
  })
})
