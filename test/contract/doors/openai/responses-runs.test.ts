import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { LIMITS } from '../../../../src/domain/limits.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const PRICE = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE, price: PRICE })
  openai = clientOf(served.key)
})
afterAll(() => served.close())

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${served.url}/v1`, maxRetries: 0 })

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
type StreamEvent = OpenAI.Responses.ResponseStreamEvent
const ask = (input: string, more: Partial<Asked> = {}) => openai.responses.create({ model: 'yaa', input, ...more })
const begin = (input: string) => openai.responses.create({ model: 'yaa', input, stream: true })
const TEXT = 'Water boils at one hundred degrees, 在海平面。'
const ANSWER = { type: 'message', status: 'completed', content: [{ type: 'output_text', text: TEXT }] }
const HELD = { content: TEXT, chunks: 8, hold_after: 5 }

const textOf = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')

/** Events up to the first that fits; then the client goes away. */
async function until(stream: AsyncIterable<StreamEvent>, isLast: (event: StreamEvent) => boolean) {
  const events: StreamEvent[] = []
  for await (const event of stream) {
    events.push(event)
    if (isLast(event)) break
  }
  return events
}

const all = async (id: string, after?: number) => {
  const query = { stream: true as const, ...(after === undefined ? {} : { starting_after: after }) }
  return until(await openai.responses.retrieve(id, query), () => false)
}

const idOf = (events: readonly StreamEvent[]) => {
  const [first] = events
  if (first?.type !== 'response.created') throw new Error('the first event is response.created')
  return first.response.id
}

/** Asks for a response again and again until it rests. */
async function rested(id: string) {
  for (;;) {
    const found = await openai.responses.retrieve(id)
    if (found.status !== 'in_progress' && found.status !== 'queued') return found
  }
}

describe('a response in the background', () => {
  test('is answered at once, and asked for until it is done', async ({ expect }) => {
    await served.script([HELD])
    const begun = await ask('In the background', { background: true })
    expect(begun).toMatchObject({ status: 'in_progress', background: true, output: [] })
    expect((await openai.responses.retrieve(begun.id)).status).toBe('in_progress')
    await served.release()
    expect(await rested(begun.id)).toMatchObject({ id: begun.id, status: 'completed', output_text: TEXT })
    expect(await openai.responses.stream({ response_id: begun.id }).finalResponse()).toMatchObject({
      output_text: TEXT,
    })
  })

  test('is cancelled by that alone', async ({ expect }) => {
    await served.script([HELD])
    const begun = await ask('To be cancelled', { background: true })
    const cancelled = await openai.responses.cancel(begun.id)
    expect(cancelled).toMatchObject({ id: begun.id, status: 'cancelled' })
    expect((await openai.responses.cancel(begun.id)).status).toBe('cancelled')
    await served.release()
  })
})

describe('a response that waits', () => {
  test('is cancelled, and with it what it asked for', async ({ expect }) => {
    await served.script([calls('web_access', { url: `${served.site.url}/a` })])
    const { data: waiting, response } = await openai.responses
      .create({ model: 'yaa', input: 'Read the page (cancelled).' })
      .withResponse()
    expect(waiting.status).toBe('completed')
    expect(await openai.responses.cancel(waiting.id)).toMatchObject({ id: waiting.id, status: 'cancelled' })
    expect((await openai.responses.retrieve(waiting.id)).status).toBe('cancelled')
    const session = await served.client.sessions.get(response.headers.get('x-yaa-session') ?? '')
    expect(session).toMatchObject({ status: 'cancelled', pending: [] })
    expect(await openai.responses.cancel(waiting.id)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a stream that breaks off', () => {
  test('is resumed with nothing lost and nothing twice, while the model writes and afterwards', async ({ expect }) => {
    await served.script([HELD])
    const isThird = ({ type, ...event }: StreamEvent) =>
      type === 'response.output_text.delta' && 'delta' in event && event.sequence_number > 0
    const heard = await until(await begin('Broken off'), isThird)
    const id = idOf(heard)
    const resumed = openai.responses.retrieve(id, { stream: true, starting_after: heard.at(-1)?.sequence_number ?? 0 })
    const rest = until(await resumed, () => false)
    await served.release()
    const later = await rest
    expect(textOf([...heard, ...later])).toBe(TEXT)
    expect(later.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [ANSWER] } })
    const whole = await all(id)
    expect([...heard, ...later]).toEqual(whole)
    for (const { sequence_number: after } of whole)
      expect(await all(id, after)).toEqual(whole.filter(({ sequence_number: number }) => number > after))
  })

  test('is resumed behind a crash in the midst of a text', async ({ expect }) => {
    await served.script([HELD, { content: TEXT, chunks: 3 }])
    const heard: StreamEvent[] = []
    const stream = await begin('Killed')
    await (async () => {
      for await (const event of stream) {
        heard.push(event)
        if (textOf(heard).length > 5 && heard.length < 8) await served.restart()
      }
    })().catch(() => {})
    await served.release()
    const id = idOf(heard)
    const later = await all(id, heard.at(-1)?.sequence_number)
    expect(textOf([...heard, ...later])).toBe(TEXT)
    expect(later.at(-1)).toMatchObject({ type: 'response.completed', response: { id, output: [ANSWER] } })
    expect(await openai.responses.stream({ response_id: id }).finalResponse()).toMatchObject({ output_text: TEXT })
  })

  test('stops no run, and the same request joins it', async ({ expect }) => {
    await served.script([HELD])
    const heard = await until(await begin('Gone away'), ({ type }) => type === 'response.output_text.delta')
    const again = await begin('Gone away')
    await served.release()
    const joined = await until(again, () => false)
    expect(idOf(joined)).toBe(idOf(heard))
    expect(textOf(joined)).toBe(TEXT)
    expect(served.model.requests).toHaveLength(1)
  })
})

describe('a response that is deleted', () => {
  test('is not there any more, and its session goes if it holds nothing else', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.')])
    const only = await openai.responses.create({ model: 'yaa', input: 'Alone' }).withResponse()
    await openai.responses.delete(only.data.id)
    await expect(openai.responses.retrieve(only.data.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(served.client.sessions.get(only.response.headers.get('x-yaa-session') ?? '')).rejects.toMatchObject({
      status: 404,
    })
    const first = await ask('First')
    const second = await ask('Second', { previous_response_id: first.id })
    await openai.responses.delete(first.id)
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
    expect((await openai.responses.retrieve(second.id)).output_text).toBe('Three.')
  })
})

describe('a response that is deleted while it goes on, or waits', () => {
  test('is stopped, and whoever follows hears of it; one that goes on in another response is not', async ({
    expect,
  }) => {
    await served.script([says('One.'), HELD])
    const first = await ask('First')
    const { id } = await ask('Second', { previous_response_id: first.id, background: true })
    const heard: StreamEvent[] = []
    for await (const event of await openai.responses.retrieve(id, { stream: true })) {
      const isFirst = textOf(heard) === ''
      heard.push(event)
      if (isFirst && textOf(heard) !== '') await openai.responses.delete(id)
    }
    expect(heard.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } })
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
    await served.script([calls('web_access', { url: served.site.url }), HELD])
    const waiting = await openai.responses.create({ model: 'yaa', input: 'Read it' }).withResponse()
    const session = waiting.response.headers.get('x-yaa-session') ?? ''
    const [item] = waiting.data.output.filter(({ type }) => type === 'mcp_approval_request')
    const said = { type: 'mcp_approval_response' as const, approval_request_id: item?.id ?? '', approve: true }
    const going = await openai.responses.create({
      model: 'yaa',
      input: [said],
      previous_response_id: waiting.data.id,
      background: true,
    })
    await openai.responses.delete(waiting.data.id)
    expect((await served.client.sessions.get(session)).status).toBe('in_progress')
    await openai.responses.delete(going.id)
    expect(await served.client.sessions.get(session)).toMatchObject({ status: 'cancelled', pending: [] })
  })
})

describe('what a response was asked with', () => {
  test('is listed', async ({ expect }) => {
    await served.script([says('Ja.')])
    const { id } = await ask('Hörst du?')
    const items = []
    for await (const item of openai.responses.inputItems.list(id)) items.push(item)
    expect(items).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hörst du?' }] },
    ])
  })

  test('is listed page by page', async ({ expect }) => {
    const twice = { tool_calls: [1, 2].map((number) => ({ name: 'own', arguments: { number } })) }
    await served.script([twice, says('Done.')])
    const tools = [{ type: 'function' as const, strict: null, name: 'own', parameters: { type: 'object' } }]
    const { id: before, output } = await ask('Call it twice.', { tools })
    const results = output
      .filter((item) => item.type === 'function_call')
      .map((call) => ({ type: 'function_call_output' as const, call_id: call.call_id, output: call.arguments }))
    const answered = { model: 'yaa', input: results, tools, previous_response_id: before }
    const { id } = await openai.responses.create(answered)
    const items = []
    for await (const item of openai.responses.inputItems.list(id, { limit: 1, order: 'asc' })) items.push(item)
    expect(items).toMatchObject(results)
    const unknown = openai.responses.inputItems.list(id, { after: 'msg_of_another' })
    await expect(unknown).rejects.toMatchObject({ status: 400, param: 'after' })
  })
})

describe('an answer', () => {
  test('fits a schema, and is parsed', async ({ expect }) => {
    const schema = {
      type: 'object',
      properties: { degrees: { type: 'integer' } },
      required: ['degrees'],
      additionalProperties: false,
    }
    const text = { format: { type: 'json_schema' as const, name: 'boiling', schema } }
    await served.script([says('no JSON'), calls('finish', { reason: '{"degrees": 100}' })])
    const parsed = await openai.responses.parse({ model: 'yaa', input: 'Structured', text })
    expect(parsed.output_parsed).toEqual({ degrees: 100 })
    await served.script([says('no JSON'), calls('finish', { reason: '{"degrees": 100}' })])
    const streamed = await openai.responses.stream({ model: 'yaa', input: 'Streamed', text }).finalResponse()
    expect(streamed.output_parsed).toEqual({ degrees: 100 })
  })

  test('that a limit ended is incomplete, and says which', async ({ expect }) => {
    const made = await served.client.keys.create({
      name: 'small',
      scopes: ['run', 'read'],
      limits: { day: { max_total_tokens: 10 } },
    })
    const poor = clientOf(made.key ?? '')
    await served.script([says('Never asked.')])
    const asked = await poor.responses.create({ model: 'yaa', input: 'Too dear' })
    expect(asked).toMatchObject({
      status: 'incomplete',
      error: null,
      incomplete_details: { reason: 'max_output_tokens', code: 'budget_exhausted' },
    })
    const final = await poor.responses.stream({ model: 'yaa', input: 'Too dear, streamed' }).finalResponse()
    expect(final.status).toBe('incomplete')
    await served.script([{ content: 'Cut off', finish_reason: 'length' }])
    expect(await ask('Cut')).toMatchObject({ status: 'incomplete', output_text: 'Cut off' })
  })

  test('that no model gives is a failed response', async ({ expect }) => {
    await served.script([{ status: 401, repeat: true }])
    expect(await ask('Fails')).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', type: 'model_unauthorized', message: expect.any(String) },
    })
    const stream = openai.responses.stream({ model: 'yaa', input: 'Fails, streamed' })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types.at(-1)).toBe('response.failed')
  })

  test('that breaks off for good is a failed response, whose message is incomplete', async ({ expect }) => {
    await served.script([{ content: TEXT, chunks: 8, stream_cut_after: 4, repeat: true }])
    const events = await until(await begin('Breaks off'), () => false)
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []))
    expect(done).toMatchObject([{ type: 'message', status: 'incomplete' }])
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { output: [{ status: 'incomplete' }] } })
  })
})

describe('a refusal', () => {
  test('has the shape that the client knows', async ({ expect }) => {
    const wrong = clientOf('yaa_default_wrong').responses.create({ model: 'yaa', input: 'x' })
    await expect(wrong).rejects.toMatchObject({ status: 401, type: 'authentication_error', code: 'unauthorized' })
    const made = await served.client.keys.create({ name: 'reads', scopes: ['read'] })
    const reader = clientOf(made.key ?? '')
    await expect(reader.responses.create({ model: 'yaa', input: 'x' })).rejects.toMatchObject({ status: 403 })
    const huge = ask('y'.repeat(2 * LIMITS.parts.bodyBytesMax))
    await expect(huge).rejects.toMatchObject({ status: 413, code: 'body_too_large' })
    await expect(ask('x', { model: 'gpt-99' })).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    await expect(openai.responses.retrieve('resp_none')).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(ask('x', { background: true, store: false })).rejects.toMatchObject({ param: 'background' })
    const both = ask('x', { conversation: 'c', previous_response_id: 'resp_none' })
    await expect(both).rejects.toMatchObject({ status: 400, param: 'conversation' })
  })
})
