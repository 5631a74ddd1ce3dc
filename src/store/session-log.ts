import type { AuditAct } from '../domain/audit.ts'
import type { SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Append, Log, StagedPart, Successor } from '../domain/ports.ts'
import type { SessionRecord } from '../domain/session.ts'
import { newState, STATE_VERSION, type SessionState } from '../domain/state.ts'
import type { Database } from './database.ts'
import {
  insertRows,
  isOneStatement,
  readActs,
  readEvents,
  readRecords,
  addRecords,
  rowsOf,
  type EventRows,
} from './event-rows.ts'
import { changeFile, sqliteFiles } from './files.ts'
import { hasIndexesFor, makeIndexesFor, readMessages, readTeamMessages } from './messages.ts'
import { forgetMade, makeNew, migrateIfThere, schemaOf, transact } from './migrate.ts'
import { KeyedRequests } from './requests.ts'
import { deleteText, getText, putText } from './texts.ts'

/** What every session has. `facts`: the record and the state of the log. Texts, files and the index of a team are made when they are
 *  first used. */
export const SESSION_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, run_id TEXT, scope TEXT, time TEXT NOT NULL, data TEXT);`,
  // Of the first row of a record: what it says beside its events, as JSON.
  `ALTER TABLE events ADD COLUMN record TEXT;`,
])

/** The state after these events. */
export type Fold = (state: SessionState, events: readonly SessionEvent[]) => SessionState

/** The log of a session in SQLite. Nothing is written, tables included, before the first append. It begins with the state that its events are
 *  folded from. As it then is, the state is written after every `snapshotEventsMax` events, and where it holds what no event says: what
 *  is not in it yet is folded when it is loaded. */
export function sqliteLog(db: Database, fold: Fold): Log {
  let migrated = migrateIfThere(db, SESSION_SCHEMA)
  const requests = new KeyedRequests(db)
  /** The last seq in the state that is stored, as far as this process knows; and whether there is one. Null: nobody looked. */
  let snapshotSeq = 0
  let hasState: boolean | null = null
  /** Ids of the acts that are stored, by the state or by a record, and were not told by then. */
  let storedActs: ReadonlySet<string> = new Set()
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
  /** The state to be stored with an append; null: what is stored, and the events since, say it. */
  const snapshotFor = ({ state, events, records = [], acts = [], record }: Append): StoredState | null => {
    const recorded = new Set(records.flatMap(({ act }) => act?.id ?? []))
    const unrecorded = acts.filter(({ id }) => !recorded.has(id))
    hasState ??= migrated && readFact(db, 'state') !== null
    const isLong = state.lastSeq - snapshotSeq >= LIMITS.store.snapshotEventsMax
    if (isLong || events.length === 0) return { ...state, acts }
    if (!hasState) return { ...newState(record?.createdTime ?? state.updatedTime), acts: unrecorded }
    return unrecorded.every(({ id }) => storedActs.has(id)) ? null : { ...state, acts }
  }
  const writeNow = (append: Append) => {
    const rows = rowsOf(append.events, append.records ?? [])
    const snapshot = snapshotFor(append)
    if (!migrated) requests.begin(append.state.updatedTime)
    if (!snapshot && isOneStatement(rows) && hasRowsAlone(db, append)) insertRows(db, rows)
    else
      writeTables(() => {
        write(db, append, rows, snapshot)
        if (append.request) requests.write(append.request)
      })
    if (snapshot) {
      snapshotSeq = snapshot.lastSeq
      hasState = true
    }
    storedActs = new Set(append.acts?.map(({ id }) => id))
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
    load: () => {
      const known = ifMigrated(null, () => load(db, fold))
      storedActs = new Set(known?.acts.map(({ id }) => id))
      return known
    },
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
    events: (after, limit, types) =>
      (types ? null : heldEvents(held, after, limit)) ?? ifMigrated([], () => readEvents(db, after, limit, types)),
    records: (after, limit) => ifMigrated([], () => readRecords(db, after, limit)),
    messages: (query) => ifMigrated([], () => readMessages(db, query)),
    teamMessages: (query) => ifMigrated([], () => readTeamMessages(db, query)),
    text: (key) => ifMigrated(null, () => getText(db, key)),
    files: sqliteFiles(db, () => {
      if (held?.files?.length) writeHeld()
      return migrated
    }),
    request: (key) => ifMigrated(null, () => requests.read(key)),
    keepAnswer: (key, answer) => {
      writeHeld()
      transact(db, () => requests.keepAnswer(key, answer))
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
      requests.clear()
      migrated = false
      snapshotSeq = 0
      hasState = null
      storedActs = new Set()
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

/** Events of what is held, which need not be written to be read; null: others are asked for. */
function heldEvents(held: Append | null, after: number, limit: number): SessionEvent[] | null {
  const first = held?.events[0]?.seq
  if (held === null || first === undefined || first > after + 1) return null
  return held.events.slice(after + 1 - first, after + 1 - first + limit)
}

/** The state as it is stored, with the acts that had not been told by then. */
type StoredState = SessionState & { acts?: readonly AuditAct[] }

function load(db: Database, fold: Fold): ReturnType<Log['load']> {
  const record = readFact<SessionRecord>(db, 'record')
  const stored = readFact<StoredState>(db, 'state')
  if (!record || !stored) return null
  const { acts: left = [], ...state } = stored
  // What an earlier release could not take up, this one may.
  const isOurs = state.version === STATE_VERSION && !state.needsNewer
  const { acts, told } = readActs(db, state.lastSeq)
  return {
    record,
    state: foldedOn(db, fold, isOurs ? state : newState(record.createdTime)),
    acts: [...left, ...acts].filter(({ id }) => !told.has(id)),
  }
}

/** The state after all that the log has since, a bounded page at a time. */
function foldedOn(db: Database, fold: Fold, from: SessionState): SessionState {
  const { eventsPerFold } = LIMITS.store
  let state = from
  for (;;) {
    const page = readEvents(db, state.lastSeq, eventsPerFold)
    if (page.length > 0) state = fold(state, page)
    if (page.length < eventsPerFold) return state
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
  // Every new session parses this anew, and an upsert takes longer.
  db.all('INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)', key, fits ? json : '')
}

/** Nothing but events is written, in tables that are there. */
function hasRowsAlone(db: Database, { events, record, request, texts, files }: Append): boolean {
  const isPlain = !record && !request && !texts?.length && !files?.length
  return isPlain && hasIndexesFor(db, events)
}

function write(
  db: Database,
  { events, state, record, texts, files }: Append,
  rows: EventRows,
  snapshot: StoredState | null,
): void {
  makeIndexesFor(db, events)
  insertRows(db, rows)
  for (const { key, text } of texts ?? []) putText(db, key, text)
  for (const change of files ?? []) changeFile(db, change, { time: state.updatedTime, seq: state.lastSeq })
  if (snapshot) writeFact(db, 'state', snapshot)
  if (record) writeFact(db, 'record', record)
}

function writePart(db: Database, part: StagedPart): void {
  makeIndexesFor(db, part.events ?? [])
  insertRows(db, rowsOf(part.events ?? [], part.records ?? null))
  addRecords(db, part.recordsOfBefore ?? [])
  for (const { key, text } of part.texts ?? []) putText(db, key, text)
  for (const key of part.forgottenTexts ?? []) deleteText(db, key)
  for (const change of part.files ?? []) changeFile(db, change, { time: part.time, seq: 0 })
}
