import { sha256Hex } from '../lib/hash.ts'
import type { Fetch } from '../domain/ports.ts'
import { TELEMETRY_LIMITS, type SpanDraft, type TraceContext } from '../domain/telemetry.ts'

/** Where a span stands: what names its trace, the span's own subject, and the context that it came with. */
interface SpanPlace {
  trace: string
  of: string
  traceparent: string | null
}

/** Source: W3C Trace Context, §3.2; null for what is none. */
export function parseTraceparent(text: string | null | undefined): { traceId: string; spanId: string } | null {
  const [, traceId = '', parentId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '') ?? []
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) ? { traceId, spanId: parentId } : null
}

/** The trace that a request or a log names; null: it names none. Source: W3C Trace Context, §3.3: a state without its parent is none, and one
 *  that cannot be read is dropped. */
export function traceContextOf({ traceparent, tracestate }: Partial<TraceContext>): TraceContext | null {
  if (traceparent === undefined || !parseTraceparent(traceparent)) return null
  return tracestate !== undefined && /^[ -~]{1,512}$/.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}

/** Ids are made of what a span is of: the same span has the same id in whichever process it ends, so that a run that rested for
 *  days, or died, is one trace. */
async function traceIdOf({ trace, traceparent }: Omit<SpanPlace, 'of'>): Promise<string> {
  return parseTraceparent(traceparent)?.traceId ?? (await sha256Hex(`trace ${trace}`)).slice(0, 32)
}

async function spanIdOf({ trace, of }: Omit<SpanPlace, 'traceparent'>): Promise<string> {
  return (await sha256Hex(`span ${trace} ${of}`)).slice(0, 16)
}

/** What a request within a span that is recorded says of it. */
export async function traceparentWithin(place: SpanPlace): Promise<string> {
  return `00-${await traceIdOf(place)}-${await spanIdOf(place)}-01`
}

interface ExporterOptions {
  /** Base address; `/v1/traces` is added unless it is there. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  service: { name: string; version: string }
  fetch: Fetch
  /** Tells the operator that spans were lost. */
  lost: (reason: string, spans: number) => void
}

/** Sends spans in batches. What cannot be sent is told and forgotten: a run never waits for it, nor fails by it. */
export class SpanExporter {
  readonly #options: ExporterOptions
  #waiting: SpanDraft[] = []

  constructor(options: ExporterOptions) {
    this.#options = options
  }

  add(spans: readonly SpanDraft[]): void {
    this.#waiting = [...this.#waiting, ...spans].slice(-TELEMETRY_LIMITS.spansMax)
  }

  /** Send all that waits; never rejects. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, TELEMETRY_LIMITS.spansPerRequestMax))
  }

  async #send(spans: readonly SpanDraft[]): Promise<void> {
    const { endpoint, headers, service, fetch, lost } = this.#options
    try {
      const answer = await fetch(
        /\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`,
        {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(await traceRequest(spans, service)),
          signal: AbortSignal.timeout(TELEMETRY_LIMITS.sendMsMax),
        },
      )
      await answer.body?.cancel()
      if (!answer.ok) lost(`the collector answered ${answer.status}`, spans.length)
    } catch (error) {
      lost(error instanceof Error ? error.name : 'no answer', spans.length)
    }
  }
}

/** The conventions that attributes are named by. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.37.0'

/** A request of OTLP/HTTP in JSON. Source: opentelemetry-proto 1.x, "JSON Protobuf Encoding". */
export async function traceRequest(spans: readonly SpanDraft[], service: { name: string; version: string }) {
  const attributes = attributesOf({ 'service.name': service.name, 'service.version': service.version })
  const scope = { name: 'yaa', version: service.version }
  const encodedSpans = await Promise.all(spans.map(encoded))
  return {
    resourceSpans: [
      {
        resource: { attributes },
        scopeSpans: [{ scope, spans: encodedSpans, schemaUrl: SCHEMA_URL }],
        schemaUrl: SCHEMA_URL,
      },
    ],
  }
}

async function encoded(span: SpanDraft) {
  const { trace, within } = span
  const parentSpanId =
    within === null ? parseTraceparent(span.traceparent)?.spanId : await spanIdOf({ trace, of: within })
  return {
    traceId: await traceIdOf(span),
    spanId: await spanIdOf(span),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: span.kind === 'client' ? 3 : 1,
    startTimeUnixNano: `${span.startTime}000000`,
    endTimeUnixNano: `${span.endTime}000000`,
    attributes: attributesOf({ ...span.attributes, ...(span.error === null ? {} : { 'error.type': span.error }) }),
    status: span.error === null ? {} : { code: 2, message: span.error },
  }
}

function attributesOf(attributes: SpanDraft['attributes']) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: SpanDraft['attributes'][string]): object {
  if (typeof value === 'object') return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
