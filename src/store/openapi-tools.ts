import { LIMITS } from '../domain/limits.ts'
import type { ApiCatalogue, ApiCatalogueHead, ApiOperation, ApiSource } from '../domain/openapi-tools.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'
import type { Kept } from './skills.ts'

/** APIs of the few tenants that have any, what was read of those and of the config's, and a row for each operation. */
const OPENAPI_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS apis (name TEXT PRIMARY KEY, source TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS api_catalogues (name TEXT PRIMARY KEY, catalogue TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS api_operations (name TEXT NOT NULL, place INTEGER NOT NULL, operation TEXT NOT NULL, PRIMARY KEY (name, place)) WITHOUT ROWID;`,
])

/** By name. */
export function listApis(db: Database): ApiSource[] {
  if (!isMade(db, OPENAPI_SCHEMA)) return []
  return db
    .all<{ source: string }>('SELECT source FROM apis ORDER BY name')
    .map(({ source }) => JSON.parse(source) as ApiSource)
}

/** Keep an API with its operations. One of its name is replaced if that `mayReplace`; else it is `known`, and nothing changes. */
export function putApi(db: Database, source: ApiSource, catalogue: ApiCatalogue, mayReplace: boolean): Kept {
  makeForUse(db, OPENAPI_SCHEMA)
  const isKnown = db.first('SELECT 1 FROM apis WHERE name = ?', source.name) !== undefined
  if (isKnown && !mayReplace) return 'known'
  const { count = 0 } = db.first<{ count: number }>('SELECT count(*) AS count FROM apis') ?? {}
  if (!isKnown && count >= LIMITS.openapi.apisMax) return 'too_many'
  db.all(
    'INSERT INTO apis (name, source) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET source = excluded.source',
    source.name,
    JSON.stringify(source),
  )
  keepCatalogue(db, source.name, catalogue)
  return isKnown ? 'replaced' : 'made'
}

/** Forget an API and its operations. False: there was none. */
export function removeApi(db: Database, name: string): boolean {
  if (!isMade(db, OPENAPI_SCHEMA)) return false
  db.all('DELETE FROM api_operations WHERE name = ?', name)
  db.all('DELETE FROM api_catalogues WHERE name = ?', name)
  return db.all('DELETE FROM apis WHERE name = ? RETURNING name', name).length > 0
}

export function getCatalogue(db: Database, name: string): ApiCatalogue | null {
  if (!isMade(db, OPENAPI_SCHEMA)) return null
  const row = db.first<{ catalogue: string }>('SELECT catalogue FROM api_catalogues WHERE name = ?', name)
  if (!row) return null
  const operations = db
    .all<{ operation: string }>('SELECT operation FROM api_operations WHERE name = ? ORDER BY place', name)
    .map(({ operation }) => JSON.parse(operation) as ApiOperation)
  return { ...(JSON.parse(row.catalogue) as ApiCatalogue), operations }
}

/** What was read of all of them, without the operations: by name. */
export function listCatalogueHeads(db: Database): Record<string, ApiCatalogueHead> {
  if (!isMade(db, OPENAPI_SCHEMA)) return {}
  const rows = db.all<{ name: string; catalogue: string; count: number }>(
    'SELECT name, catalogue, (SELECT count(*) FROM api_operations AS o WHERE o.name = c.name) AS count FROM api_catalogues AS c',
  )
  const headOf = (catalogue: string, operationsCount: number): ApiCatalogueHead => ({
    ...(JSON.parse(catalogue) as Omit<ApiCatalogue, 'operations'>),
    operationsCount,
  })
  return Object.fromEntries(rows.map(({ name, catalogue, count }) => [name, headOf(catalogue, count)]))
}

/** Keep what was read of an API in the place of what was. */
export function keepCatalogue(db: Database, name: string, { operations, ...catalogue }: ApiCatalogue): void {
  makeForUse(db, OPENAPI_SCHEMA)
  db.all('DELETE FROM api_operations WHERE name = ?', name)
  db.all(
    `INSERT INTO api_catalogues (name, catalogue) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET catalogue = excluded.catalogue`,
    name,
    JSON.stringify(catalogue),
  )
  operations.forEach((operation, place) =>
    db.all(
      'INSERT INTO api_operations (name, place, operation) VALUES (?, ?, ?)',
      name,
      place,
      JSON.stringify(operation),
    ),
  )
}
