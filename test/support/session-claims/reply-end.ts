import { describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { type Play, responseOf } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }
const TEXT: SessionConfig = { llm: { protocol: 'xml' } }
const AUTO: SessionConfig = { llm: { protocol: 'auto' } }
const finish = native('finish', { reason: '好' })
const THOUGHTS = '<思考>想一想</思考>\n'
/** What a run is that the model ended, and how. */
const completed = (result: string, by: 'reply' | 'finish') => ({
  status: 'completed',
  finish_reason: 'completed',
  result,
  error: null,
  ended_by: by,
})
const ONE = ['prompt', 'reply']
const WARNED = [...ONE, 'warning', 'reply']

/** Api-details 2, `ends_by_reply`: when a reply that calls no tool is the answer. */
export function replyEndClaims(home: GetHome): void {
  describe('a reply without a call, where functions are called', () => nativeClaims(home))
  describe('a reply without a call, in text', () => textClaims(home))
  describe('ends_by_reply', () => configClaims(home))
  describe('a skill that finish ends', () => skillClaims(home))
}

function nativeClaims(home: GetHome): void {
  for (const [name, config] of Object.entries({ native: NATIVE, auto: AUTO }))
    claim(home, `is the answer: ${name}`, { config, script: ['巴黎是法国的首都。'] }, async (play, expect) => {
      await play.create()
      const answer = await play.send('法国的首都是哪里？')
      expect(answer).toMatchObject(completed('巴黎是法国的首都。', 'reply'))
      expect(answer.messages.map(({ kind }) => kind)).toEqual(ONE)
      const events = await play.events()
      expect(events.find((event) => event.type === 'model-end')).toMatchObject({ ok: true, problem: null })
      expect(events.find((event) => event.type === 'message' && event.is_output)).toMatchObject({
        message: { id: answer.messages[1]?.id },
      })
      expect(events.at(-1)).toMatchObject({ type: 'run-end', ended_by: 'reply', result: '巴黎是法国的首都。' })
      expect(await play.asked()).toHaveLength(1)
    })

  claim(
    home,
    'is the answer after calls, and a session goes on after it',
    { config: NATIVE, script: [native('rethink', { reason: '…' }, '先想想。'), '一', '二', finish] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject(completed('一', 'reply'))
      expect(await play.send('乙')).toMatchObject(completed('二', 'reply'))
      expect(await play.send('丙')).toMatchObject(completed('好', 'finish'))
    },
  )

  claim(
    home,
    'is the answer without the thoughts before it; thoughts and white space alone are none',
    {
      config: NATIVE,
      script: [THOUGHTS, `\n ${THOUGHTS}`, `${THOUGHTS}巴黎`],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('法国的首都是哪里？')
      expect(answer).toMatchObject(completed('巴黎', 'reply'))
      expect(answer.messages.flatMap(({ kind, content }) => (kind === 'warning' ? [content] : []))).toEqual([
        words.noCall,
        words.noCall,
      ])
    },
  )

  claim(
    home,
    'is what was given to finish, too, where the reply reached its limit in it',
    { config: NATIVE, script: [{ ...native('finish', '{"reason": "首都是巴'), finish_reason: 'length' }] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('法国的首都是哪里？')
      expect(answer).toMatchObject(completed('首都是巴', 'reply'))
      expect(answer.messages.map(({ kind }) => kind)).toEqual(ONE)
    },
  )

  claim(
    home,
    'is none if it writes its call in its text',
    { config: NATIVE, script: [words.visit('https://example.com/'), finish] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('读网页')
      expect(answer).toMatchObject(completed('好', 'finish'))
      expect(answer.messages[2]).toMatchObject({ kind: 'warning', content: words.noCall })
    },
  )

  claim(
    home,
    'is warned of first, once a model with auto was spoken to in text',
    { config: AUTO, script: [`想。${words.rethink('…')}`, '一', '二'] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('二', 'reply'))
      expect(answer.messages.slice(-3).map(({ kind }) => kind)).toEqual(['reply', 'warning', 'reply'])
    },
  )

  claim(
    home,
    'is warned of first, if the model refuses functions',
    { config: AUTO, script: [{ status: 400, body: { error: { message: 'tools are not supported' } } }, '一', '二'] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('二', 'reply'))
      expect(answer.messages.map(({ kind }) => kind)).toEqual(WARNED)
    },
  )
}

function textClaims(home: GetHome): void {
  claim(
    home,
    'is warned of, and the second in a row is the answer',
    { config: TEXT, script: ['一', `${THOUGHTS}二`] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('二', 'reply'))
      expect(answer.messages.map(({ kind }) => kind)).toEqual(WARNED)
      expect(answer.messages[2]).toMatchObject({ role: 'system', content: words.noCall })
    },
  )

  claim(
    home,
    'that comes after a call, good or bad, is warned of again',
    { config: TEXT, script: ['一', words.rethink('…'), '二', '<烤面包><时间>3</时间></烤面包>', '三', '四'] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('四', 'reply'))
      expect(answer.messages.filter(({ content }) => content === words.noCall)).toHaveLength(3)
    },
  )

  claim(
    home,
    'does not end a run whose model calls finish when it is warned',
    { config: TEXT, script: ['一', words.finish('好')] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject(completed('好', 'finish'))
    },
  )

  claim(
    home,
    'that says nothing is none, but the one behind it may be',
    { config: TEXT, script: ['一', THOUGHTS, '二'] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('二', 'reply'))
      expect(answer.messages.filter(({ kind }) => kind === 'warning')).toHaveLength(2)
    },
  )

  for (const [name, second] of [
    ['were left open as it was cut', { content: '<完成会话>\n<理由>二', finish_reason: 'length' }],
    ['were cut themselves', { content: '<完成会话>\n<理由>二</理', finish_reason: 'length' }],
    ['were never opened', { content: '二</理由>\n</完成会话>' }],
  ] as const)
    claim(
      home,
      `is the answer without the tags of finish that ${name}`,
      { config: TEXT, script: ['一', second] },
      async (play, expect) => {
        await play.create()
        expect(await play.send('甲')).toMatchObject(completed('二', 'reply'))
      },
    )

  claim(
    home,
    'is the answer in the next batch, too',
    { config: { ...TEXT, limits: { max_iterations: 1 } }, script: ['一', '二'] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject({ status: 'in_progress', result: null, ended_by: null })
      expect(await play.carryOn()).toMatchObject(completed('二', 'reply'))
    },
  )

  claim(
    home,
    'is the answer behind a summary that came after the warning',
    {
      config: { ...TEXT, model: 'small', limits: { max_iterations: 20, repeats_max: 0 } },
      script: [
        { when: { contains: '压缩对话记录' }, content: '想了很多。', repeat: true },
        ...[1, 2, 3].map((step) => words.rethink(`第${step}步：${'想一想灯塔。'.repeat(40)}`)),
        '一',
        { status: 400, body: { error: { message: 'maximum context length', code: 'context_length_exceeded' } } },
        '二',
      ],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('甲')
      expect(answer).toMatchObject(completed('二', 'reply'))
      expect(answer.messages.slice(-4).map(({ kind }) => kind)).toEqual(['reply', 'warning', 'summary', 'reply'])
    },
  )

  claim(
    home,
    'is warned of first in a run that was carried on after it got stuck',
    { config: { ...TEXT, ends_by_reply: 'never', limits: { errors_in_a_row_max: 1 } }, script: ['一', '二', '三'] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject({ status: 'failed', finish_reason: 'stuck', ended_by: null })
      const more: SessionConfig = { ends_by_reply: 'after_warning', limits: { errors_in_a_row_max: 5 } }
      expect(await play.carryOn(more)).toMatchObject(completed('三', 'reply'))
    },
  )
}

function configClaims(home: GetHome): void {
  for (const [name, config] of Object.entries({ native: NATIVE, text: TEXT }))
    claim(
      home,
      `never: each is warned of, until the model calls or is stuck (${name})`,
      {
        config: { ...config, ends_by_reply: 'never', limits: { errors_in_a_row_max: 4 } },
        script: ['一', '二', name === 'text' ? words.finish('好') : finish, '三', '四', '五', '六'],
      },
      async (play, expect) => {
        await play.create()
        const first = await play.send('甲')
        expect(first).toMatchObject(completed('好', 'finish'))
        expect(first.messages.filter(({ content }) => content === words.noCall)).toHaveLength(2)
        expect(await play.send('乙')).toMatchObject({ status: 'failed', finish_reason: 'stuck', result: null })
      },
    )

  claim(
    home,
    'always: the first one is the answer, in text, too',
    { config: { ...TEXT, ends_by_reply: 'always' }, script: ['一'] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject(completed('一', 'reply'))
    },
  )

  claim(
    home,
    'after_warning: the second one is the answer, also of functions; it may change from task to task',
    { config: { ...NATIVE, ends_by_reply: 'after_warning' }, script: ['一', '二', '三'] },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject(completed('二', 'reply'))
      expect(await play.send('乙', { ends_by_reply: 'always' })).toMatchObject(completed('三', 'reply'))
    },
  )
}

const NUMBER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

function skillClaims(home: GetHome): void {
  const ran = async (play: Play, fields: Record<string, unknown>) => {
    const name = `skill-${crypto.randomUUID().slice(0, 8)}`
    await play.home.putSkill(
      skillDefinition.parse({ name, version: '1', description: '试用', tools: ['list_files'], ...fields }),
    )
    const config = { ...NATIVE, llm: { ...NATIVE.llm, model: play.model.name } }
    return responseOf(await play.api.runSkill(play.id, 'default', { name, input: '几个？', config }, { form: 'wait' }))
  }

  claim(
    home,
    'may be answered by a reply, which has to fit the output schema as finish has',
    { config: NATIVE, script: ['三个', '{"n":"三"}', '{"n":3}'] },
    async (play, expect) => {
      const answer = await ran(play, { output_schema: NUMBER })
      expect(answer).toMatchObject(completed('{"n":3}', 'reply'))
      const warnings = answer.messages.filter(({ kind }) => kind === 'warning')
      expect(warnings.map(({ content }) => contentText(content, null).includes('JSON'))).toEqual([true, true])
    },
  )

  claim(home, 'tells how it ended where its own output does', { script: ['三个'] }, async (play, expect) => {
    expect(await ran(play, { finish: 'no_call' })).toMatchObject(completed('三个', 'reply'))
  })
}
