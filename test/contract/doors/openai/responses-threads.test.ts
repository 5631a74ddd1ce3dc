import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE })
  openai = clientOf(served.key)
})
afterAll(() => served.close())

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${served.url}/v1`, maxRetries: 0 })

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Answered = OpenAI.Responses.Response
const ask = (input: NonNullable<Asked['input']>, more: Partial<Asked> = {}) =>
  openai.responses.create({ model: 'yaa', input, ...more })
const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)

const find = <T extends OpenAI.Responses.ResponseOutputItem['type']>({ output }: Answered, type: T) => {
  const item = output.find((one) => one.type === type)
  if (!item) throw new Error(`no ${type} in ${JSON.stringify(output)}`)
  return item as Extract<OpenAI.Responses.ResponseOutputItem, { type: T }>
}

const ORDER = {
  type: 'function' as const,
  name: 'find_order',
  description: 'Looks up an order.',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  strict: null,
}

describe('a tool of the caller', () => {
  test('is called, and its result goes on behind the response', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says('It is in Köln.')])
    const first = await ask('Where is order 7?', { tools: [ORDER] })
    const call = find(first, 'function_call')
    expect(first).toMatchObject({ status: 'completed', tools: [{ name: 'find_order' }] })
    expect(call).toMatchObject({ name: 'find_order', arguments: '{"number":7}', status: 'completed' })
    const second = await ask([{ type: 'function_call_output', call_id: call.call_id, output: 'Köln' }], {
      previous_response_id: first.id,
      tools: [ORDER],
    })
    expect(second).toMatchObject({ status: 'completed', output_text: 'It is in Köln.' })
    const items = await openai.responses.inputItems.list(second.id)
    expect(items.data).toMatchObject([{ type: 'function_call_output', call_id: call.call_id, output: 'Köln' }])
  })

  test('is told by the stream helper with its arguments, and answered by a client that keeps the history', async ({
    expect,
  }) => {
    await served.script([calls('find_order', { number: 8 }), says('In Bonn.')])
    const stream = openai.responses.stream({ model: 'yaa', input: 'Order 8?', tools: [ORDER], store: false })
    let args = ''
    stream.on('response.function_call_arguments.delta', ({ delta }) => (args += delta))
    const first = await stream.finalResponse()
    expect(args).toBe('{"number":8}')
    const call = find(first, 'function_call')
    const history: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Order 8?' },
      { type: 'function_call', call_id: call.call_id, name: call.name, arguments: call.arguments },
      { type: 'function_call_output', call_id: call.call_id, output: 'Bonn' },
    ]
    expect(await ask(history, { tools: [ORDER], store: false })).toMatchObject({ output_text: 'In Bonn.' })
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
  })

  test('has its result said with words of the user: the response was asked with both, and is one', async ({
    expect,
  }) => {
    await served.script([calls('find_order', { number: 7 }), says('It is in Köln, sir.')])
    const first = await ask('Where is order 7 (with words)?', { tools: [ORDER] })
    const call = find(first, 'function_call')
    const both: OpenAI.Responses.ResponseInput = [
      { type: 'function_call_output', call_id: call.call_id, output: 'Köln' },
      { role: 'user', content: 'Call me sir.' },
    ]
    const behind = { previous_response_id: first.id, tools: [ORDER] }
    const second = await ask(both, behind)
    expect(second).toMatchObject({ status: 'completed', output_text: 'It is in Köln, sir.' })
    const items = await openai.responses.inputItems.list(second.id, { order: 'asc' })
    expect(items.data).toMatchObject([
      { type: 'function_call_output', call_id: call.call_id, output: 'Köln' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Call me sir.' }] },
    ])
    expect(lastAsked()).toMatch(/Köln[^]*Call me sir\./)
    expect((await ask(both, behind)).id).toBe(second.id)
    const asked = served.model.requests.filter(({ body }) => JSON.stringify(body).includes('Call me sir.'))
    expect(asked).toHaveLength(1)
  })

  test('takes its result with the schema that the run has, said once more', async ({ expect }) => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const text = { format: { type: 'json_schema' as const, name: 'place', schema } }
    await served.script([calls('find_order', { number: 7 }), calls('finish', { city: 'Köln' })])
    const first = await ask('Where is order 7 (a schema)?', { tools: [ORDER], text })
    const { call_id } = find(first, 'function_call')
    const both: OpenAI.Responses.ResponseInput = [
      { type: 'function_call_output', call_id, output: 'Köln' },
      { role: 'user', content: 'In German.' },
    ]
    const second = await ask(both, { previous_response_id: first.id, tools: [ORDER], text })
    expect(JSON.parse(second.output_text)).toEqual({ city: 'Köln' })
  })

  test('has nothing said of it where what comes with its result is wrong', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says('In Köln.')])
    const first = await ask('Where is order 7 (a bad picture)?', { tools: [ORDER] })
    const { call_id } = find(first, 'function_call')
    const result = { type: 'function_call_output' as const, call_id, output: 'Köln' }
    const picture = { type: 'input_image' as const, detail: 'auto' as const, image_url: 'data:image/png;base64,bm8=' }
    const behind = { previous_response_id: first.id, tools: [ORDER] }
    const bad = ask([result, { role: 'user', content: [picture] }], behind)
    await expect(bad).rejects.toMatchObject({ status: 400 })
    expect((await ask([result], behind)).output_text).toBe('In Köln.')
  })

  test('cannot be forced, nor be another kind than a function', async ({ expect }) => {
    const forced = ask('x', { tools: [ORDER], tool_choice: 'required' })
    await expect(forced).rejects.toMatchObject({ status: 400, param: 'tool_choice' })
    await expect(forced).rejects.toThrow(/no call can be forced/)
    await expect(ask('x', { tools: [{ type: 'web_search' }] })).rejects.toMatchObject({ status: 400 })
  })
})

describe('an approval', () => {
  const visit = () => calls('web_access', { url: `${served.site.url}/a` })

  test('is an item that a response to it decides', async ({ expect }) => {
    await served.script([visit(), says('Read.')])
    const first = await ask('Read the page (approved).')
    const request = find(first, 'mcp_approval_request')
    expect(request).toMatchObject({ server_label: 'yaa', name: 'web_access' })
    const second = await ask([{ type: 'mcp_approval_response', approval_request_id: request.id, approve: true }], {
      previous_response_id: first.id,
    })
    expect(second.output_text).toBe('Read.')
    expect(find(second, 'mcp_call')).toMatchObject({ name: 'web_access', status: 'completed' })
    expect(find(second, 'mcp_call').output).toContain('100 degrees')
    const again = ask([{ type: 'mcp_approval_response', approval_request_id: request.id, approve: true }], {
      previous_response_id: second.id,
    })
    await expect(again).rejects.toMatchObject({ status: 409, code: 'stale_decision' })
  })

  test('is refused with a reason, or given with other arguments', async ({ expect }) => {
    await served.script([visit(), says('Then not.')])
    const first = await ask('Read the page (refused).')
    const { id } = find(first, 'mcp_approval_request')
    const item = { type: 'mcp_approval_response', approval_request_id: id } as const
    const no = await ask([{ ...item, approve: false, reason: 'too far' }], { previous_response_id: first.id })
    expect(no.output_text).toBe('Then not.')
    expect(no.output.some(({ type }) => type === 'mcp_call')).toBe(false)
    expect(lastAsked()).toContain('too far')
    await served.script([visit(), says('The other.')])
    const next = await ask('Read the page (edited).')
    const { id: other } = find(next, 'mcp_approval_request')
    const edited = JSON.stringify({ url: `${served.site.url}/b` })
    const yes = await ask(
      [{ type: 'mcp_approval_response', approval_request_id: other, approve: true, reason: edited }],
      {
        previous_response_id: next.id,
      },
    )
    expect(find(yes, 'mcp_call').arguments).toContain('/b')
  })

  test('needs a key that may decide', async ({ expect }) => {
    const made = await served.client.keys.create({ name: 'runs', scopes: ['run', 'read'] })
    const runner = clientOf(made.key ?? '')
    await served.script([visit()])
    const first = await runner.responses.create({ model: 'yaa', input: 'Read the page (no decider).' })
    const { id } = find(first, 'mcp_approval_request')
    const decided = runner.responses.create({
      model: 'yaa',
      previous_response_id: first.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
    })
    await expect(decided).rejects.toMatchObject({ status: 403, type: 'permission_error', code: 'forbidden' })
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
  })
})

describe('what is said of something that nobody waits for', () => {
  test('is refused, and begins nothing', async ({ expect }) => {
    const before = (await served.client.sessions.list()).data[0]?.id
    const output = ask([{ type: 'function_call_output', call_id: 'call_7', output: 'x' }])
    await expect(output).rejects.toMatchObject({ status: 400, param: 'input[0].call_id' })
    const approval = { type: 'mcp_approval_response' as const, approval_request_id: 'mcpr_7', approve: true }
    await expect(ask([approval])).rejects.toMatchObject({ status: 409, code: 'stale_decision' })
    await expect(ask([approval, { role: 'user', content: 'Go on.' }])).rejects.toMatchObject({ status: 409 })
    await expect(ask(`approve pnd_${'0'.repeat(26)}`)).rejects.toMatchObject({ status: 409 })
    const reference = { type: 'item_reference' as const, id: 'msg_7' }
    await expect(ask([reference, { role: 'user', content: 'Go on.' }])).rejects.toMatchObject({ status: 400 })
    expect((await served.client.sessions.list()).data[0]?.id).toBe(before)
  })
})

describe('a question', () => {
  test('is a message, which the next message answers', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which city?', options: ['Köln', 'Bonn'] }), says('Bonn it is.')])
    const first = await ask('Book a room.')
    expect(first.status).toBe('completed')
    expect(first.output_text).toMatch(/Which city\?[^]*Köln[^]*Bonn/)
    const second = await ask('Bonn', { previous_response_id: first.id })
    expect(second.output_text).toBe('Bonn it is.')
  })
})

describe('a thread', () => {
  test('is one of two that go on at once', async ({ expect }) => {
    await served.script([
      { when: { last_contains: '红' }, content: '红色' },
      { when: { last_contains: '蓝' }, content: '蓝色' },
    ])
    const stream = (input: string) => openai.responses.stream({ model: 'yaa', input }).finalResponse()
    const [red, blue] = await Promise.all([stream('红'), stream('蓝')])
    expect([red.output_text, blue.output_text]).toEqual(['红色', '蓝色'])
  })

  test('of an id is not another user’s, and the same request begins another', async ({ expect }) => {
    await served.script([says('1'), says('2'), says('3'), says('4')])
    const first = await ask('Mine', { user: 'ann' })
    const foreign = ask('And?', { user: 'bob', previous_response_id: first.id })
    await expect(foreign).rejects.toMatchObject({
      status: 400,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    })
    await ask('Secret of Ann', { user: 'ann', conversation: 'c' })
    await ask('Hello', { user: 'bob', conversation: 'c' })
    expect(lastAsked()).not.toContain('Secret of Ann')
    const again = await openai.responses.create({ model: 'yaa', input: 'Mine', user: 'ann' }).withResponse()
    expect(again.data.id).not.toBe(first.id)
    const session = await served.client.sessions.get(again.response.headers.get('x-yaa-session') ?? '')
    expect(session.messages.filter(({ kind }) => kind === 'task')).toHaveLength(1)
  })

  test('goes on in two ways behind one response', async ({ expect }) => {
    await served.script([says('A number?'), says('Three.'), says('Four.'), says('Twelve.')])
    const first = await ask('Pick a number (fork).')
    const three = await ask('Below four', { previous_response_id: first.id })
    const four = await ask('Above three', { previous_response_id: first.id })
    expect([three.output_text, four.output_text]).toEqual(['Three.', 'Four.'])
    expect(lastAsked()).not.toContain('Below four')
    await ask('Times three', { previous_response_id: four.id })
    expect(lastAsked()).toMatch(/Pick a number[^]*Above three[^]*Four\./)
    expect((await openai.responses.retrieve(three.id)).output_text).toBe('Three.')
  })

  test('has the instructions of its newest request, and none of those before', async ({ expect }) => {
    await served.script([says('Aye.'), says('Yes.'), says('No.')])
    const first = await ask('Do you hear me?', { instructions: 'Speak as a pirate.', max_output_tokens: 77 })
    expect(served.model.requests.at(-1)?.body).toMatchObject({ max_tokens: 77 })
    const second = await ask('And now?', { previous_response_id: first.id })
    expect(lastAsked()).not.toContain('Speak as a pirate.')
    expect(served.model.requests.at(-1)?.body).toMatchObject({ max_tokens: 4096 })
    await ask('Another way?', { previous_response_id: first.id, instructions: 'Be brief.' })
    expect(lastAsked()).toContain('Be brief.')
    expect(second.instructions).toBeNull()
  })

  test('keeps what a session says of itself that was made in another way', async ({ expect }) => {
    const { id } = await served.client.sessions.create({ config: { instructions: 'Never say no.' } })
    await served.script([says('Yes.'), says('Yes, again.')])
    const asked = { model: 'yaa', input: 'May I?' }
    const first = await openai.responses.create(asked, { headers: { 'x-yaa-session': id } })
    await ask('May I again?', { previous_response_id: first.id })
    expect(lastAsked()).toContain('Never say no.')
  })

  test('is another one where results come with the whole history once more', async ({ expect }) => {
    await served.script([calls('find_order', { number: 9 }), says('In Bonn.'), says('Still in Bonn.')])
    const first = await ask('Order 9?', { tools: [ORDER] })
    const { call_id, name, arguments: args } = find(first, 'function_call')
    const history: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Order 9?' },
      { type: 'function_call', call_id, name, arguments: args },
      { type: 'function_call_output', call_id, output: 'Bonn' },
    ]
    expect((await ask(history, { tools: [ORDER] })).output_text).toBe('In Bonn.')
    expect((await ask(history, { tools: [ORDER] })).output_text).toBe('Still in Bonn.')
    expect(lastAsked()).toContain('Bonn')
  })

  test('begins with the history that a client brings along, which decides nothing', async ({ expect }) => {
    await served.script([says('Ann.')])
    const { response } = await openai.responses
      .create({
        model: 'yaa',
        input: [
          { role: 'developer', content: 'One word.' },
          { role: 'user', content: 'I am Ann.' },
          { role: 'assistant', content: 'Hello.' },
          { role: 'user', content: [{ type: 'input_text', text: 'Who am I?' }] },
        ],
      })
      .withResponse()
    const session = await served.client.sessions.get(response.headers.get('x-yaa-session') ?? '')
    expect(session.messages.slice(0, 3)).toMatchObject([
      { role: 'user', content: 'I am Ann.', given: true },
      { role: 'assistant', content: 'Hello.', given: true },
      { role: 'user', content: 'Who am I?' },
    ])
    expect(lastAsked()).toContain('One word.')
  })
})
