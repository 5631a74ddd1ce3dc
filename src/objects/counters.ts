import { TELEMETRY_LIMITS, type Measure } from '../domain/telemetry.ts'
import { sleep } from '../lib/wait.ts'
import { metricsObject, type Env } from './env.ts'
import { report } from './report.ts'

interface Waiting {
  measures: Measure[]
  /** Until when somebody has promised to write them (Unix ms). */
  due: number
}

/** Measures that wait to be written, by tenant: of this isolate. */
const waiting = new Map<string, Waiting>()

/** Add to a tenant's counters before long: what comes close together is written at once, and nobody waits for it. */
export function countMeasures(
  env: Env,
  tenant: string,
  measures: readonly Measure[],
  ctx: Pick<DurableObjectState, 'waitUntil'>,
): void {
  if (measures.length === 0) return
  const known = waiting.get(tenant) ?? { due: 0, measures: [] }
  waiting.set(tenant, known)
  known.measures.push(...measures)
  if (known.measures.length >= TELEMETRY_LIMITS.measuresMax) return ctx.waitUntil(flushCounters(env, tenant))
  if (Date.now() <= known.due) return
  known.due = Date.now() + TELEMETRY_LIMITS.measuresMsMax
  ctx.waitUntil(sleep(TELEMETRY_LIMITS.measuresMsMax).then(() => flushCounters(env, tenant)))
}

/** Write what waits of a tenant. What cannot be written is lost; the operator is told, and nobody else. */
export async function flushCounters(env: Env, tenant: string): Promise<void> {
  const known = waiting.get(tenant)
  const measures = known?.measures.splice(0) ?? []
  if (known && Date.now() >= known.due) waiting.delete(tenant)
  if (measures.length > 0) await metricsObject(env, tenant).add(measures).catch(report)
}
