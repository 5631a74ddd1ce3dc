import { afterEach, describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { CallOptions } from '../../../src/session/call.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { responseOf } from '../../support/play.ts'
import { calls, startScriptedModel, type MockModel } from '../../support/scripted-model.ts'

const DAY = 86_400_000
const WAIT: CallOptions = { form: 'wait' }
const models: MockModel[] = []
afterEach(async () => {
  for (const model of models.splice(0)) await model.close()
})

/** A session that is kept for two days, with a clock and an alarm in the test's hands. */
async function opened(script: StepInput[] = []) {
  const model = await startScriptedModel({ script })
  models.push(model)
  const time = { now: Date.UTC(2026, 0, 1), alarm: null as number | null }
  const gone: string[] = []
  const { engine } = createEngine(
    { models: { m: { api_url: model.url, model: 'm', protocol: 'native' } }, default_model: 'm', retention_days: 2 },
    {
      publicFetch: fetch,
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: 'Node.js',
    },
  )
  const session = new Session(
    {
      log: memoryLog(),
      now: () => time.now,
      engine,
      compacts: true,
      alarm: { set: (at) => void (time.alarm = at), clear: () => void (time.alarm = null) },
      directory: {
        put: async () => null,
        remove: async (_tenant, id) => {
          gone.push(id)
          return null
        },
      },
      outbox: null,
      keepAlive: (work) => void work.catch((error: unknown) => gone.push(String(error))),
      destroy: async () => void gone.push('storage'),
      report: (error) => gone.push(String(error)),
    },
    NATIVE,
  )
  await session.create('ses_1', 'default', {}, WAIT)
  /** Rings the alarm when it is due, as often as it is set, until `at`. */
  const until = async (at: number) => {
    for (let rings = 0; time.alarm !== null && time.alarm <= at; rings++) {
      if (rings > 10) throw new Error('the alarm rings for ever')
      time.now = Math.max(time.now, time.alarm)
      time.alarm = null
      await session.wake()
    }
    time.now = Math.max(time.now, at)
  }
  return { session, time, gone, until, start: time.now }
}

describe('a session older than it is kept', () => {
  test('goes by its alarm, with all that it has, and not before', async ({ expect }) => {
    const { session, gone, until, start, time } = await opened()
    await until(start + 2 * DAY - 1)
    expect([session.exists, gone]).toEqual([true, []])
    await until(start + 2 * DAY)
    expect(session.exists).toBe(false)
    expect(gone).toContain('storage')
    expect(gone).toContain('ses_1')
    expect(time.alarm).toBeNull()
  })

  test('is counted from when it was last touched', async ({ expect }) => {
    const { session, until, start } = await opened([calls('finish', { reason: 'x' })])
    await until(start + DAY)
    expect(responseOf(await session.addMessage({ content: 'One' }, WAIT))).toMatchObject({ result: 'x' })
    await until(start + 2 * DAY)
    expect(session.exists).toBe(true)
    await until(start + 3 * DAY)
    expect(session.exists).toBe(false)
  })

  test('goes while it waits for a human who never comes', async ({ expect }) => {
    const { session, until, start } = await opened([calls('ask', { question: 'Which?' })])
    expect(responseOf(await session.addMessage({ content: 'One' }, WAIT))).toMatchObject({ status: 'interrupted' })
    await until(start + 2 * DAY)
    expect(session.exists).toBe(false)
  })
})
