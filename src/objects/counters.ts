import { TELEMETRY_LIMITS, type Measure } from '../domain/telemetry.ts'
import { sleep } from '../lib/wait.ts'
import { metricsObject, type Env } from './env.ts'
import { report } from './report.ts'

interface Waiting {
  /** What is added to each counter, by its name and labels: a run adds to the same ones again and again. */
  sums: Map<string, Measure & { add: number }>
  /** What histograms see. */
  seen: Measure[]
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
  const known = waiting.get(tenant) ?? { due: 0, sums: new Map(), seen: [] }
  waiting.set(tenant, known)
  for (const measure of measures) keep(known, measure)
  if (known.sums.size + known.seen.length >= TELEMETRY_LIMITS.measuresMax)
    return ctx.waitUntil(flushCounters(env, tenant))
  if (Date.now() <= known.due) return
  known.due = Date.now() + TELEMETRY_LIMITS.measuresMsMax
  ctx.waitUntil(sleep(TELEMETRY_LIMITS.measuresMsMax).then(() => flushCounters(env, tenant)))
}

function keep({ sums, seen }: Waiting, measure: Measure): void {
  const { name, labels, add } = measure
  if (!Number.isFinite(add ?? measure.observe)) return
  if (add === undefined) return void seen.push(measure)
  const key = `${name} ${JSON.stringify(labels)}`
  const sum = sums.get(key)
  if (sum) sum.add += add
  else sums.set(key, { name, labels, add })
}

/** Write what waits of a tenant. What cannot be written is lost; the operator is told, and nobody else. */
export async function flushCounters(env: Env, tenant: string): Promise<void> {
  const known = waiting.get(tenant)
  const measures = known ? [...known.sums.values(), ...known.seen.splice(0)] : []
  known?.sums.clear()
  if (known && Date.now() >= known.due) waiting.delete(tenant)
  if (measures.length > 0) await metricsObject(env, tenant).add(measures).catch(report)
}
