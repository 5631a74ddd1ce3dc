import { TELEMETRY_LIMITS } from '../domain/telemetry.ts'
import type { Database } from './database.ts'
import { schemaOf } from './migrate.ts'

/** Sums of a tenant by name and labels. `buckets`: JSON list of counts of a histogram, null for a counter; `value`: the sum. */
export const METRICS_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS metrics (name TEXT NOT NULL, labels TEXT NOT NULL, value REAL NOT NULL, buckets TEXT, PRIMARY KEY (name, labels)) WITHOUT ROWID;`,
  ],
  { countedSteps: 1 },
)

export interface MeasureRow {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
  buckets: number[] | null
}

/** Keep the sums of one series. `labels`: their canonical JSON. */
export function putMeasure(db: Database, labels: string, { name, value, buckets }: MeasureRow): void {
  db.all(
    `INSERT INTO metrics (name, labels, value, buckets) VALUES (?, ?, ?, ?)
     ON CONFLICT (name, labels) DO UPDATE SET value = excluded.value, buckets = excluded.buckets`,
    name,
    labels,
    value,
    buckets && JSON.stringify(buckets),
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
