import { describe } from 'vitest'
import type { Asked } from '../peers.ts'
import { isPlanner, NOTHING_LEFT, plan, setting, task, textOf } from '../planned.ts'
import { claim, type GetHome } from './claim.ts'

const PLAN = { orchestrator: 'plan' } as const

/** Formats 6: a big task is planned, done in parts, asked about again, and answered once. */
export function planClaims(home: GetHome): void {
  describe('a plan', () => {
    roundClaims(home)
    answerClaims(home)
    taskClaims(home)
    boundClaims(home)
    singleClaims(home)
  })
}

function roundClaims(home: GetHome): void {
  claim(
    home,
    'has its tasks done with nothing but their own words, and is answered from their results',
    setting(
      plan('查人口', '查面积'),
      task('查人口', '人口八百万'),
      task('查面积', '面积六千平方公里'),
      NOTHING_LEFT,
      '总结：八百万人，六千平方公里',
    ),
    async (play, expect) => {
      const created = await play.create(PLAN)
      expect(created.orchestrator).toBe('plan')
      const answer = await play.send('介绍这座城市')
      expect(answer).toMatchObject({ status: 'completed', result: '总结：八百万人，六千平方公里', error: null })
      const asked = await play.asked()
      expect(asked).toHaveLength(5)
      expect(asked.map(isPlanner)).toEqual([true, false, false, true, false])
      for (const one of asked) expect(one.body.tools).toBeUndefined()
      const [first, second] = asked.slice(1, 3).map(textOf)
      expect([first, second].filter((text) => text?.includes('查人口') && text.includes('查面积'))).toEqual([])
      expect(textOf(asked[3] as Asked)).toMatch(/介绍这座城市[^]*人口八百万[^]*面积六千平方公里/)
      const { plan: shown, messages } = await play.session()
      expect(shown).toMatchObject({ round: 2, status: 'completed' })
      expect(shown?.tasks).toMatchObject([
        {
          round: 1,
          name: 'llm_tool',
          worker: 'llm_tool',
          description: '查人口',
          status: 'completed',
          result: '人口八百万',
          error: null,
        },
        { description: '查面积', status: 'completed', result: '面积六千平方公里' },
      ])
      expect(messages.at(-1)).toMatchObject({ role: 'assistant', kind: 'summary', scope: null })
      expect(answer.usage.model_calls).toBe(5)
    },
  )

  claim(
    home,
    'tells of each planner answer, and of the begin and end of each task, in its scope',
    setting(plan('查人口'), task('查人口', '八百万'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create(PLAN)
      await play.send('介绍这座城市')
      const events = await play.events()
      const told = events.flatMap((event): (number | string)[] =>
        event.type === 'plan'
          ? [event.plan.tasks.length]
          : event.type === 'task-start' || event.type === 'task-end'
            ? [event.type]
            : [],
      )
      expect(told).toEqual([1, 'task-start', 'task-end', 1])
      const end = events.find((event) => event.type === 'task-end')
      expect(end).toMatchObject({ scope: end?.task.id, task: { status: 'completed', result: '八百万' } })
      expect(end?.task.id).toMatch(/^tsk_/)
      const scoped = events.flatMap((event) => (event.type === 'message' && event.scope ? [event.message.kind] : []))
      expect(scoped).toEqual(['task', 'prompt', 'reply'])
    },
  )

  claim(
    home,
    'gives a task the results that it depends on, and begins it behind them',
    setting(
      plan('查人口', '查面积', { description: '算密度', depends_on: [1, 2] }),
      task('查人口', '八百万'),
      task('查面积', '六千'),
      { when: { contains: '算密度' }, content: '每平方公里1333人' },
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('算人口密度')).toMatchObject({ status: 'completed', result: '完' })
      const third = (await play.asked())[3]
      expect(third && textOf(third)).toMatch(/算密度[^]*八百万[^]*六千/)
    },
  )

  claim(
    home,
    'does not run a task twice that is the same but for white space',
    setting(plan('查 人口', '查面积'), task('查 人口', '八百万'), task('查面积', '六千'), plan('查  人口\n'), '完'),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('介绍这座城市')).toMatchObject({ status: 'completed', result: '完' })
      expect((await play.session()).plan?.tasks.map(({ status }) => status)).toEqual([
        'completed',
        'completed',
        'skipped',
      ])
      expect(await play.asked()).toHaveLength(5)
    },
  )

  claim(
    home,
    'of a second message begins anew and knows what was said before',
    setting(NOTHING_LEFT, '灯塔在北边', NOTHING_LEFT, '三十米'),
    async (play, expect) => {
      await play.create(PLAN)
      await play.send('灯塔在哪里')
      expect(await play.send('它多高')).toMatchObject({ result: '三十米' })
      expect(textOf((await play.asked())[2] as Asked)).toMatch(/灯塔在哪里[^]*灯塔在北边[^]*它多高/)
    },
  )
}

function answerClaims(home: GetHome): void {
  claim(home, 'that is empty at once is answered directly', setting(NOTHING_LEFT, '直接回答'), async (play, expect) => {
    await play.create(PLAN)
    expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '直接回答' })
    const [, direct] = await play.asked()
    expect(direct && isPlanner(direct)).toBe(false)
    expect((await play.messages()).at(-1)?.kind).toBe('reply')
  })

  claim(
    home,
    'that cannot be read is asked for once more, with the faulty answer',
    setting('我想想，{"plan": [{"name": 3}]}', NOTHING_LEFT, '好'),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '好' })
      const [, repair] = await play.asked()
      expect(repair && textOf(repair)).toContain('我想想')
    },
  )

  claim(
    home,
    'that cannot be read twice is the answer itself',
    setting('不需要计划', '答案是四十二'),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '答案是四十二' })
    },
  )

  claim(
    home,
    'that cannot be read in a later round is an empty one',
    setting(plan('查人口'), task('查人口', '八百万'), '嗯', '嗯嗯', '总结'),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '总结' })
      const events = await play.events()
      expect(events.filter(({ type }) => type === 'plan')).toHaveLength(2)
    },
  )

  claim(
    home,
    'gives work of an unknown worker to the model, and says so',
    setting(plan({ name: 'nobody', description: '查人口' }), task('查人口', '八百万'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create(PLAN)
      await play.send('你好')
      expect((await play.session()).plan?.tasks).toMatchObject([{ name: 'nobody', worker: 'llm_tool' }])
      expect(await play.event('error')).toMatchObject({ code: 'unknown_worker' })
    },
  )

  claim(
    home,
    'of two hundred tasks is cut at the limit',
    setting(
      plan(...Array.from({ length: 200 }, (_, index) => `查第${index}项`)),
      { when: { last_contains: '查第' }, content: '好', repeat: true },
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create({ ...PLAN, config: { limits: { max_iterations: 100 } } })
      expect(await play.send('你好')).toMatchObject({ status: 'completed' })
      expect((await play.session()).plan?.tasks).toHaveLength(50)
      expect(await play.event('error')).toMatchObject({ code: 'plan_too_long' })
    },
  )
}

function taskClaims(home: GetHome): void {
  claim(
    home,
    'goes on when the model fails a task, and tells the planner',
    setting(
      plan('查人口', '查面积'),
      { when: { last_contains: '查人口' }, status: 400, body: { error: { message: 'no such thing' } } },
      task('查面积', '六千'),
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '完', error: null })
      expect((await play.session()).plan?.tasks).toMatchObject([
        { status: 'failed', result: null, error: expect.stringContaining('no such thing') },
        { status: 'completed' },
      ])
      expect(textOf((await play.asked())[3] as Asked)).toContain('no such thing')
    },
  )

  claim(
    home,
    'completes a task that answers nothing',
    setting(plan({ name: 'llm_tool', description: '查人口' }), task('查人口', ''), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create(PLAN)
      await play.send('你好')
      expect((await play.session()).plan?.tasks).toMatchObject([
        { status: 'completed', result: 'llm_tool is completed' },
      ])
    },
  )

  claim(
    home,
    'fails when the planner fails, and is carried on from there',
    setting(
      plan('查人口'),
      task('查人口', '八百万'),
      // The second is asked without the schema of a plan.
      { status: 400, body: { error: { message: 'down' } } },
      { status: 400, body: { error: { message: 'down' } } },
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({
        status: 'failed',
        finish_reason: 'failed',
        result: expect.stringContaining('八百万'),
      })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '完' })
      expect(await play.asked()).toHaveLength(6)
    },
  )
}

function boundClaims(home: GetHome): void {
  claim(
    home,
    'rests at the bound of a request and goes on, nothing done twice',
    setting(plan('查人口', '查面积'), task('查人口', '八百万'), task('查面积', '六千'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create({ ...PLAN, config: { limits: { max_iterations: 2 } } })
      const statuses = [(await play.send('你好')).status]
      while (statuses.at(-1) === 'in_progress') statuses.push((await play.carryOn()).status)
      expect(statuses).toEqual(['in_progress', 'in_progress', 'completed'])
      expect(await play.asked()).toHaveLength(5)
    },
  )

  claim(
    home,
    'ends after its rounds with a summary, and goes on with more',
    setting(plan('查甲'), task('查甲', '甲好'), '到此为止', plan('查乙'), task('查乙', '乙好'), NOTHING_LEFT, '完'),
    async (play, expect) => {
      await play.create({ ...PLAN, config: { limits: { max_plan_rounds: 1 } } })
      expect(await play.send('你好')).toMatchObject({
        status: 'failed',
        finish_reason: 'max_rounds',
        result: '到此为止',
      })
      expect(await play.carryOn({ limits: { max_plan_rounds: 5 } })).toMatchObject({
        status: 'completed',
        result: '完',
      })
    },
  )

  claim(
    home,
    'keeps what it has when the budget is spent',
    setting(
      plan('查甲'),
      task('查甲', '甲好'),
      { when: { contains: '查甲' }, content: NOTHING_LEFT, usage: { prompt_tokens: 90_000, completion_tokens: 10 } },
      '完',
    ),
    async (play, expect) => {
      await play.create({ ...PLAN, config: { limits: { max_total_tokens: 60_000 } } })
      expect(await play.send('你好')).toMatchObject({
        status: 'failed',
        finish_reason: 'budget_exhausted',
        result: expect.stringContaining('甲好'),
      })
    },
  )

  claim(
    home,
    'is cancelled with all of its tasks',
    setting(plan('查甲', '查乙'), { when: { last_contains: '查' }, hang: true, repeat: true }),
    async (play, expect) => {
      await play.create(PLAN)
      const answer = play.send('你好')
      await play.asked(3)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled' })
      expect(await answer).toMatchObject({ status: 'cancelled' })
      const { plan: shown } = await play.session()
      expect(shown).toMatchObject({ status: 'cancelled', tasks: [{ status: 'cancelled' }, { status: 'cancelled' }] })
    },
  )
}

function singleClaims(home: GetHome): void {
  claim(
    home,
    'goes on without a task that takes longer than it may',
    setting(
      plan('查甲', '查乙'),
      { when: { last_contains: '查甲' }, hang: true },
      task('查乙', '乙好'),
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create({ ...PLAN, config: { limits: { task_timeout_ms: 300 } } })
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '完' })
      const { plan: shown } = await play.session()
      expect(shown?.tasks).toMatchObject([
        { status: 'failed', error: expect.stringContaining('task_timeout_ms') },
        { status: 'completed', result: '乙好' },
      ])
      const [late] = shown?.tasks ?? []
      expect(Date.parse(late?.ended_time ?? '') - Date.parse(late?.started_time ?? '')).toBeLessThan(2_000)
    },
  )

  claim(
    home,
    'goes on without a task that is cancelled',
    setting(
      plan('查甲', '查乙'),
      { when: { last_contains: '查甲' }, hang: true },
      task('查乙', '乙好'),
      NOTHING_LEFT,
      '完',
    ),
    async (play, expect) => {
      await play.create(PLAN)
      const answer = play.send('你好')
      const { scope } = await play.event('task-end')
      const { task: stuck } = await play.event('task-start')
      expect(stuck.id).not.toBe(scope)
      expect(await play.api.task(stuck.id, 'cancel', { form: 'wait' })).toMatchObject({ ok: true })
      expect(await answer).toMatchObject({ status: 'completed', result: '完' })
      expect((await play.session()).plan?.tasks.map(({ status }) => status)).toEqual(['cancelled', 'completed'])
      expect(await play.api.task(stuck.id, 'cancel', { form: 'wait' })).toMatchObject({
        ok: false,
        error: { code: 'nothing_to_continue' },
      })
    },
  )

  claim(
    home,
    'does a task once more on demand, also when all was over, and answers anew',
    setting(
      plan('查甲'),
      { status: 400, body: { error: { message: 'down' } } },
      NOTHING_LEFT,
      '没有查到',
      '甲很好',
      '甲好',
    ),
    async (play, expect) => {
      await play.create(PLAN)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '没有查到' })
      const [failed] = (await play.session()).plan?.tasks ?? []
      const again = await play.api.task(failed?.id ?? '', 'retry', { form: 'wait' })
      expect(again).toMatchObject({ ok: true, value: { response: { status: 'completed', result: '甲好' } } })
      expect((await play.session()).plan?.tasks).toMatchObject([{ status: 'completed', result: '甲很好' }])
      expect(await play.api.task('tsk_none', 'retry', { form: 'wait' })).toMatchObject({
        ok: false,
        error: { code: 'not_found' },
      })
    },
  )
}
