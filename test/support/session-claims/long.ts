import { describe, type ExpectStatic } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import type { Asked } from '../peers.ts'
import type { Play } from '../play.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
/** Of the alias `small`: its window, less the reply. */
const WINDOW_TOKENS = 6_000 - 500
const LIMITED = { max_iterations: 60, repeats_max: 0 }
const xml = { model: 'small', llm: { protocol: 'xml' as const }, limits: LIMITED }
const nativeConfig = { ...xml, llm: { protocol: 'native' as const }, ...APPROVED }

/** What only a request for a summary holds. */
const IS_SUMMARY_CALL = '压缩对话记录'
const SUMMARY = '用户要读灯塔的网页，已经想了很多步。'
const summarises: StepInput = {
  when: { contains: IS_SUMMARY_CALL },
  content: `<思考>怎么写好呢</思考>\n${SUMMARY}`,
  repeat: true,
}
const OVERFLOW = {
  status: 400,
  body: { error: { message: "This model's maximum context length is 6000 tokens", code: 'context_length_exceeded' } },
}
const thought = (index: number) => `第${index}步：${'想一想灯塔。'.repeat(40)}`
const thoughts = (count: number) => Array.from({ length: count }, (_, index) => words.rethink(thought(index)))

/** Sessions that grow over what their model takes. */
export function longClaims(home: GetHome): void {
  describe('a long session', () => {
    growthClaims(home)
    overflowClaims(home)
    failureClaims(home)
  })
}

const isSummaryCall = ({ body }: Asked) => JSON.stringify(body.messages).includes(IS_SUMMARY_CALL)

/** About how many tokens the service reads: texts of messages, calls in them, and tools. */
function tokensIn({ body: { messages, tools } }: Asked): number {
  const texts = messages.flatMap(({ content, tool_calls: calls = [] }) => [
    content ?? '',
    ...calls.flatMap(({ function: called }) => [called.name, called.arguments]),
  ])
  return [...texts, tools ? JSON.stringify(tools) : ''].reduce((sum, text) => sum + estimateTokens(text), 0)
}

/** What holds for every request of a run, however long its session is. Gives how many of them asked for a summary. */
async function expectWindows(play: Play, task: string, expect: ExpectStatic): Promise<number> {
  const asked = await play.asked()
  let before: Asked | undefined
  for (const one of asked) {
    if (isSummaryCall(one)) {
      expect(one.body.tools, 'a summary is asked for without tools').toBeUndefined()
      before = undefined
      continue
    }
    const { messages } = one.body
    expect(tokensIn(one), 'a request fits').toBeLessThanOrEqual(WINDOW_TOKENS)
    expect(messages.filter(({ role, content }) => role === 'user' && content === task)).toHaveLength(1)
    if (before) expect(messages.slice(0, before.body.messages.length)).toEqual(before.body.messages)
    before = one
  }
  return asked.filter(isSummaryCall).length
}

function growthClaims(home: GetHome): void {
  claim(
    home,
    'in text is summarised by the model: the window stays under its budget and grows at its end only',
    { config: xml, script: [summarises, ...thoughts(30), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'completed', result: '好', usage: { iterations: 31 } })
      const summaries = await expectWindows(play, words.task, expect)
      expect(summaries).toBeGreaterThanOrEqual(2)
      expect(summaries, 'most turns need none').toBeLessThan(10)
      expect(answer.usage).toMatchObject({ model_calls: 31 + summaries, tool_calls: 31 })
      const written = (await play.messages()).filter(({ kind }) => kind === 'summary')
      expect(written).toHaveLength(summaries)
      expect(
        written.every(
          ({ role, content }) => role === 'system' && contentText(content, null).endsWith(`\n\n${SUMMARY}`),
        ),
      ).toBe(true)
      const [, second] = (await play.asked()).filter(isSummaryCall)
      expect(second?.body.messages[1]?.content, 'a summary is made of the one before').toContain(SUMMARY)
      const last = (await play.asked()).at(-1)?.body.messages.map(({ content }) => content) ?? []
      expect(last.filter((content) => content?.includes(SUMMARY))).toHaveLength(1)
      expect(last.some((content) => content?.includes('怎么写好呢'))).toBe(false)
      expect((await play.messages()).filter(({ kind }) => kind === 'reply')).toHaveLength(31)
    },
  )

  claim(
    home,
    'with native calls never parts a call from its result',
    {
      config: nativeConfig,
      script: (page) => [
        summarises,
        ...Array.from({ length: 12 }, (_, index) => ({
          content: `第${index}次`,
          tool_calls: [
            { name: 'rethink', arguments: { reason: thought(index) } },
            { name: 'web_access', arguments: { url: page('zh') } },
            { name: 'rethink', arguments: { reason: `另${thought(index)}` } },
          ],
        })),
        native('finish', { reason: '好' }),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      expect(await expectWindows(play, words.task, expect)).toBeGreaterThanOrEqual(2)
    },
  )

  claim(
    home,
    'keeps an approval that waits, and goes on with it',
    {
      config: xml,
      script: (page) => [summarises, ...thoughts(9), words.visit(page('zh')), ...thoughts(9), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      const waiting = await play.send(words.task)
      expect(waiting).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '好' })
      expect(await expectWindows(play, words.task, expect)).toBeGreaterThanOrEqual(1)
      expect(await play.site.visits()).toEqual(['zh'])
    },
  )

  claim(
    home,
    'sends a later run the summary of the earlier ones, and that run’s own task',
    {
      config: xml,
      script: [
        summarises,
        ...thoughts(10),
        words.finish('一'),
        ...thoughts(10),
        words.finish('二'),
        words.finish('三'),
      ],
    },
    async (play, expect) => {
      await play.create()
      await play.send('甲：读第一页')
      expect(await play.send('乙：读第二页')).toMatchObject({ status: 'completed', result: '二' })
      expect(await play.send('丙：读第三页')).toMatchObject({ status: 'completed', result: '三' })
      const last = (await play.asked()).at(-1)?.body.messages ?? []
      expect(last.at(-1)).toEqual({ role: 'user', content: '丙：读第三页' })
      expect(last.filter(({ content }) => content?.includes(SUMMARY))).toHaveLength(1)
      expect(last.filter(({ content }) => content === '甲：读第一页')).toEqual([])
    },
  )

  claim(
    home,
    'has a long task always there, and room for it',
    { config: xml, script: [summarises, ...thoughts(20), words.finish('好')] },
    async (play, expect) => {
      const task = `读灯塔。${'要点要写得清楚。'.repeat(120)}`
      await play.create()
      expect(await play.send(task)).toMatchObject({ status: 'completed', result: '好' })
      expect(await expectWindows(play, task, expect)).toBeGreaterThanOrEqual(2)
    },
  )

  claim(
    home,
    'of many short messages is summarised once, and not again at every turn',
    { config: { ...xml, model: 'scripted' }, script: [summarises, ...thoughts(4), words.finish('好')] },
    async (play, expect) => {
      const messages = Array.from({ length: 700 }, (_, index) =>
        index % 2 === 0
          ? { role: 'user' as const, content: `第${index}问` }
          : { role: 'assistant' as const, content: `第${index}答` },
      )
      await play.create({ messages })
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      const asked = await play.asked()
      expect(asked.map(isSummaryCall)).toEqual([true, false, false, false, false, false])
      expect(asked[0]?.body.messages[1]?.content).toMatch(/更早的消息过长，没有列出/)
      const sizes = asked.slice(1).map(({ body }) => body.messages.length)
      expect(sizes[0]).toBeLessThan(LIMITS.model.messagesUnfoldedMax)
      expect(sizes.slice(1)).toEqual(sizes.slice(0, -1).map((size) => size + 2))
    },
  )
}

function overflowClaims(home: GetHome): void {
  claim(
    home,
    'that its model calls too long is summarised, and the turn is made',
    { config: xml, script: [summarises, ...thoughts(3), OVERFLOW, words.finish('好')] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好', error: null })
      expect((await play.asked()).map(isSummaryCall)).toEqual([false, false, false, false, true, false])
    },
  )

  claim(
    home,
    'that stays too long after its summary ends the run by its class, and continue tries again',
    { config: xml, script: [summarises, ...thoughts(3), OVERFLOW, OVERFLOW, words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const failed = await play.send(words.task)
      expect(failed).toMatchObject({
        status: 'failed',
        finish_reason: 'failed',
        error: { code: 'model_overflow', status: 400, detail: expect.stringContaining('maximum context length') },
      })
      expect((await play.asked()).map(isSummaryCall)).toEqual([false, false, false, false, true, false])
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: failed.run_id })
    },
  )

  claim(
    home,
    'of one task that is too long fails at once: there is nothing to summarise',
    { config: xml, script: [summarises, { ...OVERFLOW, repeat: true }] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'failed', error: { code: 'model_overflow' } })
      expect(await play.asked()).toHaveLength(1)
    },
  )

  claim(
    home,
    'whose summary is too long to be asked for fails, and does not ask for ever',
    { config: xml, script: [...thoughts(3), { ...OVERFLOW, repeat: true }] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'failed', error: { code: 'model_overflow' } })
      expect((await play.asked()).map(isSummaryCall)).toEqual([false, false, false, false, true])
      expect(await play.kinds()).not.toContain('summary')
    },
  )
}

function failureClaims(home: GetHome): void {
  const failing = (step: object): StepInput => ({ ...step, when: { contains: IS_SUMMARY_CALL } })

  claim(
    home,
    'whose summary fails ends the run by its class; continue asks for it again',
    { config: xml, script: [failing({ status: 503 }), summarises, ...thoughts(20), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const failed = await play.send(words.task)
      expect(failed).toMatchObject({ status: 'failed', finish_reason: 'failed', error: { code: 'model_unavailable' } })
      expect(await play.kinds()).not.toContain('summary')
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: failed.run_id })
      expect(await play.kinds()).toContain('summary')
      await expectWindows(play, words.task, expect)
    },
  )

  for (const [what, step] of [
    ['says nothing but thoughts', { content: '<思考>怎么写好呢</思考>' }],
    ['says nothing at all', { content: '' }],
    ['calls a tool instead', native('finish', { reason: '不' })],
  ] as const) {
    const writesNone = failing({ ...step, repeat: true })
    claim(
      home,
      `whose summary ${what} goes on with what was said, shortened`,
      { config: xml, script: [writesNone, ...thoughts(30), words.finish('好')] },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
        const summaries = await expectWindows(play, words.task, expect)
        expect(summaries).toBeGreaterThanOrEqual(2)
        expect(summaries, 'most turns need none').toBeLessThan(15)
        const written = (await play.messages()).filter(({ kind }) => kind === 'summary')
        expect(written).toHaveLength(summaries)
        expect(contentText(written[0]?.content ?? '', null)).toContain('[智能体]')
        const told = (await play.events()).filter((event) => event.type === 'error')
        expect(told.map(({ code }) => code)).toEqual(written.map(() => 'summary_missing'))
      },
    )
  }

  claim(
    home,
    'has no summary that its budget does not allow',
    {
      config: { ...xml, limits: { ...LIMITED, max_total_tokens: 1_000_000 } },
      script: [summarises, ...thoughts(30), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const events = await play.events()
      const starts = events.flatMap((event) => (event.type === 'model-start' ? [event] : []))
      const first = starts.findIndex(({ message_id: id }) =>
        events.some((event) => event.type === 'message' && event.message.id === id && event.message.kind === 'summary'),
      )
      const spent = events.flatMap((event) => (event.type === 'usage' ? [event.usage.total_tokens] : []))
      const left = (spent[first - 1] ?? 0) + (starts[first]?.reserved_tokens ?? 0)
      await play.model.script([summarises, ...thoughts(30), words.finish('好')])
      const answer = await play.send(words.task, { limits: { max_total_tokens: left - 1 } })
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
      expect(answer.usage.total_tokens).toBeLessThan(left)
    },
  )
}
