/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { WORDS } from '../../support/words.ts'
import { env, workerHome } from '../session/worker-home.ts'
import { ended, rests } from './hooks.ts'
import { call, json, type List, problem, read, stage } from './http.ts'

interface Shown {
  id: string
  next_run_time: string | null
  next_runs: string[]
  [more: string]: unknown
}

const FINISHES = [{ content: WORDS['zh-CN'].finish('好'), repeat: true as const }]
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const post = (body: unknown, headers: Record<string, string> = {}) => call('POST', '/v1/schedules', { body, headers })
const made = (body: object) => json<Shown>(post({ name: 's', task: '做', ...body }), 201)
const sessionsOf = async (user: string) =>
  (await json<List<{ id: string }>>(call('GET', `/v1/sessions?user=${user}&limit=100`))).data
const runsOf = async ({ id }: Shown) =>
  (await json<List<Record<string, string | null>>>(call('GET', `/v1/schedules/${id}/runs`))).data

/** Some schedules are due now, and the alarm rings. */
async function ring(...due: Shown[]): Promise<void> {
  const triggers = env.TRIGGER.getByName('default')
  await runInDurableObject(triggers, (_object, { storage }) => {
    for (const { id } of due)
      objectDatabase(storage).all(
        `UPDATE triggers SET next_time = ?1, due = ?1, spec = iif(spec ->> '$.when.kind' = 'at', json_set(spec, '$.when.at', ?1), spec) WHERE id = ?2`,
        Date.now(),
        id,
      )
  })
  await runDurableObjectAlarm(triggers)
}

describe('a schedule', () => {
  test('is a cron with its time zone, one time, or an interval, and shows when it runs next', async ({ expect }) => {
    const cron = await made({ cron: '0 9 * * *', timezone: 'Asia/Shanghai' })
    expect(cron).toMatchObject({
      id: expect.stringMatching(/^sch_/),
      object: 'schedule',
      cron: '0 9 * * *',
      timezone: 'Asia/Shanghai',
      at: null,
      every_ms: null,
      session: 'new',
      missed: 'once',
      overlap: 'skip',
      enabled: true,
    })
    expect(cron.next_runs).toHaveLength(LIMITS.trigger.nextRunsMax)
    expect(cron.next_runs.every((time) => time.endsWith('T01:00:00.000Z'))).toBe(true)
    expect(cron.next_run_time).toBe(cron.next_runs[0])
    const at = inAnHour()
    expect(await made({ at })).toMatchObject({ at, next_run_time: at, next_runs: [at] })
    const before = Date.now()
    const every = await made({ every_ms: 60_000 })
    expect(Date.parse(every.next_run_time ?? '')).toBeGreaterThanOrEqual(before + 60_000)
    expect(await json(call('GET', `/v1/schedules/${every.id}`))).toEqual(every)
  })

  test('is changed, switched off, listed and deleted', async ({ expect }) => {
    const { id, next_run_time: next } = await made({ cron: '0 9 * * *', timezone: 'UTC' })
    const path = `/v1/schedules/${id}`
    const patched = (body: object) => json<Shown>(call('PATCH', path, { body }))
    expect(await patched({ task: '别的', name: 'n' })).toMatchObject({ task: '别的', next_run_time: next })
    expect((await patched({ timezone: 'Asia/Shanghai' })).next_run_time).toMatch(/T01:00/)
    expect(await patched({ enabled: false })).toMatchObject({ next_run_time: null, next_runs: [] })
    expect(await patched({ enabled: true, every_ms: 5_000 })).toMatchObject({ cron: null, every_ms: 5_000 })
    const { data } = await json<List<Shown>>(call('GET', '/v1/schedules?limit=1'))
    expect(data.map((one) => one.id)).toEqual([id])
    expect((await call('DELETE', path)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) await problem(call(method, path), 404)
    await problem(call('GET', `${path}/runs`), 404)
  })

  test('that would never fire, or is asked for wrongly, is refused with the path', async ({ expect }) => {
    const pathsOf = async (body: object) =>
      (await problem(post({ name: 's', task: 't', ...body }), 400)).errors?.map(({ path }) => path)
    expect(await pathsOf({ cron: '0 0 30 2 *' })).toEqual(['cron'])
    expect(await pathsOf({ cron: 'every day' })).toEqual(['cron'])
    expect(await pathsOf({ cron: '* * * * *', timezone: 'Mars/Olympus' })).toEqual(['timezone'])
    expect(await pathsOf({ at: '2020-01-01T00:00:00Z' })).toEqual(['at'])
    expect(await pathsOf({ at: 'tomorrow' })).toEqual(['at'])
    expect(await pathsOf({ every_ms: LIMITS.trigger.everyMsMin - 1 })).toEqual(['every_ms'])
    expect(await pathsOf({})).toEqual(['cron'])
    expect(await pathsOf({ cron: '* * * * *', every_ms: 60_000 })).toEqual(['every_ms'])
    expect(await pathsOf({ every_ms: 60_000, overlap: 'queue' })).toEqual(['overlap'])
    expect(await pathsOf({ every_ms: 60_000, session: 'same', overlap: 'allow' })).toEqual(['overlap'])
    expect(await pathsOf({ every_ms: 60_000, skill: 'nobody-knows-it' })).toEqual(['skill'])
    expect(await pathsOf({ every_ms: 60_000, config: { model: 'nobody-knows-it' } })).toEqual(['config.model'])
    expect(await pathsOf({ every_ms: 60_000, name: '', task: '' })).toEqual(['name', 'task'])
  })

  test('is made once under an Idempotency-Key', async ({ expect }) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = { name: 's', task: 't', at: inAnHour() }
    const first = await json(post(body, headers), 201)
    const again = await post(body, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await json(again, 201)).toEqual(first)
  })

  test('starts its run when it is due, in the background, and says so in its log', async ({ expect }) => {
    const { config } = await stage(FINISHES)
    const user = `u-${crypto.randomUUID()}`
    const every = await made({ every_ms: 3_600_000, config, user, name: '晨报' })
    const once = await made({ at: inAnHour(), config, user })
    await ring(every, once)
    const [run] = await runsOf(every)
    expect(run).toMatchObject({ object: 'schedule.run', schedule_id: every.id, status: 'started', reason: null })
    await ended(run?.['session_id'] ?? '')
    const session = await read(run?.['session_id'] ?? '')
    expect(session).toMatchObject({ title: '晨报', status: 'completed', metadata: { schedule_id: every.id } })
    expect(await workerHome.storedState(session.id)).toMatchObject({ taint: [] })
    const audit = await json<List<AuditEntry>>(call('GET', `/v1/audit?target=${session.id}`))
    expect(audit.data).toMatchObject([{ action: 'schedule.run', actor: { kind: 'trigger', id: every.id } }])
    expect(await json(call('GET', `/v1/schedules/${once.id}`))).toMatchObject({ next_run_time: null, next_runs: [] })
    expect(await sessionsOf(user)).toHaveLength(2)
    await ring()
    expect(await sessionsOf(user)).toHaveLength(2)
  })

  test('whose run waits for a human in the session that it shares decides nothing there', async ({ expect }) => {
    const words = WORDS['zh-CN']
    const { config } = await stage((page) => [words.visit(page('article')), ...FINISHES])
    const every = await made({ every_ms: 3_600_000, config, session: 'same', overlap: 'queue' })
    await ring(every)
    const id = (await runsOf(every))[0]?.['session_id'] ?? ''
    await rests(id)
    await ring(every)
    const session = await read(id)
    expect(session.pending).toHaveLength(1)
    expect((await runsOf(every)).map(({ session_id: one, status }) => [one, status])).toEqual([
      [id, 'started'],
      [id, 'started'],
    ])
  })

  test('is left out while the run before rests for a time, and not while that waits for a human', async ({
    expect,
  }) => {
    const started = async (wait: object) => {
      const name = `w-${crypto.randomUUID().slice(0, 8)}`
      const steps = [{ id: 'pause', type: 'wait', ...wait }]
      await json(call('POST', '/v1/workflows', { body: { name, description: 'x', steps } }), 201)
      const every = await made({ every_ms: 3_600_000, workflow: name })
      await ring(every)
      await rests((await runsOf(every))[0]?.['session_id'] ?? '')
      await ring(every)
      return (await runsOf(every)).map(({ status }) => status)
    }
    expect(await started({ for_ms: 3_600_000 })).toEqual(['skipped', 'started'])
    expect(await started({ webhook_key: 'nobody' })).toEqual(['skipped', 'started'])
    expect(await started({ approval: 'Go on?' })).toEqual(['started', 'started'])
  })

  test('can be tried: it tells what it would start, and starts it once if it is told to', async ({ expect }) => {
    const { config } = await stage(FINISHES)
    const user = `u-${crypto.randomUUID()}`
    const { id, next_run_time: next } = await made({ at: inAnHour(), config, user })
    const attempt = (body: object, headers: Record<string, string> = {}) =>
      json<Record<string, unknown>>(call('POST', `/v1/schedules/${id}/test`, { body, headers }))
    expect(await attempt({})).toMatchObject({ task: '做', next_runs: [next], session_id: null, run: null })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await attempt({ run: true }, headers)
    expect(first).toMatchObject({
      session_id: expect.stringMatching(/^ses_/),
      run: { status: 'started', is_test: true },
    })
    expect(await attempt({ run: true }, headers)).toEqual(first)
    expect(await sessionsOf(user)).toHaveLength(1)
    expect(await json(call('GET', `/v1/schedules/${id}`))).toMatchObject({ next_run_time: next })
  })
})

test('a crowd of schedules that are due start within a minute, each once', async ({ expect }) => {
  const { config } = await stage(FINISHES)
  const user = `u-${crypto.randomUUID()}`
  const all: Shown[] = []
  for (let n = 0; n < 40; n++) all.push(await made({ at: inAnHour(), config, user }))
  await ring(...all)
  await ring()
  expect(await sessionsOf(user)).toHaveLength(40)
})
