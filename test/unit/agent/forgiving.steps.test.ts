import { describe, expect, test } from 'vitest'
import { codecFor } from '../../../src/agent/codec.ts'
import { forgive } from '../../../src/agent/forgiving.ts'
import type { ModelReply, Protocol } from '../../../src/domain/model.ts'
import { stepsOf } from '../../support/step-count.ts'
import { TOOLS } from './example-tools.ts'
import { CALL, NO_CALLS } from './no-calls.ts'
import weakCalls from './weak-calls.json' with { type: 'json' }

interface Given {
  content?: string
  calls?: { name: string; arguments: string }[]
  stopReason?: string
}

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

function read({ content = '', calls = [], stopReason }: Given, protocol: Protocol = 'xml') {
  const reply: ModelReply = {
    content,
    reasoning: '',
    toolCalls: calls.map((call, index) => ({ ...call, id: `theirs_${index}` })),
    stopReason: stopReason ?? null,
    usage: NO_TOKENS,
  }
  return forgive(codecFor(protocol).decode(reply, TOOLS, 'en'), reply, TOOLS, protocol)
}

/** What a reading comes to, in the words of the collection. */
function outcome(given: Given, protocol: Protocol): unknown {
  const { calls, problem, content } = read(given, protocol)
  const [call] = calls
  if (call?.problem ?? problem?.code === 'bad_parameters') return { error: 'arguments' }
  if (call) return { tool: call.toolId, arguments: call.arguments }
  return content === '' ? { warning: 'no call' } : { answer: content }
}

type Reading = { tool: string; arguments: object } | { answer: string } | { warning: string } | { error: string }

/** An answer may be the call that gives it, too. A reply without a call may be warned of. */
function wanted(reading: object): Reading[] {
  if ('any of' in reading) return (reading['any of'] as object[]).flatMap(wanted)
  if ('answer' in reading) {
    const { answer } = reading as { answer: string }
    return [{ answer }, { tool: 'finish', arguments: { reason: answer } }]
  }
  return [reading as Reading]
}

describe('ways in which small models write a call', () => {
  const cases = weakCalls.flatMap((one) =>
    one.protocol.map((protocol) => ({
      ...one,
      protocol: (protocol === 'text' ? 'xml' : protocol) as Protocol,
    })),
  )
  test.each(cases)('$name ($protocol)', ({ reply, call, reading, protocol }) => {
    const found = outcome(call ? { calls: [call] } : { content: reply ?? '' }, protocol)
    const isWarned = 'any of' in reading && typeof found === 'object' && found !== null && 'answer' in found
    expect(wanted(reading)).toContainEqual(isWarned ? { warning: 'no call' } : found)
  })
})

const calls = (given: Given, protocol: Protocol = 'xml') =>
  read(given, protocol)
    .calls.filter(({ problem }) => problem === null)
    .map(({ toolId, arguments: args }) => [toolId, args])
const PARIS = [['finish', { reason: 'Paris' }]]

describe('further ways to write one', () => {
  test.each([
    ['other case within a value that holds tags', '<Finish><Reason>Paris</Reason></Finish>'],
    ['an attribute that names the tool', '<tool name="finish"><reason>Paris</reason></tool>'],
    ['invoke', '<invoke name="finish"><parameter name="reason">Paris</parameter></invoke>'],
    ['JSON in the tag', '<finish>{"reason": "Paris"}</finish>'],
    ['a closing tag that was cut', '<finish>\n<reason>Paris</rea'],
    ['text before', 'I know it.\n<finish>Paris</finish>'],
    ['thoughts before', '<think>Hm, {"name": "x"}</think>\n<finish>Paris</finish>'],
    ['the arguments as a text', '{"name": "finish", "arguments": "{\\"reason\\": \\"Paris\\"}"}'],
    ['arguments beside the name', '{"action": "finish", "reason": "Paris"}'],
    ['a list', `[${CALL}]`],
    ['tool_calls', `{"tool_calls": [{"id": "1", "function": ${CALL}}]}`],
    ['an argument without a name', "finish('Paris')"],
    ['input that is a text', 'Action: finish\nAction Input: Paris\nObservation: done'],
    ['行动', '思考：完成\n行动：完成会话\n行动输入：{"理由": "Paris"}'],
    ['最终答案', '最终答案：Paris'],
    ['an answer behind a thought', 'Thought: I know.\nFinal Answer: Paris'],
    ['an action in bold', '**Action:** finish\n**Action Input:** Paris'],
    ['an action with its input in brackets', 'Thought: I know.\nAction: Finish[Paris]'],
    ['an action as Python', 'Action: finish(reason="Paris")'],
    ['an element that is opened where it should close', '<finish>\n<reason>Paris</reason>\n<finish>'],
    ['a value that is opened where it should close', '<finish>\n<reason>Paris<reason>\n</finish>'],
    ['both opened where they should close', '<finish>\n<reason>Paris<reason>\n<finish>'],
    [
      'names and values in elements of their own',
      '<tool_call>finish\n<arg_key>reason</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>',
    ],
    ['those, left open', 'Well.\n<tool_call>finish<arg_key>reason</arg_key><arg_value>Paris</arg_value>'],
    ['what is printed', '```tool_code\nprint(finish(reason="Paris"))\n```'],
    ['what is assigned', 'answer = finish(reason="Paris")'],
    ['the name of the value before it', '<finish>\nreason: Paris\n</finish>'],
    ['a value that is left open in an element that is not', '<finish>\n<reason>Paris\n</finish>'],
    ['another name that is left open', 'Well.\n<finish><answer>Paris</finish>'],
    ['closing tags with spaces', '<finish>\n<reason>Paris</ reason>\n</ finish>'],
    ['a fence without an end', '```xml\n<finish>\n<reason>Paris</reason>\n</finish>'],
    ['a function left open', '<function=finish>{"reason": "Paris"}'],
    ['a function with its parameters, left open', '<tool_call>\n<function=finish>\n<parameter=reason>\nParis'],
    ['an input in quotes', 'Action: finish\nAction Input: "Paris"'],
    ['the names of a call in Chinese', '{"工具": "完成会话", "参数": {"理由": "Paris"}}'],
    ['Chinese punctuation', '{“name”：“finish”，“arguments”：{“reason”：“Paris”}}'],
    ['Chinese brackets', '完成会话（理由="Paris"）'],
    ['tags in full-width characters', '＜完成会话＞＜理由＞Paris＜／理由＞＜／完成会话＞'],
    ['a full-width tag with its text', '＜finish＞Paris＜/finish＞'],
    ['a name in brackets before the text', '[finish] Paris'],
    ['a name in brackets around the text', '[finish]\nParis\n[/finish]'],
    ['a name in Chinese brackets', '【完成会话】Paris'],
    ['a name in Chinese brackets around the text', '【完成会话】\nParis\n【/完成会话】'],
    ['YAML', 'tool: finish\narguments:\n  reason: Paris'],
    ['YAML without a name for its arguments', 'name: finish\nreason: "Paris"'],
    ['YAML in a fence, with a text on lines of its own', '```yaml\ntool: finish\nreason: |\n  Paris\n```'],
    ['lines in Chinese', '工具：完成会话\n理由：Paris'],
    ['Python behind a mark', '<|python_tag|>finish(reason="Paris")'],
    ['a name and JSON behind a mark', '[TOOL_CALLS]finish{"reason": "Paris"}'],
    ['a name and JSON between marks', '[TOOL_CALLS]finish[ARGS]{"reason": "Paris"}'],
    [
      'a name and JSON between marks of a template',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>finish<｜tool▁sep｜>{"reason": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      'JSON in a fence between marks of a template',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>finish\n```json\n{"reason": "Paris"}\n```<｜tool▁call▁end｜>',
    ],
    [
      'a channel that is for a tool',
      'Well.\n<|channel|>commentary to=functions.finish <|constrain|>json<|message|>{"reason": "Paris"}<|call|>',
    ],
    [
      'a name with a number',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.finish:0<|tool_call_argument_begin|>{"reason": "Paris"}<|tool_call_end|>',
    ],
    ['a name on the line before JSON', 'I know it.\n\nfinish\n{"reason": "Paris"}'],
    ['Python in an element', '<function_calls>finish(reason="Paris")</function_calls>'],
    ['a call in a list, as Python has it', '[finish(reason="Paris")]'],
    ['Python that is awaited', 'await finish({reason: "Paris"})'],
    ['Python that returns', 'return finish(reason="Paris")'],
    ['three quotes', 'finish(reason="""Paris""")'],
    ['a fence for calls behind text', 'I end now.\n```tool_code\nprint(finish(reason="Paris"))\n```'],
    ['a fence on one line', '```json {"name": "finish", "arguments": {"reason": "Paris"}} ```'],
    ['an action with the name of the answer', '```json\n{"action": "Final Answer", "action_input": "Paris"}\n```'],
    ['最终回答', '最终回答：Paris'],
    ['an element for the name', '<tool_use><name>finish</name><input>{"reason": "Paris"}</input></tool_use>'],
    [
      'elements for the name and the arguments',
      '<tool>\n<name>finish</name>\n<arguments>\n<reason>Paris</reason>\n</arguments>\n</tool>',
    ],
    ['elements in Chinese', '<工具调用><工具名称>完成会话</工具名称><参数><理由>Paris</理由></参数></工具调用>'],
    ['a closing tag with another name', '<完成会话>\n<理由>Paris</理由>\n</完成对话>'],
    ['a value that another name closes', '<finish><reason>Paris</reasons></finish>'],
    ['both closed by other names', '<finish>\n<reason>Paris</reasons>\n</end>'],
    ['an attribute beside the answer', '<finish reason="task completed">\nParis\n</finish>'],
    ['an element that names its parameter', '<finish>\n<param name="reason">Paris</param>\n</finish>'],
    ['the name of the value, and the value in quotes', '<finish>\n  reason="Paris"\n</finish>'],
    ['an input in a fence', 'Action: finish\nAction Input:\n```json\n{"reason": "Paris"}\n```'],
    ['an input in inline code', 'Action: `finish`\nAction Input: `{"reason": "Paris"}`\nObservation: done'],
    ['lines with arguments as JSON', 'Tool: finish\nArguments: {"reason": "Paris"}'],
    ['lines in Chinese with arguments as JSON', '调用工具：完成会话\n参数：{\n  "理由": "Paris"\n}'],
    ['lines with an input', 'Tool: finish\nInput: Paris'],
    ['a call within an action', '{"thought": "done", "action": {"name": "finish", "args": {"reason": "Paris"}}}'],
    ['a value without the element of its tool', '<reason>Paris</reason>'],
    ['a value, and the end of the element of its tool', '<理由>Paris</理由>\n</完成会话>'],
  ])('%s', (_, content) => {
    expect(calls({ content })).toEqual(PARIS)
  })

  test('the first of several is taken, and the others are counted', () => {
    const second = CALL.replace('Paris', 'Rome')
    expect(read({ content: `${CALL}\n${second}` })).toMatchObject({
      dropped: 1,
      calls: [{ arguments: { reason: 'Paris' } }],
    })
  })

  test('the first of a list of Python is taken, and the others are counted', () => {
    const content = '[finish(reason="Paris"), box__list(), finish(reason="Rome")]'
    expect(read({ content })).toMatchObject({ dropped: 2, calls: [{ arguments: { reason: 'Paris' } }] })
  })

  test.each([
    ['xml', { content: '{"name": "web_access", "arguments": {"url": "http://a.test/", "page": "2"}}' }],
    ['native', { calls: [{ name: 'web_access', arguments: '{"url": "http://a.test/", "page": "2"}' }] }],
  ] as const)('a number in quotes (%s)', (protocol, given) => {
    expect(calls({ ...given, calls: 'calls' in given ? [...given.calls] : [] }, protocol)).toEqual([
      ['web_access', { url: 'http://a.test/', page: 2 }],
    ])
  })

  test.each([
    ['a number', 42, '42'],
    ['a fraction', -0.5, '-0.5'],
    ['a word of JSON', true, 'true'],
  ] as const)('%s where a text is wanted', (_, given, reason) => {
    const args = JSON.stringify({ reason: given })
    expect(calls({ calls: [{ name: 'finish', arguments: args }] }, 'native')).toEqual([['finish', { reason }]])
    expect(calls({ content: `{"name": "finish", "arguments": ${args}}` })).toEqual([['finish', { reason }]])
  })

  test('backslashes that escape nothing stay', () => {
    const content = String.raw`{"name": "finish", "arguments": {"reason": "\(x\) in C:\Work"}}`
    expect(calls({ content })).toEqual([['finish', { reason: String.raw`\(x\) in C:\Work` }]])
  })

  test.each([
    '<finish id="1" status="done"><reason lang="en">Paris</reason></finish>',
    "<finish type='final'>\n<reason>Paris</reason>\n</finish>",
    '<finish id=1>Paris</finish>',
    '<finish answer="Paris"/>',
    '<finish reason=Paris />',
  ])('attributes that are words about the element: %s', (content) => {
    expect(calls({ content })).toEqual([['finish', { reason: 'Paris' }]])
  })

  test('a text that is HTML', () => {
    expect(calls({ content: '<finish>It is <b>Paris</b>.</finish>' })).toEqual([
      ['finish', { reason: 'It is <b>Paris</b>.' }],
    ])
  })
})

describe('what is no call', () => {
  test.each(NO_CALLS)('%s', (_, content) => {
    for (const protocol of ['xml', 'auto'] as const) expect(calls({ content }, protocol)).toEqual([])
  })

  test.each([
    '<tool_call>finish<arg_key>reason</arg_key><arg_value>Par',
    '{"name": "finish", "arguments": {"reason": "Par',
    '<finish>\n<reason>Par',
    '<finish>Par',
    '```xml\n<finish>\n<reason>Par',
    '<function=finish>\n<parameter=reason>Par',
    'finish(reason="Par',
  ])('what was left open because the reply was too long: %s', (content) => {
    expect(calls({ content })).toEqual([['finish', { reason: 'Par' }]])
    expect(calls({ content, stopReason: 'length' })).toEqual([])
  })

  test('what was given to finish as far as it came is a reply without a call', () => {
    const given = (args: string): Given => ({
      content: 'So: ',
      calls: [{ name: 'finish', arguments: args }],
      stopReason: 'length',
    })
    for (const args of ['{"reason": "It is Par', '{"answer": "It is Par', '{"reason": "It is Par\\u4e'])
      expect(read(given(args), 'native')).toMatchObject({
        content: 'So:\n\nIt is Par',
        calls: [],
        problem: { code: 'no_tool_called' },
      })
    expect(read(given('{"rea'), 'native')).toMatchObject({ calls: [{ problem: { code: 'bad_parameters' } }] })
    expect(read(given('{"reason": "Paris"}'), 'native').calls).toMatchObject([{ problem: null }])
  })

  test.each([
    'Action: web_access[http://example.com/a?x=[1]',
    'Action: web_access[http://example.com/a]',
    'Action: web_access[http://example.com/a?x=[1]\nThought: and',
  ])('an address in brackets that may go on where the reply was cut: %s', (content) => {
    expect(calls({ content })).toHaveLength(1)
    expect(calls({ content, stopReason: 'length' })).toEqual([])
  })

  test('an action whose line ended before the reply was cut is one', () => {
    const content = 'Action: finish[Paris]\nThought: and'
    expect(calls({ content, stopReason: 'length' })).toEqual(PARIS)
  })

  test.each([
    ['a link', '[finish](https://a.example/) is a good page.'],
    ['a name in brackets within a text', 'Say [finish] Paris.'],
    ['a name in brackets without a text', '[finish]'],
    ['a text that the tool does not take, in brackets', '[box__tag] c'],
    ['a list of tools in brackets', '【网页搜索】搜索网页\n【网页访问】读取网页'],
    ['a text behind the end of the brackets', '[finish] Paris [/finish] ends it.'],
    ['data with the name of a tool among words', 'Paint:\n{"finish": "matte"}\nis a good one.'],
    ['a closing tag of nothing within a text', 'Say <finish>Paris</finsh> and go on.'],
    ['lines that are no YAML', 'tool: finish\nreason: Paris\nand so on'],
    ['a key that stands twice', 'tool: finish\nreason: Paris\nreason: Rome'],
    ['a list of facts', 'name: Paris\nreason: it is a capital'],
  ])('%s is no call', (_, content) => {
    expect(calls({ content })).toEqual([])
  })

  test.each(['[finish] Paris', '【完成会话】Paris', 'tool: finish\nreason: Paris'])(
    '%s is none where the reply was cut',
    (content) => {
      expect(calls({ content, stopReason: 'length' })).toEqual([])
    },
  )

  test('lines of YAML keep numbers, indents and empty lines', () => {
    const content = 'tool: web_access\nurl: http://a.test/\npage: 2\nfocus: |-\n  one\n\n    two\n'
    const focus = 'one\n\n  two'
    expect(calls({ content })).toEqual([['web_access', { url: 'http://a.test/', page: 2, focus }]])
  })

  test('an answer that is an equation keeps both sides', () => {
    expect(calls({ content: '<finish>reason = 5</finish>' })).toEqual([['finish', { reason: 'reason = 5' }]])
  })

  test('text of any form, where functions are called natively', () => {
    for (const content of [CALL, '<finish>Paris</finish>', 'Final Answer: Paris'])
      expect(calls({ content }, 'native')).toEqual([])
  })

  test('a name that several tools have but for its spelling', () => {
    const [tool] = TOOLS
    const tools = [
      { ...tool!, id: 'get_it' },
      { ...tool!, id: 'getIt' },
    ].map((one) => ({ ...one, names: { 'zh-CN': one.id, en: one.id } }))
    const content = '{"name": "Get-It", "arguments": {"url": "http://a.test/"}}'
    const reply = { content, reasoning: '', toolCalls: [], stopReason: null, usage: NO_TOKENS }
    expect(forgive(codecFor('xml').decode(reply, tools, 'en'), reply, tools, 'xml').calls).toEqual([])
  })

  test('what the strict reading found stays', () => {
    const content = `<web_access><url>http://a.test/</url></web_access>\n${CALL}`
    expect(calls({ content })).toEqual([['web_access', { url: 'http://a.test/' }]])
  })
})

const HOSTILE: [string, (n: number) => string][] = [
  ['braces', (n) => '{'.repeat(n)],
  ['objects on one line', (n) => '{"a":1}'.repeat(n)],
  ['objects left open', (n) => '{"a":'.repeat(n)],
  ['lists in lists', (n) => `{"a":${'['.repeat(n)}`],
  ['texts left open', (n) => `{"a":"${'x {"b":"'.repeat(n)}`],
  ['calls on one line', (n) => CALL.repeat(n)],
  ['open tools', (n) => '<finish>'.repeat(n)],
  ['open tools of another case', (n) => '<Finish>\n'.repeat(n)],
  ['tools with text', (n) => '<finish>x</finish>y\n'.repeat(n)],
  ['open tools and values', (n) => '<Finish><Reason>'.repeat(n)],
  ['attributes', (n) => `<finish${' a="b"'.repeat(n)}`],
  ['attributes left open', (n) => '<finish a="'.repeat(n)],
  ['spaces in a tag', (n) => `<finish${' '.repeat(n)}`.repeat(2)],
  ['elements that name tools', (n) => '<invoke name="finish">'.repeat(n) + '</invoke>'.repeat(n)],
  ['HTML in a tool', (n) => `<finish>${'<b>'.repeat(n)}`],
  ['Python', (n) => 'finish(\n'.repeat(n)],
  ['Python left open', (n) => 'finish(reason="x\n'.repeat(n)],
  ['arguments', (n) => `finish(${'"x",'.repeat(n)}`],
  ['open values', (n) => `<finish>${'<reason>'.repeat(n)}`],
  ['keys of arguments', (n) => `<tool_call>finish${'<arg_key>a</arg_key>'.repeat(n)}`],
  ['elements with arguments', (n) => '<tool_call>finish<arg_key>'.repeat(n)],
  ['actions in brackets', (n) => 'Action: finish['.repeat(n)],
  ['assignments', (n) => 'a = print('.repeat(n)],
  ['actions', (n) => 'Action: finish\n'.repeat(n)],
  ['thoughts before an answer', (n) => `${'Thought: x\n'.repeat(n)}Final`],
  ['names in brackets', (n) => '[finish] '.repeat(n)],
  ['names in brackets and white space', (n) => `[finish] x${' '.repeat(n)}[x`],
  ['full-width tags', (n) => '＜finish＞'.repeat(n)],
  ['full-width tags left open', (n) => '＜'.repeat(n)],
  ['YAML', (n) => `tool: finish\n${'a: b\n'.repeat(n)}`],
  ['blocks of YAML', (n) => `tool: finish\n${'a: |\n'.repeat(n)}`],
  ['markers', (n) => '[a 0123456789abcdef]\n'.repeat(n)],
  ['values left open', (n) => '<finish><reason>x</finish>\n'.repeat(n)],
  ['values left open in one element', (n) => `<finish>${'<reason>x'.repeat(n)}</finish>`],
  ['comments', (n) => `<!-- -->${CALL}\n`.repeat(n)],
  ['comments left open', (n) => `<!-- ${CALL}\n`.repeat(n)],
  ['indented code', (n) => '\n\n    finish(reason="x")'.repeat(n)],
  ['functions', (n) => '<function=finish>{'.repeat(n)],
  ['fences', (n) => '```\n'.repeat(n)],
  ['marks', (n) => '<|a|>'.repeat(n)],
  ['marks left open', (n) => '<|a'.repeat(n)],
  ['names with objects', (n) => 'finish {'.repeat(n)],
  ['names with objects, each on a line', (n) => 'finish\n{\n'.repeat(n)],
  ['channels', (n) => 'a to='.repeat(n)],
  ['lists of Python', (n) => `[${'finish(a="b"), '.repeat(n)}`],
  ['lists of Python, each on a line', (n) => '[finish(a="b"), finish(\n'.repeat(n)],
  ['three quotes', (n) => `finish(reason=${'"""'.repeat(n)}`],
  ['elements for names', (n) => '<tool><name>finish</name>'.repeat(n)],
  [
    'elements for names and arguments',
    (n) => '<tool><name>finish</name><arguments>'.repeat(n) + '</arguments>'.repeat(n),
  ],
  ['values without their element', (n) => '<reason>x'.repeat(n)],
]

describe('the second reading takes steps in proportion to the length of the reply', () => {
  const text = (content: string) => [read({ content }), read({ content }, 'auto')]
  const native = (written: string) => read({ calls: [{ name: 'Finish', arguments: written }] }, 'native')

  test.each(HOSTILE)('%s', async (_, make) => {
    for (const work of [text, native]) {
      work(make(100))
      const [short, long] = [await stepsOf(() => work(make(100))), await stepsOf(() => work(make(200)))]
      expect(short).toBeGreaterThan(0)
      expect(long / short).toBeLessThanOrEqual(2.5)
    }
  })
})
