import { createHmac } from 'node:crypto'
import { describe, type ExpectStatic, test } from 'vitest'
import { type AppError, fail, ok } from '../../src/domain/errors.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import type { NewSchedule } from '../../src/domain/schedule.ts'
import type { Firing, SessionStarts, WaitingItem } from '../../src/domain/start.ts'
import type { NewWebhook } from '../../src/domain/webhook.ts'
import { newId } from '../../src/lib/id.ts'
import type { Database } from '../../src/store/database.ts'
import { scheduleFrom } from '../../src/triggers/schedule-spec.ts'
import { Triggers } from '../../src/triggers/triggers.ts'
import { webhookFrom } from '../../src/triggers/webhook-spec.ts'

const MINUTE = 60_000
const T0 = Date.parse('2027-03-01T00:00:00Z')
const PAGE = { before: undefined, limit: 1_000 }

/** A run that was started, and when. */
interface Started {
  sessionId: string
  task: string
  time: number
}

/** Triggers over a database with a clock of their own, and sessions that keep to their keys. Time stands still but for `until`. */
function worldOf(db: Database) {
  let now = T0
  let alarm: number | null = null
  /** By key: what was started. */
  const runs = new Map<string, Started>()
  const world = {
    runs,
    busy: new Set<string>(),
    cancelled: [] as string[],
    gone: new Set<string>(),
    /** By key of webhooks: the sessions that wait for a delivery. */
    waiting: new Map<string, WaitingItem[]>(),
    /** Tasks that were begun, in order. */
    tasks: [] as string[],
    /** Which sessions were given a delivery, and what it was. */
    delivered: [] as [string, unknown][],
    /** Firings whose runs the alarm started. */
    late: [] as string[],
    /** Why sessions take nothing. */
    refusal: null as AppError | null,
    /** Sessions answer no start before this has come; null: at once. */
    hold: null as Promise<void> | null,
    /** Called at each start: before it is done, and after. */
    onStart: (_when: 'before' | 'after') => {},
  }
  const begin = (sessionId: string, task: string, key: string) => {
    if (world.refusal) return fail(world.refusal)
    world.onStart('before')
    if (!runs.has(key) && task !== '') world.tasks.push(task)
    if (!runs.has(key)) runs.set(key, { sessionId, task, time: now })
    world.onStart('after')
    return ok(`run of ${key}`)
  }
  const sessions: SessionStarts = {
    start: async (sessionId, { task }, { key }) => {
      if (world.hold) await world.hold
      return begin(sessionId, task, key)
    },
    add: async (sessionId, { task }, { key }) =>
      world.gone.has(sessionId) ? fail({ code: 'not_found', what: 'session' }) : begin(sessionId, task, key),
    waitingFor: async (key) => world.waiting.get(key) ?? [],
    deliver: async ({ sessionId, pendingId }, delivery, { key }) => {
      if (world.gone.has(sessionId)) return fail({ code: 'stale_decision', pendingId })
      const begun = begin(sessionId, '', key)
      if (begun.ok) world.delivered.push([sessionId, delivery])
      return begun
    },
    isBusy: async (sessionId) => world.busy.has(sessionId),
    cancel: async (sessionId) => void world.cancelled.push(sessionId),
  }
  const ports = {
    db,
    now: () => now,
    random: () => 0.5,
    alarm: { set: (time: number) => void (alarm = time), clear: () => void (alarm = null) },
    sessions: () => sessions,
    newSessionId: async () => newId('ses', now),
    language: 'en',
    timezone: 'UTC',
    startedLate: async ({ id }: Firing) => void world.late.push(id),
    report: () => {},
  }
  let triggers = new Triggers(ports)
  return {
    ...world,
    world,
    triggers: () => triggers,
    now: () => now,
    jump: (ms: number) => void (now += ms),
    /** The process dies, and another takes its place. */
    die: () => void (triggers = new Triggers(ports)),
    /** Let the alarm ring whenever it is due, until a time. */
    until: async (end: number) => {
      while (alarm !== null && alarm <= end) {
        now = Math.max(now, alarm)
        alarm = null
        await triggers.wake()
      }
      now = Math.max(now, end)
    },
    schedule: (input: Partial<NewSchedule>) => {
      triggers.open('default')
      const made = scheduleFrom({ name: 's', task: 't', ...input }, newId('sch', now), ports)
      if (!made.ok) throw new Error(JSON.stringify(made.error))
      const kept = triggers.schedules.add(made.value, null)
      if (!kept.ok) throw new Error(JSON.stringify(kept.error))
      return made.value.spec.id
    },
    webhook: (input: Partial<NewWebhook> = {}) => {
      triggers.open('default')
      const given: NewWebhook = { name: 'w', scheme: 'github', secret: 's', task_template: '{{body.n}}', ...input }
      const made = webhookFrom(given, newId('whk', now), now)
      if (!made.ok) throw new Error(JSON.stringify(made.error))
      triggers.webhooks.add(made.value, null)
      return made.value.id
    },
    deliver: (id: string, body: object, delivery: string, secret = 's') => {
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      const signature = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
      const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': delivery }
      return triggers.deliveries.receive(id, headers, Uint8Array.from(bytes))
    },
    log: (id: string) => {
      const found = id.startsWith('sch') ? triggers.schedules.runs(id, PAGE) : triggers.webhooks.deliveries(id, PAGE)
      return found.ok ? found.value : []
    },
  }
}
type World = ReturnType<typeof worldOf>

const at = (ms: number) => new Date(T0 + ms).toISOString()
const statuses = (world: World, id: string) => world.log(id).map(({ status }) => status)

/** Runs `work` with a database that nobody has used. */
type WithDatabase = (work: (db: Database) => Promise<void>) => Promise<void>

/** What triggers promise on any SQLite. `scale`: how many of a crowd there are, of 1. */
export function triggerSuite(withDatabase: WithDatabase, scale: number): void {
  const claim = (name: string, body: (world: World, expect: ExpectStatic, db: Database) => Promise<void>) =>
    test(name, async ({ expect }) => withDatabase((db) => body(worldOf(db), expect, db)))
  const crowd = Math.round(5_000 * scale)

  describe('schedules', () => {
    claim('that are due in one minute all start within it, each once', async (world, expect) => {
      const ids = Array.from({ length: crowd }, (_, n) => world.schedule({ at: at(MINUTE + ((n * 37) % MINUTE)) }))
      await world.until(T0 + 2 * MINUTE)
      const starts = [...world.runs.values()]
      expect(starts).toHaveLength(crowd)
      expect(starts.every(({ time }) => time >= T0 + MINUTE && time < T0 + 2 * MINUTE)).toBe(true)
      expect(new Set(starts.map(({ sessionId }) => sessionId)).size).toBe(crowd)
      expect(statuses(world, ids[0] ?? '')).toEqual(['started'])
    })

    claim('are put off by nothing that comes for later in a new process', async (world, expect) => {
      const hook = world.webhook()
      const daily = world.schedule({ every_ms: 1_440 * MINUTE })
      const comings = [
        () => world.schedule({ at: at(1_440 * MINUTE) }),
        () => world.deliver(hook, { n: 1 }, 'one'),
        () => world.triggers().schedules.start(daily, null),
      ]
      const ids: string[] = []
      for (const come of comings) {
        const due = world.now() + 1_000
        ids.push(world.schedule({ at: new Date(due).toISOString() }))
        world.die()
        await come()
        await world.until(due)
      }
      expect(ids.map((id) => statuses(world, id))).toEqual(ids.map(() => ['started']))
    })

    claim('start once although the process dies in the middle, wherever', async (world, expect) => {
      const count = Math.round(crowd / 10)
      const ids = Array.from({ length: count }, () => world.schedule({ at: at(MINUTE) }))
      let calls = 0
      world.world.onStart = (when) => {
        if (++calls % 7 === 0) throw new Error(`dies ${when} it is started`)
      }
      await world.until(T0 + MINUTE)
      world.die()
      // Written down, and then nothing: the process is gone.
      world.schedule({ at: at(MINUTE + 1) })
      world.jump(1)
      world.triggers().schedules.claimDue()
      world.die()
      world.world.onStart = () => {}
      await world.triggers().wake()
      await world.until(T0 + 10 * MINUTE)
      expect(world.runs.size).toBe(count + 1)
      expect(new Set(ids.flatMap((id) => statuses(world, id)))).toEqual(new Set(['started']))
    })

    claim('start within seconds of the death of a process that was at them', async (world, expect) => {
      const hook = world.webhook()
      const id = world.schedule({ at: at(MINUTE) })
      world.world.hold = new Promise(() => {})
      void world.until(T0 + MINUTE)
      void world.deliver(hook, { n: 1 }, 'cut')
      await expect.poll(() => [...statuses(world, id), ...statuses(world, hook)]).toEqual(['pending', 'pending'])
      world.die()
      world.world.hold = null
      await world.deliver(hook, { n: 2 }, 'after')
      await world.until(T0 + MINUTE + 4_000)
      expect([...statuses(world, id), ...statuses(world, hook)]).toEqual(['started', 'started', 'started'])
      expect(world.runs.size).toBe(3)
    })

    claim('fire again and again, and no more when they are over or switched off', async (world, expect) => {
      const every = world.schedule({ every_ms: 10 * MINUTE, overlap: 'allow' })
      const once = world.schedule({ at: at(5 * MINUTE) })
      const cron = world.schedule({ cron: '*/30 * * * *', overlap: 'allow' })
      await world.until(T0 + 60 * MINUTE)
      expect([every, once, cron].map((id) => world.log(id).length)).toEqual([6, 1, 2])
      const over = world.triggers().schedules.get(once)
      expect(over.ok && over.value.next).toBeNull()
      world.triggers().schedules.patch(every, { enabled: false })
      await world.until(T0 + 120 * MINUTE)
      expect([every, cron].map((id) => world.log(id).length)).toEqual([6, 4])
      world.triggers().schedules.patch(every, { enabled: true, every_ms: 30 * MINUTE })
      await world.until(T0 + 180 * MINUTE)
      expect(world.log(every).map(({ facts }) => facts.due)).toEqual(
        [180, 150, 60, 50, 40, 30, 20, 10].map((minutes) => T0 + minutes * MINUTE),
      )
    })

    claim('that were missed are made up for once, or skipped', async (world, expect) => {
      const once = world.schedule({ every_ms: 10 * MINUTE })
      const skip = world.schedule({ every_ms: 10 * MINUTE, missed: 'skip' })
      world.jump(35 * MINUTE)
      await world.until(T0 + 35 * MINUTE)
      expect([statuses(world, once), statuses(world, skip)]).toEqual([['started'], ['missed']])
      await world.until(T0 + 40 * MINUTE)
      expect([statuses(world, once), statuses(world, skip)]).toEqual([
        ['started', 'started'],
        ['started', 'missed'],
      ])
    })

    claim('whose last run still goes are skipped, or interrupt it, or mind nothing', async (world, expect) => {
      const ids = (['skip', 'interrupt', 'allow'] as const).map((overlap) =>
        world.schedule({ every_ms: 10 * MINUTE, overlap }),
      )
      await world.until(T0 + 10 * MINUTE)
      const first = ids.map((id) => world.log(id)[0]?.sessionId ?? '')
      for (const id of first) world.world.busy.add(id)
      await world.until(T0 + 20 * MINUTE)
      expect(ids.map((id) => statuses(world, id)[0])).toEqual(['skipped', 'started', 'started'])
      expect(world.world.cancelled).toEqual([first[1]])
    })

    claim('go on in one session if they are to, and in a new one when it is gone', async (world, expect) => {
      const id = world.schedule({ every_ms: 10 * MINUTE, session: 'same' })
      await world.until(T0 + 20 * MINUTE)
      const [second, first] = world.log(id).map(({ sessionId }) => sessionId ?? '')
      expect(second).toBe(first)
      world.world.gone.add(first ?? '')
      await world.until(T0 + 40 * MINUTE)
      const [fourth, third] = world.log(id).map(({ sessionId }) => sessionId)
      expect(third).not.toBe(first)
      expect(fourth).toBe(third)
    })

    claim('with jitter fire later by no more than it, and are due when they were', async (world, expect) => {
      const id = world.schedule({ every_ms: 10 * MINUTE, jitter_ms: 4 * MINUTE, overlap: 'allow' })
      await world.until(T0 + 25 * MINUTE)
      expect(world.log(id).map(({ facts, time }) => [facts.due, time])).toEqual([
        [T0 + 20 * MINUTE, T0 + 22 * MINUTE],
        [T0 + 10 * MINUTE, T0 + 12 * MINUTE],
      ])
    })

    claim('keep so much of their log, and no more', async (world, expect) => {
      const { runsMax } = LIMITS.trigger
      const id = world.schedule({ every_ms: MINUTE, overlap: 'allow' })
      await world.until(T0 + (runsMax + 7) * MINUTE)
      expect(world.runs.size).toBe(runsMax + 7)
      const log = world.log(id)
      expect([log.length, log[0]?.facts.due]).toEqual([runsMax, T0 + (runsMax + 7) * MINUTE])
    })

    claim('that are deleted start nothing, not even what was written down', async (world, expect) => {
      const id = world.schedule({ at: at(MINUTE) })
      world.jump(MINUTE)
      world.triggers().schedules.claimDue()
      expect(world.triggers().schedules.remove(id).ok).toBe(true)
      await world.until(T0 + 10 * MINUTE)
      expect(world.runs.size).toBe(0)
    })
  })

  describe('deliveries', () => {
    claim('with repeats among them start as many runs as there are different ones', async (world, expect) => {
      const count = Math.round(1_000 * scale)
      const different = Math.round(700 * scale)
      const id = world.webhook()
      const sendings = Array.from({ length: count }, (_, n) => n % different)
      const answers = await Promise.all(sendings.map((n) => world.deliver(id, { n }, `delivery-${n}`)))
      expect(answers.every(({ ok: isOk }) => isOk)).toBe(true)
      expect(world.runs.size).toBe(different)
      const sum = world.log(id).reduce((all, { repeats }) => all + repeats, 0)
      expect([Math.min(world.log(id).length, 1_000), sum]).toEqual([different, count - different])
    })

    claim('that died with their process are told of by whoever starts their runs, once', async (world, expect) => {
      const hook = world.webhook()
      world.world.hold = new Promise(() => {})
      for (const n of [1, 2]) void world.deliver(hook, { n }, `delivery-${n}`)
      await expect.poll(() => statuses(world, hook)).toEqual(['pending', 'pending'])
      world.die()
      world.world.hold = null
      const began = async (n: number) => {
        const answer = await world.deliver(hook, { n }, `delivery-${n}`)
        return answer.ok && answer.value.outcome === 'accepted' && answer.value.began
      }
      expect([await began(1), await began(1)]).toEqual([true, false])
      await world.until(world.now() + MINUTE)
      expect(await began(2)).toBe(false)
      expect(world.late).toEqual([world.log(hook).find(({ facts }) => facts.deliveryId === 'delivery-2')?.id])
    })

    claim('that cannot be proved push nothing out of the log', async (world, expect) => {
      const id = world.webhook()
      await world.deliver(id, { n: 1 }, 'good')
      const { refusedMax, refusedPerMinuteMax } = LIMITS.trigger
      for (let minute = 0; minute < 4; minute++, world.jump(MINUTE))
        for (let n = 0; n < refusedPerMinuteMax + 5; n++) await world.deliver(id, { n }, `bad-${n}`, 'wrong')
      const log = statuses(world, id)
      expect(log.filter((status) => status === 'refused')).toHaveLength(refusedMax)
      expect(log.filter((status) => status === 'started')).toHaveLength(1)
    })

    claim('that cannot be proved stay in the log when others follow in a new process', async (world, expect) => {
      const id = world.webhook()
      for (let n = 0; n < 3; n++) {
        await world.deliver(id, { n }, `bad-${n}`, 'wrong')
        world.die()
      }
      expect(statuses(world, id)).toEqual(['refused', 'refused', 'refused'])
    })

    claim('that their session refused may be sent again, and start then', async (world, expect) => {
      const id = world.webhook()
      world.world.refusal = { code: 'queue_full', messagesMax: 1 }
      expect(await world.deliver(id, { n: 1 }, 'd')).toMatchObject({ ok: false, error: { code: 'queue_full' } })
      expect(statuses(world, id)).toEqual(['failed'])
      world.world.refusal = null
      expect(await world.deliver(id, { n: 1 }, 'd')).toMatchObject({ ok: true, value: { outcome: 'accepted' } })
      expect(statuses(world, id)).toEqual(['started'])
    })

    claim('wake what waits for their key, once, and start no run beside', async (world, expect) => {
      const id = world.webhook({ session_key_template: 'k-{{body.n}}' })
      world.world.waiting.set('k-1', [
        { sessionId: 'ses_a', pendingId: 'pnd_a' },
        { sessionId: 'ses_b', pendingId: 'pnd_b' },
      ])
      expect(await world.deliver(id, { n: 1 }, 'd')).toMatchObject({ ok: true, value: { sessionId: 'ses_a' } })
      await world.deliver(id, { n: 1 }, 'd')
      expect(world.world.delivered).toEqual([
        ['ses_a', '1'],
        ['ses_b', '1'],
      ])
      expect(world.world.tasks).toEqual([])
      expect(world.log(id)).toMatchObject([{ status: 'started', repeats: 1, sessionId: 'ses_a' }])
      await world.deliver(id, { n: 2 }, 'other')
      expect(world.world.tasks).toEqual(['2'])
    })

    claim(
      'are given again to those that waited when the process died in between, and to nobody else',
      async (world, expect) => {
        const id = world.webhook({ session_key_template: 'k' })
        world.world.waiting.set('k', [{ sessionId: 'ses_a', pendingId: 'pnd_a' }])
        let isLost = true
        world.world.onStart = (when) => {
          if (when === 'after' && isLost) throw new Error('the answer was lost')
        }
        await world.deliver(id, { n: 1 }, 'd')
        world.world.waiting.clear()
        isLost = false
        world.die()
        await world.until(T0 + 60 * MINUTE)
        expect([world.runs.size, world.world.tasks]).toEqual([1, []])
        expect(statuses(world, id)).toEqual(['started'])
      },
    )

    claim('start a run where who waited was answered meanwhile', async (world, expect) => {
      const id = world.webhook({ session_key_template: 'k' })
      world.world.waiting.set('k', [{ sessionId: 'ses_a', pendingId: 'pnd_a' }])
      world.gone.add('ses_a')
      await world.deliver(id, { n: 1 }, 'd')
      expect([world.world.delivered, world.world.tasks]).toEqual([[], ['1']])
    })

    claim('are given up when their session cannot be reached again and again', async (world, expect) => {
      const id = world.webhook()
      world.world.onStart = () => {
        throw new Error('nobody there')
      }
      expect(await world.deliver(id, { n: 1 }, 'd')).toMatchObject({ ok: false, error: { code: 'unavailable' } })
      await world.until(T0 + 60 * MINUTE)
      expect(statuses(world, id)).toEqual(['failed'])
      expect(world.runs.size).toBe(0)
    })
  })

  claim('asking for what was never made writes nothing', async (world, expect, db) => {
    const triggers = world.triggers()
    expect(triggers.webhooks.get('whk_x').ok).toBe(false)
    expect(triggers.webhooks.list(PAGE)).toEqual([])
    expect((await world.deliver('whk_x', {}, 'd')).ok).toBe(false)
    await triggers.wake()
    expect(db.all("SELECT name FROM sqlite_master WHERE name = 'triggers'")).toEqual([])
  })
  claim('of a log what is old goes with what comes', async (world, expect) => {
    const id = world.webhook()
    await world.deliver(id, { n: 1 }, 'old')
    world.jump(400 * 24 * 60 * MINUTE)
    await world.deliver(id, { n: 2 }, 'new')
    expect(world.log(id).map(({ facts }) => facts.deliveryId)).toEqual(['new'])
  })
}
