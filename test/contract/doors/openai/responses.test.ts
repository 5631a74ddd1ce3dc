import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE, config: { tools: { web_access: { auto_approve: true } } } })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1` })
})
afterAll(() => served.close())

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
const ask = (input: NonNullable<Asked['input']>, more: Partial<Asked> = {}) =>
  openai.responses.create({ model: 'yaa', input, ...more })

describe('a response', () => {
  test('is whole, with its usage, session and run', async ({ expect }) => {
    await served.script([calls('web_access', { url: `${served.site.url}/a` }), calls('finish', { reason: '一百度。' })])
    const { data, response } = await openai.responses
      .create({ model: 'yaa', input: '水在几度沸腾？', user: 'ann', metadata: { ticket: '7' } })
      .withResponse()
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'yaa',
      error: null,
      output_text: '一百度。',
      metadata: { ticket: '7' },
      user: 'ann',
      usage: { input_tokens: expect.any(Number), output_tokens_details: { reasoning_tokens: expect.any(Number) } },
    })
    expect(data.output.map(({ type }) => type)).toEqual(['mcp_call', 'message'])
    expect(data.output[0]).toMatchObject({ server_label: 'yaa', name: 'web_access', status: 'completed' })
    expect(data.usage?.total_tokens).toBe((data.usage?.input_tokens ?? 0) + (data.usage?.output_tokens ?? 0))
    const session = await served.client.sessions.get(response.headers.get('x-yaa-session') ?? '')
    expect(session).toMatchObject({ status: 'completed', result: '一百度。', user: 'ann', metadata: { ticket: '7' } })
    expect(data.id).toContain((response.headers.get('x-yaa-run') ?? '').slice('run_'.length))
    expect(await openai.responses.retrieve(data.id)).toEqual(data)
  })

  test('is put together by the stream helper from events in their order', async ({ expect }) => {
    await served.script([{ content: 'Water boils at 100 degrees.', chunks: 6, reasoning: 'I know.' }])
    const stream = openai.responses.stream({ model: 'yaa', input: 'When does water boil?' })
    const types: string[] = []
    const numbers: number[] = []
    let text = ''
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type)
      numbers.push(event.sequence_number)
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
    const final = await stream.finalResponse()
    expect(final).toMatchObject({ status: 'completed', output_text: 'Water boils at 100 degrees.' })
    expect(text).toBe('Water boils at 100 degrees.')
    const again = await openai.responses.stream({ response_id: final.id }).finalResponse()
    expect(again.output).toEqual(final.output)
  })
})

describe('a thread', () => {
  test('goes on behind a response, and under the id of a conversation', async ({ expect }) => {
    await served.script([says('Hello Ann.'), says('You are Ann.'), says('One.'), says('Two.')])
    const first = await ask('I am Ann.')
    const second = await ask('Who am I?', { previous_response_id: first.id })
    expect(second).toMatchObject({ output_text: 'You are Ann.', previous_response_id: first.id })
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toContain('I am Ann.')
    await ask('Count.', { conversation: 'conv_1' })
    await ask('On.', { conversation: { id: 'conv_1' } })
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toContain('Count.')
  })
})
