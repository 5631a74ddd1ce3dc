import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionSummary } from '../../../src/domain/session.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { CallOptions } from '../../../src/session/call.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { withRecentMessages } from '../../../src/store/recent-messages.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { databaseOn } from '../../support/node-database.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { errorOf, responseOf, startPlay, valueOf } from '../../support/play.ts'
import { calls, startScriptedModel, type MockModel } from '../../support/scripted-model.ts'

/** What falls between two steps that belong together: found by `npm run chaos`. */

const finish = (reason: string) => calls('finish', { reason })
const WAIT: CallOptions = { form: 'wait' }
const BACKGROUND: CallOptions = { form: 'background' }

describe('a session whose list answers when it is let', () => {
  const models: MockModel[] = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const model of models.splice(0)) await model.close()
  })

  /** A session, on a log in memory unless another is given; `put` is the list's side of being told. `isTakenUp`: its server goes on with it when it
   *  is started again. */
  async function opened(
    script: StepInput[],
    put: (summary: SessionSummary) => Promise<void> = async () => {},
    log = memoryLog(),
    isTakenUp = false,
  ) {
    const asked: PromiseWithResolvers<void>[] = script.map(() => Promise.withResolvers())
    let count = 0
    const model = await startScriptedModel({ script, onRequest: () => asked[count++]?.resolve() })
    models.push(model)
    const alarm: { time: number | null } = { time: null }
    const { engine } = createEngine(
      { models: { m: { api_url: model.url, model: 'm', protocol: 'native' } }, default_model: 'm' },
      {
        publicFetch: fetch,
        privateFetch: null,
        models: { secret: () => undefined, workersAi: false },
        workersAi: null,
        runtime: 'Node.js',
      },
    )
    const bugs: unknown[] = []
    const session = new Session(
      {
        log,
        now: Date.now,
        engine,
        compacts: true,
        alarm: { set: (time) => void (alarm.time = time), clear: () => void (alarm.time = null) },
        isTakenUp,
        directory: { put: (_tenant, { summary }) => put(summary).then(() => null), remove: async () => null },
        outbox: null,
        keepAlive: (work) => void work.catch((error: unknown) => bugs.push(error)),
        destroy: async () => {},
        report: (error) => bugs.push(error),
      },
      NATIVE,
    )
    const release = () => model.release()
    return { session, log, alarm, bugs, asked: (number: number) => asked[number - 1]?.promise, release }
  }

  test('sets no alarm for a short run where its server takes it up, and one for a run that is long', async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { session, alarm, asked } = await opened([finish('one'), { hang: true }], undefined, undefined, true)
    await session.create('ses_1', 'default', {}, WAIT)
    expect(responseOf(await session.addMessage({ content: 'One' }, WAIT))).toMatchObject({ result: 'one' })
    vi.advanceTimersByTime(LIMITS.run.reportMs)
    expect(alarm.time).toBeNull()
    const second = session.addMessage({ content: 'Two' }, WAIT)
    await asked(2)
    expect(alarm.time).toBeNull()
    vi.advanceTimersByTime(LIMITS.run.reportMs)
    expect(alarm.time).toBeGreaterThan(Date.now())
    await session.cancel()
    expect(responseOf(await second)).toMatchObject({ status: 'cancelled' })
  })

  test('sets an alarm for its run where nobody takes it up, and for what its tenant could not be told', async ({
    expect,
  }) => {
    const { session, alarm } = await opened([finish('one')])
    await session.create('ses_1', 'default', { task: 'One' }, WAIT)
    expect(alarm.time).toBeGreaterThan(Date.now())
    const failing = async () => Promise.reject(new Error('not reached'))
    const alone = await opened([finish('one')], failing, undefined, true)
    await alone.session.create('ses_1', 'default', { task: 'One' }, WAIT)
    await expect.poll(() => alone.alarm.time).toBeGreaterThan(Date.now())
  })

  test('keeps its watchdog while a queued message has its turn', async ({ expect }) => {
    const { session, alarm, asked, release } = await opened([{ ...finish('one'), hold_after: 0 }, { hang: true }])
    await session.create('ses_1', 'default', {}, WAIT)
    await session.addMessage({ content: 'One' }, BACKGROUND)
    const woken = session.wake()
    await asked(1)
    await session.addMessage({ content: 'Two' }, { ...BACKGROUND, whenBusy: 'queue' })
    alarm.time = null
    release()
    await asked(2)
    expect(alarm.time).toBeGreaterThan(Date.now())
    await session.cancel()
    await woken
  })

  test('keeps no key of a queued message but in its config, once its run began', async ({ expect }) => {
    const { session, log, asked, release } = await opened([{ ...finish('one'), hold_after: 0 }, { hang: true }])
    await session.create('ses_1', 'default', {}, WAIT)
    const first = session.addMessage({ content: 'One' }, WAIT)
    await asked(1)
    const config = { llm: { api_key: 'sk-very-secret' } }
    const queued = await valueOf(session.addMessage({ content: 'Two', config }, { ...BACKGROUND, whenBusy: 'queue' }))
    release()
    await asked(2)
    const run = queued.form === 'background' ? queued.accepted.run_id : ''
    expect(log.text(`queued:${run}`)).toBe('{}')
    expect(log.load()?.record.config.llm?.api_key).toBe('sk-very-secret')
    expect(responseOf(await first)).toMatchObject({ result: 'one' })
    await session.cancel()
  })

  test('lets its alarm go while a model call takes long, and keeps its watchdog', async ({ expect }) => {
    const { session, alarm, asked } = await opened([{ hang: true }])
    await session.create('ses_1', 'default', { config: { llm: { timeout_ms: LIMITS.model.timeoutMsMax } } }, WAIT)
    await session.addMessage({ content: 'One' }, BACKGROUND)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const woken = session.wake()
    await asked(1)
    alarm.time = null
    vi.advanceTimersByTime(LIMITS.run.alarmMs)
    await woken
    expect(alarm.time).toBeGreaterThan(Date.now())
    expect(alarm.time).toBeLessThanOrEqual(Date.now() + LIMITS.run.watchdogMs)
    expect(responseOf(await session.cancel())).toMatchObject({ status: 'cancelled' })
  })

  test('tells of storage that fails at an import as a bug, never as a wrong document', async ({ expect }) => {
    const { session, log } = await opened([])
    log.append = () => {
      throw new Error('the disk is full')
    }
    const events = [
      { type: 'error', code: 'x', detail: '', seq: 1, run_id: null, scope: null, time: '2026-01-01T00:00:00Z' },
    ]
    const document = new Blob([JSON.stringify({ session: {}, events })]).stream()
    await expect(session.import('ses_1', 'default', document, { bytesMax: 10_000, keepConfig: true })).rejects.toThrow(
      'the disk is full',
    )
  })

  test('goes on by its alarm when storage that failed in the middle of a run is there again', async ({ expect }) => {
    const disk = { isFull: false }
    const log = withRecentMessages(sqliteLog(databaseOn(disk), reduce))
    const { session, bugs, asked, release } = await opened(
      [{ ...finish('one'), hold_after: 0 }, finish('two')],
      undefined,
      log,
    )
    await session.create('ses_1', 'default', {}, WAIT)
    const answer = session.addMessage({ content: 'One' }, WAIT)
    await asked(1)
    disk.isFull = true
    release()
    await vi.waitUntil(() => bugs.length > 1)
    disk.isFull = false
    await session.wake()
    expect(responseOf(await answer)).toMatchObject({ status: 'completed', result: 'two' })
    const seqs = log.events(0, 100).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })

  test('keeps its watchdog until the list knows that it waits', async ({ expect }) => {
    const told = Promise.withResolvers<void>()
    const { session, alarm } = await opened([calls('ask', { question: 'Which?' })], async ({ status }) => {
      if (status !== 'interrupted') return
      told.resolve()
      await new Promise(() => {})
    })
    await session.create('ses_1', 'default', {}, WAIT)
    await session.addMessage({ content: 'Choose' }, BACKGROUND)
    void session.wake()
    await told.promise
    expect(alarm.time).toBeLessThanOrEqual(Date.now() + LIMITS.run.watchdogMs)
  })

  test('has nothing to do when its alarm rings after the run: the list is told nothing, and no alarm stands', async ({
    expect,
  }) => {
    let told = 0
    const { session, alarm } = await opened([finish('one')], async () => void told++)
    await session.create('ses_1', 'default', {}, WAIT)
    await session.addMessage({ content: 'One' }, WAIT)
    expect(alarm.time).toBeLessThanOrEqual(Date.now() + LIMITS.run.guardMs)
    // No answer waits for the list.
    await new Promise((resolve) => setImmediate(resolve))
    const toldBefore = told
    await session.wake()
    expect([told - toldBefore, alarm.time]).toEqual([0, null])
  })

  test('begins a run in the background at once though the list cannot be reached', async ({ expect }) => {
    const { session, alarm, bugs } = await opened([{ hang: true }], async ({ status }) => {
      if (status === 'in_progress') throw new Error('the list is down')
    })
    await session.create('ses_1', 'default', {}, WAIT)
    await session.addMessage({ content: 'One' }, BACKGROUND)
    while (bugs.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(alarm.time).toBeLessThanOrEqual(Date.now())
  })

  test('has a watchdog before the list knows that it was made', async ({ expect }) => {
    const told = Promise.withResolvers<void>()
    const { session, alarm } = await opened([], async () => {
      told.resolve()
      await new Promise(() => {})
    })
    void session.create('ses_1', 'default', {}, WAIT)
    await told.promise
    expect(alarm.time).toBeLessThanOrEqual(Date.now() + LIMITS.run.watchdogMs)
  })

  test('answers a call whose run another message followed before the list knew of its end', async ({ expect }) => {
    const ended = Promise.withResolvers<void>()
    const listed = Promise.withResolvers<void>()
    const { session, asked } = await opened([finish('one'), { hang: true }], async ({ status }) => {
      if (status !== 'completed') return
      ended.resolve()
      await listed.promise
    })
    await session.create('ses_1', 'default', {}, WAIT)
    const first = session.addMessage({ content: 'One' }, WAIT)
    await ended.promise
    const second = session.addMessage({ content: 'Two' }, WAIT)
    listed.resolve()
    expect(responseOf(await first)).toMatchObject({ status: 'completed', result: 'one' })
    await asked(2)
    await session.cancel()
    expect(responseOf(await second)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a keyed call whose process died', () => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome('memory')
  })
  afterAll(() => home.close())

  test('is answered by its own run, also when another has followed', async ({ expect }) => {
    const play = await startPlay(home, { script: [{ hang: true }, finish('one'), finish('two')] })
    await play.create()
    void play.api.addMessage({ content: 'One' }, { ...WAIT, key: 'k' })
    await play.asked(1)
    home.kill(play.id)
    const other = responseOf(await play.api.addMessage({ content: 'Two' }, { ...WAIT, whenBusy: 'queue' }))
    const own = responseOf(await play.api.addMessage({ content: 'One' }, { ...WAIT, key: 'k' }))
    expect(other).toMatchObject({ status: 'completed', result: 'two' })
    expect(own).toMatchObject({ status: 'completed', result: 'one', usage: { model_calls: 1 } })
    expect(own.messages.map(({ run_id: run }) => run)).toEqual(own.messages.map(() => own.run_id))
  })

  test('goes on when a creation that is streamed is sent again', async ({ expect }) => {
    const play = await startPlay(home, { script: [{ hang: true }, finish('one')] })
    const created = () => play.create({ task: 'One' }, { form: 'stream', key: 'k' })
    void created()
    await play.asked(1)
    home.kill(play.id)
    const again = play.api.create(play.id, 'default', { task: 'One' }, { form: 'stream', key: 'k' })
    expect(await errorOf(again)).toMatchObject({ code: 'idempotency_in_progress' })
    expect(await play.asked(2)).toHaveLength(2)
  })
})
