import { describe, type ExpectStatic, test } from 'vitest'
import { type AuditPart, partOn, Parts } from '../../../src/audit/parts.ts'
import { Trail, type TrailPorts } from '../../../src/audit/trail.ts'
import type { AuditEntry, AuditFact } from '../../../src/domain/audit.ts'
import { AUDIT_SCHEMA, type PlacedEntry } from '../../../src/store/audit.ts'
import type { Database } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { nodeDatabase } from '../../support/node-database.ts'

const START = Date.parse('2026-03-10T12:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const fact = (action: string): AuditFact => ({
  actor: { kind: 'key', id: 'ops' },
  action,
  target: 'ses_1',
  outcome: 'done',
  status: 200,
  request_id: 'req_1',
  details: {},
})

interface Scene {
  db: Database
  clock: { now: number }
  /** The trail as a process sees it that starts now. */
  restarted: (ports?: Partial<TrailPorts>) => Trail
}

const claim = (name: string, body: (scene: Scene, expect: ExpectStatic) => Promise<void>) =>
  test(name, async ({ expect }) => {
    const db = nodeDatabase()
    migrate(db, AUDIT_SCHEMA)
    const clock = { now: START }
    const restarted = (ports: Partial<TrailPorts> = {}) =>
      new Trail({ db, now: () => clock.now, retentionDays: null, ...ports })
    await body({ db, clock, restarted }, expect)
  })

describe('the parts of a trail', () => {
  /** A trail whose parts have three entries at most, each in a database of its own within the same one. */
  const parted = (scene: Scene, databases: Map<number, Database>, dies?: (call: string) => void) => {
    const partOf = (n: number): AuditPart => {
      const db = databases.get(n) ?? nodeDatabase()
      databases.set(n, db)
      migrate(db, AUDIT_SCHEMA)
      const part = partOn(db)
      const trail = new Trail({ db, now: () => scene.clock.now, retentionDays: null })
      const keep: AuditPart['keep'] = async (before, rows) => {
        await part.keep(before, rows)
        dies?.('keep')
      }
      return { ...part, keep, walk: (after) => trail.walk(after), drop: async () => void databases.delete(n) }
    }
    return scene.restarted({ parts: new Parts(scene.db, partOf, 3), retentionDays: 400 })
  }
  const actions = async (trail: Trail) => (await trail.list(null, {}, 100)).map(({ action }) => action)
  const walked = async (trail: Trail) => {
    let checked = 0
    for (let step = await trail.walk(0); ; step = await trail.walk(step.seq)) {
      checked += step.checked
      if (step.done) return { broken: step.broken, checked, expired: step.expired }
    }
  }
  const told = async (trail: Trail, scene: Scene, count: number) => {
    for (let n = 0; n < count; n++) {
      await trail.record(fact(`a.n_${'abcdefghij'[n]}`))
      scene.clock.now += MINUTE
    }
  }

  claim('hold what is too much for one, in one chain and one list', async (scene, expect) => {
    const databases = new Map<number, Database>()
    const trail = parted(scene, databases)
    await told(trail, scene, 8)
    const before = await trail.list(null, {}, 100)
    await trail.tidy()
    expect(databases.size).toBe(2)
    expect(scene.db.all('SELECT seq FROM audit ORDER BY seq')).toEqual([{ seq: 7 }, { seq: 8 }])
    expect(await trail.list(null, {}, 100)).toEqual(before)
    expect(await walked(trail)).toEqual({ broken: null, checked: 8, expired: 0 })
    const pages: string[] = []
    for (let cursor: string | null = null; ;) {
      const page: AuditEntry[] = await trail.list(cursor, {}, 3)
      pages.push(...page.map(({ id }) => id))
      if (page.length < 3) break
      cursor = page.at(-1)?.id ?? null
    }
    expect(pages).toEqual(before.map(({ id }) => id))
    expect((await trail.list(null, { action: 'a.n_b' }, 10)).map(({ action }) => action)).toEqual(['a.n_b'])
    const lines: PlacedEntry[] = []
    for (let page = await trail.page(0, {}); page.length > 0; page = await trail.page(page.at(-1)?.seq ?? 0, {}))
      lines.push(...page)
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const again = parted(scene, databases)
    await again.record(fact('a.later'))
    expect(await walked(again)).toEqual({ broken: null, checked: 9, expired: 0 })
  })

  claim('begin with each month, and are asked for soon', async (scene, expect) => {
    const databases = new Map<number, Database>()
    let asked = 0
    const first = parted(scene, databases)
    await told(first, scene, 2)
    scene.clock.now = Date.parse('2026-04-01T00:00:00Z')
    const trail = parted(scene, databases)
    await trail.record(fact('a.april'))
    const watched = scene.restarted({
      parts: new Parts(scene.db, () => {
        throw new Error('none')
      }),
      soon: () => asked++,
    })
    await watched.record(fact('a.april_too'))
    expect(asked).toBe(1)
    await trail.tidy()
    expect(databases.size).toBe(1)
    expect(await actions(trail)).toEqual(['a.april_too', 'a.april', 'a.n_b', 'a.n_a'])
    expect(await walked(trail)).toEqual({ broken: null, checked: 4, expired: 0 })
  })

  claim('are whole when the process dies while one is copied', async (scene, expect) => {
    const databases = new Map<number, Database>()
    const trail = parted(scene, databases, () => {
      throw new Error('died')
    })
    await told(trail, scene, 5)
    await expect(trail.tidy()).rejects.toThrow('died')
    const again = parted(scene, databases)
    expect(await walked(again)).toEqual({ broken: null, checked: 5, expired: 0 })
    await again.tidy()
    expect(await walked(again)).toEqual({ broken: null, checked: 5, expired: 0 })
    expect(await actions(again)).toHaveLength(5)
  })

  claim('take an act once that was told before it went to one', async (scene, expect) => {
    const trail = parted(scene, new Map())
    const act = { ...fact('a.once'), id: 'aud_1', time: new Date(START).toISOString() }
    await trail.add([act])
    await told(trail, scene, 5)
    await trail.tidy()
    await trail.add([act])
    expect((await actions(trail)).filter((action) => action === 'a.once')).toHaveLength(1)
  })

  claim('show what was changed or taken away in one', async (scene, expect) => {
    const databases = new Map<number, Database>()
    const trail = parted(scene, databases)
    await told(trail, scene, 8)
    await trail.tidy()
    const second = databases.get(2)
    second?.all("UPDATE audit SET entry = replace(entry, 'ses_1', 'ses_2') WHERE seq = 5")
    expect((await walked(trail)).broken?.reason).toBe('hash does not fit the entry')
    second?.all('DELETE FROM audit')
    expect((await walked(trail)).broken?.reason).toMatch(/missing/)
    databases.set(2, nodeDatabase())
    expect((await walked(trail)).broken?.reason).toBe('entries of part 2 are missing')
  })

  claim('let go what is too old, and go when nothing is left', async (scene, expect) => {
    const databases = new Map<number, Database>()
    const trail = parted(scene, databases)
    await told(trail, scene, 8)
    await trail.tidy()
    scene.clock.now = START + 4 * MINUTE + 400 * DAY
    await trail.tidy()
    expect([...databases.keys()]).toEqual([2])
    expect(await walked(trail)).toEqual({ broken: null, checked: 4, expired: 4 })
  })
})
