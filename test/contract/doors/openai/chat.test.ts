import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const VISIT = { web_access: { auto_approve: true } }

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE, config: { tools: VISIT } })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1` })
})
afterAll(() => served.close())

type Messages = OpenAI.ChatCompletionMessageParam[]

const user = (content: string): Messages[number] => ({ role: 'user', content })
const ask = (messages: Messages, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  openai.chat.completions.create({ model: 'yaa', messages, ...more }).withResponse()

/** An answer that is streamed, as the client puts it together. */
async function streamed(messages: Messages, more: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {}) {
  const { data, response } = await openai.chat.completions
    .create({ model: 'yaa', messages, ...more, stream: true })
    .withResponse()
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of data) chunks.push(chunk)
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  return { chunks, text, session: response.headers.get('x-yaa-session'), run: response.headers.get('x-yaa-run') }
}

const sessionOf = async (answer: { response: Response }) => {
  const id = answer.response.headers.get('x-yaa-session') ?? ''
  return served.client.sessions.get(id)
}

/** An answer, and what is told beside it to who asks for progress. */
async function withProgress(
  body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, 'model' | 'stream'> & { model?: string },
) {
  const stream = await openai.chat.completions.create(
    { model: 'yaa', ...body, stream: true },
    { headers: { 'x-yaa-progress': '1' } },
  )
  let [reasoning, text] = ['', '']
  for await (const { choices } of stream) {
    const delta: { content?: string | null; reasoning_content?: string } = choices[0]?.delta ?? {}
    reasoning += delta.reasoning_content ?? ''
    text += delta.content ?? ''
  }
  return { reasoning, text }
}

describe('an answer', () => {
  test('is a completion with its usage, session and run', async ({ expect }) => {
    await served.script([calls('web_access', { url: `${served.site.url}/a` }), calls('finish', { reason: '一百度。' })])
    const answer = await ask([user('水在几度沸腾？')])
    expect(answer.data).toMatchObject({
      object: 'chat.completion',
      model: 'yaa',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '一百度。' } }],
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    })
    expect(answer.data.choices[0]?.message.tool_calls).toBeUndefined()
    const session = await sessionOf(answer)
    expect(session).toMatchObject({ status: 'completed', result: '一百度。', user: null })
    expect(answer.data.id).toBe(`chatcmpl-${answer.response.headers.get('x-yaa-run')}`)
  })

  test('is streamed as it is written, under one id, with the usage last', async ({ expect }) => {
    await served.script([{ content: 'Water boils at 100 degrees.', hold_after: 4, chunks: 6 }])
    const stream = await openai.chat.completions.create({
      model: 'yaa',
      messages: [user('When does water boil? (as it is written)')],
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content && chunks.length === 1) await served.release()
      chunks.push(chunk)
    }
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Water boils at 100 degrees.')
    expect(chunks.length).toBeGreaterThan(4)
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1)
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' })
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
  })

  test('is put together by the stream helper', async ({ expect }) => {
    await served.script([calls('finish', { reason: 'One hundred.' })])
    const stream = openai.chat.completions.stream({ model: 'yaa', messages: [user('Helped')] })
    expect(await stream.finalContent()).toBe('One hundred.')
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe('stop')
  })

  test('tells what is thought and done where a client asks for progress', async ({ expect }) => {
    const steps = [
      { ...calls('web_access', { url: `${served.site.url}/b` }), reasoning: 'I look.' },
      calls('finish', { reason: 'Done.' }),
    ]
    await served.script(steps)
    const { reasoning, text } = await withProgress({ messages: [user('Progress')] })
    expect(reasoning).toBe(`I look.\n[web_access] {"url":"${served.site.url}/b"}\n`)
    expect(text).toBe('Done.')
  })

  test('tells plans and messages of teams as progress, and no call that its client makes', async ({ expect }) => {
    const plan = { plan: [{ name: 'llm_tool', description: 'Say a number' }] }
    await served.script([says(JSON.stringify(plan)), says('Seven.'), says('{"plan": []}'), says('It is seven.')])
    const planned = await withProgress({ model: 'yaa/plan', messages: [user('Plan something')] })
    expect(planned.reasoning).toBe('\nPlan, round 1:\n- llm_tool: Say a number\n')
    expect(planned.text).toBe('It is seven.')
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    const team = await withProgress({ model: 'yaa/team/software', messages: [user('Build it')] })
    expect(team.reasoning).toContain('\nBob: The design.\n')
    await served.script([calls('own', {})])
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'own' } }]
    expect(await withProgress({ messages: [user('Call')], tools })).toEqual({ reasoning: '', text: '' })
  })

  test('fits a schema', async ({ expect }) => {
    const schema = {
      type: 'object',
      properties: { degrees: { type: 'integer' } },
      required: ['degrees'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema' as const, json_schema: { name: 'boiling', schema } }
    await served.script([says('no JSON'), calls('finish', { reason: '{"degrees": 100}' })])
    const { data } = await ask([user('Structured')], { response_format: format })
    expect(JSON.parse(data.choices[0]?.message.content ?? '')).toEqual({ degrees: 100 })
    await served.script([says('no JSON'), calls('finish', { reason: '{"degrees": 100}' })])
    const { text } = await streamed([user('Structured stream')], { response_format: format })
    expect(JSON.parse(text)).toEqual({ degrees: 100 })
  })

  test('ends before a stop, also where the stream cuts it', async ({ expect }) => {
    const reply = { content: 'one two three four', chunks: ['one t', 'wo th', 'ree four'] }
    await served.script([reply, reply])
    expect((await ask([user('Stop')], { stop: 'three' })).data.choices[0]?.message.content).toBe('one two ')
    expect((await streamed([user('Stop in a stream')], { stop: ['three', 'four'] })).text).toBe('one two ')
  })

  test('is asked with what the request says of the model', async ({ expect }) => {
    await served.script([says('ok')])
    await ask([{ role: 'developer', content: 'Answer in one word.' }, user('Settings')], {
      temperature: 0.25,
      max_completion_tokens: 77,
      user: 'ann',
      metadata: { ticket: '7' },
    }).then(async (answer) => {
      expect(await sessionOf(answer)).toMatchObject({ user: 'ann', metadata: { ticket: '7' } })
    })
    const asked = served.model.requests.at(-1)?.body
    expect(asked).toMatchObject({ temperature: 0.25 })
    expect(JSON.stringify(asked)).toContain('Answer in one word.')
    expect(JSON.stringify(asked)).toContain('77')
  })
})

describe('a thread', () => {
  test('goes on in its session as long as its history is the one that was given out', async ({ expect }) => {
    await served.script([says('Hello Ann.'), says('Ann.'), says('Anew.')])
    const opening = [user('I am Ann.')]
    const first = await ask(opening)
    const told: Messages = [...opening, { role: 'assistant', content: first.data.choices[0]?.message.content ?? '' }]
    const second = await streamed([...told, user('Who am I?')])
    expect(second.session).toBe(first.response.headers.get('x-yaa-session'))
    const again = await ask([...told, user('Who was I?')])
    expect(again.response.headers.get('x-yaa-session')).not.toBe(second.session)
    const session = await sessionOf(again)
    expect(session.messages.slice(0, 2)).toMatchObject([
      { role: 'user', content: 'I am Ann.', given: true },
      { role: 'assistant', content: 'Hello Ann.', given: true },
    ])
  })

  test('of another user with the same history is another session', async ({ expect }) => {
    await served.script([says('Hi.'), says('A.'), says('B.')])
    const first = await ask([user('Same')], { user: 'ann' })
    const next: Messages = [user('Same'), { role: 'assistant', content: 'Hi.' }, user('Next')]
    const other = await ask(next, { user: 'bob' })
    const own = await ask(next, { user: 'ann' })
    const id = (answer: typeof first) => answer.response.headers.get('x-yaa-session')
    expect(id(other)).not.toBe(id(first))
    expect(id(own)).toBe(id(first))
  })

  test('is the session that a header or the metadata names', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.')])
    const first = await ask([user('Named')])
    const id = first.response.headers.get('x-yaa-session') ?? ''
    const byHeader = await openai.chat.completions
      .create({ model: 'yaa', messages: [user('Next')] }, { headers: { 'x-yaa-session': id } })
      .withResponse()
    expect(byHeader.response.headers.get('x-yaa-session')).toBe(id)
    const byMetadata = await ask([user('Last')], { metadata: { session_id: id } })
    expect(byMetadata.response.headers.get('x-yaa-session')).toBe(id)
    const wrong = ask([user('Gone')], { metadata: { session_id: `${id.slice(0, -1)}0` } })
    await expect(wrong).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  test('is one of two that go on at once', async ({ expect }) => {
    await served.script([
      { when: { last_contains: 'Red' }, content: 'red' },
      { when: { last_contains: 'Blue' }, content: 'blue' },
    ])
    const [red, blue] = await Promise.all([streamed([user('Red')]), streamed([user('Blue')])])
    expect([red.text, blue.text]).toEqual(['red', 'blue'])
    expect(red.session).not.toBe(blue.session)
  })
})

describe('a name', () => {
  test('may be a model, an agent that plans, a team or a skill', async ({ expect }) => {
    await served.script([says('Hallo.'), says('Bonjour.')])
    const skill = await ask([user('Hello')], { model: 'yaa/skill/translate' })
    expect(await sessionOf(skill)).toMatchObject({ skill: 'translate' })
    const model = await ask([user('Model')], { model: 'm' })
    expect(await sessionOf(model)).toMatchObject({ orchestrator: 'agent', config: { model: 'm' } })
    await served.script([says('{"plan":[]}'), says('Direct.')])
    const plan = await ask([user('Plan')], { model: 'yaa/plan' })
    expect(plan.data.choices[0]?.message.content).toBe('Direct.')
    expect(await sessionOf(plan)).toMatchObject({ orchestrator: 'plan' })
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    const team = await streamed([user('Team')], { model: 'yaa/team/software' })
    expect(team.text).toContain('The code.')
  })

  test('that is unknown is said with those that there are', async ({ expect }) => {
    const unknown = ask([user('x')], { model: 'gpt-99' })
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    await expect(unknown).rejects.toThrow(/yaa\/plan/)
    const listed = []
    for await (const { id } of openai.models.list()) listed.push(id)
    expect(listed).toEqual(expect.arrayContaining(['yaa', 'm', 'yaa/skill/translate']))
    expect(await openai.models.retrieve('yaa/plan')).toMatchObject({ id: 'yaa/plan', object: 'model' })
  })
})
