import { parseJson } from '../../lib/json.ts'
import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Risk, Touched } from '../../domain/tool.ts'
import { webAddress } from '../../lib/addresses.ts'
import { PLACEHOLDER } from '../../net/secrets.ts'

/** Whether a value, whatever it is, names a secret. */
function namesSecret(value: unknown): boolean {
  return JSON.stringify(value ?? null).search(PLACEHOLDER) >= 0
}

/** Every placeholder in the one spelling that has no white space. */
function tidyPlaceholders(text: string): string {
  return text.replaceAll(PLACEHOLDER, '{{secret:$1}}')
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

const RISKS: Readonly<Record<Method, Risk>> = {
  GET: 'network',
  HEAD: 'network',
  OPTIONS: 'network',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'destructive',
}

const EXPECTED = { method: METHODS.join(' | '), url: 'http://… | https://…', body: `≤ ${LIMITS.request.bodyCharsMax}` }

export const input = z.strictObject({
  method: z.string().transform((written, context) => {
    const method = METHODS.find((one) => one === written.trim().toUpperCase())
    if (method) return method
    context.addIssue({ code: 'custom', message: EXPECTED.method })
    return z.NEVER
  }),
  url: z.string(EXPECTED.url).transform((written, context) => {
    const address = webAddress(tidyPlaceholders(written))
    if (address !== null && address.length <= LIMITS.web.urlCharsMax) return address
    context.addIssue({ code: 'custom', message: EXPECTED.url })
    return z.NEVER
  }),
  headers: z.union([z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), z.string()]).optional(),
  body: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .transform((written) => (typeof written === 'string' ? written : JSON.stringify(written)))
    .pipe(z.string().max(LIMITS.request.bodyCharsMax, EXPECTED.body))
    .optional(),
})
export type RequestInput = z.infer<typeof input>

/** A request that changes nothing may be sent again. */
export function isSafe(method: Method | undefined): boolean {
  return method !== undefined && RISKS[method] === 'network'
}

/** What one call may do; one that carries a secret out is more than a read. */
export function riskOf(args: Record<string, unknown>): Risk {
  const method = methodOf(args)
  if (!method) return 'destructive'
  return isSafe(method) && namesSecret(args) ? 'write' : RISKS[method]
}

export function isIdempotent(args: Record<string, unknown>): boolean {
  return isSafe(methodOf(args))
}

export function effects({ url, headers }: Record<string, unknown>): Partial<Touched> {
  const address = typeof url === 'string' ? webAddress(tidyPlaceholders(url)) : null
  return { addresses: address === null ? [] : [address], ...(sayMore(headers) ? { carries: true } : {}) }
}

/** Media types that say nothing but what is asked for. */
const ACCEPTED =
  /^(?:\*\/\*|text\/(?:html|plain|csv|markdown|\*)|application\/(?:json|xml|ld\+json|rss\+xml|vnd\.github\+json))$/

/** Whether headers, as a model writes them, can carry words of its own. */
function sayMore(headers: unknown): boolean {
  const checked = input.shape.headers.safeParse(headers ?? undefined)
  const known = checked.success ? checkHeaders(checked.data) : null
  if (!known?.ok) return true
  return Object.entries(known.headers).some(([name, value]) => name !== 'accept' || !ACCEPTED.test(value))
}

function methodOf({ method }: Record<string, unknown>): Method | undefined {
  return METHODS.find((one) => typeof method === 'string' && one === method.trim().toUpperCase())
}

export type CheckedHeaders = { ok: true; headers: Record<string, string> } | { ok: false; name: string | null }

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const VALUE_FORBIDDEN = /[\p{Cc}]|[^\u0020-\u00ff]/u
/** What belongs to the connection, to proxies, or to us. */
const OURS =
  /^(?:host|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|date|via|forwarded|idempotency-key|accept-encoding|proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|cf-.*)$/

/** Headers under their names in lower case, or the first that may not be sent; null: there are too many. */
export function checkHeaders(written: RequestInput['headers']): CheckedHeaders {
  const entries = typeof written === 'string' ? entriesIn(written) : Object.entries(written ?? {})
  if (entries.length > LIMITS.request.headersMax) return { ok: false, name: null }
  const headers: Record<string, string> = {}
  for (const [name, value] of entries) {
    const lower = name.toLowerCase()
    const text = tidyPlaceholders(String(value).trim())
    const fits = NAME.test(name) && !OURS.test(lower) && !VALUE_FORBIDDEN.test(text)
    if (!fits || text.length > LIMITS.request.headerCharsMax || Object.hasOwn(headers, lower))
      return { ok: false, name: name.slice(0, 100) }
    headers[lower] = text
  }
  return { ok: true, headers }
}

/** A JSON object, or one header a line. */
function entriesIn(text: string): [string, unknown][] {
  const json = text.trim().startsWith('{') ? z.record(z.string(), z.unknown()).safeParse(parseJson(text)) : null
  if (json?.success) return Object.entries(json.data)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const at = line.indexOf(':')
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)]
  })
}
