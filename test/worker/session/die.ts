import { reduce } from '../../../src/orchestrators/all.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { SessionRecord } from '../../../src/domain/session.ts'
import { newState } from '../../../src/domain/state.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { isActive } from '../../../src/log/branches.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import type { Play } from '../../support/play.ts'
import { exported } from '../../support/session-claims/documents.ts'
import { within } from './worker-home.ts'

/** The isolate of a session dies; whoever waits is told so by the platform. */
export async function die({ id }: { id: string }): Promise<void> {
  await within(id, (_object, state) => state.abort('the isolate died')).catch(() => {})
}

/** The isolate dies when the log is as long as this; what came later was never written. */
export async function dieAfter({ id }: { id: string }, events: readonly SessionEvent[]): Promise<void> {
  await within(id, async (_object, { storage }) => {
    const record = storage.sql.exec<{ value: string }>("SELECT value FROM facts WHERE key = 'record'").one().value
    await storage.deleteAll()
    const log = sqliteLog(objectDatabase(storage), reduce)
    log.append({ events: [], state: newState(0), record: JSON.parse(record) as SessionRecord })
    log.append({ events: [...events], state: reduce(newState(0), events) })
  })
  await die({ id })
}

/** The log as it was at the end of each record after which a move was to come. */
export async function logsBetweenMoves(play: Play): Promise<SessionEvent[][]> {
  const { events, records } = await exported(play)
  const logs = records.slice(1).map(({ seq }) => events.slice(0, seq - 1))
  return logs.filter((log) => isActive(reduce(newState(0), log)))
}

/** The tests that share the places of one log, so that each stays far from its time-out. */
export const QUARTERS = [1, 2, 3, 4] as const

/** Every fourth. */
export const ofQuarter = <T>(all: readonly T[], quarter: number): T[] =>
  all.filter((_, index) => index % QUARTERS.length === quarter - 1)
