import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { checkNotThenable, checkValues, type Database } from '../../src/store/database.ts'

/** SQLite of Node behind the same port as that of a Durable Object. */
export function nodeDatabase(path = ':memory:'): Database & { close(): void } {
  const sqlite = new DatabaseSync(path)
  const statements = new Map<string, StatementSync>()
  let depth = 0
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const made = sqlite.prepare(sql)
    statements.set(sql, made)
    return made
  }
  const all = <Row>(sql: string, ...values: SQLInputValue[]): Row[] => {
    checkValues(sql, values)
    return prepared(sql)
      .all(...values)
      .map((row) => ({ ...row }) as Row)
  }
  return {
    all,
    first: <Row>(sql: string, ...values: SQLInputValue[]) => all<Row>(sql, ...values)[0],
    script: (sql) => sqlite.exec(sql),
    transaction: (work) => {
      const name = `t${depth++}`
      sqlite.exec(`SAVEPOINT ${name}`)
      try {
        const result = checkNotThenable(work())
        sqlite.exec(`RELEASE ${name}`)
        return result
      } catch (error) {
        sqlite.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
        throw error
      } finally {
        depth--
      }
    },
    close: () => sqlite.close(),
  }
}

/** The same on a disk that can be full: then nothing is written, in a transaction or by a statement alone. */
export function databaseOn(disk: { readonly isFull: boolean }): Database {
  const sqlite = nodeDatabase()
  let depth = 0
  return {
    ...sqlite,
    all: (sql, ...values) => {
      if (disk.isFull && depth === 0 && /^\s*(?:INSERT|UPDATE|DELETE)/i.test(sql)) throw new Error('the disk is full')
      return sqlite.all(sql, ...values)
    },
    transaction: (work) =>
      sqlite.transaction(() => {
        const isOuter = depth++ === 0
        try {
          const done = work()
          if (disk.isFull && isOuter) throw new Error('the disk is full')
          return done
        } finally {
          depth--
        }
      }),
  }
}
