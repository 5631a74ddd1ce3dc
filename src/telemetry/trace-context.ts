import { sha256Hex } from '../lib/hash.ts'

/** Where a span stands: what names its trace, the span's own subject, and the context that it came with. */
export interface SpanPlace {
  trace: string
  of: string
  traceparent: string | null
}

/** Source: W3C Trace Context, §3.2; null for what is none. */
export function parseTraceparent(text: string | null | undefined): { traceId: string; spanId: string } | null {
  const [, traceId = '', parentId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '') ?? []
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) ? { traceId, spanId: parentId } : null
}

/** Ids are made of what a span is of: the same span has the same id in whichever process it ends, so that a run that rested for
 *  days, or died, is one trace. */
export async function traceIdOf({ trace, traceparent }: Omit<SpanPlace, 'of'>): Promise<string> {
  return parseTraceparent(traceparent)?.traceId ?? (await sha256Hex(`trace ${trace}`)).slice(0, 32)
}

export async function spanIdOf({ trace, of }: Omit<SpanPlace, 'traceparent'>): Promise<string> {
  return (await sha256Hex(`span ${trace} ${of}`)).slice(0, 16)
}

/** What a request within a span that is recorded says of it. */
export async function traceparentWithin(place: SpanPlace): Promise<string> {
  return `00-${await traceIdOf(place)}-${await spanIdOf(place)}-01`
}
