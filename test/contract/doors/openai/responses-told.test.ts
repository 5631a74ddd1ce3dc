import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE, config: { tools: { web_access: { auto_approve: true } } } })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
})
afterAll(() => served.close())

type Streamed = Parameters<typeof openai.responses.stream>[0]

/** A response as the helper puts it together, and as it is read afterwards. */
async function told(body: Omit<Extract<Streamed, { input?: unknown }>, 'stream'>) {
  const stream = openai.responses.stream({ model: 'yaa', ...body })
  const numbers: number[] = []
  for await (const { sequence_number: number } of stream) numbers.push(number)
  const final = await stream.finalResponse()
  return { final, numbers, read: await openai.responses.retrieve(final.id) }
}

const rising = (numbers: readonly number[]) =>
  numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))

describe('what a run does beside its answer', () => {
  test('is told as calls of a server and as commentary, and read as the answer alone', async ({ expect }) => {
    const visit = calls('web_access', { url: `${served.site.url}/a` })
    await served.script([{ ...visit, content: '我先看看网页。' }, says('一百度。')])
    const { final, numbers, read } = await told({ input: '水在几度沸腾？' })
    expect(final.output).toMatchObject([
      { type: 'message', phase: 'commentary', content: [{ text: '我先看看网页。\n\n' }] },
      { type: 'mcp_call', server_label: 'yaa', name: 'web_access', status: 'completed' },
      { type: 'message', phase: 'final_answer', content: [{ text: '一百度。' }] },
    ])
    expect(final.output_text).toBe('我先看看网页。\n\n一百度。')
    expect(rising(numbers)).toBe(true)
    expect(read.output_text).toBe('一百度。')
    expect(read.output.at(-1)?.id).toBe(final.output.at(-1)?.id)
    expect(read.usage).toEqual(final.usage)
  })

  test('is read with what stands beside a call that waits, under the same ids', async ({ expect }) => {
    const tools = [
      { type: 'function' as const, name: 'thermometer', description: 'Measures.', parameters: {}, strict: null },
    ]
    await served.script([{ ...calls('thermometer', {}), content: '我量一下。' }, says('一百度。')])
    const { final, read } = await told({ input: '现在多少度？', tools })
    const shown = (items: readonly { type: string; id?: string | null | undefined }[]) =>
      items.map(({ type, id }) => [type, id])
    expect(read.output).toMatchObject([
      { type: 'message', phase: 'commentary', content: [{ text: '我量一下。\n\n' }] },
      { type: 'function_call', name: 'thermometer' },
    ])
    expect(shown(read.output)).toEqual(shown(final.output))
    const [, call] = read.output
    const output = {
      type: 'function_call_output' as const,
      call_id: call?.type === 'function_call' ? call.call_id : '',
    }
    const after = await openai.responses.create({
      model: 'yaa',
      previous_response_id: final.id,
      input: [{ ...output, output: '100' }],
    })
    expect(after.output_text).toBe('一百度。')
  })

  test('goes on with what results show, as a message behind them', async ({ expect }) => {
    const tools = ['camera', 'thermometer'].map((name) => ({
      type: 'function' as const,
      name,
      parameters: {},
      strict: null,
    }))
    await served.script([
      { tool_calls: [...calls('camera', {}).tool_calls, ...calls('thermometer', {}).tool_calls] },
      says('A kettle.'),
    ])
    const first = await openai.responses.create({ model: 'yaa', input: 'Look at it and measure it.', tools })
    const [camera, thermometer] = first.output.flatMap((one) => (one.type === 'function_call' ? [one.call_id] : []))
    const result = (call_id = '', output: string | OpenAI.Responses.ResponseFunctionCallOutputItemList) => ({
      type: 'function_call_output' as const,
      call_id,
      output,
    })
    const shown = result(camera, [
      { type: 'input_text', text: 'Here.' },
      { type: 'input_image', image_url: PIXEL },
    ])
    const answer = (input: ReturnType<typeof result>[]) =>
      openai.responses.create({ model: 'yaa', previous_response_id: first.id, input })
    await expect(answer([shown])).rejects.toMatchObject({ status: 400, param: 'input[0].output' })
    const cut = result(camera, [
      { type: 'input_text', text: 'Here.' },
      { type: 'input_image', image_url: 'data:,x' },
    ])
    await expect(answer([result(thermometer, '100'), cut])).rejects.toMatchObject({
      param: 'input[1].output[1].image_url',
    })
    expect((await answer([result(thermometer, '100'), shown])).output_text).toBe('A kettle.')
    const { messages } = Object(served.model.requests.at(-1)?.body) as {
      messages: { role: string; content: unknown }[]
    }
    expect(messages.slice(-3).map(({ role }) => role)).toEqual(['tool', 'tool', 'user'])
    expect(JSON.stringify(messages.at(-1))).toContain('attachments/')
    expect(JSON.stringify(messages.at(-3))).toContain('Here.')
  })

  test('is what its model thinks in its text, read afterwards, too', async ({ expect }) => {
    await served.script([{ content: '<think>Six and one.</think>Seven.', chunks: 6 }])
    const { final, read } = await told({ input: 'Think of a number' })
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Six and one.' }] },
      { type: 'message', phase: 'final_answer', content: [{ text: 'Seven.' }] },
    ])
    expect(read.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('is the plan and what its tasks call', async ({ expect }) => {
    await served.script([
      says(JSON.stringify({ plan: [{ name: 'llm_tool', description: 'Say a number' }] })),
      says('Seven.'),
      says('{"plan": []}'),
      says('It is seven.'),
    ])
    const { final, numbers, read } = await told({ model: 'yaa/plan', input: 'Plan something' })
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: expect.stringContaining('Say a number') }] },
      { type: 'message', phase: 'final_answer' },
    ])
    expect(rising(numbers)).toBe(true)
    expect(read.output_text).toBe(final.output_text)
  })

  test('is what the roles of a team say', async ({ expect }) => {
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    const { final, numbers } = await told({ model: 'yaa/team/software', input: 'Build it' })
    expect(final.output_text).toContain('The code.')
    expect(JSON.stringify(final.output.filter(({ type }) => type === 'reasoning'))).toContain('The design.')
    expect(rising(numbers)).toBe(true)
  })

  test('is words beside an answer that was cut, each told once', async ({ expect }) => {
    await served.script([
      {
        content: 'Here it is.',
        tool_calls: [{ name: 'finish', arguments: '{"reason":"Paris is the cap' }],
        finish_reason: 'length',
      },
    ])
    const { final, numbers, read } = await told({ input: 'Cut my finish' })
    expect(final.output_text).toBe('Here it is.\n\nParis is the cap')
    expect(read.output_text).toBe(final.output_text)
    expect(rising(numbers)).toBe(true)
  })

  test.for(['[1] https://x.test/a', '最终答案：42'])('is the same words, told once: %j', async (end, { expect }) => {
    const text = `Paris is it.\n\n${end}`
    await served.script([{ content: text, ...calls('finish', { reason: text }) }])
    const { final, read } = await told({ input: `Say it twice: ${end}` })
    expect([final.output_text, read.output_text]).toEqual([text, text])
  })

  test('is a reply that breaks off and is made again, said once', async ({ expect }) => {
    const text = 'One two three four five six.'
    await served.script([
      { content: text, chunks: 6, stream_cut_after: 4 },
      { content: text, chunks: 4 },
    ])
    const patient = { llm: { retry: { times: 2, delay_ms: 1 } } }
    const { id } = await served.client.sessions.create({ title: 'Retried', config: patient })
    const { final, numbers } = await told({ input: 'Count', metadata: { session_id: id } })
    expect(final.output_text).toBe(text)
    expect(final.output).toHaveLength(1)
    expect(rising(numbers)).toBe(true)
  })

  test('is a reply that breaks off and is made again with other words, each as it was heard', async ({ expect }) => {
    await served.script([
      { content: 'One two three four.', chunks: 4, stream_cut_after: 2 },
      { content: 'Five six.', chunks: 2 },
    ])
    const patient = { llm: { retry: { times: 2, delay_ms: 1 } } }
    const { id } = await served.client.sessions.create({ title: 'Other words', config: patient })
    const stream = openai.responses.stream({ model: 'yaa', input: 'Count', metadata: { session_id: id } })
    const heard: string[] = []
    for await (const event of stream) if (event.type === 'response.output_text.delta') heard.push(event.delta)
    const { output_text: whole, output } = await stream.finalResponse()
    expect(whole).toBe(heard.join(''))
    expect(whole).toMatch(/^One .*\n\nFive six\.$/)
    expect(output).toMatchObject([{ status: 'incomplete' }, { status: 'completed' }])
  })
})

describe('what a request brings along', () => {
  test('may be pictures and files', async ({ expect }) => {
    await served.script([says('Seen.')])
    const { data, response } = await openai.responses
      .create({
        model: 'yaa',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'What is this?' },
              { type: 'input_image', image_url: PIXEL, detail: 'auto' },
              { type: 'input_file', filename: 'note.txt', file_data: Buffer.from('Köln').toString('base64') },
            ],
          },
        ],
      })
      .withResponse()
    expect(data.output_text).toBe('Seen.')
    const session = await served.client.sessions.get(response.headers.get('x-yaa-session') ?? '')
    expect(session.messages[0]?.content).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'image', media_type: 'image/png' },
      { type: 'file', name: 'note.txt' },
    ])
    const [asked] = (await openai.responses.inputItems.list(data.id)).data
    const [, image, file] = asked?.type === 'message' ? (asked.content as OpenAI.Responses.ResponseInputContent[]) : []
    expect(file).toMatchObject({ type: 'input_file', filename: 'note.txt' })
    const address = image?.type === 'input_image' ? image.image_url : null
    const picture = await fetch(`${served.url}${address}`, { headers: { authorization: `Bearer ${served.key}` } })
    expect(picture.headers.get('content-type')).toBe('image/png')
    const byId = openai.responses.create({
      model: 'yaa',
      input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1', detail: 'auto' }] }],
    })
    await expect(byId).rejects.toMatchObject({ status: 400 })
    await expect(byId).rejects.toThrow(/no files by id/)
  })
})
