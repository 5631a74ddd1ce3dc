import { describe } from 'vitest'
import { skillDefinition } from '../../../src/domain/skill.ts'
import type { TeamRole } from '../../../src/domain/team.ts'
import type { Asked } from '../peers.ts'
import { LAST, plan, planned, setting, task, tasksOf, textOf } from '../planned.ts'
import { type Play, responseOf, valueOf } from '../play.ts'
import { native } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { does, role, TEN, WAIT } from './team-stage.ts'

const writer = role('A', ['UserRequirement'], ['Draft'])
const checker = role('B', ['Draft'], ['Check'])

/** Keeps a skill of this name whose work a team of these roles does; a worker of plans. */
async function crew(play: Play, name: string, roles: TeamRole[], bounds: object = {}): Promise<void> {
  const about = { version: '1', description: '一队人', worker: true }
  await play.home.putSkill(skillDefinition.parse({ ...about, name, team: { roles, ...bounds } }))
}

/** What each event of a team says, with the branch that it is told in. `TASK`: the sub-task. */
async function toldOf(play: Play): Promise<string[]> {
  const [one] = await tasksOf(play)
  return (await play.events()).flatMap((event) => {
    const scope = event.scope?.replace(one?.id ?? '', 'TASK') ?? ''
    if (event.type === 'round-start') return [`${scope} round ${event.round}: ${event.roles.join()}`]
    if (event.type === 'role-state') return [`${scope} ${event.from}→${event.to}`]
    return event.type === 'team-message' ? [`${scope} says ${event.message.content} to ${event.heard_by.join()}`] : []
  })
}

/** Teams as workers of a plan. */
export function teamWorkerClaims(home: GetHome): void {
  describe('a worker that is a team', () => {
    workClaims(home)
    failureClaims(home)
    peopleClaims(home)
    boundClaims(home)
  })
}

function workClaims(home: GetHome): void {
  claim(
    home,
    'works at its sub-task round by round, and its result is that of the sub-task',
    setting(plan({ name: 'crew-a', description: '写灯塔' }), does('Draft', '草稿'), does('Check', '好稿'), ...LAST),
    async (play, expect) => {
      await crew(play, 'crew-a', [writer, checker])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ worker: 'crew-a', status: 'completed', result: '好稿' }])
      expect(await toldOf(play)).toEqual([
        'TASK says 写灯塔 to A',
        'TASK/A IDLE→HAS_NEWS',
        'TASK round 1: A',
        'TASK/A HAS_NEWS→HAS_TODO',
        'TASK/A HAS_TODO→EXECUTING',
        'TASK/A says 草稿 to B',
        'TASK/B IDLE→HAS_NEWS',
        'TASK/A EXECUTING→IDLE',
        'TASK round 2: B',
        'TASK/B HAS_NEWS→HAS_TODO',
        'TASK/B HAS_TODO→EXECUTING',
        'TASK/B says 好稿 to ',
        'TASK/B EXECUTING→IDLE',
      ])
      const asked = await play.asked()
      expect(textOf(asked[0] as Asked)).toContain('- `crew-a`: 一队人')
      expect(textOf(asked[1] as Asked)).toMatch(/A-profile[^]*做Draft[^]*写灯塔/)
      expect(textOf(asked[3] as Asked)).toContain('好稿')
      expect((await play.session()).team).toBeUndefined()
    },
  )

  claim(
    home,
    'works at several sub-tasks at a time, each on its own',
    setting(
      plan({ name: 'crew-b', description: '写甲' }, { name: 'crew-b', description: '写乙' }),
      { when: { contains: '写甲' }, content: '甲稿' },
      { when: { contains: '写乙' }, content: '乙稿' },
      { when: { contains: '甲稿' }, content: '甲好' },
      { when: { contains: '乙稿' }, content: '乙好' },
      ...LAST,
    ),
    async (play, expect) => {
      await crew(play, 'crew-b', [writer, checker])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ result: '甲好' }, { result: '乙好' }])
    },
  )

  claim(
    home,
    'ends its round where the run is cancelled',
    setting(plan({ name: 'crew-x', description: '写灯塔' }), { hang: true }),
    async (play, expect) => {
      await crew(play, 'crew-x', [writer, checker])
      await planned(play)
      const running = play.send('介绍海边')
      await play.asked(2)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled' })
      await running
      const [one] = await tasksOf(play)
      const told = (await play.events()).filter(({ type }) => /^(?:round|task)-/.test(type))
      expect(told).toMatchObject([
        { type: 'task-start', scope: one?.id },
        { type: 'round-start', round: 1, scope: one?.id },
        { type: 'round-end', round: 1, scope: one?.id },
        { type: 'task-end', scope: one?.id },
      ])
    },
  )

  claim(
    home,
    'is told what the results are that its sub-task needs',
    setting(
      plan('查人口', { name: 'crew-c', description: '写灯塔', depends_on: [1] }),
      task('查人口', '八百万'),
      does('Draft', '草稿'),
      ...LAST,
    ),
    async (play, expect) => {
      await crew(play, 'crew-c', [writer])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      const drafting = (await play.asked()).map(textOf).find((text) => text.includes('做Draft'))
      expect(drafting).toMatch(/八百万/)
    },
  )

  claim(
    home,
    'may have a role that plans its turn, and none whose plan gives work to a team',
    setting(
      plan({ name: 'crew-d', description: '写灯塔' }),
      plan({ name: 'crew-d', description: '查海' }, { name: 'Find', description: '查灯' }),
      task('查海', '海好'),
      task('查灯', '灯好'),
      plan(),
      '总结',
      ...LAST,
    ),
    async (play, expect) => {
      await crew(play, 'crew-d', [role('P', ['UserRequirement'], ['Find', 'Report'], { react_mode: 'plan_and_act' })])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      const [one] = await tasksOf(play)
      expect(one).toMatchObject({ worker: 'crew-d', status: 'completed', result: '总结' })
      const events = await play.events()
      const ended = events.flatMap((event) => (event.type === 'task-end' && event.task.owner ? [event.task] : []))
      expect(ended.map(({ owner, worker }) => `${owner} ${worker}`).toSorted()).toEqual([
        `${one?.id}/P Find`,
        `${one?.id}/P llm_tool`,
      ])
      const told = events.flatMap((event) => (event.type === 'error' ? [event] : []))
      expect(told).toMatchObject([
        { code: 'unknown_worker', detail: expect.stringMatching(/no team works within a team/) },
      ])
      expect(textOf((await play.asked())[1] as Asked)).not.toContain('`crew-d`')
    },
  )

  claim(
    home,
    'may use tools in its actions, which ask as they would anywhere',
    {
      config: { llm: { protocol: 'native' } },
      script: (page) => [
        plan({ name: 'crew-e', description: '写灯塔' }),
        { when: { contains: '做Draft' }, ...native('web_access', { url: page('article') }) },
        does('Draft', '草稿'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      const action = { name: 'Draft', instruction: '做Draft', tools: ['web_access'] }
      await crew(play, 'crew-e', [role('A', ['UserRequirement'], [action])])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'interrupted' })
      const [one] = await tasksOf(play)
      expect(await play.pending()).toMatchObject({ type: 'approval', tool: 'web_access', scope: `${one?.id}/A` })
      expect(one).toMatchObject({ status: 'waiting', team: { round: 1, roles: [{ name: 'A', state: 'EXECUTING' }] } })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '草稿' }])
    },
  )
}

function failureClaims(home: GetHome): void {
  claim(
    home,
    'fails its sub-task when its rounds are used up, with what there is, and does it anew',
    setting(
      plan({ name: 'crew-f', description: '写灯塔' }),
      does('Draft', '草稿'),
      ...LAST,
      does('Draft', '新稿'),
      '又完',
    ),
    async (play, expect) => {
      await crew(play, 'crew-f', [writer, checker], { n_round: 1 })
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      const [failed] = await tasksOf(play)
      expect(failed).toMatchObject({ status: 'failed', result: '草稿', error: expect.stringContaining('max_rounds') })
      const again = await valueOf(play.api.task(failed?.id ?? '', 'retry', WAIT))
      expect(responseOf({ ok: true, value: again })).toMatchObject({ status: 'completed', result: '又完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'failed', result: '新稿' }])
    },
  )

  claim(
    home,
    'fails its sub-task when a model of it fails, after the others of the round, and the plan goes on',
    setting(
      plan({ name: 'crew-g', description: '写灯塔' }),
      { when: { contains: '做Draft' }, status: 400, body: { error: { message: 'down' } } },
      does('Other', '旁的'),
      ...LAST,
    ),
    async (play, expect) => {
      await crew(play, 'crew-g', [writer, role('O', ['UserRequirement'], ['Other'])])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([
        { status: 'failed', result: '旁的', error: expect.stringContaining('down') },
      ])
    },
  )

  claim(
    home,
    'fails its sub-task when it says the same things again and again',
    {
      config: { limits: { max_iterations: 60 } },
      script: [
        plan({ name: 'crew-h', description: '写灯塔' }),
        does('Ping', '甲', { repeat: true }),
        does('Pong', '乙', { repeat: true }),
        ...LAST,
      ],
    },
    async (play, expect) => {
      const ping = role('A', ['UserRequirement', 'Pong'], ['Ping'])
      await crew(play, 'crew-h', [ping, role('B', ['Ping'], ['Pong'])], { n_round: 100 })
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'failed', error: expect.stringContaining('stuck') }])
    },
  )
}

function peopleClaims(home: GetHome): void {
  claim(
    home,
    'asks the person who is a role of it, and goes on with the answer',
    setting(plan({ name: 'crew-i', description: '写灯塔' }), does('Check', '好稿'), ...LAST),
    async (play, expect) => {
      await crew(play, 'crew-i', [{ ...writer, human: true }, checker])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'interrupted', finish_reason: 'waiting_feedback' })
      expect(await play.pending()).toMatchObject({ type: 'question', question: expect.stringContaining('写灯塔') })
      expect(await tasksOf(play)).toMatchObject([{ status: 'waiting' }])
      const answered = await play.decide({ decision: 'answer', answer: '人稿' })
      expect(answered).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '好稿' }])
      expect(textOf((await play.asked())[1] as Asked)).toContain('人稿')
    },
  )

  claim(
    home,
    'is stopped with its sub-task, and leaves nothing open',
    setting(plan({ name: 'crew-j', description: '写灯塔' }), plan({ name: 'Find', description: '查灯' }), {
      when: { last_contains: '查灯' },
      hang: true,
    }),
    async (play, expect) => {
      const planner = role('P', ['UserRequirement'], ['Find', 'Report'], { react_mode: 'plan_and_act' })
      await crew(play, 'crew-j', [planner])
      await planned(play)
      const answer = play.send('介绍海边')
      await play.asked(3)
      const [one] = await tasksOf(play)
      await play.model.script([...LAST])
      await valueOf(play.api.task(one?.id ?? '', 'cancel', { form: 'background' }))
      expect(await answer).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'cancelled' }])
      const ended = (await play.events()).flatMap((event) => (event.type === 'task-end' ? [event.task] : []))
      expect(ended.map(({ status, owner = '' }) => `${owner.replace(one?.id ?? '', 'TASK')} ${status}`)).toEqual([
        'TASK/P cancelled',
        ' cancelled',
      ])
      expect(Object.keys((await play.home.storedState(play.id))?.run?.scopes ?? {})).toEqual([''])
    },
  )
}

function boundClaims(home: GetHome): void {
  claim(
    home,
    'spends no more than its own investment at a sub-task, which it fails when that is used up',
    {
      config: { model: 'priced', llm: { max_tokens: 500 } },
      script: [
        { content: plan({ name: 'crew-k', description: '写灯塔' }), usage: TEN },
        does('Draft', '草稿', { usage: TEN }),
        ...LAST.map((content) => ({ content, usage: TEN })),
      ],
    },
    async (play, expect) => {
      await crew(play, 'crew-k', [writer, checker], { investment: { amount: 0.009, currency: 'CNY' } })
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
      const [one] = await tasksOf(play)
      expect(one).toMatchObject({ status: 'failed', result: '草稿', error: expect.stringContaining('no_money') })
      const calls = (await play.events()).filter((event) => event.type === 'model-end' && event.scope?.includes('/'))
      expect(calls).toMatchObject([{ cost: { amount: one?.cost?.amount, currency: 'CNY' } }])
    },
  )

  claim(
    home,
    'is held by the budget of the run, which goes on where it was with a larger one',
    {
      config: { llm: { max_tokens: 300 }, limits: { max_total_tokens: 2_400 } },
      script: [
        { content: plan({ name: 'crew-l', description: '写灯塔' }), usage: TEN },
        does('Draft', '草稿', { usage: TEN }),
        does('Check', '好稿'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await crew(play, 'crew-l', [writer, checker])
      await planned(play)
      expect(await play.send('介绍海边')).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'pending' }])
      const more = await play.carryOn({ limits: { max_total_tokens: 1_000_000 } })
      expect(more).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: '好稿' }])
      const drafts = (await play.asked()).filter((one) => textOf(one).includes('做Draft'))
      expect(drafts).toHaveLength(1)
    },
  )

  claim(
    home,
    'is kept with the session as it was when it was first given work, in a copy too',
    setting(plan({ name: 'crew-m', description: '写灯塔' }), does('Draft', '草稿'), ...LAST),
    async (play, expect) => {
      await crew(play, 'crew-m', [writer, checker], { n_round: 1 })
      await planned(play)
      await play.send('介绍海边')
      const [failed] = await tasksOf(play)
      await crew(play, 'crew-m', [role('A', ['UserRequirement'], ['Other'])])
      await play.model.script([does('Draft', '新稿'), '又完'])
      await valueOf(play.api.task(failed?.id ?? '', 'retry', WAIT))
      expect(await tasksOf(play)).toMatchObject([{ status: 'failed', result: '新稿' }])
      const exported = await new Response(await valueOf(play.api.export(null, true))).json()
      expect(exported).toMatchObject({
        worker_teams: { 'crew-m': { n_round: 1, roles: [{ name: 'A' }, { name: 'B' }] } },
      })
    },
  )
}
