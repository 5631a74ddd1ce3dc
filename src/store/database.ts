export type Value = string | number | null | Uint8Array

/** What SQLite is asked through, in a Durable Object and in Node alike. Synchronous; rows are plain objects. */
export interface Database {
  all<Row>(sql: string, ...values: Value[]): Row[]
  first<Row>(sql: string, ...values: Value[]): Row | undefined
  /** Several statements without parameters. */
  script(sql: string): void
  /** All of `work` or nothing; may be nested. `work` must not be async: that would commit at its first await. */
  transaction<T>(work: () => T): T
}

const PARAMETERS_MAX = 100

/** Throws on what one of the two backends would take and the other not. */
export function checkValues(values: readonly unknown[]): void {
  if (values.length > PARAMETERS_MAX) throw new TypeError(`at most ${PARAMETERS_MAX} parameters, got ${values.length}`)
  for (const value of values) {
    const fits = value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
    if (!fits) throw new TypeError(`a parameter of type ${typeof value} cannot be stored`)
  }
}

export function checkNotThenable<T>(result: T): T {
  if (result instanceof Promise) throw new TypeError('a transaction must not be async')
  return result
}
