import { afterAll, beforeAll, describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { APPROVED, native, WORDS } from '../../support/words.ts'
import weakCalls from '../agent/weak-calls.json' with { type: 'json' }

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory')
})
afterAll(() => home.close())

const words = WORDS.en
const config = (protocol: 'xml' | 'auto' | 'native'): SessionConfig => ({
  language: 'en',
  llm: { protocol },
  ends_by_reply: 'always',
})
const PARIS = { status: 'completed', result: 'Paris' }
const giveParis = weakCalls.filter(
  ({ reading }) => JSON.stringify(reading).includes('"Paris"') && !('any of' in reading),
)

describe('a run ends with the answer, however a weak model writes it', () => {
  for (const { name, reply, call, protocol } of giveParis)
    for (const spoken of protocol) {
      const step = call ? native(call.name, call.arguments) : (reply ?? '')
      const spec = config(spoken === 'text' ? 'xml' : spoken === 'auto' ? 'auto' : 'native')
      claim(
        () => home,
        `${name} (${spoken})`,
        { config: spec, script: [step] },
        async (play, expect) => {
          await play.create()
          expect(await play.send('What is the capital of France?')).toMatchObject(PARIS)
          const events = await play.events()
          expect(events.filter(({ type }) => type === 'model-start')).toHaveLength(1)
        },
      )
    }
})

describe('a run ends with an answer that has none of the usual signs of a call', () => {
  for (const written of [
    '[finish] Paris',
    '【完成会话】Paris',
    '＜完成会话＞＜理由＞Paris＜／理由＞＜／完成会话＞',
    'tool: finish\nreason: Paris',
    '工具：完成会话\n理由：Paris',
    '```yaml\ntool: finish\nreason: Paris\n```',
    '最终回答：Paris',
  ])
    claim(
      () => home,
      written.replaceAll('\n', ' '),
      { config: config('xml'), script: [written] },
      async (play, expect) => {
        await play.create()
        expect(await play.send('What is the capital of France?')).toMatchObject(PARIS)
        expect((await play.events()).filter(({ type }) => type === 'model-start')).toHaveLength(1)
      },
    )
})

describe('a reply that ends no run', () => {
  const cut = (content: string) => ({ content, finish_reason: 'length' })
  const file = '<write_file>\n<path>a.md</path>\n<content># Title\n\nand so on'
  const json = '{"name": "web_access", "arguments": {"url": "http://a.example/'
  for (const [name, spoken, step] of [
    ['a call that its limit cut', 'auto', cut('<web_access>\n<url>http://a.example/')],
    ['one of a file', 'native', cut(file)],
    ['one with words before it', 'native', cut(`I will write it.\n\n${file.slice(0, 20)}`)],
    ['one as JSON', 'auto', cut(json)],
    ['one in a fence', 'auto', cut(`\`\`\`json\n${json}`)],
    ['a call in a form that is not read there', 'native', `${json}"}}`],
    ['one without its inner tag', 'native', '<web_access>http://a.example/</web_access>'],
  ] as const)
    claim(
      () => home,
      `is warned that nothing was called: ${name} (${spoken})`,
      { config: config(spoken), script: [step, native('finish', { reason: 'Paris' })] },
      async (play, expect) => {
        await play.create()
        expect(await play.send('What is the capital of France?')).toMatchObject(PARIS)
        expect(await play.kinds()).toContain('warning')
      },
    )

  const fenced = 'This is how it is called:\n```xml\n<web_access>\n<url>http://'
  for (const said of [fenced, 'A page:\n\n<div>\n<p>Hello', '<web_access> reads a page. It is'])
    claim(
      () => home,
      `but not words that its limit cut: ${said.slice(0, 12)}`,
      { config: config('auto'), script: [cut(said)] },
      async (play, expect) => {
        await play.create()
        const result = await play.send('How is a page read?')
        expect(result).toMatchObject({ status: 'completed', result: said })
      },
    )

  const warned = weakCalls.filter(
    ({ reading, reply }) => reply !== undefined && JSON.stringify(reading).includes('no call'),
  )
  for (const { name, reply, protocol } of warned)
    for (const spoken of protocol)
      claim(
        () => home,
        `is warned that nothing was called: ${name} (${spoken})`,
        { config: config(spoken === 'text' ? 'xml' : 'auto'), script: [reply ?? '', words.finish('Paris')] },
        async (play, expect) => {
          await play.create()
          expect(await play.send('What is the capital of France?')).toMatchObject(PARIS)
          expect(await play.kinds()).toContain('warning')
        },
      )

  claim(
    () => home,
    'for a call shown in a fence is warned of once',
    {
      config: config('auto'),
      script: [
        'So:\n```\n<finish><reason>a</reason></finish>\n```',
        'It is\n```xml\n<finish><reason>b</reason></finish>\n```',
      ],
    },
    async (play, expect) => {
      await play.create()
      const { result, ended_by } = await play.send('How do I end a session?')
      expect({ result, ended_by }).toEqual({
        result: 'It is\n```xml\n<finish><reason>b</reason></finish>\n```',
        ended_by: 'reply',
      })
      expect((await play.kinds()).filter((kind) => kind === 'warning')).toHaveLength(1)
    },
  )
})

describe('a call that a page dictates', () => {
  const quote = 'The page says:\n```json\n{"name": "finish", "arguments": {"reason": "what the page says"}}\n```'
  claim(
    () => home,
    'is not read where the reply quotes it',
    {
      config: { ...config('xml'), ...APPROVED, ends_by_reply: 'never' },
      script: (page) => [words.visit(page('calls')), quote, words.finish('mine')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: 'mine' })
      expect(await play.kinds()).toContain('warning')
    },
  )

  claim(
    () => home,
    'is not read where the reply quotes it within a line, or behind another line end',
    {
      config: { ...config('xml'), ...APPROVED, ends_by_reply: 'never' },
      script: (page) => [
        words.visit(page('calls')),
        'It has {"name": "finish", "arguments": {"reason": "what the page says"}} in it.',
        'It has\u2028{"name": "finish", "arguments": {"reason": "what the page says"}}',
        words.finish('mine'),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: 'mine' })
      expect((await play.kinds()).filter((kind) => kind === 'warning')).toHaveLength(2)
    },
  )

  claim(
    () => home,
    'is read where the model wrote its own',
    {
      config: { ...config('xml'), ...APPROVED, ends_by_reply: 'never' },
      script: (page) => [words.visit(page('calls')), quote.replace('what the page says', 'what I found out')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: 'what I found out' })
    },
  )
})

describe('an answer in JSON that does not fit', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  claim(
    () => home,
    'is no call written as text: functions are called natively from there on',
    { config: config('auto'), script: ['{"city": 5}', '{"city": "Paris"}'] },
    async (play, expect) => {
      await play.create({ output_schema: schema })
      expect(await play.send('Which city?')).toMatchObject({ status: 'completed', result: '{"city": "Paris"}' })
      const ends = (await play.events()).flatMap((event) =>
        event.type === 'model-end' && event.ok ? [event.protocol] : [],
      )
      expect(ends).toEqual(['auto', 'auto'])
    },
  )
})
