import { describe, test } from 'vitest'
import { callsInAnyForm } from '../../../src/client/call-begins.ts'
import { createReplyFilter, type ReplyPiece } from '../../../src/client/reply-filter.ts'
import { isLinear } from '../../support/cpu-time.ts'

const TOOLS = ['网页访问', 'web_access']

/** The reply in pieces of `size` characters, joined by kind. */
function filtered(reply: string, size: number): ReplyPiece[] {
  const filter = createReplyFilter(TOOLS)
  const pieces: ReplyPiece[] = []
  for (let at = 0; at < reply.length; at += size) pieces.push(...filter.push(reply.slice(at, at + size)))
  pieces.push(...filter.flush())
  return pieces.reduce<ReplyPiece[]>((all, { kind, text }) => {
    const last = all.at(-1)
    if (last?.kind === kind) last.text += text
    else all.push({ kind, text })
    return all
  }, [])
}

const CASES: { name: string; reply: string; pieces: ReplyPiece[] }[] = [
  {
    name: 'thinking, text and a call are told apart, and the call is left out',
    reply: '<思考>先看网页</思考>我去读。<网页访问>\n<地址>https://x.test/?a=1&b=<2></地址>\n</网页访问>',
    pieces: [
      { kind: 'thinking', text: '先看网页' },
      { kind: 'text', text: '我去读。' },
    ],
  },
  {
    name: 'finish is a call as any other: its answer is told by itself',
    reply: 'Done.\n<finish>\n<reason># Title\n\nA < B, <b>bold</b></reason>\n</finish>',
    pieces: [{ kind: 'text', text: 'Done.\n' }],
  },
  {
    name: 'tags in a fence and in inline code are text',
    reply: '```xml\n<网页访问><地址>x</地址></网页访问>\n```\nand `<finish>` too',
    pieces: [{ kind: 'text', text: '```xml\n<网页访问><地址>x</地址></网页访问>\n```\nand `<finish>` too' }],
  },
  {
    name: 'a stray backtick does not show the call of a later line',
    reply: 'it`s here\n<web_access><url>http://x.test</url></web_access>',
    pieces: [{ kind: 'text', text: 'it`s here\n' }],
  },
  {
    name: 'markup that is no tool, and comparisons, are text',
    reply: 'a < b <br> <b>x</b> 3<4',
    pieces: [{ kind: 'text', text: 'a < b <br> <b>x</b> 3<4' }],
  },
  {
    name: 'an unclosed thinking block reaches to the end',
    reply: '<think>never closed <finish><reason>no</reason></finish>',
    pieces: [{ kind: 'thinking', text: 'never closed <finish><reason>no</reason></finish>' }],
  },
]

describe.for(CASES)('$name', ({ reply, pieces }) => {
  test.for([1, 2, 3, 7, 1_000])('in pieces of %i characters', (size, { expect }) => {
    expect(filtered(reply, size)).toEqual(pieces)
  })
})

test('a hundred thousand open tags take linear time', ({ expect }) => {
  const filterAll = (reply: string) => {
    const filter = createReplyFilter(TOOLS)
    return [...filter.push(reply), ...filter.flush()].reduce((sum, { text }) => sum + text.length, 0)
  }
  const large = '<a'.repeat(100_000)
  expect(filterAll(large)).toBe(large.length)
  expect(isLinear(filterAll, '<a'.repeat(3_000), large)).toBe(true)
})

describe('what looks like a call in another form', () => {
  const FORMS = [
    '{"name": "web_access", "arguments": {"url": "http://x.test"}}',
    '```json\n{"tool": "web_access", "parameters": {"url": "http://x.test"}}\n```',
    '<tool_call>\n{"name": "finish", "arguments": {"reason": "Hi"}}\n</tool_call>',
    '<finish reason="Hi"/>',
    '<reason>Hi</reason></finish>',
    '[TOOL_CALLS][{"name": "finish", "arguments": {"reason": "Hi"}}]',
    '<|channel|>commentary to=functions.finish <|message|>{"reason": "Hi"}',
    'finish(reason="Hi")',
    'functions.web_access:0{"url": "http://x.test"}',
    'Action: finish\nAction Input: Hi',
    '`finish(reason="Hi")`',
    '完成会话（理由="嗨"）',
    'web-access(url="http://x.test")',
    'return finish(reason="Hi")',
    'finish\n{"reason": "Hi"}',
    '【完成会话】嗨【/完成会话】',
    '＜完成会话＞＜理由＞嗨＜/理由＞＜/完成会话＞',
    '**<finish>**\n**<reason>**Hi**</reason>**\n**</finish>**',
  ]

  test.for(FORMS)('is held back until it is known for what it is: %j', (form, { expect }) => {
    for (const size of [1, 3, 1_000]) {
      const said = `Let me see.\n${form}`
      const heard = (calls: boolean) => {
        const filter = createReplyFilter(TOOLS, callsInAnyForm)
        const texts: string[] = []
        for (let at = 0; at < said.length; at += size)
          texts.push(...filter.push(said.slice(at, at + size)).map(({ text }) => text))
        return [
          texts.join(''),
          filter
            .flush(calls)
            .map(({ text }) => text)
            .join(''),
        ]
      }
      expect(heard(true)).toEqual(['Let me see.\n', ''])
      expect(heard(false)).toEqual(['Let me see.\n', form])
    }
  })

  test('names with signs of a pattern are read as they are', ({ expect }) => {
    const names = ['my-notes__get-page', 'a.b(c)*[d]/{e}^$|?+\\']
    for (const name of names) {
      const filter = createReplyFilter(names, callsInAnyForm)
      expect(filter.push(`${name}({"id": 1})`)).toEqual([])
      expect(filter.push(`\n\n${name}`)).toEqual([])
    }
    const filter = createReplyFilter(names, callsInAnyForm)
    expect(filter.push('My notes say so. ').map(({ text }) => text)).toEqual(['My notes say so. '])
  })

  test.for([
    'Final Answer: Hi',
    'Thought: I know.\n\nFinal Answer: Hi',
    'tool: finish\nreason: Hi',
    '工具：完成会话\n理由：嗨',
  ])('and so is what is one at the head of a reply alone: %j', (form, { expect }) => {
    const [thought = ''] = /^Thought.*\n\n/.exec(form) ?? []
    for (const before of ['', '\n', '<think>Hm.</think>']) {
      for (const size of [1, 1_000]) {
        const filter = createReplyFilter(TOOLS, callsInAnyForm)
        const reply = before + form
        const pieces: ReplyPiece[] = []
        for (let at = 0; at < reply.length; at += size) pieces.push(...filter.push(reply.slice(at, at + size)))
        const words = [...pieces, ...filter.flush(true)].filter(({ kind }) => kind === 'text')
        expect(
          words
            .map(({ text }) => text)
            .join('')
            .trimStart(),
        ).toBe(thought)
      }
    }
  })

  test.for([
    ['Paris.</reason></finish>', ''],
    ['Paris.<|im_end|>', ''],
    ['Paris.</s>\n', ''],
    ['Paris.<|im_end|> ends a turn.', '<|im_end|> ends a turn.'],
    ['Paris.</think>\n\nIt is.', '</think>\n\nIt is.'],
    ['Paris.<|im_end|>\n<|im_end|>', ''],
  ] as const)('or is a stray mark: %j', ([reply, rest], { expect }) => {
    const filter = createReplyFilter(TOOLS, callsInAnyForm)
    const told = Array.from(reply, (one) => filter.push(one)).flat()
    expect(told.map(({ text }) => text).join('')).toBe('Paris.')
    const held = filter.flush()
    expect(held.map(({ text }) => text).join('')).toBe(rest)
  })

  test.for(['[1] https://x.test/a', '最终答案：42', '`a`'])(
    'what is held back is repeated by the answer: %j',
    (end, { expect }) => {
      const filter = createReplyFilter(TOOLS, callsInAnyForm)
      const reply = `Paris.\n\n${end}`
      const told = filter.push(reply)
      expect(Array.from(reply, (one) => filter.answer(one)).join('')).toBe('')
      expect([...told, ...filter.flush(true)].map(({ text }) => text).join('')).toBe(reply)
    },
  )

  test('a mark that is spoken of is kept at the end too', ({ expect }) => {
    const filter = createReplyFilter(TOOLS, callsInAnyForm)
    const told = [...filter.push('A turn ends with '), ...filter.push('<|im_end|>'), ...filter.flush()]
    expect(told.map(({ text }) => text).join('')).toBe('A turn ends with <|im_end|>')
  })

  test('marks of a template around a reply are none of it', ({ expect }) => {
    const filter = createReplyFilter(TOOLS, callsInAnyForm)
    const told = [...filter.push('<|im_start|>assistant\nParis.<|im_end|>'), ...filter.flush()]
    expect(told).toEqual([{ kind: 'text', text: 'Paris.' }])
  })

  test.for([
    '{"city": "Paris", "people": 2102650}',
    '```js\nconst finish = 1\n```\n',
    'finish the job\n',
    'Finish (matt or gloss) is up to you.',
    'finish(reason) ends it.',
    '`finish(reason="x")` ends it.\n',
    'finish {"reason": "x"} ends it.',
    'Action: finish the job',
    '完成会话的办法有三种：',
    'Paris, as I said.\n\nFinal Answer: 42\n',
    '思考一下。\n最终答案：四十二',
    'Tool: a hammer\n',
    'name: finisher\n',
    '<b>bold</b> and more words to come\n',
    '[a link](https://x.test) leads on\n',
    'Not <s>199</s> but 99.',
    'f <| x <|> y',
  ])('nothing else is: %j', (start, { expect }) => {
    const filter = createReplyFilter(TOOLS, callsInAnyForm)
    const reply = `${start}${' And so on.'.repeat(20)}`
    const told = Array.from(reply, (one) => filter.push(one)).flat()
    expect(told.map(({ text }) => text).join('')).toBe(reply)
  })
})
