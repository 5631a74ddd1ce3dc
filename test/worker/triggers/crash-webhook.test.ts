/// <reference types="@cloudflare/vitest-plugin/types" />
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, stage } from '../http/http.ts'
import { type Accepted, deliver, ended, logOf, newHook } from '../http/hooks.ts'
import { env } from '../session/worker-home.ts'

const words = WORDS['zh-CN']
const FINISHES = [{ content: words.finish('好'), repeat: true as const }]
const triggers = () => env.TRIGGER.getByName('default')
const sessionsOf = async (user: string) =>
  (await json<List<{ id: string }>>(call('GET', `/v1/sessions?user=${user}&limit=100`))).data

/** Lets so many calls of another object come and go. */
async function hops(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop++)
    await env.SESSION.getByName('elsewhere')
      .fetch('http://x/')
      .catch(() => {})
}

/** Whatever waits for a retry is due now. */
const dueNow = () =>
  runInDurableObject(triggers(), (_object, { storage }) => {
    objectDatabase(storage).all('UPDATE firings SET retry_time = 0 WHERE retry_time IS NOT NULL')
  })

/** How many calls of another object come and go before the death. */
const PLACES = [0, 1, 2, 3, 4, 5, 6, 8, 11]

describe('a process that dies while a delivery starts its run', () => {
  test.for(PLACES)(
    'after %i calls of others: starts it once when the delivery comes again',
    async (after, { expect }) => {
      const user = `u-${crypto.randomUUID()}`
      const hook = await newHook(await stage(FINISHES), { user })
      const delivery = crypto.randomUUID()
      const first = deliver(hook, { title: 'x' }, { delivery }).catch(() => null)
      await hops(after)
      await abortAllDurableObjects()
      await first
      const again = await json<Accepted>(deliver(hook, { title: 'x' }, { delivery }), 202)
      await ended(again.session_id)
      expect(await json(deliver(hook, { title: 'x' }, { delivery }), 202)).toEqual(again)
      expect(await sessionsOf(user)).toHaveLength(1)
      expect(await logOf(hook)).toHaveLength(1)
    },
  )

  test('starts it by its alarm when nobody sends it again', async ({ expect }) => {
    let cut = 0
    for (const after of PLACES) {
      const user = `u-${crypto.randomUUID()}`
      const hook = await newHook(await stage(FINISHES), { user })
      const first = deliver(hook, { title: 'x' }).catch(() => null)
      await hops(after)
      await abortAllDurableObjects()
      await first
      const [known] = await logOf(hook)
      if (!known) continue
      if (known.status === 'pending') cut++
      await dueNow()
      await runDurableObjectAlarm(triggers())
      const [entry] = await logOf(hook)
      expect(entry?.status, `${after}`).toBe('started')
      await ended(entry?.session_id ?? '')
      expect(await sessionsOf(user), `${after}`).toHaveLength(1)
    }
    expect(cut).toBeGreaterThan(0)
  })
})
