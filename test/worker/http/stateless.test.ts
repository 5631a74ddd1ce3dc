import { describe, test } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { Message } from '../../../src/domain/message.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { hear } from '../../support/sse.ts'
import { validateStrictHistory } from '../../support/strict-history.ts'
import { APPROVED, BOTH, native, WORDS } from '../../support/words.ts'
import { call, json, problem, type Stage, stage } from './http.ts'

const zh = WORDS['zh-CN']
const user = (content: string) => ({ role: 'user', content })

function post(
  { config }: Stage,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  path = '/v1/agent',
) {
  return call('POST', path, { body: { config, ...body }, headers })
}

const run = (set: Stage, body: Record<string, unknown>): Promise<AgentResponseData> => json(post(set, body))

/** What a caller does who keeps the session: what came is put behind what was there. */
async function goOn(set: Stage, history: unknown[], answer: AgentResponseData, ...more: unknown[]) {
  const messages = [...history, ...answer.messages, ...more]
  return { messages, answer: await run(set, { ...answer, messages }) }
}

async function expectStrict(
  { model }: Stage,
  expect: (value: unknown) => { toEqual(value: unknown): void },
): Promise<void> {
  for (const { body } of await model.asked()) expect(validateStrictHistory(body.messages)).toEqual([])
}

describe('a session that its caller keeps', () => {
  test('has nowhere to keep the rest of a result that was cut, and promises nothing', async ({ expect }) => {
    const set = await stage((page) => [native('web_access', { url: page('long') }), native('finish', { reason: '好' })])
    const config = { ...set.config, llm: { ...set.config.llm, protocol: 'native' }, tools: APPROVED.tools }
    const { messages, result } = await run(set, { config, messages: [user(zh.task)] })
    expect(result).toBe('好')
    const cut = messages.find(({ truncated }) => truncated)
    expect(cut?.truncated).toMatchObject({ rest: null })
    expect(cut?.truncated?.kept_length).toBeLessThanOrEqual(8_000)
    expect(cut?.content).toMatch(/（内容过长：共 \d+ 个字符，给出了 \d+ 个。）$/)
    const offered = (await set.model.asked()).flatMap(({ body }) => body.tools?.map((tool) => tool.function.name) ?? [])
    expect(offered).toContain('web_access')
    expect(offered).not.toContain('read_result')
  })

  test('offers no tool that needs a log of the server, though the config has it on', async ({ expect }) => {
    const set = await stage([native('finish', { reason: 'done' })])
    const tools = { delegate: { enabled: true }, wait: { enabled: true }, plan_notes: { enabled: true } }
    const config = {
      ...set.config,
      llm: { ...set.config.llm, protocol: 'native' as const },
      language: 'en' as const,
      tools,
    }
    expect(await run({ ...set, config }, { messages: [user('Go')] })).toMatchObject({ status: 'completed' })
    const [asked] = await set.model.asked()
    const offered = asked?.body.tools?.map((tool) => tool.function.name) ?? []
    expect(offered).toContain('plan_notes')
    for (const name of ['delegate', 'task_status', 'cancel_task', 'wait']) expect(offered).not.toContain(name)
  })

  test('passes the trace of its caller on to the model', async ({ expect }) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const set = await stage([zh.finish('好')])
    await json(post(set, { messages: [user('你好')] }, { traceparent }))
    expect((await set.model.asked()).map(({ headers }) => headers['traceparent'])).toEqual([traceparent])
  })

  test.for(['/v1/agent', '/'])('is run and answered, and nothing is stored: %s', async (path, { expect }) => {
    const set = await stage([zh.finish('好')])
    const name = `u-${crypto.randomUUID()}`
    const body = { id: 'my-own-id', user: name, title: '标题', messages: [user('你好')] }
    const answer = await json<AgentResponseData>(post(set, body, {}, path))
    expect(answer).toMatchObject({
      id: 'my-own-id',
      object: 'agent.response',
      title: '标题',
      status: 'completed',
      finish_reason: 'completed',
      result: '好',
      pending: [],
      error: null,
      usage: { model_calls: 1 },
    })
    expect(answer.messages.map(({ kind }) => kind)).toEqual(['prompt', 'reply', 'tool_result'])
    expect(await json(call('GET', `/v1/sessions?user=${name}`))).toMatchObject({ data: [] })
    await expectStrict(set, expect)
  })

  for (const words of BOTH) {
    test(`stops for an approval, which is posted back: runs at once, without prompt and without model (${words.language})`, async ({
      expect,
    }) => {
      const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
      const config = { ...set.config, language: words.language }
      const first = await run(set, { config, messages: [user(words.task)] })
      expect(first).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted', result: null })
      expect(first.pending).toMatchObject([{ type: 'approval', tool: 'web_access' }])
      expect(await set.site.visits()).toEqual([])
      const approval = user(words.approvals[0]?.(words.names.web_access, '快') ?? '')
      const second = await goOn({ ...set, config }, [user(words.task)], first, approval)
      expect(second.answer).toMatchObject({ status: 'completed', result: '好' })
      expect(second.answer.messages.map(({ kind }) => kind)).toEqual(['tool_result', 'reply', 'tool_result'])
      expect(second.answer.messages[0]?.content).toMatch(/A lighthouse[^]*快/)
      expect(await set.model.asked()).toHaveLength(2)
      expect(await set.site.visits()).toEqual(['article'])
      await expectStrict(set, expect)
    })

    test(`that is made up by hand asks again, and runs with the proof that it then gets (${words.language})`, async ({
      expect,
    }) => {
      const set = await stage([words.finish('好')])
      const config = { ...set.config, language: words.language }
      const reply = words.visit(set.site.url('article'))
      const messages = [
        user(words.task),
        { role: 'system', content: `<${words.sections[0]}>x</${words.sections[0]}>` },
        { role: 'assistant', content: reply },
        user(words.approvals.at(-1)?.(words.names.web_access) ?? ''),
      ]
      const asked = await run({ ...set, config }, { messages })
      expect(asked).toMatchObject({ status: 'interrupted', messages: [], pending: [{ tool: 'web_access' }] })
      expect([await set.model.asked(), await set.site.visits()]).toEqual([[], []])
      const done = await run({ ...set, config }, { messages, pending: asked.pending })
      expect(done).toMatchObject({ status: 'completed', result: '好' })
      expect(await set.site.visits()).toEqual(['article'])
      await expectStrict(set, expect)
    })
  }

  test('a refusal and any other word refuse, and reach the model', async ({ expect }) => {
    for (const word of [zh.refuse('网页访问', '不要上网'), '不要上网']) {
      const set = await stage((page) => [zh.visit(page('article')), zh.finish('好')])
      const first = await run(set, { messages: [user(zh.task)] })
      const { answer } = await goOn(set, [user(zh.task)], first, user(word))
      expect(answer).toMatchObject({ status: 'completed', result: '好' })
      expect(answer.messages[0]?.content).toContain('不要上网')
      expect(await set.site.visits()).toEqual([])
    }
  })

  test('a question is answered by the next message', async ({ expect }) => {
    const set = await stage([zh.ask('红还是蓝？'), zh.finish('好')])
    const first = await run(set, { messages: [user(zh.task)] })
    expect(first).toMatchObject({
      status: 'interrupted',
      finish_reason: 'waiting_feedback',
      pending: [{ question: '红还是蓝？' }],
    })
    const { answer } = await goOn(set, [user(zh.task)], first, user('蓝'))
    expect(answer.messages[0]?.content).toBe('[提问]的内容：\n\n蓝')
    expect(answer.result).toBe('好')
  })

  test('a last message that is a call is executed before any model call, if it is authorised', async ({ expect }) => {
    const set = await stage([zh.finish('好')])
    const messages = [user(zh.task), { role: 'assistant', content: zh.visit(set.site.url('article')) }]
    const waits = await run(set, { messages })
    expect(waits).toMatchObject({
      status: 'interrupted',
      pending: [{ tool: 'web_access' }],
      messages: [{ role: 'assistant' }],
    })
    expect([await set.model.asked(), await set.site.visits()]).toEqual([[], []])
    const config = { ...set.config, tools: { 网页访问: { auto_approve: true } } }
    const runs = await run(set, { config, messages })
    expect(runs).toMatchObject({ status: 'completed', result: '好' })
    expect(runs.messages.map(({ role }) => role).slice(0, 2)).toEqual(['assistant', 'tool'])
    expect(await set.site.visits()).toEqual(['article'])
    await expectStrict(set, expect)
  })

  test('a call that is finish completes at once', async ({ expect }) => {
    const set = await stage()
    const messages = [user(zh.task), { role: 'assistant', content: zh.finish('早就好了') }]
    expect(await run(set, { messages })).toMatchObject({ status: 'completed', result: '早就好了' })
    expect(await set.model.asked()).toEqual([])
  })

  test('the next batch goes on where the last one stood, with the prompt that is there', async ({ expect }) => {
    const set = await stage([zh.rethink('…'), zh.finish('好')])
    const config = { ...set.config, limits: { max_iterations: 1 } }
    const first = await run(set, { config, messages: [user(zh.task)] })
    expect(first).toMatchObject({ status: 'in_progress', finish_reason: null })
    const { answer, messages } = await goOn({ ...set, config }, [user(zh.task)], first)
    expect(answer).toMatchObject({ status: 'completed', result: '好' })
    const kinds = [...messages, ...answer.messages].map((message) => (message as Message).kind)
    expect(kinds.filter((kind) => kind === 'prompt')).toHaveLength(
      2 - 1 + answer.messages.filter(({ kind }) => kind === 'prompt').length,
    )
    expect((await set.model.asked()).map(({ body }) => body.messages.length)).toEqual([2, 4])
    await expectStrict(set, expect)
  })

  test('native calls keep their ids through the caller', async ({ expect }) => {
    const set = await stage((page) => [
      native('web_access', { url: page('article') }),
      native('finish', { reason: '好' }),
    ])
    const config = { ...set.config, llm: { ...set.config.llm, protocol: 'native' as const } }
    const first = await run(set, { config, messages: [user(zh.task)] })
    const { answer } = await goOn(
      { ...set, config },
      [user(zh.task)],
      first,
      user('<授权><工具>web_access</工具></授权>'),
    )
    expect(answer).toMatchObject({ status: 'completed', result: '好' })
    await expectStrict(set, expect)
  })

  test('a reply that calls nothing is the answer, where functions are called', async ({ expect }) => {
    const set = await stage(['巴黎', native('finish', { reason: '好' })])
    const config: SessionConfig = { ...set.config, llm: { ...set.config.llm, protocol: 'native' } }
    const first = await run(set, { config, messages: [user('首都？')] })
    expect(first).toMatchObject({ status: 'completed', result: '巴黎', ended_by: 'reply', error: null })
    const back = { ...first, config, messages: [user('首都？'), ...first.messages] }
    expect((await problem(post(set, back), 409)).code).toBe('session_completed')
    const again = await run(set, { ...back, messages: [...back.messages, user('为什么？')] })
    expect(again).toMatchObject({ status: 'completed', result: '好', ended_by: 'finish' })
  })

  test('in text it is warned of, and the second in a row is the answer, from call to call', async ({ expect }) => {
    const set = await stage(['一', zh.rethink('…'), '二', '三'])
    const config = { ...set.config, limits: { max_iterations: 1 } }
    let answer = await run(set, { config, messages: [user('甲')] })
    while (answer.status === 'in_progress')
      answer = await run(set, { ...answer, config, messages: [user('甲'), ...answer.messages] })
    const kinds = answer.messages.map(({ kind }) => kind)
    expect(answer).toMatchObject({ status: 'completed', result: '三', ended_by: 'reply' })
    expect(kinds).toEqual(['prompt', 'reply', 'warning', 'reply', 'tool_result', 'reply', 'warning', 'reply'])
    await expectStrict(set, expect)
  })

  test('a history that ends with a reply is answered by it, or the reply is warned of', async ({ expect }) => {
    const reply = (content: string) => ({ role: 'assistant', content })
    const told = { role: 'system', content: zh.noCall }
    const set = await stage([zh.finish('好')])
    const functions: SessionConfig = { ...set.config, llm: { ...set.config.llm, protocol: 'native' } }
    const ask = (config: SessionConfig, ...messages: unknown[]) =>
      run(set, { config, messages: [user('甲'), ...messages] })
    expect(await ask(functions, reply('一'))).toMatchObject({ status: 'completed', result: '一', ended_by: 'reply' })
    expect(await ask(set.config, reply('一'), told, reply('二'))).toMatchObject({ result: '二', ended_by: 'reply' })
    expect(await set.model.asked()).toEqual([])
    const warned = await ask(set.config, reply('一'))
    expect(warned).toMatchObject({ status: 'completed', result: '好', ended_by: 'finish' })
    expect(warned.messages[1]).toMatchObject({ kind: 'warning', content: zh.noCall })
  })

  test('a follow-up task gets a prompt of its own', async ({ expect }) => {
    const set = await stage([zh.finish('一'), zh.finish('二')])
    const first = await run(set, { messages: [user('甲')] })
    const { answer } = await goOn(set, [user('甲')], first, user('乙'))
    expect(answer).toMatchObject({ status: 'completed', result: '二' })
    expect(answer.messages[0]).toMatchObject({ kind: 'prompt', role: 'system' })
    expect((await set.model.asked())[1]?.body.messages.filter(({ role }) => role === 'system')).toHaveLength(1)
    await expectStrict(set, expect)
  })
})

describe('what it takes and refuses', () => {
  test('no user message is 400', async ({ expect }) => {
    const set = await stage()
    for (const messages of [[], [{ role: 'assistant', content: 'x' }]]) {
      expect((await problem(post(set, { messages }), 400)).code).toBe('no_user_message')
    }
    await problem(post(set, {}), 400)
  })

  test('a completed session without a new user message is 409', async ({ expect }) => {
    const set = await stage([zh.finish('好'), zh.finish('二')])
    const first = await run(set, { messages: [user('甲')] })
    for (const status of ['completed', 'Completed', '已完成']) {
      const refused = post(set, { status, messages: [user('甲'), ...first.messages] })
      expect((await problem(refused, 409)).code).toBe('session_completed')
    }
    const again = post(set, { status: 'completed', messages: [user('甲'), ...first.messages, user('乙')] })
    expect(await json(again)).toMatchObject({ status: 'completed', result: '二' })
  })

  test.for(['in_progress', 'in-progress', 'InProgress', '进行中', 'Interrupted', '空闲', 'FAILED', '已取消'])(
    'status may be written %s',
    async (status, { expect }) => {
      const set = await stage([zh.finish('好')])
      const body = { status, startTime: '2026-01-01T00:00:00Z', finishReason: null, messages: [user('甲')] }
      expect(await run(set, body)).toMatchObject({ status: 'completed' })
    },
  )

  test.for(['plan', 'route', 'team'])('%s needs a session, and says so', async (orchestrator, { expect }) => {
    const set = await stage([])
    const refused = await problem(post(set, { orchestrator, messages: [user('x')] }), 400)
    expect(refused.errors?.map(({ path }) => path)).toEqual(['orchestrator'])
    expect(await set.model.asked()).toEqual([])
  })

  test('a team needs a session too, and says so; one that came with the answer of an agent is taken', async ({
    expect,
  }) => {
    const set = await stage([zh.finish('好')])
    for (const team of ['software', { name: 'software' }]) {
      const refused = await problem(post(set, { team, messages: [user('x')] }), 400)
      expect(refused.errors?.map(({ path }) => path)).toEqual(['team'])
    }
    expect(await set.model.asked()).toEqual([])
    const taken = await run(set, { team: null, orchestrator: 'agent', messages: [user('x')] })
    expect(taken).toMatchObject({ status: 'completed', result: '好' })
  })

  test('an end that calls an unknown tool is told so, by tags or by calls', async ({ expect }) => {
    const args = { url: 'x' }
    const ends = [
      { role: 'assistant', content: '<飞行><目的地>月球</目的地></飞行>' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', name: '飞行', arguments: args }] },
    ]
    for (const end of ends) {
      const set = await stage([zh.finish('好')])
      const answer = await run(set, { messages: [user(zh.task), end] })
      expect(answer).toMatchObject({ status: 'completed', result: '好' })
      const [told] = answer.messages.filter(({ role }) => role !== 'assistant')
      expect(contentText(told?.content ?? '', null)).toContain('工具"飞行"不存在！')
      expect(JSON.stringify(answer.messages)).not.toContain('每次回复至少调用一个工具')
    }
  })

  test('what is unknown or wrong is 400 with its path', async ({ expect }) => {
    const set = await stage()
    const pathsOf = async (body: Record<string, unknown>) =>
      (await problem(post(set, { messages: [user('甲')], ...body }), 400)).errors?.map(({ path }) => path)
    expect(await pathsOf({ status: 'asleep' })).toEqual(['status'])
    expect(await pathsOf({ colour: 1 })).toEqual(['colour'])
    expect(await pathsOf({ messages: [user('甲'), { role: 'user' }] })).toEqual(['messages.1.content'])
    expect(await pathsOf({ config: { model: 'nobody' } })).toEqual(['config.model'])
    expect(await pathsOf({ config: { limits: { max_plan_rounds: 21 } } })).toEqual(['config.limits.max_plan_rounds'])
    expect(await pathsOf({ config: { llm: { api_url: 'http://127.0.0.1:1/' } } })).toEqual(['config.llm.api_url'])
  })

  test('a SessionData is taken as it came', async ({ expect }) => {
    const set = await stage([zh.finish('一'), zh.finish('二')])
    const stored = await json<Record<string, unknown>>(
      call('POST', '/v1/sessions', { body: { task: '甲', config: set.config } }),
      201,
    )
    const messages = [...(stored['messages'] as unknown[]), user('乙')]
    expect(await run(set, { ...stored, messages })).toMatchObject({
      id: stored['id'],
      status: 'completed',
      result: '二',
    })
  })

  test('so is one that failed, with why', async ({ expect }) => {
    const set = await stage([{ status: 401 }, zh.finish('二')])
    const body = { body: { task: '甲', config: set.config } }
    const stored = await json<Record<string, unknown>>(call('POST', '/v1/sessions', body), 201)
    expect(stored).toMatchObject({ status: 'failed', error: { code: 'model_unauthorized' } })
    const messages = [...(stored['messages'] as unknown[]), user('乙')]
    expect(await run(set, { ...stored, messages })).toMatchObject({ status: 'completed', result: '二', error: null })
  })

  test('a failed model call is 200 and says so', async ({ expect }) => {
    const set = await stage([{ status: 500, body: '<html>' }])
    expect(await run(set, { messages: [user('甲')] })).toMatchObject({ status: 'failed', error: { status: 500 } })
  })
})

describe('as a stream', () => {
  test('chunks tell deltas and messages, and how it stands at the end', async ({ expect }) => {
    const set = await stage((page) => [
      { content: null, chunks: ['看', '看', zh.visit(page('article'))] },
      { content: null, chunks: ['完', '了', zh.finish('好')] },
    ])
    const config = { ...set.config, tools: { web_access: { auto_approve: true } } }
    const answer = await post(set, { id: 'mine', config, messages: [user(zh.task)] }, { accept: 'text/event-stream' })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const chunks = (await hear(answer.body)).map(({ data }) => data)
    expect(chunks.every(({ id, object }) => id === 'mine' && object === 'agent.response.chunk')).toBe(true)
    const deltas = chunks.flatMap(({ delta }) => (typeof delta === 'string' ? [delta] : []))
    expect(deltas.join('')).toBe(`看看${zh.visit(set.site.url('article'))}完了${zh.finish('好')}`)
    const messages = chunks.flatMap(({ message }) => (message === undefined ? [] : [(message as Message).kind]))
    expect(messages).toEqual(['prompt', 'reply', 'tool_result', 'reply', 'tool_result'])
    expect(chunks.at(-1)).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    expect(chunks.slice(0, -1).every(({ status }) => status === 'in_progress')).toBe(true)
  })

  test('ends as interrupted at an approval', async ({ expect }) => {
    const set = await stage((page) => [zh.visit(page('article'))])
    const answer = await post(set, { messages: [user(zh.task)] }, { accept: 'text/event-stream' })
    expect((await hear(answer.body)).at(-1)?.data).toMatchObject({
      status: 'interrupted',
      finish_reason: 'interrupted',
    })
  })

  test('a refusal is a problem', async ({ expect }) => {
    const refused = post(await stage(), { messages: [] }, { accept: 'text/event-stream' })
    expect((await problem(refused, 400)).code).toBe('no_user_message')
  })
})
