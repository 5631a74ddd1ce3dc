import { describe } from 'vitest'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { contentText } from '../../../src/domain/content.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const }, limits: { max_iterations: 30 } }
const nativeConfig = { ...xml, llm: { protocol: 'native' as const } }
const STUCK = { status: 'failed', finish_reason: 'stuck', result: null, error: { code: 'loop' } }
const think = (what: string) => words.rethink(what)
const isTold = (content: string | null) => content?.includes('重复') === true

/** Going in circles: what is one, what is none, and what follows. */
export function circleClaims(home: GetHome): void {
  describe('circles', () => {
    seenClaims(home)
    wordClaims(home)
    unseenClaims(home)
    humanClaims(home)
  })
}

function seenClaims(home: GetHome): void {
  for (const [period, letters] of ['甲', '甲乙', '甲乙丙', '甲乙丙丁戊己'].entries()) {
    claim(
      home,
      `of ${letters.length} turns are told once when gone through three times, and end the run when they go on`,
      { config: xml, script: { steps: Array.from(letters, think), loop: true } },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task), String(period)).toMatchObject(STUCK)
        const asked = await play.asked()
        expect(asked).toHaveLength(letters.length * 3 + 1)
        const told = asked.map(({ body }) => body.messages.filter(({ content }) => isTold(content)).length)
        expect(told).toEqual([...Array<number>(letters.length * 3).fill(0), 1])
        const warnings = (await play.messages()).filter(({ kind }) => kind === 'warning')
        expect(warnings).toHaveLength(1)
        expect(isTold(contentText(warnings[0]?.content ?? '', null))).toBe(true)
      },
    )
  }

  claim(
    home,
    'are seen after other turns came first, and in as many turns as repeats_max says',
    {
      config: { ...xml, limits: { max_iterations: 30, repeats_max: 5 } },
      script: [think('一'), think('二'), { content: think('三'), repeat: true }],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject(STUCK)
      expect(await play.asked()).toHaveLength(2 + 5 + 1)
    },
  )

  claim(
    home,
    'of several native calls are seen in whatever order the calls come',
    {
      config: { ...nativeConfig, ...APPROVED },
      script: (page) => {
        const calls = ['zh', 'article'].map((name) => ({ name: 'web_access', arguments: { url: page(name) } }))
        return {
          steps: [
            { content: null, tool_calls: calls },
            { content: null, tool_calls: calls.toReversed() },
          ],
          loop: true,
        }
      },
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject(STUCK)
      expect(await play.asked()).toHaveLength(4)
    },
  )

  claim(
    home,
    'are seen over the bounds of requests, and the run that they ended goes on by continue',
    {
      config: { ...xml, limits: { max_iterations: 1 } },
      script: [{ content: think('甲'), repeat: 4 }, think('甲'), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      const { run_id: run } = await play.send(words.task)
      await play.carryOn()
      expect(await play.carryOn()).toMatchObject({ status: 'in_progress' })
      expect(await play.carryOn()).toMatchObject({ ...STUCK, run_id: run })
      expect(await play.carryOn(), 'counted anew').toMatchObject({ status: 'in_progress', run_id: run })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: run, error: null })
    },
  )

  claim(
    home,
    'that the model leaves when it is told end nothing, and later ones are told again',
    {
      config: xml,
      script: [
        { content: think('甲'), repeat: 3 },
        think('乙'),
        { content: think('丙'), repeat: 3 },
        words.finish('好'),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      expect((await play.messages()).filter(({ kind }) => kind === 'warning')).toHaveLength(2)
    },
  )
}

function wordClaims(home: GetHome): void {
  for (const [protocol, config, step] of [
    ['native', nativeConfig, { ...native('rethink', { reason: '甲' }), content: '首都是巴黎。' }],
    ['xml', xml, { content: `首都是巴黎。\n${think('甲')}` }],
  ] as const)
    claim(
      home,
      `of replies with words for the user end with these as the answer (${protocol})`,
      { config, script: [{ ...step, repeat: true }] },
      async (play, expect) => {
        await play.create()
        const ended = { status: 'completed', finish_reason: 'completed', ended_by: 'reply', loop: true, error: null }
        expect(await play.send(words.task)).toMatchObject({ ...ended, result: '首都是巴黎。' })
        expect(await play.asked()).toHaveLength(4)
      },
    )

  claim(
    home,
    'of replies of which one has words for the user end with these',
    { config: xml, script: { steps: [think('甲'), `首都是巴黎。\n${think('乙')}`, think('丙')], loop: true } },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', loop: true, result: '首都是巴黎。' })
      expect(await play.asked()).toHaveLength(10)
    },
  )

  claim(
    home,
    'fail where the words were those of a reply before them',
    { config: xml, script: [`先想想。\n${think('乙')}`, { content: think('甲'), repeat: true }] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject(STUCK)
    },
  )
}

function unseenClaims(home: GetHome): void {
  claim(
    home,
    'are not what makes progress, however alike its turns are',
    {
      config: xml,
      script: [...Array.from({ length: 12 }, (_, index) => think(`第${index}步`)), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      expect(await play.kinds()).not.toContain('warning')
    },
  )

  claim(
    home,
    'are not looked for when repeats_max is 0',
    {
      config: { ...xml, limits: { max_iterations: 30, repeats_max: 0 } },
      script: [{ content: think('甲'), repeat: 12 }, words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      expect(await play.kinds()).not.toContain('warning')
    },
  )

  claim(
    home,
    'begin anew with a new task',
    {
      config: xml,
      script: [
        { content: think('甲'), repeat: 2 },
        words.finish('一'),
        { content: think('甲'), repeat: 2 },
        words.finish('二'),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send('一')).toMatchObject({ status: 'completed' })
      expect(await play.send('二')).toMatchObject({ status: 'completed', result: '二' })
      expect(await play.kinds()).not.toContain('warning')
    },
  )
}

function humanClaims(home: GetHome): void {
  const question = native('ask', { question: '第几个？' })

  claim(
    home,
    'are none where a human answers differently each time, and are seen where the answer is the same',
    { config: nativeConfig, script: [{ ...question, repeat: 8 }, native('finish', { reason: '好' })] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      for (const answer of ['一', '二', '三', '四']) {
        expect(await play.decide({ decision: 'answer', answer })).toMatchObject({ status: 'interrupted' })
      }
      expect(await play.kinds()).not.toContain('warning')
      for (const answer of ['五', '五', '五']) await play.decide({ decision: 'answer', answer })
      expect((await play.kinds()).filter((kind) => kind === 'warning')).toHaveLength(1)
      expect(await play.decide({ decision: 'answer', answer: '五' })).toMatchObject(STUCK)
    },
  )

  claim(
    home,
    'are seen with approvals in between',
    { config: xml, script: (page) => [{ content: words.visit(page('zh')), repeat: true }] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      for (const _ of [1, 2, 3]) {
        expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'interrupted' })
      }
      expect((await play.kinds()).filter((kind) => kind === 'warning')).toHaveLength(1)
      expect(await play.decide({ decision: 'approve' })).toMatchObject(STUCK)
    },
  )
}
