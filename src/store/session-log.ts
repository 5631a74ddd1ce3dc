import type { AuditAct } from '../domain/audit.ts'
import type { SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import type {
  Append,
  Log,
  MessageQuery,
  StagedPart,
  PlacedTeamMessage,
  Successor,
  TeamMessageQuery,
} from '../domain/ports.ts'
import type { SessionRecord } from '../domain/session.ts'
import { newState, STATE_VERSION, type SessionState } from '../domain/state.ts'
import type { Database, Value } from './database.ts'
import { insertEvents, readActs, readEvents, readRecords, readSaid, addRecords } from './event-rows.ts'
import { changeFile, sqliteFiles } from './files.ts'
import { forgetMade, isMade, makeForUse, makeNew, migrateIfThere, schemaOf, transact } from './migrate.ts'
import { readRequest, writeAnswer, writeRequest } from './requests.ts'
import { deleteText, getText, putText } from './texts.ts'

/** What every session has. `facts`: the record and the state of the log. Texts, files and the index of a team are made when they are
 *  first used. */
export const SESSION_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, run_id TEXT, scope TEXT, time TEXT NOT NULL, data TEXT);`,
  // Of the first row of a record: what it says beside its events, as JSON.
  `ALTER TABLE events ADD COLUMN record TEXT;`,
])

/** Of a session that has branches. (Earlier releases made it in every session.) */
export const BRANCH_SCHEMA = schemaOf([
  `CREATE INDEX IF NOT EXISTS messages_by_scope ON events (scope, seq) WHERE type = 'message';`,
])

export const TEAM_SCHEMA = schemaOf([
  `CREATE INDEX IF NOT EXISTS team_messages ON events (seq) WHERE type = 'team-message';`,
])

/** The state after these events. */
export type Fold = (state: SessionState, events: readonly SessionEvent[]) => SessionState

/** The log of a session in SQLite. Nothing is written, tables included, before the first append. The state is written when
 *  no run is active, with each new record, and else after every `snapshotEventsMax` events: what is not in it yet is folded
 *  when it is loaded. */
export function sqliteLog(db: Database, fold: Fold): Log {
  let migrated = migrateIfThere(db, SESSION_SCHEMA)
  let snapshotSeq = 0
  let isHolding = false
  let held: Append | null = null
  /** Why what was held could not be written: then nothing that is held with it is. */
  let lost: { error: unknown } | null = null
  /** In one transaction, with the tables where there are none yet. */
  const writeTables = (work: () => void) => {
    transact(db, () => {
      if (!migrated) makeNew(db, SESSION_SCHEMA)
      work()
    })
    migrated = true
  }
  const writeNow = (append: Append) => {
    const { state, record } = append
    const isDue = state.lastSeq - snapshotSeq >= LIMITS.store.snapshotEventsMax
    const isSnapshot = isDue || record !== undefined || state.run?.phase !== 'active'
    writeTables(() => write(db, append, isSnapshot))
    if (isSnapshot) snapshotSeq = state.lastSeq
  }
  const writeHeld = () => {
    const append = held
    held = null
    if (!append) return
    try {
      writeNow(append)
    } catch (error) {
      if (isHolding) lost = { error }
      throw error
    }
  }
  const ifMigrated = <T>(empty: T, read: () => T): T => {
    writeHeld()
    return migrated ? read() : empty
  }
  return {
    load: () => ifMigrated(null, () => load(db, fold)),
    append: (append) => {
      if (lost) throw lost.error
      if (held && !mayJoin(held, append)) writeHeld()
      held = held ? joined(held, append) : append
      if (!isHolding) writeHeld()
    },
    hold: () => {
      isHolding = true
    },
    flush: () => {
      isHolding = false
      const failed = lost
      lost = null
      if (failed) throw failed.error
      writeHeld()
    },
    stage: (part) => {
      writeHeld()
      writeTables(() => writePart(db, part))
    },
    hasLeftovers: () => migrated && readFact(db, 'record') === null,
    events: (after, limit, types) => ifMigrated([], () => readEvents(db, after, limit, types)),
    records: (after, limit) => ifMigrated([], () => readRecords(db, after, limit)),
    messages: (query) => ifMigrated([], () => readMessages(db, query)),
    teamMessages: (query) => ifMigrated([], () => readTeamMessages(db, query)),
    text: (key) => ifMigrated(null, () => getText(db, key)),
    files: sqliteFiles(db, () => ifMigrated(false, () => true)),
    request: (key) => ifMigrated(null, () => readRequest(db, key)),
    keepAnswer: (key, answer) => {
      writeHeld()
      transact(db, () => writeAnswer(db, key, answer))
    },
    successor: () => ifMigrated(null, () => readFact<Successor>(db, 'successor')),
    keepSuccessor: (successor) => {
      writeHeld()
      writeTables(() => writeFact(db, 'successor', successor))
    },
    clear: () => {
      held = null
      lost = null
      forgetMade(db)
      migrated = false
    },
  }
}

/** A file says at which seq it was written, and one request is kept with its own effect: nothing is joined behind these. */
function mayJoin({ files, request }: Append, next: Append): boolean {
  return !files?.length && !(request && next.request)
}

/** Two appends as one. */
function joined(first: Append, next: Append): Append {
  const record = next.record ?? first.record
  const request = next.request ?? first.request
  return {
    ...next,
    events: [...first.events, ...next.events],
    records: [...(first.records ?? []), ...(next.records ?? [])],
    texts: [...(first.texts ?? []), ...(next.texts ?? [])],
    ...(record ? { record } : {}),
    ...(request ? { request } : {}),
  }
}

/** The state as it is stored, with the acts that had not been told by then. */
type StoredState = SessionState & { acts?: readonly AuditAct[] }

function load(db: Database, fold: Fold): ReturnType<Log['load']> {
  const record = readFact<SessionRecord>(db, 'record')
  const stored = readFact<StoredState>(db, 'state')
  if (!record || !stored) return null
  const { acts = [], ...state } = stored
  // What an earlier release could not take up, this one may.
  if (state.version !== STATE_VERSION || state.needsNewer) {
    const anew = foldedAnew(db, fold, record.createdTime)
    return { record, state: anew, acts: [...acts, ...readActs(db, state.lastSeq)] }
  }
  const since = readEvents(db, state.lastSeq, LIMITS.store.snapshotEventsMax)
  if (since.length === 0) return { record, state, acts }
  return { record, state: fold(state, since), acts: [...acts, ...readActs(db, state.lastSeq)] }
}

/** The whole log, a bounded page at a time. */
function foldedAnew(db: Database, fold: Fold, createdTime: number): SessionState {
  let state = newState(createdTime)
  for (;;) {
    const page = readEvents(db, state.lastSeq, LIMITS.store.eventsPerFold)
    if (page.length === 0) return state
    state = fold(state, page)
  }
}

function readFact<T>(db: Database, key: string): T | null {
  const value = db.first<{ value: string }>('SELECT value FROM facts WHERE key = ?', key)?.value
  if (value === undefined) return null
  return JSON.parse(value === '' ? (getText(db, `fact:${key}`) ?? 'null') : value) as T
}

function writeFact(db: Database, key: string, fact: unknown): void {
  const json = JSON.stringify(fact)
  const fits = json.length <= LIMITS.store.partCharsMax
  if (!fits) putText(db, `fact:${key}`, json)
  db.all(
    'INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    fits ? json : '',
  )
}

function write(
  db: Database,
  { events, records, state, record, acts = [], request, texts, files }: Append,
  isSnapshot: boolean,
): void {
  makeIndexesFor(db, events)
  insertEvents(db, events, records ?? [])
  for (const { key, text } of texts ?? []) putText(db, key, text)
  for (const change of files ?? []) changeFile(db, change, { time: state.updatedTime, seq: state.lastSeq })
  const stored: StoredState = acts.length === 0 ? state : { ...state, acts }
  if (isSnapshot) writeFact(db, 'state', stored)
  if (record) writeFact(db, 'record', record)
  if (request) writeRequest(db, request)
}

function makeIndexesFor(db: Database, events: readonly SessionEvent[]): void {
  if (events.some(({ type }) => type === 'team-message')) makeForUse(db, TEAM_SCHEMA)
  if (events.some(({ type, scope }) => type === 'message' && scope !== null)) makeForUse(db, BRANCH_SCHEMA)
}

function writePart(db: Database, part: StagedPart): void {
  makeIndexesFor(db, part.events ?? [])
  insertEvents(db, part.events ?? [], part.records ?? null)
  addRecords(db, part.recordsOfBefore ?? [])
  for (const { key, text } of part.texts ?? []) putText(db, key, text)
  for (const key of part.forgottenTexts ?? []) deleteText(db, key)
  for (const change of part.files ?? []) changeFile(db, change, { time: part.time, seq: 0 })
}

function readMessages(db: Database, query: MessageQuery): Message[] {
  const scoped = query.scope !== undefined
  const isIndexed = scoped && isMade(db, BRANCH_SCHEMA)
  if (query.scope != null && !isIndexed) return []
  const conditions = ["type = 'message'", 'seq > ?', 'seq < ?', ...(scoped ? ['scope IS ?'] : [])]
  const values: Value[] = [
    query.after ?? 0,
    query.before ?? Number.MAX_SAFE_INTEGER,
    ...(scoped ? [query.scope ?? null] : []),
  ]
  const order = query.newestFirst ? 'DESC' : 'ASC'
  const source = isIndexed ? 'INDEXED BY messages_by_scope' : 'NOT INDEXED'
  const from = `${source} WHERE ${conditions.join(' AND ')} ORDER BY seq ${order} LIMIT ?`
  return readSaid(db, from, ...values, query.limit).flatMap((event) =>
    event.type === 'message' ? [event.message] : [],
  )
}

function readTeamMessages(db: Database, { after = 0, limit, newestFirst }: TeamMessageQuery): PlacedTeamMessage[] {
  if (!isMade(db, TEAM_SCHEMA)) return []
  const order = newestFirst ? 'DESC' : 'ASC'
  const from = `INDEXED BY team_messages WHERE type = 'team-message' AND seq > ? ORDER BY seq ${order} LIMIT ?`
  return readSaid(db, from, after, limit).flatMap((event) =>
    event.type === 'team-message' ? [{ seq: event.seq, message: event.message }] : [],
  )
}
