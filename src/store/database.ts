import { LIMITS } from '../domain/limits.ts'
import { bytesOf } from '../lib/bytes.ts'

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

/** A row that no home takes. */
class RowTooLarge extends RangeError {
  constructor(bytes: number) {
    super(`a row has at most ${LIMITS.store.rowBytesMax} bytes, got ${bytes}: long texts are kept in parts`)
    this.name = 'RowTooLarge'
  }
}

/** Throws on what one of the two backends would take and the other not. The values of a statement that writes several rows are told apart by how
 *  many rows it names. */
export function checkValues(sql: string, values: readonly unknown[]): void {
  if (values.length > PARAMETERS_MAX) throw new TypeError(`at most ${PARAMETERS_MAX} parameters, got ${values.length}`)
  for (const value of values) {
    const fits = value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
    if (!fits) throw new TypeError(`a parameter of type ${typeof value} cannot be stored`)
  }
  checkRows(sql, values)
}

function checkRows(sql: string, values: readonly unknown[]): void {
  const { rowBytesMax } = LIMITS.store
  // A unit of UTF-16 has three bytes at most.
  if (values.reduce<number>((sum, value) => sum + lengthOf(value) * 3, 0) <= rowBytesMax) return
  const [, places = ''] = /\bVALUES\s*(\(.*)$/is.exec(sql) ?? []
  const perRow = values.length / Math.max(1, places.split('?)').length - 1)
  for (let from = 0; from < values.length; from += perRow) {
    const bytes = values.slice(from, from + perRow).reduce<number>((sum, value) => sum + bytesIn(value), 0)
    if (bytes > rowBytesMax) throw new RowTooLarge(bytes)
  }
}

const lengthOf = (value: unknown) => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength
  return typeof value === 'string' ? bytesOf(value) : 0
}

export function checkNotThenable<T>(result: T): T {
  if (result instanceof Promise) throw new TypeError('a transaction must not be async')
  return result
}
