import { checkNotThenable, checkValues, type Database, type Value } from '../store/database.ts'

/** The SQLite of a Durable Object as the store sees it. */
export function objectDatabase(storage: DurableObjectStorage): Database {
  return {
    all: <Row>(sql: string, ...values: Value[]) => run(storage, sql, values) as Row[],
    first: <Row>(sql: string, ...values: Value[]) => run(storage, sql, values)[0] as Row | undefined,
    script: (sql) => {
      storage.sql.exec(sql)
    },
    transaction: (work) => storage.transactionSync(() => checkNotThenable(work())),
  }
}

function run(storage: DurableObjectStorage, sql: string, values: Value[]): Record<string, unknown>[] {
  checkValues(values)
  const rows: Record<string, unknown>[] = storage.sql.exec(sql, ...values).toArray()
  for (const row of rows) bytesFromBuffers(row)
  return rows
}

/** BLOBs come as ArrayBuffer, Node gives Uint8Array. */
function bytesFromBuffers(row: Record<string, unknown>): void {
  for (const key in row) {
    const value = row[key]
    if (value instanceof ArrayBuffer) row[key] = new Uint8Array(value)
  }
}
