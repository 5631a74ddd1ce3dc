import { abortAllDurableObjects, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, read, stage } from '../http/http.ts'
import { stubOf, within } from './worker-home.ts'

const words = WORDS['zh-CN']
const COUNT = 30

const alarmOf = (id: string) => within(id, (_object, { storage }) => storage.getAlarm())

describe('sessions that wait for an approval', () => {
  test('have one stored alarm each, at its expiry, that a restart keeps and that changes nothing when it rings too early', async ({
    expect,
  }) => {
    const set = await stage((page) => [{ content: words.visit(page('zh')), repeat: true }])
    const body = { task: words.task, config: { ...set.config, limits: { approval_ttl_ms: 86_400_000 } } }
    const made = await Promise.all(
      Array.from({ length: COUNT }, () => json<SessionData>(call('POST', '/v1/sessions', { body }), 201)),
    )
    // Alarms are set once the tenant knows, for which no answer waits.
    for (const { id, pending } of made)
      await expect.poll(() => alarmOf(id)).toBe(Date.parse(pending[0]?.expires_time ?? ''))
    await abortAllDurableObjects()
    for (const { id, status, pending } of made) {
      expect(status).toBe('interrupted')
      expect(await alarmOf(id)).toBe(Date.parse(pending[0]?.expires_time ?? ''))
    }
    const [first] = made
    if (!first) throw new Error('a session was expected')
    expect(await runDurableObjectAlarm(stubOf(first.id))).toBe(true)
    expect(await read(first.id)).toMatchObject({ status: 'interrupted', pending: first.pending })
    expect(await alarmOf(first.id)).toBe(Date.parse(first.pending[0]?.expires_time ?? ''))
    expect(await set.model.asked()).toHaveLength(COUNT)
    expect(await set.site.visits()).toEqual([])
  })
})

describe('a session whose workflow waits for a time', () => {
  test('has one stored alarm, at that time, and no timer', async ({ expect }) => {
    const { config } = await stage([])
    const timers = watchTimers()
    const steps = [{ id: 'nap', type: 'wait', for_ms: 86_400_000 }]
    await json(call('PUT', '/v1/workflows/nap', { body: { description: 'A nap.', steps } }), 201)
    const body = { config, task: 'go' }
    const { id, status } = await json<SessionData>(call('POST', '/v1/workflows/nap/run', { body }), 201)
    expect(status).toBe('interrupted')
    const events = await json<List<SessionEvent>>(call('GET', `/v1/sessions/${id}/events`))
    const due = events.data.flatMap((event) => (event.type === 'step-start' ? [event.due_time] : []))
    await expect.poll(() => alarmOf(id)).toBe(Date.parse(due[0] ?? ''))
    await expect.poll(() => [...timers.open.values()]).toEqual([])
    timers.stop()
    expect(timers.set()).toBeGreaterThan(0)
  })
})

/** Timers of a second and longer that are set and not over, as their milliseconds. */
function watchTimers() {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const open = new Map<unknown, number>()
  let count = 0
  Object.assign(globalThis, {
    setTimeout: (work: () => void, ms = 0) => {
      const timer = set(() => {
        open.delete(timer)
        work()
      }, ms)
      if (ms < 1_000) return timer
      count++
      open.set(timer, ms)
      return timer
    },
    clearTimeout: (timer: Parameters<typeof clear>[0]) => {
      open.delete(timer)
      clear(timer)
    },
  })
  const stop = () => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
  return { open, set: () => count, stop }
}
