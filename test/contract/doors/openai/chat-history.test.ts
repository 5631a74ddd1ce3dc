import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1` })
})
afterAll(() => served.close())

type Messages = OpenAI.ChatCompletionMessageParam[]
type Asked = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>
const user = (content: string): Messages[number] => ({ role: 'user', content })
const rules = (content: string): Messages[number] => ({ role: 'system', content })
const result = (id: string, content: string): Messages[number] => ({ role: 'tool', tool_call_id: id, content })
const ask = (messages: Messages, more: Asked = {}) =>
  openai.chat.completions.create({ model: 'yaa', messages, ...more }).withResponse()
type Answer = Awaited<ReturnType<typeof ask>>

const messageOf = ({ data }: Answer) => {
  const [choice] = data.choices
  if (!choice) throw new Error('an answer has a choice')
  return choice.message
}
const idsOf = (answer: Answer) => (messageOf(answer).tool_calls ?? []).map(({ id }) => id)
const sessionOf = ({ response }: Answer) => response.headers.get('x-yaa-session') ?? ''
const lastAsked = () => served.model.requests.at(-1)?.body as Record<string, unknown>

const WEATHER: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
}
const asksWeather = (...places: string[]) => ({
  tool_calls: places.map((place) => ({ name: 'weather', arguments: { place } })),
})
const tools = [WEATHER]

describe('what a request says of its model', () => {
  test('is of that request: rules, bounds and model do not stay for the next', async ({ expect }) => {
    await served.script([says('Aye.'), says('Yes.')])
    const opening = [user('Do you hear me?')]
    const first = await ask([rules('Speak as a pirate.'), ...opening], { max_tokens: 77, temperature: 0.3 })
    expect(lastAsked()).toMatchObject({ max_tokens: 77, temperature: 0.3 })
    expect(JSON.stringify(lastAsked())).toContain('Speak as a pirate.')
    const second = await ask([...opening, messageOf(first), user('And now?')])
    expect(sessionOf(second)).toBe(sessionOf(first))
    expect(JSON.stringify(lastAsked())).not.toContain('Speak as a pirate.')
    expect(lastAsked()).toMatchObject({ max_tokens: 4096 })
    expect(lastAsked()).not.toHaveProperty('temperature')
  })

  test('may name another model in each request of a thread', async ({ expect }) => {
    const opening = [user('Who are you?')]
    const first = await ask(opening, { model: 'built-in' })
    await served.script([says('The configured one.')])
    const second = await ask([...opening, messageOf(first), user('And you?')])
    expect(sessionOf(second)).toBe(sessionOf(first))
    expect(messageOf(second).content).toBe('The configured one.')
  })

  test.for([
    [{ max_tokens: 99, tools: [WEATHER, { type: 'function', function: { name: 'scale' } }] }, ['weather', 'scale'], 99],
    [{ tool_choice: 'none', tools }, [], 4096],
  ] as [Asked, string[], number][])(
    'is of one that brings results alone, too: %j',
    async ([asked, names, most], { expect }) => {
      await served.script([asksWeather('Köln'), says('Sunny.')])
      const opening = [user(`The weather, with ${JSON.stringify(asked)}?`)]
      const first = await ask(opening, { tools, max_tokens: 77 })
      const second = await ask([...opening, messageOf(first), result(idsOf(first)[0] ?? '', 'sunny')], asked)
      expect(sessionOf(second)).toBe(sessionOf(first))
      const { max_tokens: bound, tools: offered, messages } = lastAsked()
      const theirs = (offered as OpenAI.ChatCompletionFunctionTool[]).map(({ function: { name } }) => name)
      expect([bound, theirs.filter((name) => ['weather', 'scale'].includes(name))]).toEqual([most, names])
      expect(JSON.stringify((messages as unknown[]).at(-1))).toContain('sunny')
    },
  )

  test('stays in a session that it names, which was made in another way', async ({ expect }) => {
    const { id } = await served.client.sessions.create({ config: { instructions: 'Never say no.' } })
    await served.script([says('Yes.')])
    await openai.chat.completions.create(
      { model: 'yaa', messages: [user('May I?')] },
      { headers: { 'x-yaa-session': id } },
    )
    expect(JSON.stringify(lastAsked())).toContain('Never say no.')
  })
})

describe('results of a tool', () => {
  test('that were answered already lead to another answer in another session', async ({ expect }) => {
    await served.script([asksWeather('Köln'), says('Sunny.'), says('Still sunny.')])
    const opening = [user('The weather, twice?')]
    const first = await ask(opening, { tools })
    const answered = [...opening, messageOf(first), result(idsOf(first)[0] ?? '', 'sunny')]
    const once = await ask(answered, { tools })
    const twice = await ask(answered, { tools })
    expect([once, twice].map((one) => messageOf(one).content)).toEqual(['Sunny.', 'Still sunny.'])
    expect(sessionOf(once)).toBe(sessionOf(first))
    expect(sessionOf(twice)).not.toBe(sessionOf(first))
    expect(JSON.stringify(lastAsked())).toContain('sunny')
  })

  test('belong to their session though a client wrote the arguments of the call anew', async ({ expect }) => {
    const two = { ...WEATHER, function: { ...WEATHER.function, parameters: { type: 'object' } } }
    await served.script([{ tool_calls: [{ name: 'weather', arguments: { place: '北京', at: 7 } }] }, says('Sunny.')])
    const opening = [user('The weather, by a client that keeps values?')]
    const first = await ask(opening, { tools: [two] })
    const [call] = messageOf(first).tool_calls ?? []
    if (call?.type !== 'function') throw new Error('a call was expected')
    const rewritten = { ...call, function: { ...call.function, arguments: '{"at": 7, "place": "\\u5317京"}' } }
    const again = { role: 'assistant' as const, content: '', tool_calls: [rewritten] }
    const second = await ask([...opening, again, result(call.id, 'sunny')], { tools: [two] })
    expect(messageOf(second).content).toBe('Sunny.')
    expect(sessionOf(second)).toBe(sessionOf(first))
  })

  test('of a call that nobody made are refused with their place', async ({ expect }) => {
    const orphan = ask([rules('Short.'), user('Hm?'), { role: 'assistant', content: 'Hm.' }, result('call_7', 'x')])
    await expect(orphan).rejects.toMatchObject({ status: 400, param: 'messages[3].tool_call_id' })
  })

  test('may come one by one, in a stream too, and the other call is told again', async ({ expect }) => {
    await served.script([asksWeather('Köln', 'Bonn'), says('Both are fine.')])
    const opening = [user('The weather of two places?')]
    const first = await ask(opening, { tools })
    const [koeln = '', bonn = ''] = idsOf(first)
    const half = [...opening, messageOf(first), result(koeln, 'sunny')]
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: half, tools })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual([bonn])
    const last = await ask([...half, ...choices.map(({ message }) => message), result(bonn, 'rainy')], { tools })
    expect(messageOf(last).content).toBe('Both are fine.')
  })

  test('are gone on with in the language that the user spoke', async ({ expect }) => {
    await served.script([
      asksWeather('北京'),
      { tool_calls: [{ name: 'web_access', arguments: { url: `${served.site.url}/a` } }] },
    ])
    const opening = [user('北京今天的天气怎么样？')]
    const first = await ask(opening, { tools })
    const second = await ask([...opening, messageOf(first), result(idsOf(first)[0] ?? '', 'sunny')], { tools })
    expect(messageOf(second).content).toContain('等待授权')
  })
})

describe('a session that a request names', () => {
  const inSession = async (config: { language?: string } = {}) => {
    const { id } = await served.client.sessions.create({ config })
    const send = (messages: Messages, { retries = 0, ...more }: Asked & { retries?: number } = {}) =>
      openai.chat.completions
        .create(
          { model: 'yaa', messages, ...more },
          { headers: { 'x-yaa-session': id, 'x-stainless-retry-count': String(retries) } },
        )
        .withResponse()
    return { id, send }
  }
  const runOf = ({ response }: Answer) => response.headers.get('x-yaa-run')

  test('runs a request once, which comes again while it runs or is retried', async ({ expect }) => {
    const { send } = await inSession()
    await served.script([{ content: 'Once.', hold_after: 0 }, says('Twice.')])
    const before = served.model.requests.length
    const first = send([user('Named')])
    await expect.poll(() => served.model.requests.length).toBe(before + 1)
    const second = send([user('Named')])
    await served.release()
    expect(messageOf(await second).content).toBe('Once.')
    expect(runOf(await second)).toBe(runOf(await first))
    expect(runOf(await send([user('Named')], { retries: 1 }))).toBe(runOf(await first))
    expect(messageOf(await send([user('Named')])).content).toBe('Twice.')
  })

  test('needs no history to a result, and answers the same result with what it led to', async ({ expect }) => {
    const { id, send } = await inSession()
    await served.script([asksWeather('Bonn'), says('It rains in Bonn.')])
    const [call = ''] = idsOf(await send([user('Weather?')], { tools }))
    const first = await send([result(call, 'rain')], { tools })
    const again = await send([result(call, 'rain')], { tools })
    expect([messageOf(first).content, messageOf(again).content]).toEqual(Array(2).fill('It rains in Bonn.'))
    const { messages } = await served.client.sessions.get(id)
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
  })

  test('is spoken to in its own language where its request has no words', async ({ expect }) => {
    const { id, send } = await inSession({ language: 'zh-CN' })
    await served.script([asksWeather('Bonn'), calls('web_access', { url: `${served.site.url}/a` })])
    const [call = ''] = idsOf(await send([user('Weather?')], { tools }))
    expect(messageOf(await send([result(call, 'rain')], { tools })).content).toContain('等待授权')
    await served.client.sessions.delete(id)
  })

  test('is needed for results without what they are of', async ({ expect }) => {
    const orphan = { status: 400, param: 'messages[0].tool_call_id' }
    await expect(ask([result('call_1', 'rain')])).rejects.toMatchObject(orphan)
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } }
    const taskless = ask([{ role: 'assistant', tool_calls: [call] }, result('call_1', 'rain')])
    await expect(taskless).rejects.toMatchObject({ status: 400, param: 'messages' })
  })
})

describe('an answer', () => {
  test('that was cut at its bound says so, streamed or not', async ({ expect }) => {
    const cut = { content: 'Half of', finish_reason: 'length' }
    await served.script([cut, cut])
    expect((await ask([user('Cut me')])).data.choices[0]).toMatchObject({ finish_reason: 'length' })
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: [user('Cut me, too')] })
    const reasons: unknown[] = []
    for await (const { choices } of stream) reasons.push(choices[0]?.finish_reason)
    expect(reasons.at(-1)).toBe('length')
  })

  test('that was cut in what it gave to finish stands once below the words beside it', async ({ expect }) => {
    await served.script([
      {
        content: 'Here it is.',
        tool_calls: [{ name: 'finish', arguments: '{"reason":"Paris is the cap' }],
        finish_reason: 'length',
      },
    ])
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: [user('Cut my finish')] })
    expect((await stream.finalMessage()).content).toBe('Here it is.\n\nParis is the cap')
  })

  test('stands below words on the way that look like a call up to their end', async ({ expect }) => {
    await served.script([{ content: '[1/2] Let me see.', ...calls('rethink', { reason: 'x' }) }, says('Two')])
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: [user('How many in brackets?')] })
    expect((await stream.finalMessage()).content).toBe('[1/2] Let me see.\n\nTwo')
  })

  test('is told though what was said on the way met its stop', async ({ expect }) => {
    await served.script([{ content: 'Let me see.', ...calls('rethink', { reason: 'x' }) }, says('Two\nor three')])
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: [user('How many?')], stop: ['\n'] })
    expect(await stream.finalContent()).toBe('Let me see.\n\nTwo')
  })
})

describe('a refusal', () => {
  test('names the place in the request as its client wrote it', async ({ expect }) => {
    for (const url of ['data:image/png;base64,AAAA', 'data:image/png;base64,!', 'ftp://x/y.png']) {
      const image = { type: 'image_url' as const, image_url: { url } }
      const content = [{ type: 'text' as const, text: 'Two' }, image]
      const picture = ask([rules('Short.'), user('One'), { role: 'user', content }])
      await expect(picture).rejects.toMatchObject({ status: 400, param: 'messages[2].content[1].image_url.url' })
    }
    const named = ask([user('x')], { tools: [{ type: 'function', function: { name: 'no good' } }] })
    await expect(named).rejects.toMatchObject({ status: 400, param: 'tools[0].function.name' })
    const schema = { name: 'a', schema: { type: 'nonsense' } }
    const fitting = ask([user('x')], { response_format: { type: 'json_schema', json_schema: schema } })
    await expect(fitting).rejects.toMatchObject({ status: 400, param: 'response_format.json_schema.schema' })
    await expect(fitting).rejects.not.toThrow(/see errors/)
  })

  test('that no retry helps is not sent again, and one that time helps is', async ({ expect }) => {
    const stale = openai.chat.completions.create({ model: 'yaa', messages: [user(`approve pnd_${'0'.repeat(26)}`)] })
    const refused = await stale.catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 409, code: 'stale_decision' })
    expect((refused as InstanceType<typeof OpenAI.APIError>).headers?.get('x-should-retry')).toBe('false')
  })
})
