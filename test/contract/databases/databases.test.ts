import { describe, expect, test } from 'vitest'
import { newState } from '../../../src/domain/state.ts'
import { sqliteMemory } from '../../../src/memory/sqlite-memory.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { AUDIT_SCHEMA, newestStored } from '../../../src/store/audit.ts'
import { enabledCallbacks, OUTBOX_SCHEMA } from '../../../src/store/callbacks.ts'
import type { Database } from '../../../src/store/database.ts'
import { listDeliveries } from '../../../src/store/delivery-log.ts'
import { DIRECTORY_SCHEMA, listSummaries } from '../../../src/store/directory.ts'
import { listKeys } from '../../../src/store/keys.ts'
import { MEMORY_SCHEMA } from '../../../src/store/memory.ts'
import { listMeasures, METRICS_SCHEMA } from '../../../src/store/metrics.ts'
import { isMigrated, migrate, type Schema, schemaOf } from '../../../src/store/migrate.ts'
import { FILES_SCHEMA } from '../../../src/store/files.ts'
import { BRANCH_SCHEMA, TEAM_SCHEMA } from '../../../src/store/messages.ts'
import { SESSION_SCHEMA, sqliteLog } from '../../../src/store/session-log.ts'
import { TEXTS_SCHEMA } from '../../../src/store/texts.ts'
import { getSkill } from '../../../src/store/skills.ts'
import { listTriggers, TRIGGERS_SCHEMA } from '../../../src/store/triggers.ts'
import { sumUsage } from '../../../src/store/usage.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { type RecordedDatabase, restore } from '../../support/recorded-database.ts'
import counted from './counted.json' with { type: 'json' }

const RECORDED: Record<string, RecordedDatabase> = counted

/** What a release keeps, and what another reads of it. `onUse`: what that release made at once, and today is made when it is first used. */
const KINDS: { kind: string; schema: Schema; read: (db: Database) => unknown; onUse?: Schema[] }[] = [
  {
    kind: 'session',
    schema: SESSION_SCHEMA,
    read: (db) => sqliteLog(db, reduce).load(),
    onUse: [TEXTS_SCHEMA, FILES_SCHEMA, BRANCH_SCHEMA, TEAM_SCHEMA],
  },
  {
    kind: 'directory',
    schema: DIRECTORY_SCHEMA,
    read: (db) => [
      listSummaries(db, { limit: 9 }).data.map(({ title, status }) => [title, status]),
      listKeys(db, undefined, 9).map(({ name }) => name),
      getSkill(db, 'reader')?.prompt,
      sumUsage(db, { by: 'user', limit: 9 }).data.map(({ key }) => key),
    ],
  },
  { kind: 'audit', schema: AUDIT_SCHEMA, read: newestStored },
  {
    kind: 'trigger',
    schema: TRIGGERS_SCHEMA,
    read: (db) => (['whk', 'sch'] as const).map((prefix) => listTriggers(db, prefix, { before: undefined, limit: 9 })),
  },
  {
    kind: 'outbox',
    schema: OUTBOX_SCHEMA,
    read: (db) => enabledCallbacks(db).map(({ callback: { id } }) => listDeliveries(db, id, { limit: 9 })),
  },
  { kind: 'metrics', schema: METRICS_SCHEMA, read: listMeasures },
  { kind: 'memory', schema: MEMORY_SCHEMA, read: (db) => sqliteMemory(db, () => 0).load('ses_0') },
]

const NEWER = schemaOf(['CREATE TABLE IF NOT EXISTS of_a_later_release (x INTEGER NOT NULL)'])

function recordedOf(kind: string): RecordedDatabase {
  const recorded = RECORDED[kind]
  if (!recorded) throw new Error(`no ${kind} was recorded`)
  return recorded
}

function restored(kind: string): Database {
  const db = nodeDatabase()
  restore(db, recordedOf(kind))
  return db
}

/** How that release opened a database, to the letter. All of its tables are there already, so that no step of it may run. */
function openAsBefore(db: Database, kind: string): void {
  const count = Number(recordedOf(kind).rows['schema_version']?.[0]?.['version'])
  const steps = Array.from({ length: count }, (_, index) => `step ${index} must not run again`)
  db.transaction(() => {
    db.script('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const version = db.first<{ version: number }>('SELECT version FROM schema_version')?.version
    if (version === steps.length) return
    for (const step of steps.slice(version ?? 0)) db.script(step)
    db.all(
      version === undefined ? 'INSERT INTO schema_version VALUES (?)' : 'UPDATE schema_version SET version = ?',
      steps.length,
    )
  })
}

const made = (db: Database) =>
  db.all<{ sql: string }>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL').map(({ sql }) => sql)
/** A column that came later. */
const ADDED = /, (?:record TEXT|allow_edit INTEGER NOT NULL DEFAULT 0)(?=\))/
/** White space and what came later aside, and without the shadows of a full-text index, which a record leaves out. */
const likened = (statements: readonly string[]) =>
  statements
    .map((sql) => sql.replaceAll(/\s+/g, ' ').replace('( ', '(').replace(ADDED, ''))
    .filter((sql) => !sql.startsWith("CREATE TABLE '"))
    .toSorted()

describe.for(KINDS)('the $kind of the release that counted its steps', ({ kind, schema, read, onUse = [] }) => {
  const makeAll = (db: Database) => [schema, ...onUse].forEach((one) => migrate(db, one))

  test('is read as it was, and opened again and again by both', () => {
    const db = restored(kind)
    const before = [read(db), likened(made(db))]
    const [today, earlier] = [() => makeAll(db), () => openAsBefore(db, kind)]
    for (const open of [today, earlier, today, today, earlier]) open()
    expect([read(db), likened(made(db))]).toEqual(before)
    expect(read(db)).toBeTruthy()
  })

  test('is of the same tables, columns and indexes as what is made today', () => {
    const db = nodeDatabase()
    makeAll(db)
    const isCounted = schema.countedSteps !== null
    const before = recordedOf(kind).made.filter((sql) => isCounted || !sql.includes('schema_version'))
    expect(likened(made(db))).toEqual(likened(before))
    // What is made with all tables at once that release opens too.
    if (isCounted) openAsBefore(db, kind)
    expect(likened(made(db))).toEqual(likened(before))
  })

  test('takes what a later release adds, and neither today nor that release minds', () => {
    const db = restored(kind)
    const before = read(db)
    migrate(db, NEWER)
    db.all('INSERT INTO of_a_later_release (x) VALUES (7)')
    migrate(db, schema)
    openAsBefore(db, kind)
    migrate(db, NEWER)
    expect(read(db)).toEqual(before)
    expect(db.all('SELECT * FROM of_a_later_release')).toEqual([{ x: 7 }])
  })

  test('gets what is missing from it', () => {
    const { made: all, rows } = recordedOf(kind)
    const index = all.findLast((sql) => /^CREATE (UNIQUE )?INDEX/.test(sql))
    const db = nodeDatabase()
    restore(db, { made: all.filter((sql) => sql !== index), rows })
    makeAll(db)
    expect(likened(made(db))).toEqual(likened(all))
    openAsBefore(db, kind)
  })
})

test('what a session of that release holds is folded to the state that it kept', () => {
  const db = restored('session')
  const log = sqliteLog(db, reduce)
  const known = log.load()
  expect(known?.state).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
  const anew = reduce(newState(known?.record.createdTime ?? 0), log.events(0, 1_000))
  expect(known?.state).toEqual(anew)
  expect(new TextDecoder().decode(log.files.read('notes/a.md') ?? undefined)).toBe('# Notes\n')
  expect(log.request('recorded')?.answer).toContain('The answer.')
})

test('a database that nobody used is none of that release', () => {
  const db = nodeDatabase()
  expect(KINDS.map(({ schema }) => isMigrated(db, schema))).toEqual(KINDS.map(() => false))
})
