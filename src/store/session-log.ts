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

/** The log of a session in SQLite. Nothing is written, tables included, before the first append. */
export function sqliteLog(db: Database, fold: Fold): Log {
  const writer = new LogWriter(db)
  /** What `read` finds; before the tables are made, `empty`. */
  const whenMade = <T>(empty: T, read: () => T): T => (writer.writeHeld() ? read() : empty)
  return {
    load: () => {
      const known = whenMade(null, () => load(db, fold))
      writer.loaded(known?.acts ?? [])
      return known
    },
    append: (append) => writer.append(append),
    hold: () => writer.hold(),
    flush: () => writer.flush(),
    stage: (part) => writer.writeTables(() => writePart(db, part)),
    hasLeftovers: () => writer.isMade && readFact(db, 'record') === null,
    events: (after, limit, types) =>
      (types ? null : writer.heldEvents(after, limit)) ?? whenMade([], () => readEvents(db, after, limit, types)),
    records: (after, limit) => whenMade([], () => readRecords(db, after, limit)),
    messages: (query) => whenMade([], () => readMessages(db, query)),
    teamMessages: (query) => whenMade([], () => readTeamMessages(db, query)),
    text: (key) => whenMade(null, () => getText(db, key)),
    files: sqliteFiles(db, () => writer.writeHeldFiles()),
    request: (key) => whenMade(null, () => writer.requests.read(key)),
    keepAnswer: (key, answer) => {
      writer.writeHeld()
      transact(db, () => writer.requests.keepAnswer(key, answer))
    },
    successor: () => whenMade(null, () => readFact<Successor>(db, 'successor')),
    keepSuccessor: (successor) => writer.writeTables(() => writeFact(db, 'successor', successor)),
    clear: () => writer.clear(),
  }
}

/** Writes a log: each append at once, or, while it holds, several as one transaction. The log begins with the state that its events are folded
 *  from. As it then is, the state is written after every `snapshotEventsMax` events, and where it holds what no event says. Whoever loads the
 *  log folds the events that came after it. */
class LogWriter {
  readonly requests: KeyedRequests
  readonly #db: Database
  #isMade: boolean
  /** The last seq in the state that is stored, as far as this process knows. */
  #snapshotSeq = 0
  /** Whether a state is stored; null: nobody looked. */
  #hasState: boolean | null = null
  /** Ids of the acts that are stored, by the state or by a record, and were not told by then. */
  #storedActs: ReadonlySet<string> = new Set()
  #isHolding = false
  #held: Append | null = null
  /** Why what was held could not be written: then nothing that is held with it is. */
  #lost: { error: unknown } | null = null

  constructor(db: Database) {
    this.#db = db
    this.#isMade = migrateIfThere(db, SESSION_SCHEMA)
    this.requests = new KeyedRequests(db)
  }

  /** Whether the tables are there. */
  get isMade(): boolean {
    return this.#isMade
  }

  /** The log was read. `acts`: those that it has and that were not told. */
  loaded(acts: readonly AuditAct[]): void {
    this.#storedActs = new Set(acts.map(({ id }) => id))
  }

  append(append: Append): void {
    if (this.#lost) throw this.#lost.error
    if (this.#held && !mayJoin(this.#held, append)) this.writeHeld()
    this.#held = this.#held ? joined(this.#held, append) : append
    if (!this.#isHolding) this.writeHeld()
  }

  hold(): void {
    this.#isHolding = true
  }

  flush(): void {
    this.#isHolding = false
    const lost = this.#lost
    this.#lost = null
    if (lost) throw lost.error
    this.writeHeld()
  }

  /** Write what is held, so that a read sees it. False: there are no tables to read. */
  writeHeld(): boolean {
    const append = this.#held
    this.#held = null
    if (!append) return this.#isMade
    try {
      this.#write(append)
    } catch (error) {
      if (this.#isHolding) this.#lost = { error }
      throw error
    }
    return this.#isMade
  }

  /** The same where files are held; nothing else need be written for a file to be read. */
  writeHeldFiles(): boolean {
    return this.#held?.files?.length ? this.writeHeld() : this.#isMade
  }

  /** Events of what is held, which need not be written to be read; null: others are asked for. */
  heldEvents(after: number, limit: number): SessionEvent[] | null {
    const { events = [] } = this.#held ?? {}
    const first = events[0]?.seq
    if (first === undefined || first > after + 1) return null
    return events.slice(after + 1 - first, after + 1 - first + limit)
  }

  /** Do `work` in one transaction behind what is held, with the tables where there are none yet. */
  writeTables(work: () => void): void {
    this.writeHeld()
    this.#inTables(work)
  }

  clear(): void {
    this.#held = null
    this.#lost = null
    forgetMade(this.#db)
    this.requests.clear()
    this.#isMade = false
    this.#snapshotSeq = 0
    this.#hasState = null
    this.#storedActs = new Set()
  }

  #write(append: Append): void {
    const db = this.#db
    const rows = rowsOf(append.events, append.records ?? [])
    const snapshot = this.#snapshotFor(append)
    if (!this.#isMade) this.requests.begin(append.state.updatedTime)
    if (!snapshot && isOneStatement(rows) && hasRowsAlone(db, append)) insertRows(db, rows)
    else
      this.#inTables(() => {
        write(db, append, rows, snapshot)
        if (append.request) this.requests.write(append.request)
      })
    if (snapshot) {
      this.#snapshotSeq = snapshot.lastSeq
      this.#hasState = true
    }
    this.#storedActs = new Set(append.acts?.map(({ id }) => id))
  }

  #inTables(work: () => void): void {
    transact(this.#db, () => {
      if (!this.#isMade) makeNew(this.#db, SESSION_SCHEMA)
      work()
    })
    this.#isMade = true
  }

  /** The state to be stored with an append; null: what is stored, and the events since, say it. */
  #snapshotFor({ state, events, records = [], acts = [], record }: Append): StoredState | null {
    const recorded = new Set(records.flatMap(({ act }) => act?.id ?? []))
    const unrecorded = acts.filter(({ id }) => !recorded.has(id))
    this.#hasState ??= this.#isMade && readFact(this.#db, 'state') !== null
    const isLong = state.lastSeq - this.#snapshotSeq >= LIMITS.store.snapshotEventsMax
    if (isLong || events.length === 0) return { ...state, acts }
    if (!this.#hasState) return { ...newState(record?.createdTime ?? state.updatedTime), acts: unrecorded }
    return unrecorded.every(({ id }) => this.#storedActs.has(id)) ? null : { ...state, acts }
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
