import { DurableObject } from 'cloudflare:workers'
import type { Measure } from '../domain/telemetry.ts'
import { addMeasures, listMeasures, METRICS_SCHEMA } from '../store/metrics.ts'
import { migrate } from '../store/migrate.ts'
import { BUCKETS } from '../telemetry/prometheus.ts'
import { objectDatabase } from './database.ts'
import type { Env } from './env.ts'

/** The counters of one tenant. */
export class MetricsObject extends DurableObject<Env> {
  readonly #db = objectDatabase(this.ctx.storage)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(this.#db, METRICS_SCHEMA)
  }

  add(measures: readonly Measure[]) {
    addMeasures(this.#db, measures, BUCKETS)
  }

  read() {
    return listMeasures(this.#db)
  }
}
