import { TELEMETRY_LIMITS, type Measure } from '../domain/telemetry.ts'
import type { Database } from '../store/database.ts'
import { listMeasures, putMeasure, type MeasureRow } from '../store/metrics.ts'

type Labels = Readonly<Record<string, string>>

/** Where the sums of a series are: its name, and its labels as they are stored. */
interface Series {
  name: string
  labels: Labels
  stored: string
}

/** The sums of one tenant: in memory, so that nothing is read to add to them, and written where they changed. */
export class Metrics {
  readonly #db: Database
  readonly #bounds: readonly number[]
  #known: Map<string, MeasureRow> | undefined

  /** `bounds`: upper bounds of the buckets of a histogram; one more counts what is beyond. */
  constructor(db: Database, bounds: readonly number[]) {
    this.#db = db
    this.#bounds = bounds
  }

  /** Add what was measured: a row is written once, however often it was. */
  add(measures: readonly Measure[]): void {
    const rows = this.#rows()
    const changed = new Map<string, Series>()
    for (const measure of measures) {
      if (!Number.isFinite(measure.observe ?? measure.add)) continue
      const series = this.#within(seriesOf(measure))
      const key = keyOf(series)
      rows.set(key, this.#grown(rows.get(key), series, measure))
      changed.set(key, series)
    }
    this.#db.transaction(() => changed.forEach((series, key) => this.#write(series, rows.get(key))))
  }

  list(): MeasureRow[] {
    return listMeasures(this.#db)
  }

  #rows(): Map<string, MeasureRow> {
    this.#known ??= new Map(listMeasures(this.#db).map((row) => [keyOf(seriesOf(row)), row]))
    return this.#known
  }

  #write({ stored }: Series, row: MeasureRow | undefined): void {
    if (row) putMeasure(this.#db, stored, row)
  }

  /** With too many series, all labels of a new one are `other`. */
  #within(series: Series): Series {
    const names = Object.keys(series.labels)
    const rows = this.#rows()
    if (rows.size < TELEMETRY_LIMITS.seriesMax || names.length === 0 || rows.has(keyOf(series))) return series
    return seriesOf({ name: series.name, labels: Object.fromEntries(names.map((name) => [name, 'other'])) })
  }

  #grown(known: MeasureRow | undefined, { name, labels }: Series, { add, observe }: Measure): MeasureRow {
    const value = (known?.value ?? 0) + (observe ?? add ?? 0)
    return { name, labels, value, buckets: observe === undefined ? null : this.#counted(known?.buckets, observe) }
  }

  #counted(known: readonly number[] | null | undefined, seen: number): number[] {
    const counts = known ?? Array.from({ length: this.#bounds.length + 1 }, () => 0)
    const found = this.#bounds.findIndex((bound) => seen <= bound)
    const index = found < 0 ? this.#bounds.length : found
    return counts.map((count, at) => (at === index ? count + 1 : count))
  }
}

function seriesOf({ name, labels }: Pick<MeasureRow, 'name' | 'labels'>): Series {
  const short = Object.keys(labels)
    .toSorted()
    .map((label) => [label, (labels[label] ?? '').slice(0, TELEMETRY_LIMITS.labelCharsMax)])
  const bounded = Object.fromEntries(short) as Labels
  return { name, labels: bounded, stored: JSON.stringify(bounded) }
}

function keyOf({ name, stored }: Series): string {
  return `${name} ${stored}`
}
