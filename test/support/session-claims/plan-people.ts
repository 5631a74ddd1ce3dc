import { describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Asked } from '../peers.ts'
import { errorOf, type Play, valueOf } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { entry, isPlanner, LAST, NOTHING_LEFT, plan, planned, reads, said, tasksOf, textOf } from '../planned.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }

/** What happens to a plan from outside: people decide, bounds are met, it is copied. */
export function planPeopleClaims(home: GetHome): void {
  describe('a person, within a plan,', () => personClaims(home))
  describe('a plan that is bounded', () => boundClaims(home))
  describe('a plan that is copied', () => copyClaims(home))
}

function personClaims(home: GetHome): void {
  claim(
    home,
    'is asked for a call while the other tasks go on',
    {
      config: NATIVE,
      script: (page) => [
        plan(reads('读灯塔'), '想一想'),
        said('读灯塔', native('web_access', { url: page('article') })),
        said('想一想', '想好了'),
        said('四章', '读好了'),
        said('读灯塔', '读好了'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      const waits = await play.send('介绍灯塔')
      expect(waits).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted' })
      const { plan: shown, pending } = await play.session()
      expect(shown).toMatchObject({ status: 'waiting', tasks: [{ status: 'waiting' }, { status: 'completed' }] })
      expect(pending).toMatchObject([{ tool: 'web_access', scope: shown?.tasks[0]?.id }])
      expect(await play.send(words.approvals[0]?.('网页访问') ?? '')).toMatchObject({
        status: 'completed',
        result: '完',
      })
      expect(await play.site.visits()).toEqual(['article'])
    },
  )

  claim(
    home,
    'takes time that is not counted to the task, while others are at work',
    {
      config: NATIVE,
      script: (page) => [
        JSON.stringify({ plan: [{ ...entry(reads('读灯塔')), timeout_ms: 1_500 }, entry('想一想')] }),
        said('读灯塔', native('web_access', { url: page('article') })),
        { when: { last_contains: '想一想' }, content: '想好了', delay_ms: 2_000 },
        said('四章', '读好了'),
        said('读灯塔', '读好了'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('介绍灯塔')).toMatchObject({ status: 'interrupted' })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '读好了' }, { status: 'completed' }])
    },
  )

  claim(
    home,
    'answers a question of a sub-task',
    {
      config: NATIVE,
      script: [
        plan(reads('选颜色')),
        said('选颜色', native('ask', { question: '红还是蓝？' })),
        said('蓝色的', '选了蓝'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('选一个')).toMatchObject({
        status: 'interrupted',
        finish_reason: 'waiting_feedback',
        pending: [{ type: 'question', question: '红还是蓝？' }],
      })
      expect(await play.send('蓝色的')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '选了蓝' }])
    },
  )

  const reviewed: SessionConfig = { plan: { review: true } }

  claim(
    home,
    'edits a plan only into one that can be run',
    { script: [plan('查甲'), said('查丙', '丙好'), ...LAST] },
    async (play, expect) => {
      await planned(play, reviewed)
      await play.send('你好')
      const { id } = await play.pending()
      const decide = (edited: Record<string, unknown>) =>
        play.api.decide(id, { decision: 'approve', arguments: edited }, { form: 'wait' })
      const paths = async (edited: Record<string, unknown>) => {
        const error = await errorOf(decide(edited))
        return 'issues' in error ? error.issues.map(({ path }) => path) : error.code
      }
      expect(await paths({ plans: [] })).toEqual(['arguments.plan'])
      expect(await paths({ plan: [{ name: 'llm_tool' }] })).toEqual(['arguments.plan.0.description'])
      expect(await paths({ plan: Array.from({ length: 51 }, (_, at) => entry(`查${at}`)) })).toEqual(['arguments.plan'])
      expect((await play.session()).status).toBe('interrupted')
      await valueOf(decide({ plan: [entry('查丙')] }))
      expect((await play.session()).status).toBe('completed')
    },
  )

  claim(
    home,
    'approves plans once for the whole session',
    { script: [plan('查甲'), said('查甲', '甲好'), plan('查乙'), said('查乙', '乙好'), ...LAST] },
    async (play, expect) => {
      await planned(play, reviewed)
      await play.send('你好')
      expect(await play.decide({ decision: 'approve', remember: 'session' })).toMatchObject({ status: 'completed' })
      expect((await play.session()).config.plan).toEqual({ review: false })
    },
  )

  claim(
    home,
    'approves a plan by a message, and refuses it by any other',
    { script: [plan('查甲'), plan('查乙'), said('查乙', '乙好'), ...LAST] },
    async (play, expect) => {
      await planned(play, reviewed)
      await play.send('你好')
      expect(await play.send('不要查甲')).toMatchObject({ status: 'interrupted', pending: [{ tool: 'plan' }] })
      expect(textOf((await play.asked())[1] as Asked)).toContain('不要查甲')
      const limited = { limits: { max_iterations: 1 } }
      expect(await play.send('<授权><工具>plan</工具></授权>', limited)).toMatchObject({ status: 'in_progress' })
    },
  )

  claim(
    home,
    'leaves a plan behind with a new task, and the planner does not take it for an answer',
    { script: [plan('查甲'), { when: { contains: '查甲' }, content: '甲好' }, NOTHING_LEFT, '你也好'] },
    async (play, expect) => {
      await planned(play, { limits: { max_iterations: 1 } })
      expect(await play.send('第一个问题')).toMatchObject({ status: 'in_progress' })
      const answer = await play.send('第二个问题', { limits: { max_iterations: 8 } })
      expect(answer.status).toBe('completed')
      const last = (await play.asked()).find((one) => textOf(one).includes('第二个问题'))
      expect(last && textOf(last)).toContain('第一个问题')
      expect(last && textOf(last)).not.toContain('"查甲"')
    },
  )

  claim(
    home,
    'has a task done again while a plan waits, which goes on waiting',
    {
      script: [plan('查甲'), { status: 400, body: { error: { message: 'down' } } }, plan('查乙'), '好', '好', ...LAST],
    },
    async (play, expect) => {
      await planned(play, reviewed)
      await play.send('你好')
      await play.decide({ decision: 'approve' })
      const [failed] = await tasksOf(play)
      expect(failed?.status).toBe('failed')
      const again = await valueOf(play.api.task(failed?.id ?? '', 'retry', { form: 'wait' }))
      expect(again).toMatchObject({ response: { status: 'interrupted', pending: [{ tool: 'plan' }] } })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '完' })
      expect((await tasksOf(play)).map(({ status }) => status)).toEqual(['completed', 'completed'])
    },
  )

  claim(
    home,
    'has a task done again after the planner failed: the task first, then the planner',
    {
      script: [
        plan('查甲'),
        { status: 400, body: { error: { message: 'down' } } },
        { status: 400, body: { error: { message: 'down too' } } },
        // Asked without the schema of a plan.
        { status: 400, body: { error: { message: 'down too' } } },
        '甲好',
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('你好')).toMatchObject({ status: 'failed' })
      const [failed] = await tasksOf(play)
      const again = await valueOf(play.api.task(failed?.id ?? '', 'retry', { form: 'wait' }))
      expect(again).toMatchObject({ response: { status: 'completed', result: '完' } })
      expect((await play.asked()).map(isPlanner)).toEqual([true, false, true, true, false, true, false])
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '甲好' }])
      expect(await errorOf(play.api.task(failed?.id ?? '', 'cancel', { form: 'wait' }))).toMatchObject({
        code: 'nothing_to_continue',
        status: 'completed',
        task: failed?.id,
      })
    },
  )

  claim(
    home,
    'has a task done again after the run was cancelled, and it is answered',
    { script: [plan('查甲'), said('查甲', { hang: true }), said('查甲', '甲好'), ...LAST] },
    async (play, expect) => {
      await planned(play)
      const answer = play.send('你好')
      await play.asked(2)
      await play.cancel()
      expect(await answer).toMatchObject({ status: 'cancelled' })
      const [task] = await tasksOf(play)
      const again = await valueOf(play.api.task(task?.id ?? '', 'retry', { form: 'wait' }))
      expect(again).toMatchObject({ response: { status: 'completed', result: '完', error: null } })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '甲好' }])
    },
  )
}

function boundClaims(home: GetHome): void {
  /** Room for one call at a time. */
  const tight = { config: { llm: { max_tokens: 20_000 }, limits: { max_total_tokens: 32_000 } } }

  claim(
    home,
    'is complete when the last of its rounds leaves nothing to do',
    { script: [plan('查甲'), said('查甲', '甲好'), ...LAST] },
    async (play, expect) => {
      await planned(play, { limits: { max_plan_rounds: 2 } })
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '完', error: null })
    },
  )

  claim(
    home,
    'waits with a task that does not fit beside the others, and does it when they are done',
    {
      ...tight,
      script: [plan('查甲', '查乙', '查丙'), said('查甲', '甲'), said('查乙', '乙'), said('查丙', '丙'), ...LAST],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '完' })
      expect((await tasksOf(play)).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    },
  )

  claim(
    home,
    'holds what a cancelled task may have spent',
    { ...tight, script: [plan('查甲'), said('查甲', { hang: true }), '不够了'] },
    async (play, expect) => {
      await planned(play)
      const answer = play.send('你好')
      await play.asked(2)
      const [task] = await tasksOf(play)
      await valueOf(play.api.task(task?.id ?? '', 'cancel', { form: 'background' }))
      expect(await answer).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
    },
  )

  claim(
    home,
    'lets tasks end what they have under way when the iterations are used up',
    {
      config: { ...NATIVE, limits: { max_iterations_total: 3 } },
      script: [
        plan('查甲', reads('读灯塔')),
        said('查甲', { content: '甲好', hold_after: 0 }),
        said('读灯塔', native('rethink', { reason: '再想' })),
        said('读灯塔', '读好了'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      const answer = play.send('你好')
      await play.asked(3)
      await play.event('tool-end')
      await play.model.release()
      expect(await answer).toMatchObject({
        status: 'failed',
        finish_reason: 'iteration_limit',
        result: expect.stringContaining('甲好'),
      })
      expect((await tasksOf(play)).map(({ status }) => status)).toEqual(['completed', 'pending'])
      expect(await play.carryOn({ limits: { max_iterations_total: 20 } })).toMatchObject({ status: 'completed' })
      expect(await play.asked()).toHaveLength(6)
    },
  )

  claim(
    home,
    'is given up when something else is asked: what it left undone ends as cancelled, before the new run',
    {
      config: { ...NATIVE, limits: { max_iterations_total: 2 } },
      script: [
        plan(reads('读灯塔'), { description: '想一想', depends_on: [1] }),
        native('rethink', { reason: '怎么读' }),
      ],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('介绍灯塔')).toMatchObject({ status: 'failed', finish_reason: 'iteration_limit' })
      const first = (await play.events()).length
      await play.send('算了')
      const next = (await play.events()).slice(first)
      const told = next.map((event) => (event.type === 'task-end' ? event.task.status : event.type))
      expect(told.slice(0, 3)).toEqual(['cancelled', 'cancelled', 'run-start'])
    },
  )
}

function copyClaims(home: GetHome): void {
  claim(
    home,
    'comes with all of its tasks, those that were open as cancelled',
    { script: [plan('查甲', '查乙'), said('查甲', '甲好'), said('查乙', { hang: true })] },
    async (play, expect) => {
      await planned(play)
      const answer = play.send('你好')
      await play.event('task-end')
      const exported = await new Response(await valueOf(play.api.export(null, false))).text()
      await play.cancel()
      await answer
      const copy = await play.home
        .session(`${play.id}-copy`)
        .import(`${play.id}-copy`, 'default', new Response(exported).body ?? new ReadableStream(), {
          bytesMax: 1_000_000,
          keepConfig: true,
        })
      const { body } = await valueOf(copy)
      const session = JSON.parse(await new Response(body).text()) as Awaited<ReturnType<Play['session']>>
      expect(session).toMatchObject({ status: 'cancelled', orchestrator: 'plan', plan: { status: 'cancelled' } })
      expect(session.plan?.tasks.map(({ status, result }) => [status, result])).toEqual([
        ['completed', '甲好'],
        ['cancelled', null],
      ])
    },
  )

  claim(
    home,
    'is refused where its log says what no plan says',
    { script: [NOTHING_LEFT, '好'] },
    async (play, expect) => {
      await planned(play)
      await play.send('你好')
      const text = await new Response(await valueOf(play.api.export(null, false))).text()
      const broken = text.replaceAll('"purpose":"direct"', '"purpose":"dance"')
      const id = `${play.id}-broken`
      const stream = new Response(broken).body ?? new ReadableStream()
      const error = await errorOf(
        play.home.session(id).import(id, 'default', stream, { bytesMax: 1_000_000, keepConfig: true }),
      )
      expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: expect.stringMatching(/purpose$/) }] })
    },
  )
}
