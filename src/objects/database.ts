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
  return storage.sql
    .exec(sql, ...values)
    .toArray()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, value instanceof ArrayBuffer ? new Uint8Array(value) : value]),
      ),
    )
}
