import type { Context } from 'hono'
import type { AppEnv } from './context.ts'

/** What the headers of a request say of the form that its answer may have. */

interface Range {
  type: string
  /** 0: not at all, to 1. */
  q: number
}

/** Caches are told that the answer depends on a header of its request; once, however often it is looked at. */
export function dependsOn(c: Context<AppEnv>, header: string): void {
  const known = c.get('varies') ?? new Set<string>()
  if (known.has(header)) return
  c.set('varies', known.add(header))
  c.header('vary', header, { append: true })
}

/** Whether a client asks for one form rather than for the one that it gets by default: it weighs it higher, or as high and by name.
 *  The answer says that it depends on `Accept`. */
export function asksFor(c: Context<AppEnv>, type: string, byDefault = 'application/json'): boolean {
  dependsOn(c, 'Accept')
  const accept = c.req.header('accept') ?? '*/*'
  if (accept === type) return true
  if (accept === byDefault) return false
  const ranges = rangesOf(accept)
  const [wanted, usual] = [weightOf(ranges, type), weightOf(ranges, byDefault)]
  return wanted > usual || (wanted > 0 && wanted === usual && ranges.some((range) => range.type === type))
}

/** Source: RFC 9110 §12.5.1. A weight that is none counts as 1. */
function rangesOf(accept: string): Range[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const weight = parameters
      .map((one) => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(one)?.[1])
      .find((one) => one !== undefined)
    return { type, q: Math.min(1, Number(weight ?? 1)) }
  })
}

/** What the most exact range says of a type; 0: none takes it. */
function weightOf(ranges: readonly Range[], type: string): number {
  for (const range of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const found = ranges.find((one) => one.type === range)
    if (found) return found.q
  }
  return 0
}

/** Whether `If-None-Match` names the tag: the client has what it asks for. Source: RFC 9110 §13.1.2, weak comparison. */
export function hasAlready(c: Context<AppEnv>, etag: string): boolean {
  const known = c.req.header('if-none-match')
  if (known === undefined) return false
  return known.trim() === '*' || known.split(',').some((one) => opaque(one) === opaque(etag))
}

const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
