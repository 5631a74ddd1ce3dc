import { describe } from 'vitest'
import { errorOf } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const again = { content: words.rethink('…'), repeat: true }
const xml = { llm: { protocol: 'xml' as const } }

/** Bounds of a request and of a run: what each stops, what it says, and how the run is carried on. */
export function boundsClaims(home: GetHome): void {
  describe('iterations', () => iterationClaims(home))
  describe('time', () => timeClaims(home))
  describe('tokens and money', () => budgetClaims(home))
  describe('circles', () => circleClaims(home))
}

function iterationClaims(home: GetHome): void {
  const bounded = { ...xml, limits: { max_iterations: 2, repeats_max: 0 } }

  claim(
    home,
    'max_iterations bounds a request: it answers in_progress, and continue is the next batch of the same run',
    { config: bounded, script: [again] },
    async (play, expect) => {
      await play.create()
      const first = await play.send(words.task)
      expect(first).toMatchObject({
        status: 'in_progress',
        finish_reason: null,
        result: null,
        usage: { iterations: 2 },
      })
      expect((await play.events()).at(-1)).toMatchObject({
        type: 'run-pause',
        status: 'in_progress',
        finish_reason: null,
      })
      const second = await play.carryOn()
      expect(second).toMatchObject({
        status: 'in_progress',
        run_id: first.run_id,
        usage: { iterations: 4, model_calls: 4 },
      })
      expect(await play.asked()).toHaveLength(4)
      await play.model.script([words.finish('好')])
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: first.run_id })
      const starts = (await play.events()).filter(({ type }) => type === 'run-start')
      expect(starts).toHaveLength(1)
    },
  )

  claim(
    home,
    'eight iterations are the default of a request',
    { config: { ...xml, limits: { repeats_max: 0 } }, script: [again] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'in_progress', usage: { iterations: 8 } })
    },
  )

  claim(
    home,
    'max_iterations_total ends the run as iteration_limit; continue with a larger total goes on with the same run',
    { config: { ...xml, limits: { max_iterations_total: 3, repeats_max: 0 } }, script: [again] },
    async (play, expect) => {
      await play.create()
      const first = await play.send(words.task)
      expect(first).toMatchObject({
        status: 'failed',
        finish_reason: 'iteration_limit',
        result: null,
        error: { code: 'iteration_limit' },
        usage: { iterations: 3 },
      })
      expect(await play.asked()).toHaveLength(3)
      expect(await play.carryOn()).toMatchObject({ status: 'failed', finish_reason: 'iteration_limit' })
      expect(await play.asked()).toHaveLength(3)
      await play.model.script([words.finish('好')])
      const last = await play.carryOn({ limits: { max_iterations_total: 10 } })
      expect(last).toMatchObject({ status: 'completed', result: '好', run_id: first.run_id, error: null })
      const events = await play.events()
      expect(events.filter(({ type, run_id: run }) => type === 'run-start' && run === first.run_id)).toHaveLength(3)
      expect(events.filter(({ type, run_id: run }) => type === 'run-end' && run === first.run_id)).toHaveLength(3)
    },
  )

  claim(
    home,
    'a limit over the ceiling of the server is refused with its path',
    { script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const refused = play.api.addMessage(
        { content: 'x', config: { limits: { max_plan_rounds: 21 } } },
        { form: 'wait' },
      )
      expect(await errorOf(refused)).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'config.limits.max_plan_rounds' }],
      })
      expect((await play.session()).status).toBe('idle')
    },
  )
}

function timeClaims(home: GetHome): void {
  claim(
    home,
    'deadline_ms ends a run whose model hangs, and a longer one takes it on',
    { config: { ...xml, limits: { deadline_ms: 200 } }, script: [{ hang: true }] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'deadline', error: { code: 'deadline' } })
      await play.model.script([words.finish('好')])
      expect(await play.carryOn({ limits: { deadline_ms: 60_000 } })).toMatchObject({
        status: 'completed',
        result: '好',
      })
    },
  )
}

function budgetClaims(home: GetHome): void {
  const usage = { prompt_tokens: 8_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 500 } }
  const costly = { content: words.rethink('…'), usage, repeat: true }

  claim(
    home,
    'usage and cost are counted per run and in total, by what the service reports',
    {
      config: { ...xml, model: 'priced' },
      script: [
        { ...costly, repeat: 1 },
        { content: words.finish('一'), usage },
        { content: words.finish('二'), usage },
      ],
    },
    async (play, expect) => {
      await play.create()
      const first = await play.send(words.task)
      const run = { prompt_tokens: 16_000, completion_tokens: 2_000, total_tokens: 18_000, cached_tokens: 1_000 }
      expect(first.usage).toMatchObject({ ...run, model_calls: 2, tool_calls: 2, iterations: 2 })
      expect(first.usage.cost?.amount).toBeCloseTo((16_000 * 4 + 2_000 * 12) / 1e6, 9)
      expect(first.usage.unpriced_models).toBeUndefined()
      const second = await play.send('二')
      expect(second.usage).toMatchObject({ total_tokens: 9_000, model_calls: 1, tool_calls: 1, iterations: 1 })
      const total = (await play.session()).usage
      expect(total).toMatchObject({ total_tokens: 27_000, model_calls: 3, tool_calls: 3, iterations: 3 })
      expect(total.cost).toMatchObject({ amount: expect.closeTo(3 * 0.044, 9), currency: 'CNY' })
      expect(await play.event('usage')).toMatchObject({ usage: { total_tokens: 9_000, model_calls: 1 } })
    },
  )

  claim(
    home,
    'a model without a price is named, and nothing is said to be free',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      expect((await play.send(words.task)).usage).toMatchObject({ cost: null, unpriced_models: ['scripted'] })
    },
  )

  claim(
    home,
    'max_cost reserves before each call: what does not fit is not called, and continue takes a new total',
    {
      config: { ...xml, model: 'priced', limits: { max_cost: { amount: 0.06, currency: 'CNY' }, repeats_max: 0 } },
      script: [costly],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({
        status: 'failed',
        finish_reason: 'budget_exhausted',
        error: { code: 'budget_exhausted' },
      })
      expect(await play.asked()).toHaveLength(1)
      expect(answer.usage.cost?.amount).toBeLessThanOrEqual(0.06)
      await play.model.script([{ content: words.finish('好'), usage }])
      expect(await play.carryOn({ limits: { max_cost: { amount: 1, currency: 'CNY' } } })).toMatchObject({
        status: 'completed',
      })
    },
  )

  claim(
    home,
    'max_total_tokens that holds no call makes none',
    { config: { ...xml, limits: { max_total_tokens: 500 } }, script: [again] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({
        status: 'failed',
        finish_reason: 'budget_exhausted',
        usage: { model_calls: 0 },
      })
      expect(await play.asked()).toEqual([])
    },
  )

  claim(
    home,
    'a call that was cut before its usage came keeps its reservation',
    {
      config: { llm: { protocol: 'xml', retry: { times: 0 } } },
      script: [{ content: '', stream_cut_after: 1 }, words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({
        status: 'failed',
        error: { code: 'model_bad_answer' },
        usage: { model_calls: 0 },
      })
      const { reserved_tokens: reserved } = await play.event('model-start')
      expect(reserved).toBeGreaterThan(1_000)
      const within = await play.carryOn({ limits: { max_total_tokens: reserved * 2 - 1 } })
      expect(within).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
      expect(await play.asked()).toHaveLength(1)
      expect(await play.carryOn({ limits: { max_total_tokens: reserved * 2 } })).toMatchObject({ status: 'completed' })
    },
  )

  for (const [what, config] of Object.entries({
    'a model without a price': { limits: { max_cost: { amount: 1, currency: 'CNY' } } },
    'a model with another currency': { model: 'priced', limits: { max_cost: { amount: 1, currency: 'USD' } } },
  })) {
    claim(home, `max_cost on ${what} is refused`, { script: [words.finish('好')] }, async (play, expect) => {
      await play.create()
      const refused = await errorOf(play.api.addMessage({ content: 'x', config }, { form: 'wait' }))
      expect(refused).toMatchObject({ code: 'unpriced_model', issues: [{ path: 'config.limits.max_cost' }] })
      expect(await play.asked()).toEqual([])
    })
  }
}

function circleClaims(home: GetHome): void {
  claim(
    home,
    'the same call with the same result three times is told to the model, and ends the run when it does not stop',
    {
      config: { llm: { protocol: 'native' }, limits: { max_iterations: 20 } },
      script: [{ ...native('rethink', { reason: '…' }), repeat: true }],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'stuck', error: { code: 'loop' } })
      const asked = await play.asked()
      expect(asked).toHaveLength(4)
      expect(asked[3]?.body.messages.at(-1)?.content).toContain('重复')
    },
  )
}
