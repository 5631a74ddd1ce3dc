import type { Database, Value } from '../../src/store/database.ts'

type RecordedValue = string | number | null | { base64: string }

/** A database as a release left it: the statements that made it, and its rows by table. */
export interface RecordedDatabase {
  made: string[]
  rows: Record<string, Record<string, RecordedValue>[]>
}

/** Make a database what it was when it was recorded. */
export function restore(db: Database, { made, rows }: RecordedDatabase): void {
  for (const sql of made) db.script(sql)
  for (const [table, all] of Object.entries(rows))
    for (const row of all) {
      const columns = Object.keys(row)
      const places = columns.map(() => '?').join(', ')
      db.all(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row).map(valueOf))
    }
}

function valueOf(value: RecordedValue): Value {
  if (value === null || typeof value !== 'object') return value
  return Uint8Array.from(atob(value.base64), (char) => char.charCodeAt(0))
}
