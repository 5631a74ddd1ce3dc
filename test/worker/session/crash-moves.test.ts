/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { type Play, type Setting, startPlay, valueOf } from '../../support/play.ts'
import { hearUntil } from '../../support/sse.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native, WORDS } from '../../support/words.ts'
import { die, dieAfter, logsBetweenMoves, ofQuarter, QUARTERS } from './die.ts'
import { stubOf, workerHome } from './worker-home.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }

/** The type of the first event behind a seq with which the run rests. */
async function rested(play: Play, seq: number): Promise<string | undefined> {
  const stream = await valueOf(play.api.observe({ seq, n: 0 }))
  return (await hearUntil(stream, ({ event }) => event === 'run-pause' || event === 'run-end')).at(-1)?.event
}

/** How often a page has to be visited yet: once for each call without a result. */
function visitsLeft(log: readonly SessionEvent[]): number {
  const messages = log.flatMap((event) => (event.type === 'message' ? [event.message] : []))
  const done = new Set(messages.map(({ tool_call_id: id }) => id))
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made)
  return calls.filter(({ id, name, arguments: args }) => name === 'web_access' && 'url' in args && !done.has(id)).length
}

const EVERY_MOVE: Record<string, Setting> = {
  xml: {
    config: { ...xml, ...APPROVED, limits: { max_iterations: 30 } },
    script: (page) => [
      words.visit(page('article')),
      '没有调用',
      '<天气><城市>北京</城市></天气>',
      `${words.rethink('一')}\n${words.rethink('二')}`,
      { content: words.rethink('又'), repeat: 3 },
      words.ask('红还是蓝？'),
      { content: words.finish('好'), repeat: true },
    ],
  },
  native: {
    config: { llm: { protocol: 'native' }, ...APPROVED, limits: { max_iterations: 30 } },
    script: (page) => [
      {
        content: null,
        tool_calls: [
          { name: 'web_access', arguments: { url: page('article') } },
          { name: 'weather', arguments: {} },
          { name: 'web_access', arguments: { address: 'x' } },
          { name: 'web_access', arguments: { url: page('other') } },
        ],
      },
      native('ask', { question: '红还是蓝？' }),
      { ...native('finish', { reason: '好' }), repeat: true },
    ],
  },
}

describe.for(QUARTERS)('an isolate that dies at places of quarter %i', (quarter) => {
  for (const [protocol, setting] of Object.entries(EVERY_MOVE)) {
    test(`between any two moves, ${protocol}: the run goes on to its end, and nothing that is done is done again`, async ({
      expect,
    }) => {
      const play = await startPlay(workerHome, setting)
      await play.create()
      await play.send(words.task)
      expect(await play.send('蓝')).toMatchObject({ status: 'completed', result: '好' })
      const logs = await logsBetweenMoves(play)
      expect(logs.length).toBeGreaterThan(15)
      for (const log of ofQuarter(logs, quarter)) {
        const visited = (await play.site.visits()).length
        await dieAfter(play, log)
        await play.session()
        const after = `${log.length} ${log.at(-1)?.type}`
        if ((await rested(play, log.length)) === 'run-pause') await play.send('蓝')
        const end = await play.event('run-end', log.length)
        expect(end, after).toMatchObject({ status: 'completed', result: '好' })
        expect((await play.site.visits()).length - visited, after).toBe(visitsLeft(log))
        expect((await play.events()).slice(0, log.length), after).toEqual(log)
        await expectSound(play, expect)
      }
    })
  }
})

describe('an isolate that dies', () => {
  test('in the middle of a summary: it is asked for again, and nothing is folded twice', async ({ expect }) => {
    const thought = (index: number) => words.rethink(`第${index}步：${'想一想灯塔。'.repeat(40)}`)
    const play = await startPlay(workerHome, {
      config: { ...xml, model: 'small', limits: { max_iterations: 40, repeats_max: 0 } },
      script: [
        { when: { contains: '压缩对话记录' }, hang: true },
        { when: { contains: '压缩对话记录' }, content: '摘要', repeat: true },
        ...Array.from({ length: 12 }, (_, index) => thought(index)),
        words.finish('好'),
      ],
    })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, { form: 'background' }))
    const isSummaryCall = ({ body }: { body: unknown }) => JSON.stringify(body).includes('压缩对话记录')
    for (let asked = await play.asked(1); !asked.some(isSummaryCall);) asked = await play.asked(asked.length + 1)
    await die(play)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const starts = (await play.events()).flatMap((event) => (event.type === 'model-start' ? [event] : []))
    const repeated = starts.findIndex(({ attempt }) => attempt === 2)
    expect(starts.filter(({ attempt }) => attempt === 2)).toHaveLength(1)
    expect(starts[repeated - 1]?.message_id).not.toBe(starts[repeated]?.message_id)
    const [first, second] = (await play.asked()).filter(isSummaryCall)
    expect(second?.body.messages).toEqual(first?.body.messages)
    await expectSound(play, expect)
  })

  test('with messages queued: each has its run, in its turn', async ({ expect }) => {
    const play = await startPlay(workerHome, {
      config: xml,
      script: [{ hang: true }, words.finish('一'), words.finish('二'), words.finish('三')],
    })
    await play.create()
    const dead = [play.send('甲'), ...['乙', '丙'].map((content) => queue(play, content))].map((answer) =>
      answer.catch(() => 'died'),
    )
    await play.asked(1)
    await play.event('message-queued', (await play.event('message-queued')).seq)
    await die(play)
    expect(await Promise.all(dead)).toEqual(['died', 'died', 'died'])
    await runDurableObjectAlarm(stubOf(play.id))
    const ended = async () => (await play.events()).flatMap((event) => (event.type === 'run-end' ? [event.result] : []))
    for (let after = 0; (await ended()).length < 3;) after = (await play.event('run-end', after)).seq
    expect(await ended()).toEqual(['一', '二', '三'])
    await expectSound(play, expect)
  })

  const queue = (play: Play, content: string) => play.api.addMessage({ content }, { form: 'wait', whenBusy: 'queue' })
})
