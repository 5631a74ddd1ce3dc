import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { LogRecord } from '../../../src/domain/log-record.ts'
import type { StagedPart } from '../../../src/domain/ports.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { Session } from '../../../src/session/session.ts'
import type { Database } from '../../../src/store/database.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { errorOf, valueOf } from '../../support/play.ts'

const { engine } = createEngine(
  { models: { m: { api_url: 'http://127.0.0.1:1', model: 'm' } }, default_model: 'm' },
  {
    publicFetch: fetch,
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: 'Node.js',
  },
)

interface Disk {
  db: Database
  now: number
  alarm: number | null
  /** What was written of sessions that did not exist yet. */
  parts: StagedPart[]
}

const disk = (): Disk => ({ db: nodeDatabase(), now: Date.parse('2026-11-22T12:00:00Z'), alarm: null, parts: [] })

const tablesOf = (db: Database) =>
  db.all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`).map(({ name }) => name)

/** A process that has the session of a disk. */
function opened(on: Disk): Session {
  const log = sqliteLog(on.db, WHOLE.reduce)
  return new Session(
    {
      log: {
        ...log,
        stage: (part) => {
          on.parts.push(part)
          log.stage(part)
        },
      },
      now: () => on.now,
      engine,
      compacts: true,
      alarm: { set: (time) => void (on.alarm = time), clear: () => void (on.alarm = null) },
      directory: { put: async () => null, remove: async () => null },
      outbox: null,
      keepAlive: (work) => void work,
      destroy: async () => {
        on.alarm = null
        for (const table of tablesOf(on.db)) on.db.script(`DROP TABLE ${table}`)
      },
      report: () => {},
    },
    NATIVE,
  )
}

const TIME = '2026-01-01T00:00:00.000Z'
const WORDS = 'White, with a red lantern. '.repeat(40)

function event(seq: number, content = WORDS): SessionEvent {
  const message = { role: 'user', kind: 'task', content, id: `m${seq}`, seq, run_id: null, scope: null } as const
  return { seq, run_id: null, scope: null, time: TIME, type: 'message', message: { ...message, created_time: TIME } }
}

const events = (count: number) => Array.from({ length: count }, (_, index) => event(index + 1))
const records = (count: number): LogRecord[] =>
  Array.from({ length: count / 2 }, (_, index) => ({ seq: 2 * index + 1, move: { type: 'end', of: index } }))

const bytes = (document: unknown) => new Blob([JSON.stringify(document)]).stream()
const taken = (session: Session, body: ReadableStream<Uint8Array>) =>
  session.import('ses_1', 'default', body, { bytesMax: LIMITS.http.importBytesMax, keepConfig: true })

/** A body whose sender stops in the middle of it, until it is told to go on. */
function stalling(document: unknown) {
  const text = JSON.stringify(document)
  const whole = new TextEncoder().encode(text)
  const goOn = Promise.withResolvers<void>()
  const half = Promise.withResolvers<void>()
  let pulls = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        pulls++
        if (pulls === 1) return controller.enqueue(whole.slice(0, whole.length * 0.9))
        half.resolve()
        await goOn.promise
        controller.enqueue(whole.slice(whole.length * 0.9))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, half: half.promise, goOn: () => goOn.resolve() }
}

async function documentOf(session: Session): Promise<{ events: SessionEvent[]; records: LogRecord[] }> {
  return new Response(await valueOf(session.export(null, true))).json()
}

const COUNT = 4_000

describe('an import of several pages', () => {
  test('holds no more than a page and a value at a time', async ({ expect }) => {
    const on = disk()
    const valueBytes = 300_000
    const messages = events(COUNT).flatMap((one) => (one.type === 'message' ? [one.message] : []))
    const results = Object.fromEntries(messages.map(({ id }) => [id, WORDS]))
    const files = Array.from({ length: 20 }, (_, index) => ({
      path: `${index}.bin`,
      data: Buffer.alloc(valueBytes, index).toString('base64'),
    }))
    const document = { session: { messages }, records: records(COUNT), events: events(COUNT), results, files }
    await valueOf(taken(opened(on), bytes(document)))
    const sizes = on.parts.map(({ files: changes = [], ...part }) =>
      changes.reduce(
        (sum, one) => sum + (one.action === 'write' ? one.bytes.byteLength : 0),
        JSON.stringify(part).length,
      ),
    )
    expect(sizes.length).toBeGreaterThan(15)
    expect(Math.max(...sizes)).toBeLessThan(LIMITS.transfer.pageCharsMax + valueBytes)
    expect(Math.max(...on.parts.map((part) => part.events?.length ?? 0))).toBeLessThanOrEqual(
      LIMITS.store.eventsPerFold,
    )
  })

  test('is whole in any order of its members, with its records, and leaves nothing beside them', async ({ expect }) => {
    const session = { title: 'T', metadata: { a: 1 } }
    const log = { events: events(COUNT) }
    const said = { records: records(COUNT) }
    const orders = [
      { session, ...said, ...log },
      { session, ...log, ...said },
      { ...log, session, ...said },
      { ...said, ...log, session },
    ]
    for (const document of orders) {
      const on = disk()
      const copy = opened(on)
      await valueOf(taken(copy, bytes(document)))
      const again = await documentOf(copy)
      expect(again.events).toEqual(log.events)
      expect(again.records).toEqual(said.records)
      const texts = on.db.all<{ key: string }>('SELECT DISTINCT key FROM texts').map(({ key }) => key)
      expect(texts).toEqual(['callbacks'])
    }
  })

  test('takes messages where there are no events, and only then', async ({ expect }) => {
    const messages = Array.from({ length: COUNT }, (_, index) => ({ role: 'user', content: `${index} ${WORDS}` }))
    const on = disk()
    const made = opened(on)
    await valueOf(taken(made, bytes({ session: { messages } })))
    expect(on.parts.length).toBeGreaterThan(3)
    expect((await valueOf(made.messages(COUNT - 2, 10))).map(({ content }) => content.slice(0, 5))).toEqual([
      `${COUNT - 2} `,
      `${COUNT - 1} `,
    ])
    const other = opened(disk())
    await valueOf(taken(other, bytes({ session: { messages }, events: [event(1, 'alone')] })))
    expect((await valueOf(other.messages(0, 10))).map(({ content }) => content)).toEqual(['alone'])
  })

  test('that is wrong at its end leaves nothing behind', async ({ expect }) => {
    const wrong: [unknown, string][] = [
      [{ session: {}, events: [...events(COUNT), { ...event(COUNT + 1), seq: 7 }] }, `events.${COUNT}.seq`],
      [{ session: {}, events: [...events(COUNT), { ...event(COUNT + 1), time: 'now' }] }, `events.${COUNT}.time`],
      [{ events: events(COUNT), session: { config: { model: 'nobody' } } }, 'session.config.model'],
      [{ session: {}, events: events(COUNT), files: [{ path: '../a', data: '' }] }, 'files.0.path'],
      [{ session: {}, events: events(COUNT), results: { a: 1 } }, 'results.a'],
      [{ events: events(COUNT) }, 'session'],
    ]
    for (const [document, path] of wrong) {
      const on = disk()
      const session = opened(on)
      const error = await errorOf(taken(session, bytes(document)))
      expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
      expect(on.parts.length, path).toBeGreaterThan(2)
      expect([tablesOf(on.db), on.alarm, session.exists], path).toEqual([[], null, false])
      await valueOf(taken(session, bytes({ session: {}, events: events(3) })))
      expect((await documentOf(session)).events).toHaveLength(3)
    }
  })

  test('that breaks off leaves nothing behind', async ({ expect }) => {
    const on = disk()
    const text = JSON.stringify({ session: {}, events: events(COUNT) })
    const cut = new Blob([text.slice(0, -2)]).stream()
    expect(await errorOf(taken(opened(on), cut))).toMatchObject({ code: 'invalid_input', issues: [{ path: '' }] })
    expect([tablesOf(on.db), on.alarm]).toEqual([[], null])
  })

  test('that is refused before its end asks its sender for no more', async ({ expect }) => {
    const cancelled = Promise.withResolvers<void>()
    const wrong = new TextEncoder().encode(`{"session":{},"events":[${'{},'.repeat(LIMITS.http.issuesMax)}`)
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(pulls++ === 0 ? wrong : new Uint8Array([0x7b])),
        cancel: () => cancelled.resolve(),
      },
      { highWaterMark: 0 },
    )
    expect(await errorOf(taken(opened(disk()), body))).toMatchObject({ code: 'invalid_input' })
    await cancelled.promise
    expect(pulls).toBe(1)
  })

  test('whose member stands there twice is refused', async ({ expect }) => {
    const list = JSON.stringify(events(2))
    for (const text of [
      `{"session":{},"events":${list},"events":${list}}`,
      `{"session":{"user":"a","user":"b"},"events":${list}}`,
    ]) {
      const on = disk()
      expect(await errorOf(taken(opened(on), new Blob([text]).stream()))).toMatchObject({ code: 'invalid_input' })
      expect(tablesOf(on.db)).toEqual([])
    }
  })
})

describe('an import whose process dies', () => {
  async function died(): Promise<Disk> {
    const on = disk()
    const { body, half } = stalling({ session: {}, events: events(COUNT) })
    void taken(opened(on), body)
    await half
    return on
  }

  test('is cleared away by the alarm that it set', async ({ expect }) => {
    const on = await died()
    expect(tablesOf(on.db)).toContain('events')
    expect(on.alarm).toBe(on.now + LIMITS.transfer.silentMs)
    await opened(on).wake()
    expect([tablesOf(on.db), on.alarm]).toEqual([[], null])
  })

  test('is cleared away by the one that is sent again', async ({ expect }) => {
    const on = await died()
    const session = opened(on)
    await valueOf(taken(session, bytes({ session: {}, events: events(5) })))
    expect((await documentOf(session)).events).toEqual(events(5))
    expect(on.db.all('SELECT seq FROM events')).toHaveLength(5)
  })
})

describe('an import that nobody hears of', () => {
  test('is left alone by the alarm while it gives signs', async ({ expect }) => {
    const on = disk()
    const session = opened(on)
    const { body, half, goOn } = stalling({ session: {}, events: events(COUNT) })
    const made = taken(session, body)
    await half
    on.now += LIMITS.transfer.silentMs - 1
    await session.wake()
    expect(on.alarm).toBe(on.now + LIMITS.transfer.silentMs)
    goOn()
    await valueOf(made)
    expect((await documentOf(session)).events).toHaveLength(COUNT)
  })

  test('gives way to another one of its id, and writes nothing any more', async ({ expect }) => {
    const on = disk()
    const session = opened(on)
    const { body, half, goOn } = stalling({ session: {}, events: events(COUNT) })
    const first = taken(session, body)
    await half
    on.now += LIMITS.transfer.silentMs
    await valueOf(taken(session, bytes({ session: {}, events: events(5) })))
    goOn()
    expect(await errorOf(first)).toEqual({ code: 'idempotency_in_progress' })
    expect((await documentOf(session)).events).toEqual(events(5))
  })
})
