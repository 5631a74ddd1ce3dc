import type { AuditAct } from '../domain/audit.ts'
import type { EventType, SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { LogRecord, NewRecord } from '../domain/log-record.ts'
import type { Database, Value } from './database.ts'
import { rowJson, rowWriter } from './row-text.ts'
import { getText, putText } from './texts.ts'

/** A row of `events`: one event, or those that were written one after the other. */
interface EventRow {
  seq: number
  type: string
  run_id: string | null
  scope: string | null
  time: string
  /** JSON; null: it stands in the texts. */
  data: string | null
}

/** The type of a row of several events; of one with a message among them: `message`. No event is called so: their names are in lower case.
 *  `seq` is that of the last, the rest of the envelope that of the first. */
const SEVERAL = 'Events'

const COLUMNS = 'seq, type, run_id, scope, time, data'

/** Events of one row, and the text of each as far as the row does not say it. */
interface Shared {
  events: [SessionEvent, ...SessionEvent[]]
  write: (value: unknown) => string
  texts: string[]
  chars: number
  hasMessage: boolean
  /** Of several branches. */
  isMixed: boolean
}

/** Rows of events as they are written, and what of them is kept among the texts, as it does not fit a row. */
export interface EventRows {
  rows: Value[][]
  texts: { key: string; text: string }[]
}

/** Events and what their records say, in as few rows as may be. `records` null: nothing is known of them yet, and each event has a row to
 *  which its own can be added. */
export function rowsOf(events: readonly SessionEvent[], records: readonly NewRecord[] | null): EventRows {
  const recordAt = new Map(records?.map((record) => [record.seq, record]))
  const texts: EventRows['texts'] = []
  return { rows: shared(events, records !== null).map((row) => valuesOf(row, recordAt, texts)), texts }
}

/** Whether one statement writes them, which needs no transaction around it. */
export function isOneStatement({ rows, texts }: EventRows): boolean {
  return rows.length > 0 && rows.length <= LIMITS.store.rowsPerInsert && texts.length === 0
}

export function insertRows(db: Database, { rows, texts }: EventRows): void {
  for (const { key, text } of texts) putText(db, key, text)
  const { rowsPerInsert } = LIMITS.store
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const part = rows.slice(from, from + rowsPerInsert)
    const places = part.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')
    db.all(`INSERT INTO events (${COLUMNS}, record) VALUES ${places}`, ...part.flat())
  }
}

/** Add what records say to the rows of their first events, each of which has one of its own. */
export function addRecords(db: Database, records: readonly LogRecord[]): void {
  for (const record of records) {
    const texts: EventRows['texts'] = []
    const said = recordText(texts, record.seq, record)
    for (const { key, text } of texts) putText(db, key, text)
    db.all('UPDATE events SET record = ? WHERE seq = ?', said, record.seq)
  }
}

function shared(events: readonly SessionEvent[], mayShare: boolean): Shared[] {
  const rows: Shared[] = []
  for (const event of events) {
    const open = mayShare ? rows.at(-1) : undefined
    const row = open && mayJoin(open, event) ? open : rowFrom(event)
    if (row === open) row.events.push(event)
    else rows.push(row)
    const text = row.write(besides(event, row.events[0]))
    row.texts.push(text)
    row.chars += text.length
    row.hasMessage ||= event.type === 'message'
    row.isMixed ||= event.scope !== row.events[0].scope
  }
  return rows
}

function rowFrom(event: SessionEvent): Shared {
  return { events: [event], write: rowWriter(), texts: [], chars: 0, hasMessage: false, isMixed: false }
}

/** Messages are found by the branch of their row. Those of a team have rows of their own. */
function mayJoin({ events, chars, hasMessage, isMixed }: Shared, event: SessionEvent): boolean {
  const [first] = events
  if (event.seq !== first.seq + events.length) return false
  if (events.length >= LIMITS.store.eventsPerRow || chars >= LIMITS.store.rowCharsMax) return false
  if (first.type === 'team-message' || event.type === 'team-message') return false
  const hasBranch = hasMessage || event.type === 'message'
  return !hasBranch || (!isMixed && event.scope === first.scope)
}

function valuesOf(
  { events, texts: said, hasMessage }: Shared,
  recordAt: ReadonlyMap<number, NewRecord>,
  texts: EventRows['texts'],
): Value[] {
  const [{ seq, type, run_id, scope, time }] = events
  const last = seq + events.length - 1
  const data = fitting(texts, `event:${last}`, `[${said.join(',')}]`)
  const records = events.flatMap((event) => recordAt.get(event.seq) ?? [])
  const record = records.length === 0 ? null : recordText(texts, last, records.length === 1 ? records[0] : records)
  return [last, hasMessage ? 'message' : events.length === 1 ? type : SEVERAL, run_id, scope, time, data, record]
}

/** What records say as a row keeps it; empty: among the texts. */
function recordText(texts: EventRows['texts'], seq: number, said: unknown): string {
  return fitting(texts, `record:${seq}`, rowWriter()(said)) ?? ''
}

/** What an event says that its row does not. */
function besides(event: SessionEvent, first: SessionEvent): object {
  const { seq: _, type, run_id, scope, time, ...rest } = event
  return {
    type,
    ...(run_id === first.run_id ? {} : { run_id }),
    ...(scope === first.scope ? {} : { scope }),
    ...(time === first.time ? {} : { time }),
    ...rest,
    ...(event.type === 'message' ? { message: besidesEvent(event) } : {}),
  }
}

/** What a message says that its event does not. */
function besidesEvent({ seq, run_id, time, message }: SessionEvent & { type: 'message' }): object {
  const { seq: place, run_id: run, created_time: at, ...rest } = message
  return place === seq && run === run_id && at === time ? rest : message
}

/** The text where it fits a row; null: it is to be kept among the texts. */
function fitting(texts: EventRows['texts'], key: string, text: string): string | null {
  if (text.length <= LIMITS.store.partCharsMax) return text
  texts.push({ key, text })
  return null
}

/** The events of a row. Earlier releases wrote one event as its members, and several beside a `type` or, the first of them, alone. */
function eventsIn(db: Database, { data, ...envelope }: EventRow): SessionEvent[] {
  const said = JSON.parse(rowJson(data ?? getText(db, `event:${envelope.seq}`) ?? '{}'))
  const isList = Array.isArray(said)
  if (!isList && envelope.type !== SEVERAL) return [whole({ ...envelope, ...said })]
  const events: SessionEvent[] = isList ? said : said.events
  const first = envelope.seq - events.length + 1
  return events.map((event, index) => whole({ ...envelope, ...event, seq: first + index }))
}

/** A message says of itself what its event says, too: in a row it does not. */
function whole(event: SessionEvent): SessionEvent {
  if (event.type !== 'message') return event
  const { seq, run_id, time: created_time } = event
  return { ...event, message: Object.assign({ seq, run_id, created_time }, event.message) }
}

/** Events after a seq, in order; `types`: of these only. */
export function readEvents(
  db: Database,
  after: number,
  limit: number,
  types: readonly EventType[] | null = null,
): SessionEvent[] {
  const found: SessionEvent[] = []
  for (let seq = after; found.length < limit;) {
    const rows = rowsAfter(db, seq, limit - found.length, types ?? [])
    for (const row of rows) {
      if (found.length >= limit) break
      for (const event of eventsIn(db, row))
        if (event.seq > after && types?.includes(event.type) !== false) found.push(event)
      seq = row.seq
    }
    if (rows.length === 0 || !types) break
  }
  return found.slice(0, limit)
}

/** Rows that may hold an event of these types; none: of any. Every row holds one at least behind the seq. */
function rowsAfter(db: Database, after: number, limit: number, types: readonly EventType[]): EventRow[] {
  const from = `SELECT ${COLUMNS} FROM events NOT INDEXED WHERE seq > ?`
  // Events are numbered without gaps, and a row by its last.
  if (types.length === 0)
    return db.all(`${from} AND seq < ? ORDER BY seq LIMIT ?`, after, after + limit + LIMITS.store.eventsPerRow, limit)
  // Rows of earlier releases say it in plain JSON: several events, no message among them.
  const coded = types.map((type) => rowWriter()({ type }).slice(1, -1))
  const plain = types.map((type) => `"type":"${type}"`)
  const places = types.map(() => '?').join(', ')
  const holds = types.map(() => 'instr(data, ?) > 0').join(' OR ')
  const several = `type IN ('${SEVERAL}', 'message') AND (data IS NULL OR ${holds}) OR type = '${SEVERAL}' AND (${holds})`
  const sql = `${from} AND (type IN (${places}) OR ${several}) ORDER BY seq LIMIT ?`
  return db.all(sql, after, ...types, ...coded, ...plain, limit)
}

/** The events of the rows that a condition finds, row by row: no row is parsed before it is asked for. */
export function* eventsByRow(db: Database, from: string, ...values: Value[]): Generator<SessionEvent[], void, void> {
  for (const row of db.all<EventRow>(`SELECT ${COLUMNS} FROM events ${from}`, ...values)) yield eventsIn(db, row)
}

interface RecordRow {
  seq: number
  record: string
}

/** What records say whose number is greater, in order; without acts, which are nobody's but this session's. */
export function readRecords(db: Database, after: number, limit: number): LogRecord[] {
  // The first row may hold the end of a record that is not asked for.
  const rows = db.all<RecordRow>(
    'SELECT seq, record FROM events NOT INDEXED WHERE seq > ? AND record IS NOT NULL ORDER BY seq LIMIT ?',
    after,
    limit + 1,
  )
  return rows
    .flatMap((row) => recordsIn(db, row).map(withoutAct))
    .filter(({ seq }) => seq > after)
    .slice(0, limit)
}

/** What was done, by records whose number is greater, and the ids of acts that had been told by then. */
export function readActs(db: Database, after: number): { acts: AuditAct[]; told: ReadonlySet<string> } {
  const rows = db.all<RecordRow>(
    `SELECT seq, record FROM events NOT INDEXED
     WHERE seq > ? AND (record = '' OR instr(record, '"act":') > 0 OR instr(record, '"told":') > 0) ORDER BY seq`,
    after,
  )
  const records = rows.flatMap((row) => recordsIn(db, row)).filter(({ seq }) => seq > after)
  return {
    acts: records.flatMap(({ act }) => act ?? []),
    told: new Set(records.flatMap(({ told }) => told ?? [])),
  }
}

/** The records that begin in a row: one, or a list of several. */
function recordsIn(db: Database, { seq, record }: RecordRow): NewRecord[] {
  const json = rowJson(record === '' ? (getText(db, `record:${seq}`) ?? '[]') : record)
  const said = JSON.parse(json) as NewRecord | NewRecord[]
  return Array.isArray(said) ? said : [said]
}

/** A record as replays and copies of the session have it. */
export function withoutAct(written: NewRecord): LogRecord {
  const { act: _, told: _told, ...record } = written
  return record
}
