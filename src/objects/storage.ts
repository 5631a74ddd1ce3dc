import { checkNotThenable, checkValues, type Database, type Value } from '../store/database.ts'
import { isMigrated, migrate, type Schema } from '../store/migrate.ts'
import type { Alarm } from '../domain/ports.ts'

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
  checkValues(sql, values)
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

/** A database whose tables are made, or those that are missing, when it is first used. `isThere` looks and makes nothing. */
export function lazyDatabase(storage: DurableObjectStorage, schema: Schema): Database & { isThere(): boolean } {
  const db = objectDatabase(storage)
  let isReady = false
  const ready = () => {
    if (!isReady) migrate(db, schema)
    isReady = true
    return db
  }
  return {
    all: (sql, ...values) => ready().all(sql, ...values),
    first: (sql, ...values) => ready().first(sql, ...values),
    script: (sql) => ready().script(sql),
    transaction: (work) => ready().transaction(work),
    isThere: () => isReady || isMigrated(db, schema),
  }
}

/** An alarm that is told that it has rung, which may be before its time: clocks are set back. */
export interface ObjectAlarm extends Alarm {
  rang(): void
}

/** The one alarm of an object. Setting what is set already costs nothing, nor does taking back what has rung. `known`: null when none was
 *  ever set. */
export function objectAlarm(ctx: DurableObjectState, known: number | null | undefined): ObjectAlarm {
  return {
    rang: () => {
      known = null
    },
    set: (time) => {
      if (known === time) return
      known = time
      ctx.waitUntil(ctx.storage.setAlarm(time))
    },
    clear: () => {
      const hasRung = known !== undefined && (known === null || known <= Date.now())
      known = null
      if (hasRung) return
      ctx.waitUntil(ctx.storage.deleteAlarm())
    },
  }
}
