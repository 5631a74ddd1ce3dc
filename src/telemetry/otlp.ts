import type { SpanDraft } from '../domain/telemetry.ts'
import { parseTraceparent, spanIdOf, traceIdOf } from './trace-context.ts'

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

function valueOf(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
