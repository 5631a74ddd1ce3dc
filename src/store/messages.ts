import type { SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import type { MessageQuery, PlacedTeamMessage, TeamMessageQuery } from '../domain/ports.ts'
import type { Database, Value } from './database.ts'
import { eventsByRow } from './event-rows.ts'
import { isMade, makeForUse, type Schema, schemaOf } from './migrate.ts'

/** Of a session that has branches. (Earlier releases made it in every session.) */
export const BRANCH_SCHEMA = schemaOf([
  `CREATE INDEX IF NOT EXISTS messages_by_scope ON events (scope, seq) WHERE type = 'message';`,
])

export const TEAM_SCHEMA = schemaOf([
  `CREATE INDEX IF NOT EXISTS team_messages ON events (seq) WHERE type = 'team-message';`,
])

/** Whether what finds messages like these is there. */
export function hasIndexesFor(db: Database, events: readonly SessionEvent[]): boolean {
  const lacks = (schema: Schema, concerns: (event: SessionEvent) => boolean) =>
    events.some(concerns) && !isMade(db, schema)
  return !lacks(TEAM_SCHEMA, isOfTeam) && !lacks(BRANCH_SCHEMA, isOfBranch)
}

export function makeIndexesFor(db: Database, events: readonly SessionEvent[]): void {
  if (events.some(isOfTeam)) makeForUse(db, TEAM_SCHEMA)
  if (events.some(isOfBranch)) makeForUse(db, BRANCH_SCHEMA)
}

function isOfTeam({ type }: SessionEvent): boolean {
  return type === 'team-message'
}

function isOfBranch({ type, scope }: SessionEvent): boolean {
  return type === 'message' && scope !== null
}

/** Messages that are asked for. A row is found by the last of its events: it may hold others, and ends up to a row behind `before`. */
export function readMessages(db: Database, query: MessageQuery): Message[] {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, scope, limit, newestFirst = false } = query
  const isIndexed = scope !== undefined && isMade(db, BRANCH_SCHEMA)
  if (scope != null && !isIndexed) return []
  const { eventsPerRow } = LIMITS.store
  const conditions = ["type = 'message'", 'seq > ?', 'seq < ?', ...(scope === undefined ? [] : ['scope IS ?'])]
  const values: Value[] = [after, before + eventsPerRow - 1, ...(scope === undefined ? [] : [scope])]
  const order = newestFirst ? 'DESC' : 'ASC'
  const source = isIndexed ? 'INDEXED BY messages_by_scope' : 'NOT INDEXED'
  const from = `${source} WHERE ${conditions.join(' AND ')} ORDER BY seq ${order} LIMIT ?`
  // The newest rows may all lie behind `before`.
  const rows = limit + (newestFirst && query.before !== undefined ? eventsPerRow : 1)
  const found: Message[] = []
  for (const events of eventsByRow(db, from, ...values, rows)) {
    if (found.length >= limit) break
    for (const event of newestFirst ? events.toReversed() : events)
      if (event.type === 'message' && event.seq > after && event.seq < before) found.push(event.message)
  }
  return found.slice(0, limit)
}

export function readTeamMessages(
  db: Database,
  { after = 0, limit, newestFirst }: TeamMessageQuery,
): PlacedTeamMessage[] {
  if (!isMade(db, TEAM_SCHEMA)) return []
  const order = newestFirst ? 'DESC' : 'ASC'
  const from = `INDEXED BY team_messages WHERE type = 'team-message' AND seq > ? ORDER BY seq ${order} LIMIT ?`
  return [...eventsByRow(db, from, after, limit)]
    .flat()
    .flatMap((event) => (event.type === 'team-message' ? [{ seq: event.seq, message: event.message }] : []))
}
