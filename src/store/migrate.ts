import type { Database } from './database.ts'

/** One table, index or column, and the statement that makes it. */
interface Part {
  name: string
  sql: string
}

/** What a database is made of. */
export interface Schema {
  readonly parts: readonly Part[]
  /** Columns that were added to a table, by the names of their parts, and what a table that has one of them is made by. */
  readonly added: readonly { name: string; table: string; definition: RegExp }[]
  readonly countedSteps: number | null
}

interface SchemaOptions {
  /** See `leftCount`. */
  countedSteps?: number
}

const ADDITION =
  /^(?:CREATE (?:UNIQUE INDEX|INDEX|VIRTUAL TABLE|TABLE) IF NOT EXISTS (?<made>\w+)|ALTER TABLE (?<table>\w+) ADD COLUMN (?<column>\w+))\s/

/** The schema that these statements make, in the order in which they can be made. They only add: whatever stands in a list stays
 *  there as it is, so that code of any age finds what it made. Throws on a statement that does anything else. */
export function schemaOf(scripts: readonly string[], { countedSteps }: SchemaOptions = {}): Schema {
  const statements = scripts.flatMap((script) => script.split(';')).map((sql) => sql.trim())
  const added: Schema['added'][number][] = []
  const parts = statements.flatMap((sql): Part[] => {
    if (sql === '') return []
    const { made, table, column } = ADDITION.exec(sql)?.groups ?? {}
    if (made !== undefined) return [{ name: made, sql }]
    if (table === undefined) throw new Error(`a schema only adds, and may be made again: ${sql}`)
    const name = `${table}.${column}`
    added.push({ name, table, definition: new RegExp(`[(,]\\s*${column}\\s`) })
    return [{ name, sql }]
  })
  return { parts, added, countedSteps: countedSteps ?? null }
}

/** Make what of a schema is not there. Where all of it is, that is one statement, which reads. */
export function migrate(db: Database, schema: Schema): void {
  add(db, schema, namesIn(db, schema))
}

/** The same for a database that was made before; an unknown one is left as it is. False: it is unknown. */
export function migrateIfThere(db: Database, schema: Schema): boolean {
  const names = namesIn(db, schema)
  namesBy.set(db, names)
  const isThere = names.has(firstOf(schema))
  if (isThere) add(db, schema, names)
  return isThere
}

/** Make a schema in a database that is known to have nothing of it. Called in the transaction that writes first. */
export function makeNew(db: Database, schema: Schema): void {
  note(db, schema)
  const script = wholeScripts.get(schema) ?? scriptOf(schema.parts, schema)
  wholeScripts.set(schema, script)
  db.script(script)
}

/** What makes all of a schema: it is the same for every new object. */
const wholeScripts = new WeakMap<Schema, string>()

/** True when the schema was made here, by whichever release. Reads only, so that asking an unknown object leaves nothing behind. */
export function isMigrated(db: Database, schema: Schema): boolean {
  return db.first('SELECT 1 FROM sqlite_master WHERE name = ?', firstOf(schema)) !== undefined
}

/** Schemas that are known to be there, by database. */
const knownBy = new WeakMap<Database, Set<Schema>>()

/** What databases had when they were opened. What else they have was made by this process, through the same `Database`. */
const namesBy = new WeakMap<Database, ReadonlySet<string>>()

/** The same, asked once: what was made stays. */
export function isMade(db: Database, schema: Schema): boolean {
  if (knownBy.get(db)?.has(schema)) return true
  const isThere = namesBy.get(db)?.has(firstOf(schema)) ?? isMigrated(db, schema)
  if (isThere) note(db, schema)
  return isThere
}

/** Make what few databases need, when it is first used. */
export function makeForUse(db: Database, schema: Schema): void {
  if (knownBy.get(db)?.has(schema)) return
  const names = namesBy.get(db)
  if (names && !names.has(firstOf(schema))) makeNew(db, schema)
  else migrate(db, schema)
  note(db, schema)
}

function note(db: Database, schema: Schema): void {
  knownBy.set(db, (knownBy.get(db) ?? new Set()).add(schema))
}

/** All of `work` or nothing: what it made is not known to be there when it came to nothing. */
export function transact<T>(db: Database, work: () => T): T {
  try {
    return db.transaction(work)
  } catch (error) {
    forgetMade(db)
    throw error
  }
}

/** All of a database was deleted. */
export function forgetMade(db: Database): void {
  knownBy.delete(db)
  namesBy.delete(db)
}

function firstOf({ parts }: Schema): string {
  return parts[0]?.name ?? ''
}

/** SQLite keeps the statement of a table as it would be made today, with the columns that were added. */
function namesIn(db: Database, { added }: Schema): ReadonlySet<string> {
  const made = db.all<{ name: string; sql: string | null }>('SELECT name, sql FROM sqlite_master')
  const statements = new Map(made.map(({ name, sql }) => [name, sql ?? '']))
  const columns = added.filter(({ table, definition }) => definition.test(statements.get(table) ?? ''))
  return new Set([...statements.keys(), ...columns.map(({ name }) => name)])
}

function add(db: Database, schema: Schema, names: ReadonlySet<string>): void {
  const missing = schema.parts.filter(({ name }) => !names.has(name))
  if (missing.length > 0) db.transaction(() => db.script(scriptOf(missing, schema)))
}

function scriptOf(parts: readonly Part[], { countedSteps }: Schema): string {
  const made = parts.reduce(withColumn, []).map(({ sql }) => sql)
  return [...made, ...(countedSteps === null ? [] : leftCount(countedSteps))].join(';\n')
}

/** A column of a table that is to be made is made with it, unless constraints of the table stand behind its columns. */
function withColumn(parts: readonly Part[], part: Part): Part[] {
  const { table, column, definition } = COLUMN.exec(part.sql)?.groups ?? {}
  const at = parts.findIndex(({ name }) => name === table)
  const made = parts[at]
  if (!made || CONSTRAINT.test(made.sql)) return [...parts, part]
  const end = made.sql.lastIndexOf(')')
  const sql = `${made.sql.slice(0, end)}, ${column} ${definition}${made.sql.slice(end)}`
  return parts.with(at, { ...made, sql })
}

const CONSTRAINT = /, *(?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY) *\(/
const COLUMN = /^ALTER TABLE (?<table>\w+) ADD COLUMN (?<column>\w+) (?<definition>.+)$/s

/** Earlier releases counted the steps that they had made, and open no database without the number that they know. They find it
 *  here; nothing reads it any more, and it stays what it was when they were made. */
function leftCount(steps: number): string[] {
  return [
    'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)',
    'DELETE FROM schema_version',
    `INSERT INTO schema_version VALUES (${steps})`,
  ]
}
