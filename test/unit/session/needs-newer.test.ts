import { expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import type { SessionPorts } from '../../../src/run/ports.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { Session } from '../../../src/session/session.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { nodeDatabase } from '../../support/node-database.ts'

const { engine } = createEngine(
  { models: { m: { api_url: 'http://127.0.0.1:9/v1', model: 'm', protocol: 'native' } }, default_model: 'm' },
  {
    publicFetch: () => Promise.reject(new Error('nothing is asked')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: 'Node.js',
  },
)

test('a run that a later release has to go on with rests here, alarm and all, and goes on there', async () => {
  const db = nodeDatabase()
  const alarms: (number | null)[] = []
  const bugs: unknown[] = []
  const opened = (fold = reduce) => {
    const ports: SessionPorts = {
      log: sqliteLog(db, fold),
      now: () => Date.UTC(2026, 0, 1),
      engine,
      compacts: true,
      alarm: { set: (time) => void alarms.push(time), clear: () => void alarms.push(null) },
      directory: { put: async () => null, remove: async () => null },
      outbox: null,
      keepAlive: (work) => void work.catch((error: unknown) => bugs.push(error)),
      destroy: async () => {},
      report: (error) => bugs.push(error),
    }
    return new Session(ports, NATIVE)
  }
  const first = opened()
  await first.create('ses_1', 'default', { task: 'Go' }, { form: 'background' })
  const log = sqliteLog(db, reduce)
  const { state } = log.load() ?? {}
  if (!state?.run) throw new Error('a run was to be there')
  const { lastSeq, run } = state
  const place = { seq: lastSeq + 1, run_id: run.id, scope: null, time: '2026-01-01T00:00:00.000Z' }
  const beyond: unknown = { type: 'later', required: true, ...place }
  const events = [beyond as SessionEvent]
  log.append({ events, state: reduce(state, events) })

  alarms.length = 0
  const here = opened()
  await here.wake()
  expect(here.head()).toMatchObject({ ok: true, value: { needs_newer: true, status: 'in_progress' } })
  expect(here.isLost(false)).toBe(false)
  expect([alarms, log.events(lastSeq + 1, 10), bugs]).toEqual([[], [], []])

  // What that release knows is not beyond it.
  const known = opened((before, added) => {
    const { needsNewer: _, ...after } = reduce(before, added)
    return after
  })
  expect(known.head()).toMatchObject({ ok: true, value: { status: 'in_progress' } })
  expect(known.isLost(false)).toBe(true)
})
