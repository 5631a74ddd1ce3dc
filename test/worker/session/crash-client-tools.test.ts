/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, onTestFinished, test, vi } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { contentText } from '../../../src/domain/content.ts'
import { type Play, responseOf, startPlay, valueOf } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { hearUntil } from '../../support/sse.ts'
import { native } from '../../support/words.ts'
import { die, dieAfter, logsBetweenMoves } from './die.ts'
import { stubOf, workerHome } from './worker-home.ts'

const HOUR_MS = 3_600_000
const ORDER = { name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }
const BOTH = {
  content: null,
  tool_calls: [1, 2].map((number) => ({ name: 'find_order', arguments: { number } })),
}
const END = { ...native('finish', { reason: '好' }), repeat: true }
const ask = async (play: Play) =>
  responseOf(await play.api.addMessage({ content: 'Where are my orders?', client_tools: [ORDER] }, { form: 'wait' }))

/** Gives a result for whatever waits until the run is over. */
async function answerAll(play: Play, seq: number): Promise<void> {
  for (let after = seq; ;) {
    const stream = await valueOf(play.api.observe({ seq: after, n: 0 }))
    const rest = (await hearUntil(stream, ({ event }) => event === 'run-pause' || event === 'run-end')).at(-1)
    if (rest?.event !== 'run-pause') return
    after = Number(rest.id)
    const { pending } = await play.session()
    for (const { id } of pending) await play.decide({ result: 'sent' }, id)
  }
}

const callsIn = (log: readonly SessionEvent[]) =>
  log.filter((event) => event.type === 'tool-start' && event.tool === 'find_order').length

describe('an isolate that dies while a call waits for its caller', () => {
  test('at any place between two moves: the run goes on with the tools and what was answered', async ({ expect }) => {
    const setting = { config: { language: 'en' }, script: [BOTH, END] }
    const play = await startPlay(workerHome, setting)
    await play.create()
    await ask(play)
    await answerAll(play, 0)
    const logs = await logsBetweenMoves(play)
    expect(logs.length).toBeGreaterThan(6)
    for (const log of logs) {
      const again = await startPlay(workerHome, setting)
      await again.create()
      await ask(again)
      await again.model.script(log.some(({ type }) => type === 'model-end') ? [END] : [BOTH, END])
      await dieAfter(again, log)
      await answerAll(again, log.length)
      const events = await again.events()
      expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'completed', result: '好' })
      expect(callsIn(events), 'each call is handed out once').toBe(2)
      await expectSound(again, expect)
    }
  })

  test('after it was answered: the result is there, and a second one is stale', async ({ expect }) => {
    const play = await startPlay(workerHome, { script: [native('find_order', {}), { hang: true }, END] })
    await play.create()
    const [item] = (await ask(play)).pending
    const waiting = play.decide({ result: 'sent' }).catch(() => 'died')
    await play.asked(2)
    await die(play)
    expect(await waiting).toBe('died')
    expect(await play.api.decide(item?.id ?? '', { result: 'other' }, { form: 'wait' })).toMatchObject({
      ok: false,
      error: { code: 'stale_decision' },
    })
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const [result] = (await play.messages()).filter(({ role }) => role === 'tool')
    expect(contentText(result?.content ?? '', null)).toContain('sent')
    await expectSound(play, expect)
  })

  test('and is evicted: the call expires by its alarm, and the model is told that nobody knows', async ({ expect }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const config = { language: 'en', limits: { approval_ttl_ms: HOUR_MS } }
    const play = await startPlay(workerHome, { config, script: [native('find_order', {}), END] })
    await play.create()
    await ask(play)
    await evictDurableObject(stubOf(play.id))
    vi.setSystemTime(Date.now() + HOUR_MS)
    expect(await runDurableObjectAlarm(stubOf(play.id))).toBe(true)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const [result] = (await play.messages()).filter(({ role }) => role === 'tool')
    expect(contentText(result?.content ?? '', null)).toContain('the caller gave no result')
    await expectSound(play, expect)
  })
})

describe('an isolate that dies while a run is steered', () => {
  test('has the message in the call that is made again, and asks no model twice for it', async ({ expect }) => {
    const play = await startPlay(workerHome, { script: [{ hang: true }, END] })
    await play.create()
    const waiting = play.send('Tell me about tea').catch(() => 'died')
    await play.asked(1)
    const steer = { form: 'background', whenBusy: 'steer' } as const
    await valueOf(play.api.addMessage({ content: 'and about coffee' }, steer))
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const asked = await play.asked()
    expect(asked).toHaveLength(2)
    expect(asked[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'and about coffee' })
    await expectSound(play, expect)
  })

  test('behind the reply that ends the run does not lose it', async ({ expect }) => {
    const play = await startPlay(workerHome, {
      script: [{ ...native('finish', { reason: '一' }), hold_after: 0 }, { hang: true }, END],
    })
    await play.create()
    const waiting = play.send('Tell me about tea').catch(() => 'died')
    await play.asked(1)
    await valueOf(play.api.addMessage({ content: 'and coffee' }, { form: 'background', whenBusy: 'steer' }))
    await play.model.release()
    await play.asked(2)
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    await expectSound(play, expect)
  })
})
