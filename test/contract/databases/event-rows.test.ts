import { describe, test } from 'vitest'
import { newState } from '../../../src/domain/state.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import type { Session } from '../../../src/session/session.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { offline, type Said } from '../../support/offline.ts'
import { responseOf, valueOf } from '../../support/play.ts'
import { type RecordedDatabase, restore } from '../../support/recorded-database.ts'
import { TESTER } from '../../support/home.ts'
import { type Document, sessionIn } from '../../support/session-claims/documents.ts'
import recorded from './event-rows.json' with { type: 'json' }

// The session that record-databases.ts had the last release make that wrote a row an event, and kept no records. Its first run is over,
// its second waits for a decision.
const { session: rows }: { session: RecordedDatabase } = recorded
const LENGTH = rows.rows['events']?.length ?? 0
const WAIT = { form: 'wait' } as const

const finish: Said = {
  content: null,
  tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'finish', arguments: '{"reason":"Read."}' } }],
}

/** Today's code opens it. */
function opened() {
  const db = nodeDatabase()
  restore(db, rows)
  const world = offline(() => finish)
  return { engine: world.engine, db, ...world.session(sqliteLog(db, reduce)), another: () => world.session().session }
}

const exportOf = async (session: Session): Promise<Document> =>
  new Response(await valueOf(session.export(null, true))).json()

describe('a session of the release that wrote a row an event', () => {
  test('is read as that release left it', async ({ expect }) => {
    const { session, log } = opened()
    const { events } = await exportOf(session)
    expect(events.map(({ seq, type }) => [seq, type])).toEqual(rows.rows['events']?.map(({ seq, type }) => [seq, type]))
    const known = log.load()
    expect(known?.state).toEqual(reduce(newState(known?.record.createdTime ?? 0), events))
    expect(await sessionIn(session.read('all'))).toMatchObject({
      status: 'interrupted',
      pending: [{ tool: 'web_access' }],
      messages: [{ content: 'Answer' }, {}, {}, {}, { content: 'Read the page' }, {}, {}],
    })
  })

  test('goes on, in rows of today, and is opened again', async ({ expect }) => {
    const { session, log, db, engine } = opened()
    const [item] = log.load()?.state.pending ?? []
    const answer = await session.decide(item?.id ?? '', { decision: 'approve' }, { ...WAIT, decider: TESTER })
    expect(responseOf(answer)).toMatchObject({ status: 'completed', result: 'Read.' })
    const { events, records } = await exportOf(session)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(records[0]).toEqual({ seq: LENGTH + 1 })
    expect(records.some(({ move }) => move?.type === 'call-tool')).toBe(true)
    const again = sqliteLog(db, reduce)
    expect(again.events(0, 1_000)).toEqual(events)
    expect(again.load()).toEqual(log.load())
    const { decisions, ...others } = replay({ events, records }, { engine, config: log.load()?.record.config ?? {} })
    expect(others).toEqual({ unrecorded: LENGTH, differences: [] })
    expect(decisions).toBeGreaterThan(3)
  })

  test('is exported, and its copy goes on', async ({ expect }) => {
    const { session, another } = opened()
    const document = await exportOf(session)
    expect(document.records).toEqual([])
    const copy = another()
    const made = copy.import('ses_copy', 'default', new Blob([JSON.stringify(document)]).stream(), {
      bytesMax: 10_000_000,
      keepConfig: true,
    })
    expect(await sessionIn(await made)).toMatchObject({ status: 'cancelled', pending: [] })
    expect((await exportOf(copy)).events.slice(0, LENGTH)).toEqual(document.events)
    const answer = await copy.addMessage({ content: 'Once more' }, WAIT)
    expect(responseOf(answer)).toMatchObject({ status: 'completed', result: 'Read.' })
  })
})
