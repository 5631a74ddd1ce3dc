import { afterAll, beforeAll, describe, test } from 'vitest'
import * as z from 'zod'
import { defineTool } from '../../../src/tools/define.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, startPlay, valueOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { expectSound } from '../../support/sound.ts'
import { native, WORDS } from '../../support/words.ts'

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

describe('a process that dies', () => {
  test('in the middle of a tool that may not run twice: the model is told, the tool is not run again', async ({
    expect,
  }) => {
    const play = await startPlay(home, {
      config: NATIVE,
      script: [native('pay', { sum: 5 }), native('finish', { reason: '好' })],
    })
    payments = []
    const running = new Promise<void>((resolve) => {
      paid = resolve
    })
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
