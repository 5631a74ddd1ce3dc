import { describe, test } from 'vitest'
import type { AuditAct } from '../../../src/domain/audit.ts'
import { USER_JOB_LIMITS } from '../../../src/domain/user-job.ts'
import { sqliteMemory } from '../../../src/memory/sqlite-memory.ts'
import type { UserData, UserJobPorts } from '../../../src/memory/user-job-steps.ts'
import { type JobOrder, UserJobs } from '../../../src/memory/user-jobs.ts'
import { readAllText, textStream } from '../../../src/lib/streams.ts'
import { nodeDatabase } from '../../support/node-database.ts'

const START = Date.parse('2026-11-22T10:00:00Z')
const ACTOR = { kind: 'key', id: 'ops' } as const
const orderOf = (type: JobOrder['type'], user = 'li'): JobOrder => ({ type, tenant: 'acme', user, actor: ACTOR })
const SESSIONS = Array.from(
  { length: USER_JOB_LIMITS.sessionsPerStep + 2 },
  (_, n) => `ses_${String(n).padStart(3, '0')}`,
)

/** A tenant with sessions of one user, and a process that can die in any call that leaves its object. */
class World {
  readonly db = nodeDatabase()
  readonly sessions = new Map<string, string>(SESSIONS.map((id) => [id, '2026-11-22T09:00:00.000Z']))
  readonly acts: AuditAct[] = []
  usage = 150
  now = START
  due = Infinity
  calls = 0
  dieAt = Infinity
  readonly reports: unknown[] = []
  jobs = this.restarted()

  /** Another process on the same data. */
  restarted(): UserJobs {
    const ports: UserJobPorts = {
      db: this.db,
      now: () => this.now,
      alarm: async (time) => void (this.due = time),
      of: () => this.#data,
      report: (error) => this.reports.push(error),
    }
    return new UserJobs(ports)
  }

  /** Its effect is there, its answer never comes. */
  async #called<T>(effect: () => T): Promise<T> {
    const done = effect()
    return ++this.calls === this.dieAt ? new Promise<never>(() => {}) : done
  }

  readonly #data: UserData = {
    sessions: (user, cursor) =>
      this.#called(() => {
        const all = [...this.sessions].map(([id, start_time]) => ({ id, start_time })).toReversed()
        const found = all.filter(({ id }) => user === 'li' && (cursor === null || id < cursor))
        const data = found.slice(0, 20)
        return { data, nextCursor: found.length > data.length ? (data.at(-1)?.id ?? null) : null }
      }),
    exportSession: (id) => this.#called(() => (this.sessions.has(id) ? textStream([`{"id":"${id}"}`].values()) : null)),
    links: () => this.#called(() => []),
    removeSession: (id) => this.#called(() => this.sessions.delete(id)),
    usage: (_user, cursor) =>
      this.#called(() => {
        const from = Number(cursor ?? 0)
        const data = Array.from({ length: Math.min(100, this.usage - from) }, (_, n) => ({ n: from + n }))
        return { data, nextCursor: from + 100 < this.usage ? String(from + 100) : null }
      }),
    forgetUser: () =>
      this.#called(() => {
        const were = { usage_rows: this.usage, links: 0 }
        this.usage = 0
        return were
      }),
    tell: (act) => this.#called(() => void (this.acts.some(({ id }) => id === act.id) || this.acts.push(act))),
  }

  remember(): void {
    const memory = sqliteMemory(this.db, () => this.now)
    memory.put('li', { key: 'tone', value: 'brief' })
    const run = { task: 'Where is it?', result: 'There', status: 'completed', time: START, untrusted: false } as const
    memory.save('li', [{ ...run, runId: 'run_1', sessionId: 'ses_000' }])
    memory.save('li', [{ ...run, runId: 'run_2', sessionId: 'ses_gone' }])
  }

  get remembered() {
    const memory = sqliteMemory(this.db, () => this.now)
    const all = { limit: 100 }
    return [memory.preferences(all), memory.rounds(all), memory.tasks(all)].map(({ data }) => data.length)
  }

  /** The alarm rings until nothing is due. Where the process dies in it, it is started anew and the alarm rings again. */
  async work(): Promise<void> {
    while (this.due <= this.now) {
      const at = this.due
      this.due = Infinity
      const over = this.jobs.wake().then(() => true)
      const died = new Promise<false>((resolve) => {
        const look = () => (this.calls >= this.dieAt ? resolve(false) : setImmediate(look))
        look()
      })
      if (await (this.dieAt === Infinity ? over : Promise.race([over, died]))) continue
      this.dieAt = Infinity
      this.jobs = this.restarted()
      this.due = at
    }
  }

  async exported(): Promise<{ type: string; [more: string]: unknown }[]> {
    const { outcome, job } = await this.jobs.ask(orderOf('export'))
    const bytes = outcome === 'completed' ? this.jobs.read(job.id) : null
    const text = bytes && (await readAllText(bytes, 2 ** 30))
    return (text ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
}

describe('an erasure', () => {
  test('takes sessions, memory, usage by name, and tells the audit all that it took', async ({ expect }) => {
    const world = new World()
    world.remember()
    const asked = await world.jobs.ask(orderOf('erase'))
    expect(asked).toMatchObject({ outcome: 'in_progress', job: { status: 'in_progress', counts: { sessions: 0 } } })
    await world.work()
    expect([world.sessions.size, world.usage, world.remembered]).toEqual([0, 0, [0, 0, 0]])
    const counts = { sessions: SESSIONS.length, conversations: 2, tasks: 2, preferences: 1, links: 0, usage_rows: 150 }
    expect(await world.jobs.list()).toMatchObject([{ id: asked.job.id, status: 'completed', counts, error: null }])
    expect(world.acts).toMatchObject([{ action: 'user.erased', target: 'li', actor: ACTOR, details: counts }])
  })

  test('that dies in any of its calls is done all the same, counted once and told once', async ({ expect }) => {
    const whole = new World()
    whole.remember()
    await whole.jobs.ask(orderOf('erase'))
    await whole.work()
    expect(whole.calls).toBeGreaterThan(SESSIONS.length)
    for (let dieAt = 1; dieAt <= whole.calls; dieAt++) {
      const world = new World()
      world.remember()
      world.dieAt = dieAt
      await world.jobs.ask(orderOf('erase'))
      await world.work()
      expect([dieAt, world.sessions.size, world.usage, world.remembered]).toEqual([dieAt, 0, 0, [0, 0, 0]])
      expect(await world.jobs.list()).toMatchObject([{ status: 'completed', counts: { sessions: SESSIONS.length } }])
      expect(world.acts).toHaveLength(1)
    }
  })

  test('whose process died goes on within seconds', async ({ expect }) => {
    const world = new World()
    world.dieAt = 3
    await world.jobs.ask(orderOf('erase'))
    void world.jobs.wake()
    await expect.poll(() => world.calls).toBe(world.dieAt)
    expect(world.due).toBeLessThanOrEqual(START + 4_000)
    world.now = world.due
    world.jobs = world.restarted()
    await world.work()
    expect(world.sessions.size).toBe(0)
  })

  test('leaves what began after it was asked for, and looks once more for what was not known yet', async ({
    expect,
  }) => {
    const world = new World()
    const late = 'ses_100'
    world.sessions.set('ses_900', '2026-11-22T10:00:01.000Z')
    await world.jobs.ask(orderOf('erase'))
    await world.work()
    expect([...world.sessions.keys()]).toEqual(['ses_900'])
    world.sessions.set(late, '2026-11-22T09:59:59.000Z')
    world.now = world.due
    await world.work()
    expect([...world.sessions.keys()]).toEqual(['ses_900'])
    expect(await world.jobs.list()).toMatchObject([{ status: 'completed', counts: { sessions: SESSIONS.length + 1 } }])
    expect(world.acts).toHaveLength(1)
  })

  test('is the same one when it is asked for again, and a new one after its end', async ({ expect }) => {
    const world = new World()
    const { job } = await world.jobs.ask(orderOf('erase'))
    expect(await world.jobs.ask(orderOf('erase'))).toMatchObject({ outcome: 'in_progress', job: { id: job.id } })
    expect(await world.jobs.ask(orderOf('export'))).toMatchObject({ outcome: 'other', job: { id: job.id } })
    await world.work()
    world.now++
    const again = await world.jobs.ask(orderOf('erase'))
    expect([again.outcome, again.job.id === job.id]).toEqual(['in_progress', false])
  })

  test('whose tenant cannot be reached is tried again, then failed, and goes after a week', async ({ expect }) => {
    const world = new World()
    await world.jobs.ask(orderOf('erase'))
    const broken = new UserJobs({
      db: world.db,
      now: () => world.now,
      alarm: async (time) => void (world.due = time),
      of: () => {
        throw new Error('unreachable')
      },
      report: (error) => world.reports.push(error),
    })
    for (let tried = 0; tried < USER_JOB_LIMITS.attemptsMax; tried++) {
      expect(await broken.list()).toMatchObject([{ status: 'in_progress' }])
      world.now = Math.max(world.due, world.now)
      await broken.wake()
    }
    expect(await broken.list()).toMatchObject([{ status: 'failed', error: expect.stringContaining('sessions') }])
    expect(world.reports).toHaveLength(USER_JOB_LIMITS.attemptsMax)
    world.now += USER_JOB_LIMITS.jobKeptMs
    await broken.wake()
    expect(await broken.list()).toEqual([])
  })
})

describe('an export', () => {
  test('has all of it, and is the same wherever its process dies', async ({ expect }) => {
    const whole = new World()
    whole.remember()
    await whole.jobs.ask(orderOf('export'))
    await whole.work()
    const lines = await whole.exported()
    const kinds = (type: string) => lines.filter((line) => line.type === type).length
    expect(['preference', 'conversation', 'task', 'session', 'usage'].map(kinds)).toEqual([
      1,
      2,
      2,
      SESSIONS.length,
      150,
    ])
    expect(whole.acts).toMatchObject([{ action: 'user.export', actor: ACTOR }])
    for (let dieAt = 1; dieAt <= whole.calls; dieAt++) {
      const world = new World()
      world.remember()
      world.dieAt = dieAt
      await world.jobs.ask(orderOf('export'))
      await world.work()
      expect([dieAt, await world.exported()]).toEqual([dieAt, lines])
    }
  })

  test('can be had for a day, and is gone with the person', async ({ expect }) => {
    const world = new World()
    await world.jobs.ask(orderOf('export'))
    await world.work()
    const { outcome, job } = await world.jobs.ask(orderOf('export'))
    expect([outcome, job.expires_time]).toEqual([
      'completed',
      new Date(START + USER_JOB_LIMITS.exportKeptMs).toISOString(),
    ])
    world.now++
    await world.jobs.ask(orderOf('erase'))
    await world.work()
    expect(world.db.all('SELECT part FROM user_exports')).toEqual([])
  })

  test('goes after a day', async ({ expect }) => {
    const world = new World()
    const { job } = await world.jobs.ask(orderOf('export'))
    await world.work()
    world.now = world.due
    await world.work()
    expect([world.jobs.read(job.id), await world.jobs.list()]).toMatchObject([
      null,
      [{ id: job.id, expires_time: null }],
    ])
    expect(await world.jobs.ask(orderOf('export'))).toMatchObject({ outcome: 'in_progress' })
  })
})
