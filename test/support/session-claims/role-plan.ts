import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { PlanTask } from '../../../src/domain/plan.ts'
import type { TeamRole } from '../../../src/domain/team.ts'
import type { Asked } from '../peers.ts'
import { isPlanner, NOTHING_LEFT, plan, task } from '../planned.ts'
import { type Play, responseOf } from '../play.ts'
import { claim, type GetHome } from './claim.ts'
import { does, historyOf, role, setting, stepsOf, team, textOf, TEN } from './team-stage.ts'

/** A role whose turn is a plan: its actions do the parts, and its last action is what the plan comes to. */
const planner = (more: Partial<TeamRole> = {}): TeamRole =>
  role('P', ['UserRequirement'], ['Find', 'Report'], { react_mode: 'plan_and_act', ...more })
const find = (description: string) => ({ name: 'Find', description })

/** Teams with a role that plans and acts. */
export function rolePlanClaims(home: GetHome): void {
  describe('a role that plans', () => {
    workClaims(home)
    failureClaims(home)
    humanClaims(home)
    boundClaims(home)
  })
}

async function endedTasks(play: Play): Promise<PlanTask[]> {
  return (await play.events()).flatMap((event) => (event.type === 'task-end' ? [event.task] : []))
}

function workClaims(home: GetHome): void {
  claim(
    home,
    'has its actions do the parts, and publishes what its plan came to',
    setting(
      plan(find('查人口'), '查面积'),
      task('查人口', '八百万'),
      task('查面积', '六千'),
      NOTHING_LEFT,
      '总结',
      does('Read', '读过'),
    ),
    async (play, expect) => {
      await play.create(team(planner({ goal: '写得短' }), role('R', ['Report'], ['Read'])))
      expect(await play.send('介绍这座城市')).toMatchObject({ status: 'completed', result: '读过' })
      expect((await historyOf(play)).map(({ cause_by: cause, content }) => `${cause}: ${content}`)).toEqual([
        'UserRequirement: 介绍这座城市',
        'Report: 总结',
        'Read: 读过',
      ])
      const asked = await play.asked()
      expect(asked.map(isPlanner)).toEqual([true, false, false, true, false, false])
      expect(textOf(asked[0] as Asked)).toMatch(
        /`Find`: 做Find[^]*`Report`: 做Report[^]*`llm_tool`[^]*写得短[^]*介绍这座城市/,
      )
      const found = asked
        .map(textOf)
        .find((text) => text.includes('子任务') && text.includes('查人口') && text.includes('做Find'))
      expect(found).toMatch(/写得短/)
      expect(textOf(asked[3] as Asked)).toMatch(/八百万[^]*六千/)
      expect(await stepsOf(play)).toEqual([
        'P IDLE→HAS_NEWS',
        'P HAS_NEWS→HAS_TODO',
        'P HAS_TODO→EXECUTING',
        'R IDLE→HAS_NEWS',
        'P EXECUTING→IDLE',
        'R HAS_NEWS→HAS_TODO',
        'R HAS_TODO→EXECUTING',
        'R EXECUTING→IDLE',
      ])
    },
  )

  claim(
    home,
    'says whose its tasks are, and keeps them out of the plan of the run',
    setting(plan(find('查人口')), task('查人口', '八百万'), NOTHING_LEFT, '总结'),
    async (play, expect) => {
      await play.create(team(planner()))
      await play.send('介绍这座城市')
      expect(await endedTasks(play)).toMatchObject([
        { owner: 'P', name: 'Find', worker: 'Find', status: 'completed', result: '八百万' },
      ])
      const event = await play.event('plan')
      expect(event).toMatchObject({ scope: 'P', plan: { round: 1, tasks: [{ owner: 'P' }] } })
      const { plan: own, messages, team: shown } = await play.session()
      expect(own).toBeUndefined()
      expect(shown?.roles[0]).toMatchObject({ state: 'IDLE' })
      expect(shown?.roles[0]?.plan).toBeUndefined()
      expect(messages.at(-1)).toMatchObject({ kind: 'summary', scope: 'P' })
    },
  )

  claim(home, 'answers at once where it plans nothing', setting(NOTHING_LEFT, '直接答'), async (play, expect) => {
    await play.create(team(planner()))
    expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '直接答' })
    expect(await play.asked()).toHaveLength(2)
  })

  claim(
    home,
    'takes a second answer without a plan for its output',
    setting('不会', '还是不会'),
    async (play, expect) => {
      await play.create(team(planner()))
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '还是不会' })
    },
  )

  claim(
    home,
    'has another do what no worker of that name can, and gives tasks the tools of their action alone',
    {
      script: (page) => [
        plan({ name: 'Nobody', description: '乱来' }, find('读页面')),
        { when: { contains: '乱来' }, content: '好' },
        { when: { contains: '读页面' }, tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { when: { contains: '读页面' }, content: '读完了' },
        NOTHING_LEFT,
        '总结',
      ],
      config: { tools: { web_access: { auto_approve: true } }, llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      const tooled = { name: 'Find', instruction: '做Find', tools: ['web_access'] }
      await play.create(team({ ...planner(), actions: [tooled] }))
      expect(await play.send('你好')).toMatchObject({ status: 'completed', result: '总结' })
      expect(await play.event('error')).toMatchObject({ scope: 'P', code: 'unknown_worker' })
      const ended = (await endedTasks(play)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      expect(ended).toMatchObject([
        { name: 'Find', worker: 'Find', result: '读完了' },
        { name: 'Nobody', worker: 'llm_tool', result: '好' },
      ])
      const offered = (await play.asked()).map(({ body }) => body.tools?.map(({ function: { name } }) => name) ?? [])
      expect(offered.filter((names) => names.includes('web_access'))).toHaveLength(2)
      expect(offered.filter((names) => names.length === 0)).toHaveLength(4)
    },
  )

  claim(
    home,
    'works beside others that plan, each with its own',
    setting(
      { when: { contains: '您是 P' }, content: plan(find('查甲')) },
      { when: { contains: '您是 Q' }, content: plan(find('查乙')) },
      task('查甲', '甲好'),
      task('查乙', '乙好'),
      { when: { contains: '甲好' }, content: NOTHING_LEFT },
      { when: { contains: '乙好' }, content: NOTHING_LEFT },
      { when: { contains: '甲好' }, content: '甲的总结' },
      { when: { contains: '乙好' }, content: '乙的总结' },
    ),
    async (play, expect) => {
      await play.create(team(planner(), { ...planner(), name: 'Q' }))
      const { result, usage } = await play.send('开始')
      expect(result?.split('\n\n').toSorted()).toEqual(['乙的总结', '甲的总结'])
      expect(usage.model_calls).toBe(8)
      expect(new Set((await endedTasks(play)).map(({ owner }) => owner))).toEqual(new Set(['P', 'Q']))
    },
  )

  claim(
    home,
    'writes the files that its last action asks for',
    setting(NOTHING_LEFT, 'FILE: a.txt\n```\n甲\n```'),
    async (play, expect) => {
      await play.create(team({ ...planner(), actions: [{ name: 'Code', instruction: '做Code', output: 'files' }] }))
      expect(await play.send('开始')).toMatchObject({ status: 'completed' })
      expect(textOf((await play.asked())[1] as Asked)).toContain('FILE: 路径')
      expect(await play.api.files({ limit: 10 })).toMatchObject({ ok: true, value: [{ path: 'a.txt' }] })
    },
  )
}

const broken = (contains: string): StepInput => ({
  when: { contains },
  status: 400,
  body: { error: { message: 'no such thing' } },
})

function failureClaims(home: GetHome): void {
  claim(
    home,
    'whose planner fails ends the run, and goes on there',
    setting(
      broken('"plan"'),
      // Asked without the schema of a plan.
      broken('"plan"'),
      does('Other', '别的'),
      plan(find('查人口')),
      task('查人口', '八百万'),
      NOTHING_LEFT,
      '总结',
    ),
    async (play, expect) => {
      await play.create(team(planner(), role('O', ['UserRequirement'], ['Other'])))
      expect(await play.send('开始')).toMatchObject({
        status: 'failed',
        finish_reason: 'failed',
        error: { code: 'model_rejected' },
      })
      expect((await historyOf(play)).map(({ content }) => content)).toEqual(['开始', '别的'])
      const { result, status } = await play.carryOn()
      expect([status, result?.split('\n\n').toSorted()]).toEqual(['completed', ['别的', '总结']])
      expect(await play.asked()).toHaveLength(7)
    },
  )

  claim(
    home,
    'is told of a task that failed, and goes on',
    setting(
      plan(find('查人口')),
      broken('查人口'),
      { when: { contains: '(失败)' }, content: NOTHING_LEFT },
      '没有查到',
    ),
    async (play, expect) => {
      await play.create(team(planner()))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '没有查到' })
      expect(await endedTasks(play)).toMatchObject([{ owner: 'P', status: 'failed' }])
    },
  )

  claim(
    home,
    'that is cancelled leaves no task open, and begins anew with what comes next',
    setting(plan(find('查人口')), { when: { contains: '查人口' }, hang: true }, NOTHING_LEFT, '新的'),
    async (play, expect) => {
      await play.create(team(planner()))
      const sent = play.send('开始')
      await play.asked(2)
      const { team: shown } = await play.session()
      expect(shown?.roles[0]).toMatchObject({
        state: 'EXECUTING',
        plan: { round: 1, status: 'running', tasks: [{ owner: 'P', status: 'running' }] },
      })
      await play.cancel()
      expect(await sent).toMatchObject({ status: 'cancelled' })
      expect(await endedTasks(play)).toMatchObject([{ owner: 'P', status: 'cancelled' }])
      expect((await play.session()).team).toMatchObject({ idle: true })
      expect(await play.send('再来')).toMatchObject({ status: 'completed', result: '新的' })
    },
  )

  claim(
    home,
    'survives an export and an import in the middle of its plan',
    setting(plan(find('查人口')), broken('查人口'), broken('"plan"')),
    async (play, expect) => {
      await play.create(team(planner()))
      expect(await play.send('开始')).toMatchObject({ status: 'failed' })
      const exported = await play.api.export(null, false)
      if (!exported.ok) throw new Error('no export')
      const copy = play.home.session(`${play.id}x`)
      const body = new Response(await new Response(exported.value).text()).body
      if (!body) throw new Error('no body')
      expect(
        await copy.import(`${play.id}x`, 'default', body, { bytesMax: 1_000_000, keepConfig: true }),
      ).toMatchObject({ ok: true })
      const read = await copy.read('none')
      const copied = read.ok ? await new Response(read.value.body).json<{ team: unknown }>() : { team: null }
      expect(copied.team).toEqual((await play.session()).team)
    },
  )
}

function humanClaims(home: GetHome): void {
  claim(
    home,
    'waits for the approval of a call within a task, and goes on with it',
    {
      script: (page) => [
        plan(find('读页面')),
        { tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { content: '读完了' },
        NOTHING_LEFT,
        '总结',
      ],
      config: { llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      await play.create(
        team({ ...planner(), actions: [{ name: 'Find', instruction: '做Find', tools: ['web_access'] }] }),
      )
      expect(await play.send('开始')).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted' })
      const { team: shown } = await play.session()
      const [waiting] = shown?.roles[0]?.plan?.tasks ?? []
      expect(waiting).toMatchObject({ owner: 'P', status: 'waiting' })
      expect(await play.pending()).toMatchObject({ tool: 'web_access', scope: waiting?.id })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '总结' })
    },
  )

  claim(
    home,
    'shows its plan to a human where each is reviewed',
    setting(plan(find('查甲')), task('查丙', '丙好'), NOTHING_LEFT, '总结'),
    async (play, expect) => {
      await play.create({ ...team(planner()), config: { plan: { review: true } } })
      expect(await play.send('开始')).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted' })
      expect(await play.pending()).toMatchObject({ tool: 'plan', scope: 'P' })
      const edited = { plan: [find('查丙')] }
      expect(await play.decide({ decision: 'approve', arguments: edited })).toMatchObject({ result: '总结' })
      expect((await endedTasks(play)).map(({ description }) => description)).toEqual(['查丙'])
    },
  )

  claim(home, 'and is a person is asked, not planned for', setting(), async (play, expect) => {
    await play.create(team(planner({ human: true })))
    await play.send('开始')
    expect(await play.pending()).toMatchObject({ type: 'question', scope: 'P' })
    expect(await play.decide({ decision: 'answer', answer: '一' })).toMatchObject({ status: 'interrupted' })
    expect(await play.decide({ decision: 'answer', answer: '二' })).toMatchObject({ result: '一\n\n二' })
  })
}

function boundClaims(home: GetHome): void {
  claim(
    home,
    'publishes what it has where its rounds of planning are used up',
    setting(plan(find('查甲')), task('查甲', '甲好'), '总结'),
    async (play, expect) => {
      await play.create({ ...team(planner()), config: { limits: { max_plan_rounds: 1 } } })
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '总结' })
      expect(await play.event('error')).toMatchObject({ code: 'max_plan_rounds', scope: 'P' })
    },
  )

  claim(
    home,
    'counts what its tasks cost to itself and to the team, and goes on with more money',
    {
      script: [
        { content: plan(find('查甲')), usage: TEN },
        { when: { last_contains: '查甲' }, content: '甲好', usage: TEN },
        { content: NOTHING_LEFT, usage: TEN },
        { content: '总结', usage: TEN },
      ],
      config: { model: 'priced', llm: { max_tokens: 500 } },
    },
    async (play, expect) => {
      await play.create({ team: { roles: [planner()], investment: { amount: 0.0115, currency: 'CNY' } } })
      const ended = await play.send('开始')
      expect(ended).toMatchObject({ status: 'failed', finish_reason: 'no_money', error: { code: 'no_money' } })
      expect(await play.asked()).toHaveLength(1)
      const more = await play.api.continue({ investment: { amount: 1, currency: 'CNY' } }, { form: 'wait' })
      const { usage } = responseOf(more)
      expect(responseOf(more)).toMatchObject({ status: 'completed', result: '总结' })
      const { team: shown } = await play.session()
      expect(shown?.spent?.amount).toBeCloseTo(usage.cost?.amount ?? 0)
      expect(shown?.roles[0]?.cost?.amount).toBeCloseTo(usage.cost?.amount ?? 0)
      expect((await endedTasks(play))[0]?.cost?.amount).toBeCloseTo((usage.cost?.amount ?? 0) / 4)
      expect(await play.asked()).toHaveLength(4)
    },
  )

  claim(
    home,
    'rests at the bound of its request and goes on in the next',
    setting(plan(find('查甲')), task('查甲', '甲好'), NOTHING_LEFT, '总结'),
    async (play, expect) => {
      await play.create({ ...team(planner()), config: { limits: { max_iterations: 2 } } })
      expect(await play.send('开始')).toMatchObject({ status: 'in_progress' })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '总结' })
    },
  )

  claim(
    home,
    'ends with its run at the bound of all calls, with what was done',
    setting(plan(find('查甲')), task('查甲', '甲好')),
    async (play, expect) => {
      await play.create({ ...team(planner()), config: { limits: { max_iterations_total: 2 } } })
      expect(await play.send('开始')).toMatchObject({ status: 'failed', finish_reason: 'iteration_limit' })
      expect(await endedTasks(play)).toMatchObject([{ status: 'completed' }])
    },
  )
}
