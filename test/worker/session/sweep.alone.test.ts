/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { directoryObject, metricsObject } from '../../../src/objects/env.ts'
import { flushCounters } from '../../../src/objects/counters.ts'
import { type Play, startPlay, valueOf } from '../../support/play.ts'
import { WORDS } from '../../support/words.ts'
import { die } from './die.ts'
import { env, stubOf, within, workerHome } from './worker-home.ts'

const words = WORDS['zh-CN']
const config = { llm: { protocol: 'xml' as const } }
const directory = () => env.DIRECTORY.getByName('default')

/** A session whose run waits for its model. */
async function running(form: 'background' | 'wait'): Promise<{ play: Play; answer: Promise<unknown> }> {
  const play = await startPlay(workerHome, { config, script: [{ hang: true }, words.finish('好')] })
  await play.create()
  const answer = valueOf(play.api.addMessage({ content: words.task }, { form })).catch(String)
  await play.asked(1)
  return { play, answer }
}

async function alarmsLost(): Promise<number> {
  await flushCounters(env, 'default')
  const rows = await metricsObject(env, 'default').read()
  return rows.filter(({ name }) => name === 'yaa_alarms_lost_total').reduce((sum, { value }) => sum + value, 0)
}

test('a sweep finds the run that goes on for long and has lost its alarm, and says so in the metrics', async ({
  expect,
}) => {
  const { play: lost } = await running('background')
  const { play: standing, answer } = await running('wait')
  const listed = async () => (await directoryObject(env, 'default').list({ status: 'in_progress', limit: 10 })).data
  await expect
    .poll(async () => (await listed()).map(({ id }) => id).toSorted())
    .toEqual([lost.id, standing.id].toSorted())
  expect(await runInDurableObject(directory(), (_object, { storage }) => storage.getAlarm())).not.toBeNull()

  await die(lost)
  await within(lost.id, (_object, { storage }) => storage.deleteAlarm())
  await runDurableObjectAlarm(directory())
  expect(await within(lost.id, (_object, { storage }) => storage.getAlarm())).not.toBeNull()
  expect(await alarmsLost()).toBe(1)
  await runDurableObjectAlarm(stubOf(lost.id))
  expect(await lost.event('run-end', 0)).toMatchObject({ status: 'completed', result: '好' })
  expect(await standing.asked()).toHaveLength(1)
  expect(await runInDurableObject(directory(), (_object, { storage }) => storage.getAlarm())).not.toBeNull()
  await valueOf(standing.api.cancel({}))
  expect(await answer).toMatchObject({ form: 'wait' })
})

const HOUR_MS = 3_600_000

test('a sweep finds the run that rests and has lost its alarm once what it waits for has expired', async ({
  expect,
}) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const before = await alarmsLost()
  const play = await startPlay(workerHome, {
    config: { ...config, limits: { approval_ttl_ms: HOUR_MS } },
    script: (page) => [words.visit(page('article')), words.finish('好')],
  })
  await play.create()
  await play.send(words.task)
  await expect
    .poll(async () => (await directoryObject(env, 'default').list({ status: 'interrupted', limit: 10 })).data)
    .toMatchObject([{ id: play.id }])
  expect(await runInDurableObject(directory(), (_object, { storage }) => storage.getAlarm())).not.toBeNull()

  await die(play)
  await within(play.id, (_object, { storage }) => storage.deleteAlarm())
  await runDurableObjectAlarm(directory())
  expect(await within(play.id, (_object, { storage }) => storage.getAlarm())).toBeNull()
  vi.setSystemTime(Date.now() + HOUR_MS + 5 * 60_000)
  expect(await runDurableObjectAlarm(directory())).toBe(true)
  expect(await within(play.id, (_object, { storage }) => storage.getAlarm())).not.toBeNull()
  expect(await alarmsLost()).toBe(before + 1)
  await runDurableObjectAlarm(stubOf(play.id))
  expect(await play.event('run-end', 0)).toMatchObject({ status: 'completed', result: '好' })
})

test('a sweep of a long list goes on soon where the one before stopped, and then begins anew', async ({ expect }) => {
  const { play: last } = await running('background')
  const listed = async () => (await directoryObject(env, 'default').list({ status: 'in_progress', limit: 10 })).data
  await expect.poll(async () => (await listed()).map(({ id }) => id)).toContain(last.id)
  await die(last)
  await within(last.id, (_object, { storage }) => storage.deleteAlarm())
  const { sessionsMax, restMs, everyMs } = LIMITS.sweep
  // As many as one sweep asks stand before it in the list, and are not there.
  await runInDurableObject(directory(), (_object, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
       INSERT INTO sessions (id, status, title, words, summary)
       SELECT 'ses_00' || n, 'in_progress', '', '', json_set(summary, '$.id', 'ses_0') FROM many, sessions WHERE sessions.id = ?`,
      sessionsMax,
      last.id,
    )
  })
  const alarmIn = async () => {
    const time = await runInDurableObject(directory(), (_object, { storage }) => storage.getAlarm())
    return (time ?? Infinity) - Date.now()
  }
  const alarmOfLast = () => within(last.id, (_object, { storage }) => storage.getAlarm())

  await runDurableObjectAlarm(directory())
  expect(await alarmOfLast()).toBeNull()
  expect(await alarmIn()).toBeLessThanOrEqual(restMs)
  await runDurableObjectAlarm(directory())
  expect(await alarmOfLast()).not.toBeNull()
  expect(await alarmIn()).toBeGreaterThan(everyMs / 2)
  await runDurableObjectAlarm(directory())
  expect(await alarmIn()).toBeLessThanOrEqual(restMs)
})
