import { describe, type ExpectStatic, test } from 'vitest'
import { Trail, type TrailPorts } from '../../src/audit/trail.ts'
import { type AuditAct, AUDIT_LIMITS, auditEntry, type AuditFact } from '../../src/domain/audit.ts'
import { canonicalJson } from '../../src/lib/hash.ts'
import { AUDIT_SCHEMA } from '../../src/store/audit.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrate.ts'

/** Runs `work` with a database that nobody has used. */
type WithDatabase = (work: (db: Database) => Promise<void>) => Promise<void>

const START = Date.parse('2026-03-10T12:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const fact = (action: string, more: Partial<AuditFact> = {}): AuditFact => ({
  actor: { kind: 'key', id: 'ops' },
  action,
  target: 'ses_1',
  outcome: 'done',
  status: 200,
  request_id: 'req_1',
  details: {},
  ...more,
})

interface Scene {
  db: Database
  trail: Trail
  clock: { now: number }
  /** The trail as a process sees it that starts now. */
  restarted: (ports?: Partial<TrailPorts>) => Trail
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What the audit of a tenant promises on any SQLite. */
export function auditSuite(withDatabase: WithDatabase): void {
  const claim = (name: string, body: (scene: Scene, expect: ExpectStatic) => Promise<void>) =>
    test(name, ({ expect }) =>
      withDatabase(async (db) => {
        migrate(db, AUDIT_SCHEMA)
        const clock = { now: START }
        const restarted = (ports: Partial<TrailPorts> = {}) =>
          new Trail({ db, now: () => clock.now, since: clock.now, retentionDays: null, ...ports })
        await body({ db, trail: restarted(), clock, restarted }, expect)
      }),
    )
  const all = async (trail: Trail) => (await trail.list(null, {}, 100)).toReversed()
  const broken = async (trail: Trail) => (await trail.walk(0)).broken

  describe('the chain', () => {
    claim('holds each entry to the one before, and anybody can compute it', async ({ trail }, expect) => {
      await Promise.all([trail.record(fact('a.one')), trail.record(fact('a.two')), trail.record(fact('a.three'))])
      const entries = await all(trail)
      expect(entries.map(({ action }) => action)).toEqual(['a.one', 'a.two', 'a.three'])
      let before = '0'.repeat(64)
      for (const entry of entries) {
        const { prev_hash: prev, hash, ...rest } = auditEntry.parse(entry)
        expect(prev).toBe(before)
        expect(hash).toBe(await sha256(`${prev}\n${canonicalJson(rest)}`))
        before = hash
      }
      expect(await trail.walk(0)).toMatchObject({ broken: null, checked: 3, done: true, head: { hash: before } })
    })

    claim('is walked in bounded steps', async ({ trail }, expect) => {
      const count = AUDIT_LIMITS.entriesPerStep + 3
      for (let n = 0; n < count; n++) await trail.record(fact('a.step'))
      const first = await trail.walk(0)
      expect(first).toMatchObject({ checked: AUDIT_LIMITS.entriesPerStep, done: false, broken: null })
      expect(await trail.walk(first.seq)).toMatchObject({ checked: 3, done: true, broken: null })
    })

    const scene = async (trail: Trail) => {
      for (const action of ['a.one', 'a.two', 'a.three', 'a.four']) await trail.record(fact(action))
      return all(trail)
    }

    claim('shows the first entry that was changed', async ({ db, trail }, expect) => {
      const [, two] = await scene(trail)
      db.all(`UPDATE audit SET entry = replace(entry, '"a.two"', '"a.ten"') WHERE seq = 2`)
      expect(await broken(trail)).toEqual({ id: two?.id, reason: 'hash does not fit the entry' })
    })

    claim('shows where one was taken out, or put in with a hash of its own', async ({ db, trail }, expect) => {
      const [, , three, four] = await scene(trail)
      db.all('DELETE FROM audit WHERE seq = 2')
      expect(await broken(trail)).toMatchObject({ id: three?.id })
      db.all('UPDATE audit SET seq = seq - 1 WHERE seq = 3')
      expect(await broken(trail)).toMatchObject({ id: three?.id, reason: expect.stringContaining('prev_hash') })
      expect(four).toBeDefined()
    })

    claim('shows that its end was cut off', async ({ db, trail }, expect) => {
      await scene(trail)
      db.all('DELETE FROM audit WHERE seq = 4')
      expect(await broken(trail)).toMatchObject({ reason: expect.stringContaining('end of the chain') })
    })

    claim('shows that its end was cut off, with what told where it was', async ({ db, trail }, expect) => {
      await scene(trail)
      db.all('DELETE FROM audit WHERE seq = 4')
      db.all("DELETE FROM audit_ends WHERE name = 'head'")
      expect(await broken(trail)).toMatchObject({ reason: expect.stringContaining('end of the chain') })
    })

    claim('shows an entry that cannot be read any more', async ({ db, trail }, expect) => {
      const [, two] = await scene(trail)
      for (const text of ['garbage', 'null', '"a.two"', '{}']) {
        db.all('UPDATE audit SET entry = ? WHERE seq = 2', text)
        expect(await broken(trail)).toMatchObject({ id: two?.id })
      }
      db.all("UPDATE audit SET entry = 'garbage' WHERE seq = 4")
      expect(await trail.walk(0)).toMatchObject({ broken: { id: two?.id }, head: null })
    })

    claim('shows an entry that no filter finds by what it says', async ({ db, trail }, expect) => {
      const [, two] = await scene(trail)
      for (const column of ['id', 'time', 'actor', 'action', 'target']) {
        const [kept] = db.all<Record<string, string | number>>(`SELECT ${column} AS value FROM audit WHERE seq = 2`)
        db.all(`UPDATE audit SET ${column} = '0' WHERE seq = 2`)
        expect(await broken(trail)).toEqual({ id: two?.id, reason: 'it is not filed by what it says' })
        db.all(`UPDATE audit SET ${column} = ? WHERE seq = 2`, kept?.['value'] ?? null)
      }
      expect(await broken(trail)).toBeNull()
    })

    claim('goes on behind what was there before a restart', async ({ trail, restarted }, expect) => {
      await trail.record(fact('a.one'))
      await restarted().record(fact('a.two'))
      expect(await restarted().walk(0)).toMatchObject({ checked: 2, broken: null })
    })

    claim('loses its oldest entries by age, and hangs on the newest of them', async ({ clock, restarted }, expect) => {
      const trail = restarted({ retentionDays: 10 })
      await trail.record(fact('a.old'))
      await trail.record(fact('a.old'))
      clock.now += 6 * DAY
      await trail.record(fact('a.young'))
      clock.now += 6 * DAY
      await trail.record(fact('a.new'))
      expect((await all(trail)).map(({ action }) => action)).toEqual(['a.young', 'a.new'])
      expect(await trail.walk(0)).toMatchObject({ checked: 2, broken: null, expired: 2 })
    })
  })

  describe('acts that sessions tell', () => {
    const act = (id: string, time = START): AuditAct => ({
      id: `aud_${id}`,
      time: new Date(time).toISOString(),
      ...fact(`a.${id}`),
    })

    claim('are entries of the chain under their ids and times, once', async ({ trail, restarted }, expect) => {
      await trail.add([act('one'), act('two', START - 5)])
      await trail.record(fact('a.other'))
      await restarted().add([act('two', START - 5), act('three'), act('three')])
      const entries = await all(trail)
      expect(entries.map(({ action }) => action)).toEqual(['a.one', 'a.two', 'a.other', 'a.three'])
      expect(entries[1]).toMatchObject(act('two', START - 5))
      expect(await trail.walk(0)).toMatchObject({ checked: 4, broken: null })
    })

    claim('late leave the chain whole when the oldest go', async ({ clock, restarted }, expect) => {
      const trail = restarted({ retentionDays: 10 })
      await trail.record(fact('a.first'))
      clock.now += 6 * DAY
      await trail.add([act('young', clock.now), act('late', START)])
      clock.now += 5 * DAY
      await trail.record(fact('a.new'))
      expect((await all(trail)).map(({ action }) => action)).toEqual(['a.young', 'a.late', 'a.new'])
      expect(await trail.walk(0)).toMatchObject({ broken: null, expired: 1 })
    })

    claim('from before the oldest that is kept were there, and are gone', async ({ clock, restarted }, expect) => {
      const trail = restarted({ retentionDays: 10 })
      clock.now += 11 * DAY
      await trail.add([act('old')])
      expect(await all(trail)).toEqual([])
    })
  })

  describe('an act', () => {
    claim('is one entry, with how it ended', async ({ trail }, expect) => {
      const id = trail.open(fact('a.one', { status: null }))
      await trail.close(id, fact('a.one', { status: 201, target: 'ses_9' }))
      expect(await all(trail)).toMatchObject([{ action: 'a.one', outcome: 'done', status: 201, target: 'ses_9' }])
    })

    claim('that changed nothing leaves nothing', async ({ trail, restarted }, expect) => {
      await trail.close(trail.open(fact('a.one')), null)
      expect(await all(restarted())).toEqual([])
    })

    claim(
      'over which the process died is told to be interrupted, once',
      async ({ trail, clock, restarted }, expect) => {
        trail.open(fact('a.one'))
        expect(await all(trail)).toEqual([])
        clock.now += 1
        const again = restarted()
        expect(await all(again)).toMatchObject([{ action: 'a.one', outcome: 'interrupted', status: null }])
        expect(await all(restarted())).toHaveLength(1)
        expect(await again.walk(0)).toMatchObject({ checked: 1, broken: null })
      },
    )

    claim('goes on although the object of the audit has rested', async ({ trail, clock, restarted }, expect) => {
      const id = trail.open(fact('a.one'))
      clock.now += 1
      const awake = restarted({ since: START })
      expect(await all(awake)).toEqual([])
      await awake.close(id, fact('a.one'))
      expect(await all(awake)).toMatchObject([{ action: 'a.one', outcome: 'done' }])
    })

    claim('that nobody ended for long is told to be interrupted', async ({ trail, clock }, expect) => {
      trail.open(fact('a.one'))
      clock.now += AUDIT_LIMITS.openMsMax + 1
      expect(await all(trail)).toMatchObject([{ outcome: 'interrupted' }])
    })
  })

  describe('refusals', () => {
    claim('are so many a minute; the others are counted in the next', async ({ trail, clock }, expect) => {
      const no = fact('a.no', { outcome: 'refused', status: 403 })
      for (let n = 0; n < AUDIT_LIMITS.refusalsPerMinuteMax; n++) expect(await trail.refuse(no)).toBe(0)
      expect(await trail.refuse(no)).toBe(START + MINUTE)
      expect(await trail.refuse(no)).toBe(START + MINUTE)
      clock.now += MINUTE
      expect(await trail.refuse(no)).toBe(0)
      const entries = await all(trail)
      expect(entries).toHaveLength(AUDIT_LIMITS.refusalsPerMinuteMax + 1)
      expect(entries.at(-1)?.details).toEqual({ refusals_not_listed: 2 })
    })
  })

  describe('a list', () => {
    claim(
      'is filtered by time, actor, action and target, and goes on behind an id',
      async ({ trail, clock }, expect) => {
        await trail.record(fact('a.one', { target: 'x' }))
        clock.now += DAY
        await trail.record(fact('a.two', { actor: { kind: 'jwt', id: 'li' } }))
        await trail.record(fact('a.two'))
        const actions = async (filter: Parameters<Trail['list']>[1], cursor: string | null = null, limit = 10) =>
          (await trail.list(cursor, filter, limit)).map(({ action }) => action)
        expect(await actions({})).toEqual(['a.two', 'a.two', 'a.one'])
        expect(await actions({ actor: 'li' })).toEqual(['a.two'])
        expect(await actions({ action: 'a.one' })).toEqual(['a.one'])
        expect(await actions({ target: 'x' })).toEqual(['a.one'])
        expect(await actions({ from: START + DAY })).toEqual(['a.two', 'a.two'])
        expect(await actions({ to: START + DAY })).toEqual(['a.one'])
        const [, second] = await trail.list(null, {}, 2)
        expect(await actions({}, second?.id ?? null)).toEqual(['a.one'])
        expect(await actions({}, 'aud_00000000000000000000000000')).toEqual([])
      },
    )
  })
}
