import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import * as z from 'zod'
import { LIMITS } from '../../../src/domain/limits.ts'
import { defineTool } from '../../../src/tools/define.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { LAST, plan, planned, said } from '../../support/planned.ts'
import { errorOf, responseOf, startPlay, valueOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native, WORDS } from '../../support/words.ts'

const DAY = 86_400_000
const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const NATIVE = { llm: { protocol: 'native' as const }, tools: { pay: { auto_approve: true } } }

let payments: string[] = []
let paid = () => {}

/** A tool that must not run twice, and never ends by itself. */
const pay = defineTool({
  id: 'pay',
  names: { 'zh-CN': '付款', en: 'pay' },
  description: { 'zh-CN': '付一笔钱', en: 'Pay a sum' },
  risk: 'destructive',
  idempotent: false,
  input: z.strictObject({ sum: z.number() }),
  parameters: { sum: { names: { 'zh-CN': '金额', en: 'sum' }, description: { 'zh-CN': '金额', en: 'the sum' } } },
  run: async (_input, { callId, signal }) => {
    payments.push(callId)
    paid()
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))
  },
})

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite', [pay])
})
afterAll(() => home.close())

const visiting = {
  config: xml,
  script: (page: (name: string) => string) => [words.visit(page('article')), words.finish('好')],
}

const PLAN = '{"plan": [{"name": "llm_tool", "description": "查甲"}]}'

/** Resolves when the tool begins. */
function beginning(): Promise<void> {
  payments = []
  const { promise, resolve } = Promise.withResolvers<void>()
  paid = resolve
  return promise
}

describe('time', () => {
  claim(
    () => home,
    'a plan that nobody approved in time is refused, and the planner is told so',
    { script: [PLAN, '{"plan": []}', '好'] },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan', config: { plan: { review: true } } })
      expect(await play.send('你好')).toMatchObject({ status: 'interrupted', pending: [{ tool: 'plan' }] })
      home.advance(7 * DAY)
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
      const [, again] = await play.asked()
      expect(again?.body.messages.at(-1)?.content).toContain('等待批准超时')
    },
  )

  claim(
    () => home,
    'an approval waits for a week, and not for longer',
    visiting,
    async (play, expect) => {
      await play.create()
      const { pending } = await play.send(words.task)
      home.advance(7 * DAY - 60_000)
      expect((await play.session()).status).toBe('interrupted')
      home.advance(60_000)
      const late = play.api.decide(pending[0]?.id ?? '', { decision: 'approve' }, { form: 'wait' })
      expect(await errorOf(late)).toMatchObject({ code: 'stale_decision' })
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
      expect(await play.site.visits()).toEqual([])
    },
  )

  claim(
    () => home,
    'deadline_ms does not count the time in which the run waits for a human',
    { ...visiting, config: { ...xml, limits: { deadline_ms: 5_000 } } },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      home.advance(DAY)
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '好' })
    },
  )

  claim(
    () => home,
    'nor that in which it waits for continue',
    {
      config: { ...xml, limits: { deadline_ms: 5_000, max_iterations: 1 } },
      script: [words.rethink('…'), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      home.advance(DAY)
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好' })
    },
  )
})

describe('a time that is up', () => {
  const DEADLINE_MS = 30_000
  const REQUEST_MS = 30_000

  /** Clock and timers go on; until then timers stand still, however long things take. */
  function pass(ms: number): void {
    home.advance(ms)
    vi.advanceTimersByTime(ms)
  }
  const still = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  afterEach(() => void vi.useRealTimers())

  claim(
    () => home,
    'deadline_ms cuts a tool that hangs, and its call has a result',
    {
      config: { ...NATIVE, limits: { deadline_ms: DEADLINE_MS } },
      script: [native('pay', { sum: 5 }), native('finish', { reason: '好' })],
    },
    async (play, expect) => {
      still()
      await play.create()
      const running = beginning()
      const answer = play.send(words.task)
      await running
      pass(DEADLINE_MS)
      expect(await answer).toMatchObject({ status: 'failed', finish_reason: 'deadline' })
      expect((await play.messages()).at(-1)).toMatchObject({ role: 'tool', tool_name: 'pay' })
    },
  )

  claim(
    () => home,
    'deadline_ms ends a plan, which keeps what is done and goes on from there with more time',
    {
      config: { limits: { deadline_ms: DEADLINE_MS } },
      script: [plan('查甲', '查乙'), said('查甲', '甲好'), said('查乙', { hang: true }), said('查乙', '乙好'), ...LAST],
    },
    async (play, expect) => {
      still()
      await planned(play)
      const answer = play.send('你好')
      await play.asked(3)
      await play.event('task-end')
      pass(DEADLINE_MS)
      expect(await answer).toMatchObject({
        status: 'failed',
        finish_reason: 'deadline',
        result: '## llm_tool\n\n甲好',
      })
      const { plan: shown } = await play.session()
      expect(shown).toMatchObject({ status: 'failed', tasks: [{ status: 'completed' }, { status: 'pending' }] })
      expect(await play.carryOn({ limits: { deadline_ms: 10 * DEADLINE_MS } })).toMatchObject({
        status: 'completed',
        result: '完',
      })
      expect(await play.asked()).toHaveLength(6)
    },
  )

  claim(
    () => home,
    'request_ms answers in_progress, and the move that is under way ends in the background',
    {
      config: { ...xml, limits: { request_ms: REQUEST_MS } },
      script: [{ content: words.rethink('…'), hold_after: 0 }, words.finish('好')],
    },
    async (play, expect) => {
      still()
      await play.create()
      const sent = play.send(words.task)
      await play.asked(1)
      pass(REQUEST_MS)
      expect(await errorOf(play.api.continue({}, { form: 'wait' }))).toMatchObject({ code: 'run_in_progress' })
      // A request that is still waited for then has the whole run as its answer.
      await play.model.release()
      const answer = await sent
      expect(answer).toMatchObject({ status: 'in_progress', finish_reason: null })
      const paused = await play.event('run-pause')
      const ended = await play.event('model-end', paused.seq)
      expect(ended).toMatchObject({ ok: true })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: answer.run_id })
    },
  )

  claim(
    () => home,
    'request_ms answers in_progress where the run goes on in the background meanwhile',
    {
      config: { ...xml, limits: { request_ms: REQUEST_MS } },
      script: [{ content: words.rethink('…'), hold_after: 0 }, words.finish('好')],
    },
    async (play, expect) => {
      still()
      await play.create()
      const sent = play.send(words.task)
      await play.asked(1)
      await valueOf(play.api.addMessage({ content: '短一点' }, { form: 'background', whenBusy: 'steer' }))
      pass(REQUEST_MS)
      expect(await sent).toMatchObject({ status: 'in_progress', finish_reason: null })
      await play.model.release()
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
      expect((await play.events()).filter(({ type }) => type === 'run-pause')).toEqual([])
    },
  )

  claim(
    () => home,
    'request_ms is counted from each request anew',
    {
      config: { ...xml, limits: { request_ms: REQUEST_MS } },
      script: [
        { content: words.rethink('…'), hold_after: 0 },
        { hang: true },
        { content: words.finish('二'), hold_after: 0 },
      ],
    },
    async (play, expect) => {
      still()
      await play.create()
      const first = play.send(words.task)
      await play.asked(1)
      pass(0.6 * REQUEST_MS)
      await play.model.release()
      await Promise.race([play.asked(2), first.then(({ status }) => Promise.reject(new Error(`${status} too early`)))])
      const second = play.api.addMessage({ content: '二' }, { form: 'wait', whenBusy: 'interrupt' })
      expect(await first).toMatchObject({ status: 'cancelled' })
      await play.asked(3)
      pass(0.6 * REQUEST_MS)
      await play.model.release()
      expect(responseOf(await second)).toMatchObject({ status: 'completed', result: '二' })
    },
  )

  for (const page of ['hang', 'endless'])
    claim(
      () => home,
      `of a page that never ends its answer is a failed call, and the run goes on: ${page}`,
      {
        config: { ...xml, ...APPROVED },
        script: (url) => [words.visit(url(page)), words.finish('好')],
      },
      async (play, expect) => {
        still()
        await play.create()
        const answer = play.send(words.task)
        await play.site.visits(1)
        pass(LIMITS.web.timeoutMs)
        expect(await answer).toMatchObject({ status: 'completed', result: '好' })
        expect((await play.messages()).find(({ role }) => role === 'tool')?.content).toMatch(
          /^\[网页访问\]执行失败：.*15 秒/,
        )
      },
    )
})

describe('a process that dies', () => {
  test('in the middle of a tool that may not run twice: the model is told, the tool is not run again', async ({
    expect,
  }) => {
    const play = await startPlay(home, {
      config: NATIVE,
      script: [native('pay', { sum: 5 }), native('finish', { reason: '好' })],
    })
    const running = beginning()
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, { form: 'background' }))
    await running
    home.kill(play.id)
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const calls = (await play.messages()).flatMap((message) => message.tool_calls ?? [])
    expect(payments).toEqual([calls[0]?.id])
    const [result] = (await play.messages()).filter(({ tool_name: tool }) => tool === 'pay')
    expect(result?.content).toMatch(/^\[付款\]执行失败：.*中断/)
    await expectSound(play, expect)
  })

  test('after a decision was written and before its call began: the call runs once', async ({ expect }) => {
    const play = await startPlay(home, visiting)
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    void play.api.decide(id, { decision: 'approve' }, { form: 'background' })
    home.kill(play.id)
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    expect(await play.site.visits()).toEqual(['article'])
    await expectSound(play, expect)
  })

  test('while its run is active: whoever watches next takes it up', async ({ expect }) => {
    const play = await startPlay(home, { config: xml, script: [{ hang: true }, words.finish('好')] })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, { form: 'background' }))
    await play.asked(1)
    home.kill(play.id)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
    await expectSound(play, expect)
  })
})
