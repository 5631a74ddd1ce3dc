import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { startPlay } from '../play.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
/** The service breaks off before it says what the call took. */
const BREAKS_OFF: StepInput = { content: '', stream_cut_after: 1, repeat: true }
/** What only a request for a summary holds. */
const IS_SUMMARY_CALL = '压缩对话记录'

const ENDLESS = { max_iterations: 60, repeats_max: 0 }
const summarises: StepInput = { when: { contains: IS_SUMMARY_CALL }, content: '摘要', repeat: true }
const thoughts = Array.from({ length: 40 }, (_, index) => words.rethink(`第${index}步：${'想一想灯塔。'.repeat(40)}`))

/** Budgets are hard, whatever the model and its service do. */
export function budgetClaims(home: GetHome): void {
  describe('a budget', () => {
    reportClaims(home)
    retryClaims(home)
    compactionClaims(home)
  })
}

function reportClaims(home: GetHome): void {
  for (const [what, usage] of Object.entries({
    'no usage': null,
    'usage below nothing': { prompt_tokens: -100_000, completion_tokens: -100_000 },
    'usage of nothing': { prompt_tokens: 0, completion_tokens: 0 },
    'usage beyond all bounds': { prompt_tokens: 1e15, completion_tokens: 1e15 },
  })) {
    claim(
      home,
      `holds for a model that reports ${what}: it is estimated, and said to be`,
      {
        config: { ...xml, limits: { max_total_tokens: 6_000, max_iterations: 50, repeats_max: 0 } },
        script: [{ content: words.rethink('…'), usage, repeat: true }],
      },
      async (play, expect) => {
        await play.create()
        const answer = await play.send(words.task)
        expect(answer).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
        const { model_calls: calls, total_tokens: total } = answer.usage
        expect(calls).toBeGreaterThan(0)
        expect(answer.usage.estimated_calls).toBe(calls)
        expect(total).toBeGreaterThan(0)
        expect(total).toBeLessThanOrEqual(6_000)
        expect(await play.asked()).toHaveLength(calls)
      },
    )
  }

  claim(
    home,
    'tells a cost that is a part of the whole by the models that are not in it',
    { config: { ...xml, model: 'priced' }, script: [words.finish('一'), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const second = await play.send('二', { model: 'scripted' })
      expect(second.usage).toMatchObject({ cost: null, unpriced_models: ['scripted'] })
      const { usage } = await play.session()
      expect(usage).toMatchObject({ cost: { currency: 'CNY' }, unpriced_models: ['scripted'], model_calls: 2 })
    },
  )
}

function retryClaims(home: GetHome): void {
  claim(
    home,
    'holds for the tries of one call: each that may have been paid for stays held, and another has to fit beside it',
    { config: { llm: { protocol: 'xml', retry: { times: 0, delay_ms: 1 } } }, script: [BREAKS_OFF] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ error: { code: 'model_bad_answer' } })
      const { reserved_tokens: reserved, seq } = await play.event('model-start')
      const tried = await play.carryOn({ llm: { retry: { times: 9 } }, limits: { max_total_tokens: reserved * 3 } })
      expect(tried).toMatchObject({ status: 'failed', error: { code: 'model_bad_answer' }, usage: { model_calls: 0 } })
      expect(await play.asked()).toHaveLength(3)
      const retries = (await play.events()).filter(({ type }) => type === 'model-retry')
      expect(retries).toMatchObject([{ model: 'scripted', failure: 'model_bad_answer' }])
      expect(retries[0]?.seq).toBeGreaterThan(seq)
      expect(await play.carryOn()).toMatchObject({ finish_reason: 'budget_exhausted' })
      expect(await play.asked()).toHaveLength(3)
      await play.model.script([words.finish('好')])
      expect(await play.carryOn({ limits: { max_total_tokens: reserved * 4 } })).toMatchObject({ status: 'completed' })
    },
  )

  claim(
    home,
    'is not touched by a try that the service refused before it began',
    {
      config: { llm: { protocol: 'xml', retry: { times: 3, delay_ms: 1 } } },
      script: [{ status: 503, repeat: 2 }, words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', usage: { model_calls: 1 } })
      const refused = { type: 'model-retry', model: 'scripted', failure: 'model_unavailable' }
      expect((await play.events()).filter(({ type }) => type === 'model-retry')).toMatchObject([refused, refused])
      expect(await play.asked()).toHaveLength(3)
    },
  )
}

function compactionClaims(home: GetHome): void {
  const setting = { config: { model: 'small', ...xml, limits: ENDLESS }, script: [summarises, ...thoughts] }
  claim(home, 'holds for summaries too: one that does not fit is not asked for', setting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const asked = await play.asked()
    const first = asked.findIndex(({ body }) => JSON.stringify(body.messages).includes(IS_SUMMARY_CALL))
    expect(first).toBeGreaterThan(3)
    const before = (await play.events()).flatMap((event) =>
      event.type === 'model-end' && event.ok ? [event.spent.prompt_tokens + event.spent.completion_tokens] : [],
    )
    const starts = (await play.events()).flatMap((event) => (event.type === 'model-start' ? [event] : []))
    const spent = before.slice(0, first).reduce((sum, tokens) => sum + tokens, 0)
    const limits = { ...ENDLESS, max_total_tokens: spent + (starts[first]?.reserved_tokens ?? 0) - 1 }
    const again = await startPlay(play.home, { ...setting, config: { ...setting.config, limits } })
    await again.create()
    const answer = await again.send(words.task)
    expect(answer).toMatchObject({ finish_reason: 'budget_exhausted', usage: { model_calls: first } })
    expect(await again.asked()).toHaveLength(first)
  })
}
