import { describe, type ExpectStatic, test } from 'vitest'
import { LIMITS } from '../../src/domain/limits.ts'
import { OUTBOX_SCHEMA } from '../../src/store/callbacks.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrate.ts'
import {
  answers,
  HOUR,
  news,
  ok,
  openWorld,
  type Receiver,
  START,
  type World,
  type WorldOptions,
} from './outbox-world.ts'

const { callback: limits } = LIMITS
const MINUTE = 60_000
const DAY = 24 * HOUR

/** One database, and worlds that live on it one after the other. */
interface Stage {
  db: Database
  readonly open: (receiver: Receiver, options?: WorldOptions) => World
}

type WithAsyncDatabase = (work: (db: Database) => Promise<void>) => Promise<void>

const down = () => Promise.reject(new TypeError('connection refused'))
const seqOf = ({ body }: { body: { data: { run_id: string | null } } }) => Number(body.data.run_id?.slice(4))

async function statuses({ outbox }: World, id: string): Promise<string[]> {
  const found = outbox.deliveries(id, { limit: 100 })
  return found.ok ? found.value.map(({ status }) => status) : []
}

/** What an outbox promises on any SQLite. */
export function outboxSuite(withDatabase: WithAsyncDatabase): void {
  const claim = (name: string, body: (stage: Stage, expect: ExpectStatic) => Promise<void>) =>
    test(name, ({ expect }) =>
      withDatabase(async (db) => {
        migrate(db, OUTBOX_SCHEMA)
        const worlds: World[] = []
        const open: Stage['open'] = (receiver, options) => {
          const world = openWorld(db, receiver, options)
          worlds.push(world)
          return world
        }
        await body({ db, open }, expect)
        for (const world of worlds) await world.end()
      }),
    )

  describe('an outbox', () => {
    claim(
      'gives a receiver that was down for a day all once it is back: in order per session, none lost, under stable ids',
      async ({ open }, expect) => {
        let isUp = false
        const world = open(() => (isUp ? ok() : down()), { random: Math.random })
        const { id } = await world.add()
        const sessions = Array.from({ length: 12 }, (_, at) => `ses_${at}`)
        for (let seq = 1; seq <= 8; seq++) {
          await world.outbox.put(sessions.map((session) => news(session, seq, world.now())))
          await world.pass(20 * MINUTE)
        }
        await world.pass(DAY - 160 * MINUTE)
        const failed = world.sent.length
        isUp = true
        await world.pass(12 * HOUR)
        const arrived = world.sent.slice(failed)
        expect(arrived).toHaveLength(12 * 8)
        for (const session of sessions) {
          const its = arrived.filter(({ body }) => body.data.session_id === session)
          expect(its.map(seqOf)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
        }
        const idsOf = (all: World['sent']) =>
          new Set(all.map((one) => `${one.body.data.session_id} ${seqOf(one)} ${one.id}`))
        expect(idsOf(world.sent).size).toBe(12 * 8)
        expect(new Set(await statuses(world, id))).toEqual(new Set(['delivered']))
        const lastBack = arrived.at(-1)?.time ?? 0
        const firstBack = arrived[0]?.time ?? 0
        expect(lastBack - firstBack).toBeLessThanOrEqual(limits.waitMs)
      },
    )

    claim(
      'sends what came while it was up at once, and the same news again change nothing',
      async ({ open }, expect) => {
        const world = open(ok)
        const { id } = await world.add()
        for (let time = 0; time < 3; time++) await world.outbox.put([news('ses_1', 5, START), news('ses_1', 9, START)])
        await world.pass(0)
        await world.outbox.put([news('ses_1', 5, START)])
        await world.pass(HOUR)
        expect(world.sent.map(seqOf)).toEqual([5, 9])
        expect(await statuses(world, id)).toEqual(['delivered', 'delivered'])
      },
    )

    claim('gives each callback what it asked for, as one delivery each', async ({ open }, expect) => {
      const world = open(ok)
      await world.add({ url: 'https://a.example/', events: ['run.failed', 'run.budget_exhausted'] })
      await world.add({ url: 'https://b.example/', events: ['run.failed'] })
      await world.add({ url: 'https://c.example/', events: ['approval.requested'] })
      await world.add({ url: 'https://d.example/', events: ['run.failed'], enabled: false })
      await world.outbox.put([news('ses_1', 5, START, 'run.failed'), news('ses_1', 5, START, 'run.budget_exhausted')])
      await world.pass(0)
      const told = world.sent.map(({ url, body }) => `${url} ${body.type}`).toSorted()
      expect(told).toEqual([
        'https://a.example/ run.budget_exhausted',
        'https://a.example/ run.failed',
        'https://b.example/ run.failed',
      ])
      expect(new Set(world.sent.map(({ id }) => id)).size).toBe(3)
    })

    claim('tells a callback nothing of before it was made', async ({ open }, expect) => {
      const world = open(ok)
      await world.add()
      await world.outbox.put([news('ses_1', 5, START - 1)])
      await world.pass(HOUR)
      expect(world.sent).toEqual([])
    })

    claim(
      'has a delivery wait for the one before it of its session; other sessions go on',
      async ({ open }, expect) => {
        let isMended = false
        const world = open(({ body }) => (body.data.session_id === 'ses_bad' && !isMended ? answers(500) : ok()))
        await world.add()
        await world.outbox.put([news('ses_bad', 1, START), news('ses_bad', 2, START), news('ses_good', 1, START)])
        await world.pass(30 * MINUTE)
        const told = new Set(world.sent.map((one) => `${one.body.data.session_id} ${seqOf(one)}`))
        expect(told).toEqual(new Set(['ses_bad 1', 'ses_good 1']))
        isMended = true
        await world.pass(HOUR)
        expect(world.sent.slice(-2).map(seqOf)).toEqual([1, 2])
      },
    )

    claim(
      'gives a delivery up after its last try, goes on with the next, and sends it again by hand',
      async ({ open }, expect) => {
        const world = open(({ body }) => (seqOf({ body }) === 1 && world.sent.length <= 3 ? answers(500) : ok()))
        const { id } = await world.add({ retry: { times: 2, delay_ms: 1_000 } })
        await world.outbox.put([news('ses_1', 1, START), news('ses_1', 2, START + 1)])
        await world.pass(MINUTE)
        expect(world.sent.map(({ time }) => time - START)).toEqual([0, 1_000, 3_000, 3_000])
        expect(await statuses(world, id)).toEqual(['delivered', 'dead'])
        const [first] = world.sent
        expect(world.outbox.retry(id, first?.id ?? '', null)).toMatchObject({ ok: true })
        await world.pass(0)
        expect(world.sent.at(-1)).toMatchObject({ id: first?.id, body: { data: { run_id: 'run_1' } } })
        const logged = world.outbox.delivery(id, first?.id ?? '')
        expect(logged).toMatchObject({ value: { delivery: { status: 'delivered', attempts: 4 } } })
        expect(logged.ok && logged.value.attempts.map(({ status, error }) => [status, error?.code])).toEqual([
          [500, 'http_status'],
          [500, 'http_status'],
          [500, 'http_status'],
          [200, undefined],
        ])
      },
    )

    claim('tries for more than a day, whatever the jitter', async ({ open }, expect) => {
      for (const [at, random] of [() => 0, () => 0.999].entries()) {
        const world = open(() => down(), { random, start: START + at * 10 * DAY })
        const { id } = await world.add()
        await world.outbox.put([news(`ses_${at}`, 1, world.now())])
        await world.pass(3 * DAY)
        const times = world.sent.map(({ time }) => time)
        expect(times).toHaveLength(limits.retryDelaysMs.length + 1)
        expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(DAY)
        expect(await statuses(world, id)).toEqual(['dead'])
        await world.outbox.remove(id)
      }
    })

    claim('leaves a receiver alone for as long as it asks, within bounds', async ({ open }, expect) => {
      let wait = String((2 * HOUR) / 1_000)
      const world = open(() => answers(503, { 'retry-after': wait }))
      await world.add()
      await world.outbox.put([news('ses_1', 1, START)])
      await world.pass(2 * HOUR - 1)
      expect(world.sent).toHaveLength(1)
      wait = '99999999'
      await world.pass(1)
      expect(world.sent).toHaveLength(2)
      await world.pass(limits.retryAfterMsMax)
      expect(world.sent).toHaveLength(3)
    })

    claim(
      'waits as long as a delivery was told to, also when the receiver takes others meanwhile',
      async ({ open }, expect) => {
        const seen = new Map<string, number>()
        const world = open(({ body }) => {
          const session = body.data.session_id
          seen.set(session, (seen.get(session) ?? 0) + 1)
          return session === 'ses_1' && seen.get(session) === 1 ? answers(429, { 'retry-after': '3600' }) : ok()
        })
        await world.add({ retry: { times: 3, delay_ms: 1_000 } })
        await world.outbox.put([news('ses_1', 1, START)])
        await world.pass(0)
        await world.outbox.put([news('ses_2', 1, START)])
        await world.pass(HOUR - 1)
        expect(world.sent.map(({ body }) => body.data.session_id)).toEqual(['ses_1', 'ses_2'])
        await world.pass(1)
        expect(world.sent.map(({ body }) => body.data.session_id)).toEqual(['ses_1', 'ses_2', 'ses_1'])
      },
    )

    claim('follows no redirect: it is a failed try that says so', async ({ open }, expect) => {
      const world = open(() => answers(302, { location: 'https://elsewhere.example/' }))
      const { id } = await world.add({ retry: { times: 0, delay_ms: 0 } })
      await world.outbox.put([news('ses_1', 1, START)])
      await world.pass(HOUR)
      expect(world.sent.map(({ url }) => url)).toEqual(['https://receiver.example/in'])
      expect(world.outbox.delivery(id, world.sent[0]?.id ?? '')).toMatchObject({
        value: { delivery: { status: 'dead' }, attempts: [{ status: 302, error: { code: 'redirect' } }] },
      })
    })

    claim(
      'holds everything of a receiver that is gone (410), until its callback is switched on again',
      async ({ open }, expect) => {
        let isGone = true
        const world = open(() => (isGone ? answers(410) : ok()))
        const { id } = await world.add()
        await world.outbox.put([news('ses_1', 1, START), news('ses_2', 1, START)])
        await world.pass(2 * DAY)
        expect(world.outbox.get(id)).toMatchObject({ value: { callback: { enabled: false, disabledReason: 'gone' } } })
        expect(world.sent.length).toBeLessThanOrEqual(2)
        expect(world.off).toEqual([id])
        await world.outbox.put([news('ses_3', 1, world.now())])
        isGone = false
        const before = world.sent.length
        world.outbox.patch(id, { enabled: true })
        await world.pass(MINUTE)
        expect(
          world.sent
            .slice(before)
            .map(({ body }) => body.data.session_id)
            .toSorted(),
        ).toEqual(['ses_1', 'ses_2'])
      },
    )

    claim(
      'has one receiver that hangs hold no other, and tries a bounded number at the same time',
      async ({ open }, expect) => {
        const world = open(({ url }) => (url.includes('hangs') ? 'hangs' : ok()))
        await world.add({ url: 'https://hangs.example/' })
        await world.add({ url: 'https://well.example/' })
        const sessions = Array.from({ length: 20 }, (_, at) => `ses_${at}`)
        await world.outbox.put(sessions.map((session) => news(session, 1, START)))
        world.ring()
        await world.until((sent) => sent.filter(({ url }) => url.includes('well')).length === 20)
        const hanging = world.sent.filter(({ url }) => url.includes('hangs'))
        expect(hanging).toHaveLength(limits.parallelPerCallbackMax)
      },
    )

    claim('takes up again what a process died over, and counts every try', async ({ open }, expect) => {
      const first = open(() => 'hangs')
      const { id } = await first.add({ retry: { times: 2, delay_ms: 0 } })
      await first.outbox.put([news('ses_1', 1, START)])
      first.ring()
      await first.until((sent) => sent.length === 1)
      const second = open(ok, { start: START + limits.leaseMs })
      second.outbox.wake()
      await second.pass(0)
      expect(second.sent.map((one) => one.id)).toEqual(first.sent.map((one) => one.id))
      expect(second.outbox.delivery(id, first.sent[0]?.id ?? '')).toMatchObject({
        value: { delivery: { status: 'delivered', attempts: 2 } },
      })
    })

    claim('gives up what kills its process again and again', async ({ open }, expect) => {
      const ids: string[] = []
      let at = START
      for (let life = 0; life < 4; life++) {
        const world = open(() => 'hangs', { start: at })
        if (life === 0) {
          ids.push((await world.add({ retry: { times: 2, delay_ms: 0 } })).id)
          await world.outbox.put([news('ses_1', 1, START)])
        }
        world.outbox.wake()
        if (life < 3) await world.until((sent) => sent.length === 1)
        at += limits.leaseMs
      }
      const last = open(ok, { start: at })
      await last.pass(0)
      expect(await statuses(last, ids[0] ?? '')).toEqual(['dead'])
    })

    claim('starts a bounded number of tries with one alarm, and goes on with the next', async ({ open }, expect) => {
      const world = open(ok)
      await world.add()
      const many = limits.attemptsPerAlarmMax * 2 + 5
      for (let at = 0; at < many; at++) await world.outbox.put([news(`ses_${at}`, 1, START)])
      await world.pass(0)
      expect(world.sent).toHaveLength(many)
    })

    claim('brings a delivery that fails by itself forward without using up its tries', async ({ open }, expect) => {
      const world = open(({ body }) => (body.data.session_id === 'ses_bad' ? answers(500) : ok()))
      const { id } = await world.add()
      await world.outbox.put([news('ses_bad', 1, START)])
      for (let hour = 1; hour <= 20; hour++) {
        await world.outbox.put([news('ses_good', hour, world.now())])
        await world.pass(HOUR)
      }
      const bad = world.sent.find(({ body }) => body.data.session_id === 'ses_bad')
      expect(world.outbox.delivery(id, bad?.id ?? '')).toMatchObject({ value: { delivery: { status: 'pending' } } })
      expect(world.sent.filter(({ body }) => body.data.session_id === 'ses_good')).toHaveLength(20)
    })

    claim('forgets with a callback all that it was to be told', async ({ open, db }, expect) => {
      const world = open(() => down())
      const { id } = await world.add()
      await world.outbox.put([news('ses_1', 1, START)])
      await world.pass(MINUTE)
      await world.outbox.remove(id)
      const tries = world.sent.length
      await world.pass(2 * DAY)
      expect(world.sent).toHaveLength(tries)
      expect(world.outbox.get(id)).toMatchObject({ ok: false, error: { code: 'not_found' } })
      expect(db.all('SELECT 1 FROM deliveries UNION ALL SELECT 1 FROM attempts')).toEqual([])
    })

    claim(
      'keeps of a deleted session but that there is something to tell, and how it ended',
      async ({ open, db }, expect) => {
        let isUp = true
        const world = open(() => (isUp ? ok() : down()))
        const { id } = await world.add()
        await world.outbox.put([news('ses_1', 1, START)])
        await world.pass(0)
        isUp = false
        await world.outbox.put([news('ses_1', 2, START)])
        await world.pass(0)
        world.outbox.forget('ses_1')
        isUp = true
        await world.pass(HOUR)
        expect(await statuses(world, id)).toEqual(['delivered'])
        expect(world.sent.at(-1)?.body.data).toEqual({
          session_id: 'ses_1',
          run_id: 'run_2',
          status: 'completed',
          finish_reason: 'completed',
        })
        expect(JSON.stringify(db.all('SELECT * FROM deliveries'))).not.toContain('result')
      },
    )

    claim('forgets deliveries that came to an end long ago', async ({ open, db }, expect) => {
      const world = open(ok)
      const { id } = await world.add()
      await world.outbox.put([news('ses_1', 1, START)])
      await world.pass(limits.keptMs - HOUR)
      expect(await statuses(world, id)).toEqual(['delivered'])
      await world.pass(2 * HOUR)
      expect(await statuses(world, id)).toEqual([])
      expect(db.all('SELECT 1 FROM attempts')).toEqual([])
    })

    claim('has sessions tell of their runs as long as there is a callback', async ({ open }, expect) => {
      const world = open(ok)
      const [first, second] = [await world.add(), await world.add()]
      await world.outbox.remove(first.id)
      expect(world.watched).toEqual([true, true])
      await world.outbox.remove(second.id)
      expect(world.watched).toEqual([true, true, false])
    })

    claim('makes one callback of a request that comes again, and keeps to its number', async ({ open }, expect) => {
      const world = open(ok)
      const made = await world.add()
      const again = { ...made, id: 'cbk_other' }
      const first = await world.outbox.create(again, 'key-1')
      const second = await world.outbox.create({ ...again, id: 'cbk_third' }, 'key-1')
      expect([first, second].map((one) => one.ok && [one.value.value.callback.id, one.value.again])).toEqual([
        ['cbk_other', false],
        ['cbk_other', true],
      ])
      for (let count = 2; count < limits.callbacksMax; count++) await world.add()
      await expect(world.add()).rejects.toThrow('too_many')
    })
  })
}
