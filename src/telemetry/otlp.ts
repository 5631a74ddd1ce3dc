import type { SpanDraft } from '../domain/telemetry.ts'
import { sha256Hex } from '../lib/canonical-json.ts'

/** A request of OTLP/HTTP in JSON. Source: opentelemetry-proto 1.x, "JSON Protobuf Encoding". */
export async function traceRequest(spans: readonly SpanDraft[], service: { name: string; version: string }) {
  const attributes = attributesOf({ 'service.name': service.name, 'service.version': service.version })
  const scope = { name: 'yaa', version: service.version }
  return {
    resourceSpans: [
      { resource: { attributes }, scopeSpans: [{ scope, spans: await Promise.all(spans.map(encoded)) }] },
    ],
  }
}

/** Ids are made of what a span is of: the same span has the same id in whichever process it ends, so that a run that rested for
 *  days, or died, is one trace. */
async function encoded(span: SpanDraft) {
  const parent = parseTraceparent(span.traceparent)
  const traceId = parent?.traceId ?? (await sha256Hex(`trace ${span.trace}`)).slice(0, 32)
  const parentSpanId = span.within === null ? parent?.spanId : await spanId(span.trace, span.within)
  return {
    traceId,
    spanId: await spanId(span.trace, span.of),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: span.kind === 'client' ? 3 : 1,
    startTimeUnixNano: `${span.startTime}000000`,
    endTimeUnixNano: `${span.endTime}000000`,
    attributes: attributesOf({ ...span.attributes, ...(span.error === null ? {} : { 'error.type': span.error }) }),
    status: span.error === null ? {} : { code: 2, message: span.error },
  }
}

async function spanId(trace: string, of: string): Promise<string> {
  return (await sha256Hex(`span ${trace} ${of}`)).slice(0, 16)
}

/** Source: W3C Trace Context, §3.2; null for what is none. */
export function parseTraceparent(text: string | null | undefined): { traceId: string; spanId: string } | null {
  const [, traceId = '', parentId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '') ?? []
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) ? { traceId, spanId: parentId } : null
}

function attributesOf(attributes: SpanDraft['attributes']) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
