import { DurableObject } from 'cloudflare:workers'
import type { Measure } from '../domain/telemetry.ts'
import { METRICS_SCHEMA } from '../store/metrics.ts'
import { migrate } from '../store/migrate.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { BUCKETS } from '../telemetry/prometheus.ts'
import { objectDatabase } from './storage.ts'
import type { Env } from './env.ts'

/** The counters of one tenant. */
export class MetricsObject extends DurableObject<Env> {
  readonly #metrics: Metrics

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const db = objectDatabase(ctx.storage)
    migrate(db, METRICS_SCHEMA)
    this.#metrics = new Metrics(db, BUCKETS)
  }

  add(measures: readonly Measure[]) {
    this.#metrics.add(measures)
  }

  read() {
    return this.#metrics.list()
  }
}
