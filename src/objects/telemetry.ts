import { version } from '../../package.json'
import type { SessionEvent } from '../domain/event.ts'
import { TELEMETRY_LIMITS, type Fact, type Measure } from '../domain/telemetry.ts'
import type { Journal } from '../session/journal.ts'
import { SpanExporter } from '../telemetry/exporter.ts'
import { Observer, type Watched } from '../telemetry/told.ts'
import { serverOf } from './engine.ts'
import { metricsObject, type Env } from './env.ts'
import { report } from './report.ts'

/** Tell the operator of something that happened: one JSON line. */
export function logFact({ level, ...fact }: Fact): void {
  const line = JSON.stringify({ level, ...fact })
  if (level === 'error') console.error(line)
  else if (level === 'warn') console.warn(line)
  else console.log(line)
}

/** Watches the events of one session: lines at once; counters and spans when the run rests, which never waits for them. */
export function sessionWatch(ctx: Pick<DurableObjectState, 'waitUntil'>, env: Env) {
  const { config } = serverOf(env)
  const observer = new Observer({ content: config.log?.content ?? false })
  const exporter = exporterOf(env)
  let measures: Measure[] = []
  return (events: readonly SessionEvent[], journal: Journal): void => {
    const watched = watchedIn(journal, config.character ?? 'yaa')
    for (const event of events) {
      const told = observer.see(event, watched)
      told.facts.forEach(logFact)
      measures = [...measures, ...told.measures].slice(-TELEMETRY_LIMITS.measuresMax)
      exporter?.add(told.spans)
      if (event.type !== 'run-end' && event.type !== 'run-pause') continue
      const counted = measures
      measures = []
      ctx.waitUntil(Promise.all([exporter?.flush(), countFor(env, watched.tenant, counted)]))
    }
  }
}

function watchedIn({ record, state, log }: Journal, character: string): Watched {
  const first = state.run ? log.events(state.run.firstSeq - 1, 1)[0] : undefined
  return {
    session: record.id,
    tenant: record.tenant,
    agent: record.character ?? character,
    runStart: first?.type === 'run-start' ? first : null,
  }
}

/** Add to a tenant's counters; a failure is told to the operator and nobody else. */
export async function countFor(env: Env, tenant: string, measures: readonly Measure[]): Promise<void> {
  if (measures.length > 0) await metricsObject(env, tenant).add(measures).catch(report)
}

/** Null: the config names no collector. */
function exporterOf(env: Env): SpanExporter | null {
  const { otel } = serverOf(env).config
  if (!otel) return null
  const network = env.PRIVATE_NETWORK
  return new SpanExporter({
    endpoint: otel.endpoint,
    headers: { ...otel.headers, ...secretHeaders(env, otel.headers_env ?? {}) },
    service: { name: otel.service_name ?? 'yaa', version },
    fetch: network ? (url, init) => network.fetch(url, init) : (url, init) => fetch(url, init),
    lost: (reason, spans) => logFact({ level: 'warn', event: 'spans_lost', reason, spans }),
  })
}

function secretHeaders(env: Env, names: Readonly<Record<string, string>>): Record<string, string> {
  const given = env.YAA_SECRETS ? (JSON.parse(env.YAA_SECRETS) as Record<string, string>) : {}
  return Object.fromEntries(
    Object.entries(names).flatMap(([header, name]) => {
      const value = given[name] ?? env[name]
      return typeof value === 'string' ? [[header, value]] : []
    }),
  )
}
