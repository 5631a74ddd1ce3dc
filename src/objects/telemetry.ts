import { version } from '../../package.json'
import type { SessionEvent } from '../domain/event.ts'
import type { ModelRequest } from '../domain/model.ts'
import { TELEMETRY_LIMITS, type ToldModel } from '../domain/telemetry.ts'
import type { Engine } from '../engine/engine.ts'
import { modelConfigOf } from '../engine/settings.ts'
import type { Journal, Watch } from '../log/journal.ts'
import { eventsBehind } from '../log/read-pages.ts'
import { secretMasks, toldModel } from '../telemetry/told-model.ts'
import { SpanExporter } from '../telemetry/spans.ts'
import { Observer, type Watched } from '../telemetry/observer.ts'
import { countMeasures } from './counters.ts'
import { serverOf } from './engine.ts'
import type { Env } from './env.ts'
import { logFact } from './report.ts'

/** Watches the events of one session. What they say is written down when the run rests, and at the latest after a second; a process
 *  that is killed may take the last ones along. Spans go out when the run rests, counters once a second; nothing waits for them. */
export function sessionWatch(ctx: Pick<DurableObjectState, 'waitUntil'>, env: Env): Watch {
  const { config, engine } = serverOf(env)
  const exporter = exporterOf(env)
  const contentOf = config.otel?.content ? secretMasks(config, secretIn(env)) : null
  const observer = new Observer(config.log ?? {}, exporter !== null)
  let seen: Told[] = []
  let due: ReturnType<typeof setTimeout> | undefined
  const observe = () => {
    clearTimeout(due)
    const unobserved = seen
    seen = []
    for (const told of unobserved) {
      if ('request' in told) observer.hearRequest(told.messageId, told.request)
      else {
        const { facts, measures, spans } = observer.see(told.event, told.watched)
        facts.forEach(logFact)
        countMeasures(env, told.watched.tenant, measures, ctx)
        exporter?.add(spans)
      }
    }
  }
  const put = (told: readonly Told[]) => {
    if (seen.length === 0) due = setTimeout(observe, TELEMETRY_LIMITS.observedMsMax)
    seen.push(...told)
  }
  const events: Watch['events'] = (written, journal) => {
    const content = contentOf?.(journal.record.config) ?? null
    const watched = { ...watchedIn(journal, config.character ?? 'yaa', engine), content }
    put(written.map((event) => ({ event, watched })))
    if (!written.some(({ type }) => type === 'run-end' || type === 'run-pause')) return
    observe()
    if (exporter) ctx.waitUntil(exporter.flush())
  }
  const request: Watch['request'] = (messageId, asked) => put([{ messageId, request: asked }])
  return { events, ...(contentOf ? { request } : {}) }
}

/** What waits to be observed, in its order. */
type Told = { event: SessionEvent; watched: Watched } | { messageId: string; request: ModelRequest }

function watchedIn(journal: Journal, character: string, engine: Engine): Omit<Watched, 'content'> {
  const { record, runStart } = journal
  const modelOf = (alias: string): ToldModel | null => {
    const chosen = engine.chooseModel(modelConfigOf(record))
    const specs = chosen.ok ? [chosen.spec, ...chosen.spec.fallbacks] : []
    const own = specs.find((one) => one.alias === alias)
    if (own) return toldModel(own)
    const other = engine.chooseModel({ model: alias })
    return other.ok ? toldModel(other.spec) : null
  }
  const toolStart = (callId: string) => (journal.exists && runStart ? toolStartIn(journal, runStart.seq, callId) : null)
  return {
    session: record.id,
    tenant: record.tenant,
    agent: record.character ?? character,
    runStart,
    toolStart,
    modelOf,
  }
}

/** The last start of a call, behind a seq. */
function toolStartIn(
  journal: Journal,
  seq: number,
  callId: string,
): Extract<SessionEvent, { type: 'tool-start' }> | null {
  let found: Extract<SessionEvent, { type: 'tool-start' }> | null = null
  for (const event of eventsBehind(journal, seq, ['tool-start']))
    if (event.type === 'tool-start' && event.call_id === callId) found = event
  return found
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
  const secret = secretIn(env)
  return Object.fromEntries(
    Object.entries(names).flatMap(([header, name]) => {
      const value = secret(name)
      return value === undefined ? [] : [[header, value]]
    }),
  )
}

/** A secret of the environment by its name. */
function secretIn(env: Env): (name: string) => string | undefined {
  const given = env.YAA_SECRETS ? (JSON.parse(env.YAA_SECRETS) as Record<string, string>) : {}
  return (name) => {
    const value = given[name] ?? env[name]
    return typeof value === 'string' ? value : undefined
  }
}
