import { TELEMETRY_LIMITS, type Measure } from '../domain/telemetry.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Database } from './database.ts'

/** Sums of a tenant by name and labels. `buckets`: JSON list of counts of a histogram, null for a counter; `value`: the sum. */
export const METRICS_SCHEMA = [
  `CREATE TABLE metrics (name TEXT NOT NULL, labels TEXT NOT NULL, value REAL NOT NULL, buckets TEXT, PRIMARY KEY (name, labels)) WITHOUT ROWID;`,
] as const

export interface MeasureRow {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
  buckets: number[] | null
}

/** Add what was measured. `bounds`: upper bounds of the buckets; one more counts what is beyond. */
export function addMeasures(db: Database, measures: readonly Measure[], bounds: readonly number[]): void {
  db.transaction(() => measures.forEach((measure) => addMeasure(db, measure, bounds)))
}

function addMeasure(db: Database, { name, labels, add, observe }: Measure, bounds: readonly number[]): void {
  const key = keyOf(db, name, labels)
  const known = db.first<{ value: number; buckets: string | null }>(
    'SELECT value, buckets FROM metrics WHERE name = ? AND labels = ?',
    name,
    key,
  )
  const buckets = observe === undefined ? null : bucketsWith(known?.buckets ?? null, observe, bounds)
  db.all(
    `INSERT INTO metrics (name, labels, value, buckets) VALUES (?, ?, ?, ?)
     ON CONFLICT (name, labels) DO UPDATE SET value = excluded.value, buckets = excluded.buckets`,
    name,
    key,
    (known?.value ?? 0) + (observe ?? add ?? 0),
    buckets && JSON.stringify(buckets),
  )
}

function bucketsWith(known: string | null, seen: number, bounds: readonly number[]): number[] {
  const counts = known === null ? Array.from({ length: bounds.length + 1 }, () => 0) : (JSON.parse(known) as number[])
  const found = bounds.findIndex((bound) => seen <= bound)
  const index = found < 0 ? bounds.length : found
  return counts.map((count, at) => (at === index ? count + 1 : count))
}

/** The labels as a key; with too many series, all values are `other`. */
function keyOf(db: Database, name: string, labels: Readonly<Record<string, string>>): string {
  const key = canonicalJson(shortened(labels))
  const isKnown = db.first('SELECT 1 FROM metrics WHERE name = ? AND labels = ?', name, key) !== undefined
  if (isKnown || Object.keys(labels).length === 0) return key
  const { count = 0 } = db.first<{ count: number }>('SELECT count(*) AS count FROM metrics') ?? {}
  if (count < TELEMETRY_LIMITS.seriesMax) return key
  return canonicalJson(Object.fromEntries(Object.keys(labels).map((label) => [label, 'other'])))
}

function shortened(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, value.slice(0, TELEMETRY_LIMITS.labelCharsMax)]),
  )
}

export function listMeasures(db: Database): MeasureRow[] {
  return db
    .all<{ name: string; labels: string; value: number; buckets: string | null }>(
      'SELECT name, labels, value, buckets FROM metrics ORDER BY name, labels LIMIT ?',
      TELEMETRY_LIMITS.seriesMax + 100,
    )
    .map(({ labels, buckets, ...row }) => ({
      ...row,
      labels: JSON.parse(labels) as Record<string, string>,
      buckets: buckets === null ? null : (JSON.parse(buckets) as number[]),
    }))
}
