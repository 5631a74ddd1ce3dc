import { isObject } from '../../lib/json.ts'

/** Rows of a JSON Schema of an object. A row shows name, kind, title and whether one has to give it; what else its schema says stays. */

export const ROW_KINDS = ['text', 'number', 'integer', 'boolean', 'choice', 'list'] as const
/** `other`: what no row can say; it is shown as JSON. */
export type RowKind = (typeof ROW_KINDS)[number] | 'other'

export interface SchemaRow {
  name: string
  kind: RowKind
  title: string
  options: readonly string[]
  isNeeded: boolean
  schema: Readonly<Record<string, unknown>>
}

type Schema = Readonly<Record<string, unknown>>

/** Null: rows cannot say it. */
export function schemaRows(schema: unknown): SchemaRow[] | null {
  if (schema === undefined) return []
  if (!isObject(schema) || schema['type'] !== 'object') return null
  const { properties = {}, required = [] } = schema
  if (!isObject(properties) || !Array.isArray(required)) return null
  const rows = Object.entries(properties).flatMap(([name, one]) =>
    isObject(one) ? { name, ...shownOf(one), isNeeded: required.includes(name), schema: one } : [],
  )
  const isWhole = rows.length === Object.keys(properties).length
  return isWhole && required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name)) ? rows : null
}

function shownOf(one: Schema): Pick<SchemaRow, 'kind' | 'title' | 'options'> {
  const { title, enum: values } = one
  const kind = kindOf(one)
  const options = kind === 'choice' && Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
  return { kind, title: typeof title === 'string' ? title : '', options }
}

function kindOf({ type, enum: values, items }: Schema): RowKind {
  if (values !== undefined)
    return type === 'string' && Array.isArray(values) && values.every((one) => typeof one === 'string')
      ? 'choice'
      : 'other'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  return type === 'array' && isObject(items) && items['type'] === 'string' && items['enum'] === undefined
    ? 'list'
    : 'other'
}

const OF_KIND: Record<(typeof ROW_KINDS)[number], Schema> = {
  text: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  choice: { type: 'string', enum: [] },
  list: { type: 'array', items: { type: 'string' } },
}

/** Changes of a row; `schema`: another one in its place. */
type RowChange = Partial<Pick<SchemaRow, 'name' | 'kind' | 'title' | 'options' | 'isNeeded' | 'schema'>>

/** The schema with another row; null: without it. A name that another row has is not taken. */
export function withRow(schema: unknown, index: number, change: RowChange | null): Schema {
  const rows = schemaRows(schema) ?? []
  const isTaken = rows.some(({ name }, at) => at !== index && name === change?.name)
  const next = rows.flatMap((row, at) => {
    if (at !== index) return row
    return change === null ? [] : changedRow(row, isTaken ? { ...change, name: row.name } : change)
  })
  return schemaOf(schema, next)
}

/** The schema with one more row. */
export function withNewRow(schema: unknown): Schema {
  const rows = schemaRows(schema) ?? []
  const row = { name: freeName(rows), kind: 'text', title: '', options: [], isNeeded: false } as const
  return schemaOf(schema, [...rows, { ...row, schema: OF_KIND.text }])
}

function freeName(rows: readonly SchemaRow[]): string {
  let number = rows.length + 1
  while (rows.some(({ name }) => name === `input_${number}`)) number++
  return `input_${number}`
}

function changedRow(row: SchemaRow, change: RowChange): SchemaRow {
  const next = { ...row, ...change }
  if (change.schema !== undefined) return next
  const { title: _title, ...rest } = row.schema
  const titled =
    change.title === undefined ? row.schema : { ...rest, ...(next.title === '' ? {} : { title: next.title }) }
  if (change.kind === undefined || change.kind === 'other' || change.kind === row.kind)
    return { ...next, schema: change.options ? { ...titled, enum: [...change.options] } : titled }
  const { description } = row.schema
  const kept = { ...(next.title === '' ? {} : { title: next.title }), ...(description ? { description } : {}) }
  return { ...next, schema: { ...OF_KIND[change.kind], ...kept } }
}

function schemaOf(before: unknown, rows: readonly SchemaRow[]): Schema {
  const { properties: _properties, required: _required, ...rest } = isObject(before) ? before : { type: 'object' }
  const required = rows.flatMap(({ name, isNeeded }) => (isNeeded ? name : []))
  return {
    ...rest,
    properties: Object.fromEntries(rows.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  }
}
