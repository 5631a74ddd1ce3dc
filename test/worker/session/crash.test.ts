/// <reference types="@cloudflare/vitest-plugin/types" />
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, type ExpectStatic, onTestFinished, test, vi } from 'vitest'
import { type Play, startPlay, valueOf } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { APPROVED, native, WORDS } from '../../support/words.ts'
import { die } from './die.ts'
import { stubOf, within, workerHome } from './worker-home.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const BACKGROUND = { form: 'background' } as const
const HOUR_MS = 3_600_000

const start = (setting: Parameters<typeof startPlay>[1]) => startPlay(workerHome, setting)

async function expectEnd(play: Play, expect: ExpectStatic, after = 0): Promise<void> {
  expect(await play.event('run-end', after)).toMatchObject({ status: 'completed', result: '好' })
  await expectSound(play, expect)
}

describe('an isolate that dies', () => {
  test('in the middle of a model call: the next look at the session makes the call again, under a new message id', async ({
    expect,
  }) => {
    const play = await start({ config: xml, script: [{ hang: true }, words.finish('好')] })
    await play.create()
    const waiting = play.send(words.task).catch((error: unknown) => String(error))
    await play.asked(1)
    await die(play)
    expect(await waiting).toContain('the isolate died')
    expect((await play.session()).status).toBe('in_progress')
    await expectEnd(play, expect)
    const starts = (await play.events()).flatMap((event) => (event.type === 'model-start' ? [event] : []))
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(new Set(starts.map(({ message_id: id }) => id)).size).toBe(2)
    expect(await play.session()).toMatchObject({ usage: { model_calls: 1, iterations: 1 } })
  })

  test('in the middle of a stream: what was told is void, no id of it is used again, and the whole message follows', async ({
    expect,
  }) => {
    const play = await start({
      config: xml,
      script: [{ content: null, chunks: ['我', '先', '想', '想'], hold_after: 3 }, words.finish('好')],
    })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, { form: 'stream' }))
    const first = await play.event('message-delta' as 'message')
    await die(play)
    await expectEnd(play, expect)
    const starts = (await play.events()).flatMap((event) => (event.type === 'model-start' ? [event] : []))
    const told = first as unknown as { message_id: string; seq: number }
    expect(told.message_id).toBe(starts[0]?.message_id)
    expect(told.seq).toBeLessThan(starts[1]?.seq ?? 0)
    expect((await play.messages()).map(({ id }) => id)).not.toContain(told.message_id)
  })

  test('in the middle of a page: an idempotent tool runs again under the same call id', async ({ expect }) => {
    const play = await start({
      config: { ...xml, ...APPROVED },
      script: (page) => [words.visit(page('hang-once')), words.finish('好')],
    })
    await play.create()
    const waiting = play.send(words.task).catch(() => 'died')
    await play.site.visits(1)
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    await expectEnd(play, expect)
    const starts = (await play.events()).flatMap((event) => (event.type === 'tool-start' ? [event] : []))
    const visits = starts.filter(({ tool }) => tool === 'web_access')
    expect(visits.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(new Set(visits.map(({ call_id: id }) => id)).size).toBe(1)
    expect(await play.site.visits()).toEqual(['hang-once', 'hang-once'])
  })

  test('in the background: the alarm that stands takes the run up, without any request', async ({ expect }) => {
    const play = await start({ config: xml, script: [{ hang: true }, words.finish('好')] })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, BACKGROUND))
    await play.asked(1)
    await die(play)
    expect(await within(play.id, (_object, { storage }) => storage.getAlarm())).not.toBeNull()
    await runDurableObjectAlarm(stubOf(play.id))
    await expectEnd(play, expect)
  })

  test('with all others at once: every session goes on from where it was', async ({ expect }) => {
    const plays = await Promise.all(
      [1, 2, 3].map(() => start({ config: xml, script: [words.rethink('…'), { hang: true }, words.finish('好')] })),
    )
    for (const play of plays) {
      await play.create()
      await valueOf(play.api.addMessage({ content: words.task }, BACKGROUND))
    }
    await Promise.all(plays.map((play) => play.asked(2)))
    await abortAllDurableObjects()
    for (const play of plays) {
      await play.session()
      await expectEnd(play, expect)
      expect(await play.asked()).toHaveLength(3)
    }
  })

  test('between two native calls: the finished one is not run again', async ({ expect }) => {
    const play = await start({
      config: { llm: { protocol: 'native' }, ...APPROVED },
      script: (page) => [
        {
          content: null,
          tool_calls: ['article', 'hang-once'].map((name) => ({ name: 'web_access', arguments: { url: page(name) } })),
        },
        native('finish', { reason: '好' }),
      ],
    })
    await play.create()
    const waiting = play.send(words.task).catch(() => 'died')
    await play.site.visits(2)
    await play.event('tool-end')
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    await expectEnd(play, expect)
    expect((await play.site.visits()).toSorted()).toEqual(['article', 'hang-once', 'hang-once'])
  })

  test('three times in the same call fails the run; continue tries again and works', async ({ expect }) => {
    const play = await start({ config: xml, script: [{ hang: true, repeat: 3 }, words.finish('好')] })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, BACKGROUND))
    for (const times of [1, 2, 3]) {
      await play.asked(times)
      await die(play)
      await play.session()
    }
    const end = await play.event('run-end')
    expect(end).toMatchObject({ status: 'failed', finish_reason: 'failed', error: { code: 'attempts_exhausted' } })
    expect(await play.asked()).toHaveLength(3)
    expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: end.run_id })
    await expectSound(play, expect)
  })

  test('while it waits for a human loses nothing: the approval works afterwards', async ({ expect }) => {
    const play = await start({ config: xml, script: (page) => [words.visit(page('article')), words.finish('好')] })
    await play.create()
    const { pending } = await play.send(words.task)
    await die(play)
    expect(await play.session()).toMatchObject({ status: 'interrupted', pending })
    expect(await play.decide({ decision: 'approve' }, pending[0]?.id)).toMatchObject({
      status: 'completed',
      result: '好',
    })
    await expectSound(play, expect)
  })

  test('in the middle of an approved call that may not be made twice: the words of the approval reach the model', async ({
    expect,
  }) => {
    const play = await start({
      config: { llm: { protocol: 'native' } },
      script: (page) => [
        native('http_request', { method: 'POST', url: page('hang-once'), body: 'x' }),
        native('finish', { reason: '好' }),
      ],
    })
    await play.create()
    const { pending } = await play.send(words.task)
    const waiting = play.decide({ decision: 'approve', feedback: '小心一点' }, pending[0]?.id).catch(() => 'died')
    await play.site.visits(1)
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    await expectEnd(play, expect)
    const [result] = (await play.messages()).filter(({ role }) => role === 'tool')
    expect(result?.content).toContain('小心一点')
    expect(await play.site.visits()).toEqual(['hang-once'])
  })

  test('lets the caller cancel what it left behind', async ({ expect }) => {
    const play = await start({ config: xml, script: [{ hang: true, repeat: true }] })
    await play.create()
    const waiting = play.send(words.task).catch(() => 'died')
    await play.asked(1)
    await die(play)
    expect(await waiting).toBe('died')
    expect(await play.cancel()).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled' })
    await expectSound(play, expect)
  })
})

describe('an object that is evicted while it rests', () => {
  test('goes on with the next batch, from the log alone', async ({ expect }) => {
    const play = await start({
      config: { ...xml, limits: { max_iterations: 1 } },
      script: [words.rethink('…'), words.finish('好')],
    })
    await play.create()
    const { run_id: run } = await play.send(words.task)
    const before = await play.session()
    await evictDurableObject(stubOf(play.id))
    expect(await play.session()).toEqual(before)
    expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: run })
    await expectSound(play, expect)
  })

  test('still expires what waits, by its alarm', async ({ expect }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const play = await start({
      config: { ...xml, limits: { approval_ttl_ms: HOUR_MS } },
      script: (page) => [words.visit(page('article')), words.finish('好')],
    })
    await play.create()
    await play.send(words.task)
    await evictDurableObject(stubOf(play.id))
    vi.setSystemTime(Date.now() + HOUR_MS)
    expect(await runDurableObjectAlarm(stubOf(play.id))).toBe(true)
    await expectEnd(play, expect)
    expect(await play.site.visits()).toEqual([])
    expect((await play.events()).find(({ type }) => type === 'pending-end')).toMatchObject({ decision: 'expired' })
  })
})
