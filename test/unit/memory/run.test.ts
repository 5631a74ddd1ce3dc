import { afterEach, beforeEach, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { newId } from '../../../src/lib/id.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { type Play, startPlay, valueOf } from '../../support/play.ts'
import { LAST, plan, planned, task, textOf } from '../../support/planned.ts'
import { native } from '../../support/words.ts'

const finish = (reason: string) => native('finish', { reason })
const ALL = [true, true]
const PREFERENCES = [true, false]
const USER = 'Zoë: 50%/day'

let home: NodeHome
beforeEach(async () => {
  home = await nodeHome('sqlite')
})
afterEach(() => home.close())

async function opened(answers: readonly string[]): Promise<Play> {
  const play = await startPlay(home, { script: answers.map(finish), config: { llm: { protocol: 'native' } } })
  await play.create({ user: USER })
  return play
}

const rounds = () => home.memory.at('default', USER).rounds({ limit: 100 }).data
const tasks = () => home.memory.at('default', USER).tasks({ limit: 100 }).data

describe('a memory that cannot be reached', () => {
  test.for(['silent', 'failing'] as const)(
    'does not fail the run when it is %s, and the run says so',
    async (mood, { expect }) => {
      const play = await opened(['好'])
      home.memory.mood = mood
      const sent = play.send('一')
      expect(await play.event('error')).toMatchObject({ code: 'memory_unavailable' })
      home.memory.mood = 'well'
      expect(await sent).toMatchObject({ status: 'completed', result: '好' })
    },
  )

  test('is told by the alarm what it missed, once', async ({ expect }) => {
    const play = await opened(['好'])
    home.memory.mood = 'failing'
    expect(await play.send('一')).toMatchObject({ status: 'completed' })
    expect(rounds()).toEqual([])
    expect(home.bugs().map(String)).toEqual(['Error: the memory is away'])
    home.memory.mood = 'well'
    home.advance(LIMITS.run.watchdogMs + 1_000)
    await home.memory.when('saved', 1)
    expect(rounds().map(({ ai_response: answer }) => answer)).toEqual(['好'])
    await play.api.patch({ title: 'woken' }, null)
    const saves = home.memory.saves()
    await play.api.patch({ title: 'again' }, null)
    expect([home.memory.saves(), rounds().length]).toEqual([saves, 1])
  })

  test('that broke off after it had saved is told again, and has the round once', async ({ expect }) => {
    const play = await opened(['好'])
    await home.memory.of('default', USER).put({ key: 'a', value: 'b' })
    home.memory.mood = 'failing after'
    await play.send('一')
    expect(rounds()).toHaveLength(1)
    home.memory.mood = 'well'
    home.advance(LIMITS.run.watchdogMs + 1_000)
    await home.memory.when('saved', 2)
    expect([rounds().length, tasks().length]).toEqual([1, 1])
  })

  test('has a run whose process died before it was told', async ({ expect }) => {
    const play = await opened(['好'])
    home.memory.mood = 'silent'
    void play.send('一')
    await play.event('run-end')
    home.kill(play.id)
    home.memory.mood = 'well'
    await play.api.patch({ title: 'woken' }, null)
    expect(rounds()).toMatchObject([{ session_id: play.id, user_message: '一', ai_response: '好' }])
  })
})

describe('a process that dies while it asks for what is remembered', () => {
  test('leaves a run that asks again, and is told', async ({ expect }) => {
    await home.memory.of('default', USER).put({ key: '称呼', value: '船长' })
    const play = await opened(['好'])
    home.memory.mood = 'silent'
    void play.send('一')
    await home.memory.when('asked', 1)
    home.kill(play.id)
    home.memory.mood = 'well'
    expect((await play.session()).status).toBe('in_progress')
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const prompts = (await play.messages()).filter(({ kind }) => kind === 'prompt')
    expect(prompts).toHaveLength(1)
    expect(prompts[0]?.content).toContain('- 称呼: 船长')
    expect((await play.events()).filter(({ type }) => type === 'error')).toEqual([])
  })
})

describe('a run without a prompt of its own', () => {
  const remember = async () => {
    const memory = home.memory.of('default', USER)
    await memory.put({ key: '称呼', value: '船长' })
    const round = { runId: 'run_0', sessionId: 'ses_0', status: 'completed', time: 1, untrusted: false } as const
    await memory.save([{ ...round, task: '昨天的问题', result: '昨天的答案' }])
  }
  /** Of each request: whether it tells the preference, and what was said in another session. */
  const told = async (play: Play) =>
    (await play.asked()).map((one) => ['- 称呼: 船长', '昨天的答案'].map((words) => textOf(one).includes(words)))
  const prompts = async (play: Play) =>
    (await play.messages()).filter(({ kind, scope }) => kind === 'prompt' && scope === null)
  const PLANNED = [plan('甲'), task('甲', '一'), ...LAST]

  test('of a plan tells its planner and who answers all of it, and its workers the preferences', async ({ expect }) => {
    await remember()
    const play = await startPlay(home, { script: PLANNED })
    await planned(play, { user: USER })
    expect(await play.send('做')).toMatchObject({ status: 'completed', result: '完' })
    const [asked = ''] = (await play.asked()).map(textOf)
    expect(asked).toMatch(/\[记忆开始 ([0-9a-f]{16})\]\n[^]*昨天的答案[^]*\n\[记忆结束 \1\]/)
    expect(await told(play)).toEqual([ALL, PREFERENCES, ALL, ALL])
    expect(await prompts(play)).toHaveLength(1)
    expect(home.memory.loads()).toBe(1)
    await play.send('再做')
    expect(home.memory.loads()).toBe(2)
  })

  test('says the same to the end, also when its process dies and the memory changes', async ({ expect }) => {
    await remember()
    const play = await startPlay(home, { script: [plan('甲'), { hang: true }] })
    await planned(play, { user: USER })
    void play.send('做')
    await play.asked(2)
    home.kill(play.id)
    await home.memory.of('default', USER).put({ key: '称呼', value: '大副' })
    await play.model.script([task('甲', '一'), ...LAST])
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
    expect((await told(play)).slice(-3)).toEqual([PREFERENCES, ALL, ALL])
    expect(home.memory.loads()).toBe(1)
  })

  test('goes on without a memory that cannot be reached, and asks it once', async ({ expect }) => {
    const play = await startPlay(home, { script: PLANNED })
    await planned(play, { user: USER })
    home.memory.mood = 'failing'
    const sent = play.send('做')
    expect(await play.event('error')).toMatchObject({ code: 'memory_unavailable' })
    expect(await sent).toMatchObject({ status: 'completed', result: '完' })
    home.memory.mood = 'well'
    expect(await prompts(play)).toMatchObject([{ content: '没有关于这位用户的记忆。' }])
    expect((await play.asked()).map(textOf).join('\n')).not.toContain('记忆')
    expect(home.memory.loads()).toBe(1)
  })

  test('of a session without a user asks for nothing and writes nothing', async ({ expect }) => {
    await remember()
    const play = await startPlay(home, { script: PLANNED })
    await planned(play)
    expect(await play.send('做')).toMatchObject({ status: 'completed' })
    expect([await prompts(play), home.memory.loads()]).toEqual([[], 0])
  })

  test('of a team tells all of it to a role that hears the user, and the preferences to the others', async ({
    expect,
  }) => {
    await remember()
    const play = await startPlay(home, { script: ['一', '二', '三'] })
    await play.create({ user: USER, team: { name: 'software' } })
    expect(await play.send('做')).toMatchObject({ status: 'completed', result: '三' })
    expect(await told(play)).toEqual([ALL, PREFERENCES, PREFERENCES])
    expect(home.memory.loads()).toBe(1)
  })

  test('of tainted rounds is tainted', async ({ expect }) => {
    const round = { runId: 'run_0', sessionId: 'ses_0', status: 'completed', time: 1, untrusted: true } as const
    await home.memory.of('default', USER).save([{ ...round, task: '问', result: '答' }])
    const play = await startPlay(home, { script: PLANNED })
    await planned(play, { user: USER })
    await play.send('做')
    expect(await prompts(play)).toHaveLength(1)
    expect((await play.events()).filter((event) => event.type === 'message' && event.untrusted)).toHaveLength(1)
  })
})

describe('what is saved of a session', () => {
  test('is one round a run, also of one that failed and was carried on', async ({ expect }) => {
    const play = await startPlay(home, {
      script: [{ status: 500, body: 'x' }, finish('终于'), finish('二')],
      config: { llm: { protocol: 'native' } },
    })
    await play.create({ user: USER })
    expect(await play.send('一')).toMatchObject({ status: 'failed' })
    expect([rounds().length, tasks()[0]?.task_data]).toEqual([0, { task: '一', result: null, status: 'failed' }])
    expect(await play.carryOn()).toMatchObject({ status: 'completed' })
    expect(tasks().map(({ task_data: data }) => data)).toEqual([{ task: '一', result: '终于', status: 'completed' }])
    expect(rounds()).toMatchObject([{ user_message: '一', ai_response: '终于', untrusted: false }])
    await play.send('二')
    expect(rounds().map(({ user_message: said }) => said)).toEqual(['二', '一'])
  })

  test('is a cancelled task, but no round, when another task cut it off', async ({ expect }) => {
    const play = await startPlay(home, {
      script: [native('ask', { question: '?' }), { hang: true }, finish('二')],
      config: { llm: { protocol: 'native' } },
    })
    await play.create({ user: USER })
    await play.send('一')
    await play.cancel()
    expect(tasks().map(({ task_data: data }) => data)).toEqual([{ task: '一', result: null, status: 'cancelled' }])
    expect(rounds()).toEqual([])
  })

  test('is not saved again from a copy, nor brought back when the user had it forgotten', async ({ expect }) => {
    const play = await opened(['好', '二'])
    await play.send('一')
    const body = await valueOf(play.api.export(null, true))
    const copy = newId('ses', Date.now())
    await valueOf(home.session(copy).import(copy, 'default', body, { bytesMax: 1_000_000, keepConfig: true }))
    expect(rounds().map(({ session_id: session }) => session)).toEqual([play.id])
    expect(home.memory.saves()).toBe(1)
    home.kill(play.id)
    await play.api.patch({ title: 'woken' }, null)
    expect(home.memory.saves()).toBe(1)
  })
})

describe('memories of different people', () => {
  test('are apart: the same name in another tenant, and names that look alike', async ({ expect }) => {
    await home.memory.of('default', USER).put({ key: 'k', value: 'v' })
    for (const [tenant, user] of [
      ['other', USER],
      ['default', 'Zoe: 50%/day'],
      ['default', ''],
      ['default', `default:${USER}`],
    ] as const)
      expect(home.memory.at(tenant, user).preference('k')).toBeNull()
  })
})
