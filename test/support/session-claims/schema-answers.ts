import { describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { contentText } from '../../../src/domain/content.ts'
import type { Play } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }
const TEXT: SessionConfig = { llm: { protocol: 'xml' } }

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1 } },
  required: ['city', 'people'],
}
const PARIS = '{"city":"巴黎","people":2000000}'

/** How an answer that has to fit a schema may be given, and how a model is taught to. */
export function schemaAnswerClaims(home: GetHome): void {
  describe('finish with what the schema names', () => inItsOwnWords(home))
  describe('the lesson beside a schema', () => taught(home))
  describe('an answer beside a schema', () => toldFromCalls(home))
}

const CALL = {
  type: 'object',
  properties: { name: { type: 'string' }, arguments: { type: 'object' } },
  required: ['name', 'arguments'],
}
const NOTE = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const CALLED = JSON.stringify({ name: 'web_access', arguments: { url: 'http://a.test/' } })
const QUOTING = JSON.stringify({ city: '<完成会话><理由>巴黎</理由></完成会话>' })
const ALWAYS: SessionConfig = { ends_by_reply: 'always' }

function toldFromCalls(home: GetHome): void {
  for (const protocol of ['xml', 'auto', 'native'] as const)
    for (const [form, schema, said, result] of [
      ['looks like a call', CALL, CALLED, CALLED],
      ['looks like a call in a fence', CALL, `\`\`\`json\n${CALLED}\n\`\`\``, CALLED],
      ['quotes a call', NOTE, QUOTING, QUOTING],
      ['is the one fence among words', NOTE, '如下：\n```json\n{"city":"巴黎"}\n```\n完。', '{"city":"巴黎"}'],
    ] as const)
      claim(
        home,
        `is taken where it fits, though it ${form} (${protocol})`,
        { config: { ...ALWAYS, llm: { protocol } }, script: [said] },
        async (play, expect) => {
          await play.create({ output_schema: schema })
          expect(await play.send('问')).toMatchObject({ status: 'completed', ended_by: 'reply', result })
          expect(await play.asked()).toHaveLength(1)
        },
      )

  claim(
    home,
    'is not taken for a call by a schema that takes any object',
    { config: TEXT, script: [JSON.stringify({ name: 'finish', arguments: { reason: '{"a":1}' } })] },
    async (play, expect) => {
      await play.create({ output_schema: { type: 'object' } })
      expect(await play.send('问')).toMatchObject({ status: 'completed', ended_by: 'finish', result: '{"a":1}' })
    },
  )

  for (const [form, config, said, code] of [
    ['words', TEXT, '没有。', 'output_invalid'],
    ['calls in text', NATIVE, JSON.stringify({ name: 'finish', arguments: { reason: '{"city":"巴黎"}' } }), 'loop'],
  ] as const)
    claim(
      home,
      `is no text that does not fit, however often it is repeated (${form})`,
      { config, script: [{ content: said, repeat: true }] },
      async (play, expect) => {
        await play.create({ output_schema: CITY })
        expect(await play.send('问')).toMatchObject({ status: 'failed', ended_by: null, error: { code } })
      },
    )
}

const REASONS = {
  type: 'object',
  properties: { 理由: { type: 'string' }, 批准: { type: 'boolean' } },
  required: ['理由', '批准'],
}
const ANSWER = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const MANY = {
  type: 'object',
  properties: {
    names: { type: 'array', items: { type: 'string' } },
    ok: { $ref: '#/$defs/yes' },
    size: { type: 'object' },
  },
  required: ['names', 'ok'],
  $defs: { yes: { type: 'boolean' } },
}
const tags = (inner: string) => `<完成会话>\n${inner}\n</完成会话>`

function inItsOwnWords(home: GetHome): void {
  for (const [form, schema, config, step, result] of [
    ['in tags', CITY, TEXT, tags('<city>巴黎</city>\n<people>2000000</people>'), PARIS],
    [
      'in tags, with lists and objects',
      MANY,
      TEXT,
      tags('<names>甲</names>\n<names>乙</names>\n<ok>true</ok>\n<size>{"w": 1}</size>'),
      '{"names":["甲","乙"],"ok":true,"size":{"w":1}}',
    ],
    [
      'as finish calls its own',
      REASONS,
      NATIVE,
      native('finish', { 理由: '迟到', 批准: true }),
      '{"理由":"迟到","批准":true}',
    ],
    [
      'in tags, as finish calls its own',
      REASONS,
      TEXT,
      tags('<理由>迟到</理由>\n<批准>true</批准>'),
      '{"理由":"迟到","批准":true}',
    ],
    ['as models call an answer', ANSWER, NATIVE, native('finish', { answer: '巴黎' }), '{"answer":"巴黎"}'],
    ['in tags, as models call an answer', ANSWER, TEXT, tags('<answer>巴黎</answer>'), '{"answer":"巴黎"}'],
  ] as const)
    claim(home, `is the answer (${form})`, { config, script: [step] }, async (play, expect) => {
      await play.create({ output_schema: schema })
      expect(await play.send('问')).toMatchObject({ status: 'completed', result })
      expect(await play.asked()).toHaveLength(1)
    })

  claim(
    home,
    'is told what is missing in it, where it does not fit',
    { config: TEXT, script: [tags('<city>巴黎</city>'), words.finish(PARIS)] },
    async (play, expect) => {
      await play.create({ output_schema: CITY })
      expect(await play.send('问')).toMatchObject({ status: 'completed', result: PARIS })
      const [, again] = await play.asked()
      expect(contentText(again?.body.messages.at(-1)?.content ?? '', null)).toContain('people')
    },
  )
}

/** What a lesson shows between the tags of a reason, or as arguments of a function. */
const shownIn = (text: string): unknown => {
  const [, inTags] = /<理由>([^]*)<\/理由>/.exec(text) ?? []
  if (inTags !== undefined) return JSON.parse(inTags)
  const { reason }: { reason: string } = JSON.parse(text.slice(text.indexOf('{')))
  return JSON.parse(reason)
}

function taught(home: GetHome): void {
  const lessonOf = async (play: Play) => {
    const [, again] = await play.asked()
    return contentText(again?.body.messages.at(-1)?.content ?? '', null)
  }
  for (const [form, config, said, shown] of [
    ['words', TEXT, '是巴黎，两百万人。', { city: '…', people: 1 }],
    ['JSON that fits', TEXT, PARIS, JSON.parse(PARIS)],
    ['words, natively', { ...NATIVE, ends_by_reply: 'never' }, '是巴黎，两百万人。', { city: '…', people: 1 }],
  ] as const)
    claim(
      home,
      `shows a call that fits it (${form})`,
      {
        config,
        script: [said, config.llm?.protocol === 'xml' ? words.finish(PARIS) : native('finish', { reason: PARIS })],
      },
      async (play, expect) => {
        await play.create({ output_schema: CITY })
        expect(await play.send('法国最大的城市？')).toMatchObject({ status: 'completed', result: PARIS })
        expect(shownIn(await lessonOf(play))).toEqual(shown)
      },
    )

  claim(
    home,
    'shows none where no answer can be made up, nor where it would be a long one',
    { config: TEXT, script: ['甲', words.finish('"abc-1"')] },
    async (play, expect) => {
      await play.create({ output_schema: { type: 'string', pattern: '^[a-c]+-[0-9]$' } })
      expect(await play.send('问')).toMatchObject({ status: 'completed', result: '"abc-1"' })
      expect(await lessonOf(play)).not.toContain('<完成会话>')
    },
  )
}
