import { LIMITS } from '../../domain/limits.ts'
import { bytesOf } from '../../lib/bytes.ts'
import { factory, problem, type AppEnv } from '../context.ts'
import type { Hono } from 'hono'

/** Refuses a request whose headers are too large, before anything else looks at them. */
export const boundedHeaders = factory.createMiddleware(async (c, next) => {
  const bytesMax = LIMITS.http.headerBytesMax
  return isOver(c.req.raw.headers, bytesMax) ? problem(c, { code: 'headers_too_large', bytesMax }) : next()
})

/** Whether names and values have more bytes together. A unit of UTF-16 has three at most: they are counted only where there are many units. */
function isOver(headers: Headers, bytesMax: number): boolean {
  let units = 0
  headers.forEach((value, name) => (units += name.length + value.length))
  if (units * 3 <= bytesMax) return false
  let bytes = 0
  headers.forEach((value, name) => (bytes += name.length + bytesOf(value)))
  return bytes > bytesMax
}

const YEAR_SECONDS = 31_536_000

/** What every answer tells a browser; a page says more of itself. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const

/** Answers run nothing, are framed by nobody and tell no other site where they were read; data stays in no cache. */
export const securityHeaders = factory.createMiddleware(async (c, next) => {
  for (const [name, value] of Object.entries(ALWAYS)) c.header(name, value)
  if (c.req.url.startsWith('https:'))
    c.header('strict-transport-security', `max-age=${YEAR_SECONDS}; includeSubDomains`)
  if (c.req.path.startsWith('/v1') || !/^(GET|HEAD)$/.test(c.req.method)) c.header('cache-control', 'no-store')
  return next()
})

/** Of an answer whose head alone is asked for nothing more is made: a stream that nobody reads would stay open. */
export const headAlone = factory.createMiddleware(async (c, next) => {
  await next()
  const { body } = c.res
  if (c.req.method !== 'HEAD' || body === null) return
  c.executionCtx.waitUntil(body.cancel())
  c.res = new Response(null, c.res)
})

/** Which methods the routes of an app answer on a path: for `Allow`. Empty: there is no such path. */
export function allowedMethods(app: Hono<AppEnv>): (path: string) => string[] {
  let routes: { method: string; template: string; pattern: RegExp }[] | undefined
  return (path) => {
    // Not at the start of the Worker, which every request after an idle time may wait for.
    routes ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path: template }) => ({ method, template, pattern: patternOf(template) }))
    const named = routes.filter(({ template }) => template === path)
    // `/v1/sessions/cancel` is no session, although it could be the id of one.
    const fitting = named.length > 0 ? named : routes.filter(({ pattern }) => pattern.test(path))
    const methods = new Set(fitting.map(({ method }) => method))
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods, 'OPTIONS'].toSorted()
  }
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) =>
      part.startsWith(':')
        ? part.endsWith('{.+}')
          ? '.+'
          : '[^/]+'
        : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
    )
  return new RegExp(`^${parts.join('/')}$`)
}
