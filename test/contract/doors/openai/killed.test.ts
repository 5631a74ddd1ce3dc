import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: '<title>Facts</title><p>Water boils at 100 degrees.</p>' })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
})
afterAll(() => served.close())

const ORDER = { name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }
const TEXT = 'Order seven is in Köln, 明天到。'
/** An answer that comes in eight pieces, of which a few are told before it is held. */
const HELD = { content: TEXT, chunks: 8, hold_after: 5 }
/** An answer that comes in other pieces. */
const AGAIN = { content: TEXT, chunks: 3 }

const asked = () => served.model.requests.length
const sessionIn = ({ headers }: Response) => headers.get('x-yaa-session') ?? ''
const runIn = ({ headers }: Response) => headers.get('x-yaa-run') ?? ''
const resultsIn = async (session: string) =>
  (await served.client.sessions.get(session)).messages.filter(({ role }) => role === 'tool')

/** Reads a stream and kills the server as soon as `isTime`; gives what was heard. */
async function killedWithin<T>(stream: AsyncIterable<T>, isTime: (heard: readonly T[]) => boolean): Promise<T[]> {
  const heard: T[] = []
  let killed: Promise<void> | undefined
  try {
    for await (const one of stream) {
      heard.push(one)
      if (!killed && isTime(heard)) killed = served.restart()
    }
  } catch {
    // The line broke.
  }
  if (!killed) throw new Error('the stream ended before the server was killed')
  await killed
  return heard
}

describe('chat completions: a server that is killed', () => {
  type Messages = OpenAI.ChatCompletionMessageParam[]
  const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: ORDER }]
  const ask = (messages: Messages, headers: Record<string, string> = {}) =>
    openai.chat.completions.create({ model: 'yaa', messages, tools }, { headers }).withResponse()
  const stream = (messages: Messages) =>
    openai.chat.completions.create({ model: 'yaa', messages, tools, stream: true }).withResponse()
  const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[]) =>
    chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')

  /** A call that waits, and the history that answers it. */
  async function waiting(words: string) {
    const opening: Messages = [{ role: 'user', content: words }]
    const first = await ask(opening)
    const message = first.data.choices[0]?.message
    const [call] = message?.tool_calls ?? []
    if (!message || !call) throw new Error('a call was expected')
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'Köln' }
    return { first: first.response, messages: [...opening, message, result] satisfies Messages }
  }

  test('while a call of the caller waits goes on with its result', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says(TEXT)])
    const { first, messages } = await waiting('Chat, killed while it waits')
    await served.restart()
    const second = await ask(messages)
    expect(second.data.choices[0]?.message.content).toBe(TEXT)
    expect(sessionIn(second.response)).toBe(sessionIn(first))
    expect(runIn(second.response)).toBe(runIn(first))
  })

  test('right after it took the result of a call keeps it, and the same request has the answer', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), { hang: true }, says(TEXT)])
    const { first, messages } = await waiting('Chat, killed with the result')
    const before = asked()
    const cut = expect(ask(messages)).rejects.toThrow(/./)
    await expect.poll(asked).toBe(before + 1)
    await served.restart()
    await cut
    const again = await ask(messages)
    expect(again.data.choices[0]?.message.content).toBe(TEXT)
    expect([sessionIn(again.response), runIn(again.response)]).toEqual([sessionIn(first), runIn(first)])
    const retried = await ask(messages, { 'x-stainless-retry-count': '1' })
    expect(retried.data.choices).toEqual(again.data.choices)
    expect(await resultsIn(sessionIn(first))).toHaveLength(1)
    expect(asked()).toBe(before + 2)
  })

  test('in the middle of an answer says all of it to the same request, of the same run', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), HELD, AGAIN])
    const { first, messages } = await waiting('Chat, killed in mid-stream')
    const { data } = await stream(messages)
    const heard = await killedWithin(data, (chunks) => textOf(chunks).length > 5)
    expect(TEXT.startsWith(textOf(heard))).toBe(true)
    const again = await stream(messages)
    await served.release()
    expect(textOf(await Array.fromAsync(again.data))).toBe(TEXT)
    expect(runIn(again.response)).toBe(runIn(first))
    expect(await resultsIn(sessionIn(first))).toHaveLength(1)
  })

  test('after its answer answers anew what is asked anew, of a history that ends with results', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says(TEXT), says('Said in other words.')])
    const { messages } = await waiting('Chat, asked anew')
    expect((await ask(messages)).data.choices[0]?.message.content).toBe(TEXT)
    await served.restart()
    expect((await ask(messages)).data.choices[0]?.message.content).toBe('Said in other words.')
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toContain('Köln')
  })
})

describe('Responses: a server that is killed', () => {
  type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
  type StreamEvent = OpenAI.Responses.ResponseStreamEvent
  const tools = [{ type: 'function' as const, strict: null, ...ORDER }]
  const ask = (input: NonNullable<Asked['input']>, more: Partial<Asked> = {}) =>
    openai.responses.create({ model: 'yaa', input, tools, ...more }).withResponse()
  const textOf = (events: readonly StreamEvent[]) =>
    events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
  const idOf = ([first]: readonly StreamEvent[]) => (first?.type === 'response.created' ? first.response.id : '')

  /** A call that waits, and what answers it. */
  async function waiting(words: string) {
    const { data, response } = await ask(words)
    const [call] = data.output.filter((item) => item.type === 'function_call')
    const input = [{ type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'Köln' }]
    return { session: sessionIn(response), input, behind: { previous_response_id: data.id } }
  }

  test('while a call of the caller waits goes on with its result', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says(TEXT)])
    const { session, input, behind } = await waiting('Responses, killed while it waits')
    await served.restart()
    const { data, response } = await ask(input, behind)
    expect(data).toMatchObject({ status: 'completed', output_text: TEXT })
    expect(sessionIn(response)).toBe(session)
  })

  test('right after it took the result of a call keeps it, and the same request has the answer', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), { hang: true }, says(TEXT)])
    const { session, input, behind } = await waiting('Responses, killed with the result')
    const before = asked()
    const cut = expect(ask(input, behind)).rejects.toThrow(/./)
    await expect.poll(asked).toBe(before + 1)
    await served.restart()
    await cut
    const { data, response } = await ask(input, behind)
    expect(data).toMatchObject({ status: 'completed', output_text: TEXT })
    expect(sessionIn(response)).toBe(session)
    expect(await resultsIn(session)).toHaveLength(1)
    expect(asked()).toBe(before + 2)
  })

  test('right after it took a result and words of the user keeps both, and hears neither twice', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), { hang: true }, says(TEXT)])
    const { session, input, behind } = await waiting('Responses, killed with the result and words')
    const both = [...input, { role: 'user' as const, content: 'Call me sir.' }]
    const before = asked()
    const cut = expect(ask(both, behind)).rejects.toThrow(/./)
    await expect.poll(asked).toBe(before + 1)
    await served.restart()
    await cut
    const { data } = await ask(both, behind)
    expect(data).toMatchObject({ status: 'completed', output_text: TEXT })
    expect(await resultsIn(session)).toHaveLength(1)
    const { messages } = await served.client.sessions.get(session)
    expect(messages.filter(({ content }) => content === 'Call me sir.')).toHaveLength(1)
    const items = await openai.responses.inputItems.list(data.id, { order: 'asc' })
    expect(items.data.map(({ type }) => type)).toEqual(['function_call_output', 'message'])
  })

  test('in the middle of an answer is resumed with nothing lost and nothing twice', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), HELD, AGAIN])
    const { session, input, behind } = await waiting('Responses, killed in mid-stream')
    const begun = await openai.responses.create({ model: 'yaa', input, tools, stream: true, ...behind })
    const heard = await killedWithin(begun, (events) => textOf(events).length > 5)
    await served.release()
    const after = { stream: true, starting_after: heard.at(-1)?.sequence_number ?? 0 } as const
    const later = await Array.fromAsync(await openai.responses.retrieve(idOf(heard), after))
    expect(textOf([...heard, ...later])).toBe(TEXT)
    const numbers = [...heard, ...later].map(({ sequence_number: number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
    expect(later.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [{ type: 'message' }] } })
    expect(await resultsIn(session)).toHaveLength(1)
  })

  test('and whose run is stopped then tells its end to whoever has half of that', async ({ expect }) => {
    await served.script([HELD, { content: TEXT, hold_after: 0 }])
    const begun = await openai.responses.create({
      model: 'yaa',
      input: 'Responses, stopped behind a kill',
      stream: true,
    })
    const heard = await killedWithin(begun, (events) => textOf(events).length > 5)
    await expect.poll(asked).toBe(2)
    const behind = (event: StreamEvent | undefined) =>
      ({ stream: true, starting_after: event?.sequence_number ?? 0 }) as const
    const later = Array.fromAsync(await openai.responses.retrieve(idOf(heard), behind(heard.at(-1))))
    await openai.responses.cancel(idOf(heard))
    await served.release()
    const end = await later
    expect(end.map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ])
    const rest = await Array.fromAsync(await openai.responses.retrieve(idOf(heard), behind(end[0])))
    expect(rest.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } })
  })

  test('after its answer gives it to whoever sends the request anew, and takes no result twice', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says(TEXT)])
    const { session, input, behind } = await waiting('Responses, sent anew')
    const first = await ask(input, behind)
    await served.restart()
    const params = { model: 'yaa', input, tools, ...behind }
    const retried = await openai.responses.create(params, { headers: { 'x-stainless-retry-count': '1' } })
    expect(retried).toMatchObject({ id: first.data.id, output_text: TEXT })
    expect((await ask(input, behind)).data.id).toBe(first.data.id)
    expect(await resultsIn(session)).toHaveLength(1)
  })

  test('in the background goes on by itself, and its call waits to be answered', async ({ expect }) => {
    await served.script([{ hang: true }, calls('find_order', { number: 7 }), says(TEXT)])
    const before = asked()
    const begun = await ask('Responses, killed in the background', { background: true })
    await expect.poll(asked).toBe(before + 1)
    await served.restart()
    await expect.poll(asked).toBe(before + 2)
    await expect.poll(async () => (await openai.responses.retrieve(begun.data.id)).status).toBe('completed')
    const { id, output } = await openai.responses.retrieve(begun.data.id)
    const [call] = output.filter((item) => item.type === 'function_call')
    const result = { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Köln' } as const
    await served.restart()
    const { data } = await ask([result], { previous_response_id: id })
    expect(data).toMatchObject({ status: 'completed', output_text: TEXT })
  })
})
