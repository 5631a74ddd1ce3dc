import { describe, expect, test } from 'vitest'
import { codecFor } from '../../../src/agent/codec.ts'
import type { EncodeInput } from '../../../src/agent/decode.ts'
import type { Message } from '../../../src/domain/message.ts'
import type { ModelReply, Protocol } from '../../../src/domain/model.ts'
import { type WireMessage, wireMessages } from '../../../src/models/openai/openai.ts'
import { specFor } from '../models/call.ts'
import { validateStrictHistory } from '../../support/strict-history.ts'
import { TOOLS } from './example-tools.ts'
import { message } from './example-messages.ts'

const CALL = { id: 'call_1', name: 'web_access', arguments: { url: 'https://a.test' } }
const WRITTEN = '好\n<网页访问>\n<地址>https://a.test</地址>\n</网页访问>'
const PAGE = '[网页访问]的内容：\n\n正文'

const task = message('user', 'task', '读 a.test')
const prompt = message('system', 'prompt', 'PROMPT')
const result = message('tool', 'tool_result', PAGE, { tool_call_id: 'call_1', tool_name: 'web_access' })
const nativeReply = message('assistant', 'reply', '', { tool_calls: [CALL] })
const textReply = message('assistant', 'reply', WRITTEN, { tool_calls: [CALL] })
const approval = message('user', 'approval', '<授权><工具>网页访问</工具></授权>')
const WARNED = '[警告]每次回复至少调用一个工具！'
const warning = message('system', 'warning', WARNED)

function encode(protocol: Protocol, messages: Message[], change: Partial<EncodeInput> = {}): WireMessage[] {
  const input: EncodeInput = { prompt: 'PROMPT', messages, tools: TOOLS, language: 'zh-CN', ...change }
  const wire = wireMessages(specFor('https://llm.test/v1'), codecFor(protocol).encode(input).messages)
  expect(validateStrictHistory(wire)).toEqual([])
  return wire
}

/** A wire message in short: role, content, calls. */
function short(wire: WireMessage): string {
  const said = typeof wire.content === 'string' ? wire.content : JSON.stringify(wire.content)
  if (wire.role === 'tool') return `tool ${wire.tool_call_id}: ${said}`
  if (wire.role !== 'assistant') return `${wire.role}: ${said}`
  const calls = (wire.tool_calls ?? []).map(({ id, function: f }) => ` [${id} ${f.name} ${f.arguments}]`)
  return `assistant: ${said}${calls.join('')}`
}

const WIRE_CALL = '[call_1 web_access {"url":"https://a.test"}]'

describe('native encoding', () => {
  test.each<[string, Message[], string[]]>([
    ['the prompt first and once, the task as a user message', [task, prompt], ['user: 读 a.test']],
    [
      'only the newest prompt',
      [task, message('system', 'prompt', 'OLD'), task, prompt],
      ['user: 读 a.test', 'user: 读 a.test'],
    ],
    [
      'a call and its result',
      [task, nativeReply, result],
      ['user: 读 a.test', `assistant: null ${WIRE_CALL}`, `tool call_1: ${PAGE}`],
    ],
    [
      'a written call keeps its text',
      [textReply, result],
      [`assistant: ${WRITTEN} ${WIRE_CALL}`, `tool call_1: ${PAGE}`],
    ],
    [
      'an approval is not sent',
      [nativeReply, approval, result],
      [`assistant: null ${WIRE_CALL}`, `tool call_1: ${PAGE}`],
    ],
    [
      'an answer is not sent',
      [nativeReply, message('user', 'answer', 'x'), result],
      [`assistant: null ${WIRE_CALL}`, `tool call_1: ${PAGE}`],
    ],
    ['an answer without a call is sent', [message('user', 'answer', 'x')], ['user: x']],
    [
      'a warning is a user message',
      [message('assistant', 'reply', '你好'), warning],
      ['assistant: 你好', `user: ${WARNED}`],
    ],
    [
      'nothing comes between call and result',
      [nativeReply, warning, result],
      [`assistant: null ${WIRE_CALL}`, `tool call_1: ${PAGE}`, `user: ${WARNED}`],
    ],
    ['a result without its call is a user message', [result], [`user: ${PAGE}`]],
    [
      'a second result is a user message',
      [nativeReply, result, result],
      [`assistant: null ${WIRE_CALL}`, `tool call_1: ${PAGE}`, `user: ${PAGE}`],
    ],
    [
      'an empty reply is left out',
      [task, message('assistant', 'reply', ' '), warning],
      ['user: 读 a.test', `user: ${WARNED}`],
    ],
    [
      'a tool that is gone',
      [message('assistant', 'reply', '', { tool_calls: [{ ...CALL, name: '旧工具 x' }] }), result],
      ['assistant: null [call_1 ____x {"url":"https://a.test"}]', `tool call_1: ${PAGE}`],
    ],
  ])('%s', (_, messages, expected) => {
    const lesson = '如果这就是给用户的答复，请调用函数 finish，参数为：\n\n{"reason":"你好"}'
    const isLesson = expected[0] === 'assistant: 你好'
    const told = isLesson ? [...expected, `user: ${lesson}`] : expected
    expect(encode('native', messages).map(short)).toEqual(['system: PROMPT', ...told])
    expect(encode('auto', messages).map(short)).toEqual(['system: PROMPT', ...told])
  })

  test('a call without a result was interrupted, and the history says so in its language', () => {
    const [, zh] = encode('native', [nativeReply], { prompt: null }).map(short)
    const [, en] = encode('native', [nativeReply], { prompt: null, language: 'en' }).map(short)
    expect(zh).toMatch(/^tool call_1: \[网页访问\]执行失败：/)
    expect(en).toMatch(/^tool call_1: \[web_access\] failed: /)
  })

  test('several calls have their results in the order of the calls', () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ ...CALL, id }))
    const results = ['c', 'a'].map((id) => message('tool', 'tool_result', id, { tool_call_id: id }))
    const wire = encode('native', [message('assistant', 'reply', 'x', { tool_calls: calls }), ...results], {
      prompt: null,
    })
    expect(wire.map(short).slice(1)).toEqual([
      'tool a: a',
      expect.stringMatching(/^tool b: \[网页访问\]执行失败/),
      'tool c: c',
    ])
  })

  test('ids that a history repeats are told apart', () => {
    const wire = encode('native', [nativeReply, result, nativeReply, result], { prompt: null })
    expect(wire.map(short)[3]).toBe(`tool call_1_2: ${PAGE}`)
  })

  test('a result without an id belongs to the open call', () => {
    const wire = encode('native', [nativeReply, message('tool', 'tool_result', PAGE)], { prompt: null })
    expect(wire.map(short)[1]).toBe(`tool call_1: ${PAGE}`)
  })

  test('reasoning is handed on', () => {
    const messages = [message('assistant', 'reply', 'x', { reasoning: 'r' })]
    const said = codecFor('native').encode({ prompt: null, messages, tools: TOOLS, language: 'zh-CN' })
    expect(said.messages).toEqual([{ role: 'assistant', content: 'x', reasoning: 'r' }])
  })

  test('tools are described in the language of the session, with ids and English parameters', () => {
    const { tools } = codecFor('native').encode({ prompt: null, messages: [], tools: TOOLS, language: 'zh-CN' })
    expect(tools?.[0]).toMatchObject({
      name: 'web_access',
      description: '读取一个网页。',
      parameters: { type: 'object', required: ['url'], properties: { url: { type: 'string', description: '网址' } } },
    })
  })

  test('a request without tools holds neither tools nor tool messages', () => {
    const encoded = codecFor('native').encode({
      prompt: 'P',
      messages: [task, nativeReply, result],
      tools: [],
      language: 'zh-CN',
    })
    expect(encoded.tools).toBeUndefined()
    expect(encoded.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(encoded.messages.some((said) => 'toolCalls' in said)).toBe(false)
  })
})

describe('text encoding', () => {
  test.each<[string, Message[], string[]]>([
    [
      'results and warnings are user messages',
      [task, textReply, result, warning],
      ['user: 读 a.test', `assistant: ${WRITTEN}`, `user: ${PAGE}`, `user: ${WARNED}`],
    ],
    [
      'a native call is written as tags',
      [nativeReply, result],
      ['assistant: <网页访问>\n<地址>https://a.test</地址>\n</网页访问>', `user: ${PAGE}`],
    ],
    [
      'a native call goes behind the text',
      [message('assistant', 'reply', '好', { tool_calls: [CALL] }), result],
      ['assistant: 好\n\n<网页访问>\n<地址>https://a.test</地址>\n</网页访问>', `user: ${PAGE}`],
    ],
    [
      'a call written as JSON is not written again',
      [
        message(
          'assistant',
          'reply',
          '<tool_call>{"name":"web_access","arguments":{"url":"https://a.test"}}</tool_call>',
          { tool_calls: [CALL] },
        ),
        result,
      ],
      ['assistant: <tool_call>{"name":"web_access","arguments":{"url":"https://a.test"}}</tool_call>', `user: ${PAGE}`],
    ],
    ['an approval is not sent', [textReply, approval, result], [`assistant: ${WRITTEN}`, `user: ${PAGE}`]],
    [
      'a result that the history of a client has without a call',
      [message('assistant', 'reply', WRITTEN), message('tool', 'tool_result', PAGE)],
      [`assistant: ${WRITTEN}`, `user: ${PAGE}`],
    ],
    [
      'a tool that is gone',
      [message('assistant', 'reply', '', { tool_calls: [{ ...CALL, name: 'old' }] }), result],
      ['assistant: <old>\n<url>https://a.test</url>\n</old>', `user: ${PAGE}`],
    ],
    [
      'a written call of a tool that is gone',
      [message('assistant', 'reply', '<old><url>x</url></old>', { tool_calls: [{ ...CALL, name: 'old' }] }), result],
      ['assistant: <old><url>x</url></old>', `user: ${PAGE}`],
    ],
  ])('%s', (_, messages, expected) => {
    expect(encode('xml', messages).map(short)).toEqual(['system: PROMPT', ...expected])
  })

  test('no tools are sent', () => {
    expect(codecFor('xml').encode({ prompt: null, messages: [], tools: TOOLS, language: 'en' })).toEqual({
      messages: [],
    })
  })
})

function reply(content: string, ...calls: [name: string, args: string][]): ModelReply {
  const usage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
  const toolCalls = calls.map(([name, args], index) => ({ id: `c${index}`, name, arguments: args }))
  return { content, reasoning: '', toolCalls, usage, stopReason: null }
}

const decode = (protocol: Protocol, given: ModelReply, language: 'zh-CN' | 'en' = 'zh-CN') =>
  codecFor(protocol).decode(given, TOOLS, language)

describe('native decoding', () => {
  test.each<[string, [string, string], object]>([
    [
      'a good call',
      ['web_access', '{"url":"https://a.test","page":2}'],
      { name: 'web_access', toolId: 'web_access', arguments: { url: 'https://a.test', page: 2 }, problem: null },
    ],
    [
      'names of another language',
      ['网页访问', '{"地址":"https://a.test"}'],
      { name: 'web_access', arguments: { url: 'https://a.test' }, problem: null },
    ],
    ['a prefix that some models add', ['functions.finish', '{"reason":"x"}'], { name: 'finish', problem: null }],
    ['no arguments at all', ['box__list', ''], { name: 'box__list', arguments: {}, problem: null }],
    [
      'an unknown tool',
      ['weather', '{"city":"x"}'],
      { name: 'weather', toolId: null, arguments: { city: 'x' }, problem: { code: 'unknown_tool', name: 'weather' } },
    ],
    [
      'broken arguments',
      ['web_access', '{"url":'],
      {
        name: 'web_access',
        arguments: {},
        problem: {
          code: 'bad_parameters',
          tool: 'web_access',
          errors: [{ path: 'arguments', expected: '一个 JSON 对象' }],
        },
      },
    ],
    ['a list as arguments', ['web_access', '[1]'], { arguments: {}, problem: { code: 'bad_parameters' } }],
    ['a string as arguments', ['web_access', '"{}"'], { arguments: {}, problem: { code: 'bad_parameters' } }],
    [
      'a wrong type',
      ['web_access', '{"url":"https://a.test","page":"2"}'],
      {
        arguments: { url: 'https://a.test', page: '2' },
        problem: { code: 'bad_parameters', errors: [{ path: '页码', expected: '整数（1–100）' }] },
      },
    ],
  ])('%s', (_, call, expected) => {
    for (const protocol of ['native', 'auto', 'xml'] as const) {
      const decoded = decode(protocol, reply('', call))
      expect(decoded).toMatchObject({ form: 'native', problem: null, dropped: 0, calls: [expected] })
    }
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'a parameter called %s is one that the tool does not have',
    (name) => {
      const { calls } = decode('native', reply('', ['web_access', `{"url":"https://a.test","${name}":{"x":1}}`]), 'en')
      expect(calls[0]?.problem).toMatchObject({
        code: 'bad_parameters',
        errors: [{ expected: expect.stringContaining('no such parameter') }],
      })
      const said = message('assistant', 'reply', '', {
        tool_calls: [{ id: 'call_1', name: 'web_access', arguments: calls[0]?.arguments ?? {} }],
      })
      for (const protocol of ['xml', 'native'] as const)
        expect(JSON.stringify(encode(protocol, [task, prompt, said, result]))).toContain(name)
    },
  )

  test('each of several calls stands for itself', () => {
    const { calls } = decode('native', reply('好', ['finish', '{}'], ['nope', '{}'], ['finish', '{"reason":"x"}']))
    expect(calls.map(({ problem }) => problem?.code ?? null)).toEqual(['bad_parameters', 'unknown_tool', null])
  })

  test('no more calls than the limit are taken', () => {
    const many = Array.from({ length: 70 }, (): [string, string] => ['box__list', '{}'])
    const { calls, dropped } = decode('native', reply('', ...many))
    expect([calls.length, dropped]).toEqual([64, 6])
  })

  test('text is no call under native, even if it looks like one', () => {
    expect(decode('native', reply(WRITTEN))).toEqual({
      content: WRITTEN,
      form: 'none',
      calls: [],
      problem: { code: 'no_tool_called' },
      dropped: 0,
    })
  })
})

const JSON_CALL = '{"name": "web_access", "arguments": {"url": "https://a.test"}}'

describe('text decoding', () => {
  test.each<[string, string]>([
    ['tags', WRITTEN],
    ['a tool_call', `好的\n<tool_call>\n${JSON_CALL}\n</tool_call>`],
    ['a tool_call without its end mark', `<|tool_call|>${JSON_CALL}`],
    ['a tool_call list', `<|tool_call|>[${JSON_CALL}]<|/tool_call|>`],
    [
      'arguments as a string',
      `<tool_call>{"name":"网页访问","arguments":"{\\"url\\":\\"https://a.test\\"}"}</tool_call>`,
    ],
    ['the word parameters', `<|python_tag|>{"name":"web_access","parameters":{"地址":"https://a.test"}}<|eom_id|>`],
    ['an OpenAI call', `[TOOL_CALLS] [{"type":"function","function":${JSON_CALL}}]`],
    ['a function mark', '<function=web_access>{"url": "https://a.test"}</function>'],
    [
      'a function mark with parameters',
      '<tool_call>\n<function=web_access>\n<parameter=url>\nhttps://a.test\n</parameter>\n</function>\n</tool_call>',
    ],
    ['JSON alone', ` ${JSON_CALL}\n`],
    ['JSON alone after thoughts', `<think>\`\`\` {</think>\n${JSON_CALL}`],
    ['JSON alone in a fence', `\`\`\`json\n${JSON_CALL}\n\`\`\``],
  ])('%s', (_, content) => {
    for (const protocol of ['auto', 'xml'] as const) {
      const decoded = decode(protocol, reply(content))
      const form = content === WRITTEN ? { form: 'text' } : { form: 'text', isForeign: true }
      expect(decoded).toEqual({
        content,
        ...form,
        calls: [{ name: 'web_access', toolId: 'web_access', arguments: { url: 'https://a.test' }, problem: null }],
        problem: null,
        dropped: 0,
      })
    }
  })

  test.each<[string, string]>([
    ['text', '你好'],
    ['nothing', ''],
    ['a tool_call in a fence', `\`\`\`\n<tool_call>${JSON_CALL}</tool_call>\n\`\`\``],
    ['a tool_call in thoughts', `<think><tool_call>${JSON_CALL}</tool_call></think>`],
    ['an unclosed tool_call', `<tool_call>${JSON_CALL}`],
    ['JSON with text around it', `结果：${JSON_CALL}`],
    ['JSON in a fence with text around it', `例如\n\`\`\`json\n${JSON_CALL}\n\`\`\``],
    ['JSON of an unknown tool', '{"name":"weather","arguments":{}}'],
    ['JSON that is an answer', '{"name":"finish","value":1}'],
    ['broken JSON in a tool_call', '<tool_call>{"name":</tool_call>'],
  ])('%s is no call', (_, content) => {
    expect(decode('auto', reply(content))).toMatchObject({
      form: 'none',
      calls: [],
      problem: { code: 'no_tool_called' },
    })
  })

  test('of several calls the first is taken and the others are counted', () => {
    const decoded = decode(
      'xml',
      reply(`${WRITTEN}\n<finish><reason>x</reason></finish><rethink><reason>y</reason></rethink>`),
    )
    expect(decoded.calls.map(({ name }) => name)).toEqual(['web_access'])
    expect(decoded.dropped).toBe(2)
  })

  test('an unknown tool is a problem of the reply', () => {
    for (const content of ['<天气><城市>x</城市></天气>', '<tool_call>{"name":"天气","arguments":{}}</tool_call>']) {
      const expected = { form: 'text', calls: [], problem: { code: 'unknown_tool', name: '天气' } }
      expect(decode('xml', reply(content))).toMatchObject(expected)
      expect(decode('auto', reply(content))).toMatchObject(expected)
    }
  })

  test('bad parameters are a problem of the reply, in its language', () => {
    const content = '<网页访问><页码>x</页码></网页访问>'
    const problem = (language: 'zh-CN' | 'en') => decode('xml', reply(content), language)
    expect(problem('zh-CN')).toMatchObject({
      calls: [],
      problem: {
        code: 'bad_parameters',
        tool: 'web_access',
        errors: [{ path: '地址' }, { path: '页码', expected: '整数（1–100）' }],
      },
    })
    expect(problem('en')).toMatchObject({
      calls: [],
      problem: { errors: [{ path: 'url' }, { path: 'page', expected: 'an integer (1–100)' }] },
    })
  })

  test('where no tools were offered, no text is a call', () => {
    const decoded = codecFor('auto').decode(reply('<foo><bar>x</bar></foo>'), [], 'zh-CN')
    expect(decoded).toMatchObject({ form: 'none', calls: [] })
  })

  test('a native call beside text wins under auto, a written one under xml', () => {
    const both = reply(WRITTEN, ['finish', '{"reason":"x"}'])
    expect(decode('auto', both).calls[0]?.name).toBe('finish')
    expect(decode('xml', both).calls[0]?.name).toBe('web_access')
    expect(decode('xml', reply('<foo></foo>', ['finish', '{"reason":"x"}'])).calls[0]?.name).toBe('finish')
  })
})
