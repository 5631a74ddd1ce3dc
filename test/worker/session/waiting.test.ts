import { abortAllDurableObjects, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, read, stage } from '../http/http.ts'
import { stubOf, within } from './worker-home.ts'

const words = WORDS['zh-CN']
const COUNT = 30

describe('sessions that wait for an approval', () => {
  test('have one stored alarm each, at its expiry, that a restart keeps and that changes nothing when it rings too early', async ({
    expect,
  }) => {
    const set = await stage((page) => [{ content: words.visit(page('zh')), repeat: true }])
    const body = { task: words.task, config: { ...set.config, limits: { approval_ttl_ms: 86_400_000 } } }
    const made = await Promise.all(
      Array.from({ length: COUNT }, () => json<SessionData>(call('POST', '/v1/sessions', { body }), 201)),
    )
    const alarmOf = (id: string) => within(id, (_object, { storage }) => storage.getAlarm())
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
