import type { Context } from 'hono'
import { sha256Hex } from '../lib/hash.ts'
import { LIMITS } from '../domain/limits.ts'
import { factory, problem, type AppEnv } from './context.ts'
import { inPageLanguage } from './language.ts'
import { asksFor, hasAlready } from './negotiate.ts'
import { described } from './openapi/describe.ts'

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
}

/** What the build names has its hash in the name, so it never changes. */
const HASHED = /^[\w.-]{1,100}-[A-Z0-9]{8}\.(js|css|svg|png)$/

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What a page may load: its own files, and its own API. No script or style from the text of a page, no other host. Text that
 *  becomes HTML has to come from the sanitiser's policy. */
const PAGE_POLICY = `${NOTHING}; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
frame-src 'self'; require-trusted-types-for 'script'; trusted-types dompurify`

/** The room in which charts are drawn: it may style what it draws, and reach nothing; it has no origin and no storage. */
const DIAGRAM_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; script-src 'self'; style-src 'unsafe-inline'; sandbox allow-scripts"

/** The viewer of the API writes HTML by itself, so that no policy for it can be asked for. */
export const DOCS_POLICY = `${NOTHING}; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'`

/** Scripts, styles and pictures of the pages. Open to all; the room for charts, which has no origin, asks as `null`. */
export const assetRoutes = factory
  .createApp()
  .get(
    '/diagram.html',
    described(
      {
        summary: 'The room in which charts are drawn',
        id: 'getDiagramRoom',
        errors: ['not_found'],
        answers: 'page',
        open: true,
      },
      (c) => assetPage(c, 'diagram.html', DIAGRAM_POLICY),
    ),
  )
  .get(
    '/:name',
    described(
      { summary: 'A file of the pages', id: 'getAsset', errors: ['not_found'], answers: 'bytes', open: true },
      assetOf,
    ),
  )

async function assetOf(c: Context<AppEnv>): Promise<Response> {
  const name = c.req.param('name') ?? ''
  if (!HASHED.test(name)) return problem(c, { code: 'not_found', what: 'resource' })
  const etag = `W/"${name}"`
  c.header('cache-control', `public, max-age=${LIMITS.http.assetSeconds}, immutable`)
  c.header('access-control-allow-origin', '*')
  c.header('content-security-policy', NOTHING)
  if (hasAlready(c, etag)) return c.body(null, 304, { etag })
  const file = await fileOf(c, name)
  if (file) return c.body(file, 200, { ...typeOf(name), etag })
  c.header('cache-control', 'no-store')
  return problem(c, { code: 'not_found', what: 'resource' })
}

/** A page of the build, such as `console.html`. Open to all: there is no data in it. */
export async function assetPage(c: Context<AppEnv>, name: string, policy: string = PAGE_POLICY): Promise<Response> {
  const file = await fileOf(c, name)
  if (!file) return problem(c, { code: 'not_found', what: 'resource' })
  const text = inPageLanguage(c, await new Response(file).text())
  const etag = `W/"${(await sha256Hex(text)).slice(0, 16)}"`
  c.header('cache-control', 'no-cache')
  c.header('content-security-policy', policy)
  if (policy === DIAGRAM_POLICY) c.header('x-frame-options', 'SAMEORIGIN')
  c.header('referrer-policy', 'no-referrer')
  if (hasAlready(c, etag)) return c.body(null, 304, { etag })
  return c.body(text, 200, { ...typeOf(name), etag })
}

/** Whether somebody looks with a browser: `Accept` names HTML. */
export function wantsPage(c: Context<AppEnv>): boolean {
  return asksFor(c, 'text/html')
}

async function fileOf({ env }: Context<AppEnv>, name: string): Promise<ReadableStream | null> {
  const response = await env.ASSETS?.fetch(`http://assets/${name}`)
  if (response?.ok) return response.body
  await response?.body?.cancel()
  return null
}

function typeOf(name: string): { 'content-type': string } {
  return { 'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream' }
}
