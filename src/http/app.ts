import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { newId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { report } from '../objects/report.ts'
import { failureOf } from '../objects/service-ports.ts'
import { assetRoutes, DOCS_POLICY, assetPage } from './assets.ts'
import { auditRoutes } from './audit.ts'
import { callbackRoutes } from './callbacks.ts'
import { catalogRoutes, healthRoutes } from './catalog.ts'
import { factory, problem, type AppEnv } from './context.ts'
import { fileRoutes } from './files.ts'
import { hookRoutes, webhookRoutes } from './webhooks.ts'
import { keyRoutes } from './keys.ts'
import { linkRoutes, linkSecretRoutes, sessionLinkRoutes } from './links.ts'
import { mcpServerRoutes } from './mcp-servers.ts'
import { memoryRoutes } from './memory.ts'
import { metricRoutes, usageRoutes } from './usage.ts'
import { allowedMethods, boundedHeaders, securityHeaders } from './middleware/headers.ts'
import { authenticated } from './middleware/auth.ts'
import { observed } from './middleware/observed.ts'
import { oauthRoutes } from './oauth.ts'
import { described } from './openapi/describe.ts'
import { scheduleRoutes } from './schedules.ts'
import { sessionRoutes } from './sessions.ts'
import { skillRoutes } from './skills.ts'
import { statelessRoutes } from './stateless.ts'
import { sessionTeamRoutes, teamRoutes } from './team.ts'
import { transferRoutes } from './transfer.ts'

type Routes = readonly (readonly [path: string, routes: Hono<AppEnv>])[]

/** Routes that ask for a key, by the path under which they are. */
export const ROUTES: Routes = [
  ['/v1/sessions', transferRoutes],
  ['/v1/sessions', fileRoutes],
  ['/v1/sessions', sessionTeamRoutes],
  ['/v1/sessions', sessionLinkRoutes],
  ['/v1/sessions', sessionRoutes],
  ['/v1/users', memoryRoutes],
  ['/v1/usage', usageRoutes],
  ['/v1/audit', auditRoutes],
  ['/v1/metrics', metricRoutes],
  ['/v1/keys', keyRoutes],
  ['/v1/links', linkSecretRoutes],
  ['/v1/agent', statelessRoutes],
  ['/v1/skills', skillRoutes],
  ['/v1/teams', teamRoutes],
  ['/v1/webhooks', webhookRoutes],
  ['/v1/schedules', scheduleRoutes],
  ['/v1/mcp-servers', mcpServerRoutes],
  ['/v1/callbacks', callbackRoutes],
  ['/v1', catalogRoutes],
]

/** Open routes; what needs a proof of its own asks for it. */
const OPEN: Routes = [
  ['/healthz', healthRoutes],
  ['/oauth', oauthRoutes],
  ['/links', linkRoutes],
  ['/hooks', hookRoutes],
  ['/assets', assetRoutes],
]

const identified = factory.createMiddleware(async (c, next) => {
  c.set('requestId', newId('req', Date.now()))
  c.header('x-request-id', c.get('requestId'))
  return next()
})

/** Off unless the config names origins. */
const crossOrigin = factory.createMiddleware(async (c, next) => {
  const origins = serverOf(c.env).config.cors?.origins ?? []
  if (origins.length === 0) return next()
  return cors({
    origin: origins,
    exposeHeaders: [
      'etag',
      'location',
      'x-request-id',
      'idempotent-replayed',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
    ],
    maxAge: 600,
  })(c, next)
})

/** The whole HTTP surface. */
export function application(routes: Routes = ROUTES): Hono<AppEnv> {
  const app = factory.createApp()
  app.use(identified).use(observed).use(securityHeaders).use(boundedHeaders).use(crossOrigin)
  for (const [path, open] of OPEN) app.route(path, open)
  app.use('/v1/*', authenticated)
  for (const [path, keyed] of routes) app.route(path, keyed)
  app.route('/', pagesOf(app))
  app.use('/', authenticated)
  app.route('/', statelessRoutes)
  answerRest(app)
  return app
}

/** The console, and the document of the API. */
function pagesOf(app: Hono<AppEnv>): Hono<AppEnv> {
  const about = { errors: ['not_found'], answers: 'page', open: true } as const
  let written: string | undefined
  /** The OpenAPI document as text. What it is made of is loaded when it is first asked for. */
  const document = async () => {
    const { openApi } = await import('./openapi/document.ts')
    written ??= JSON.stringify(openApi(app))
    return written
  }
  return factory
    .createApp()
    .get(
      '/',
      described({ ...about, summary: 'The web console', id: 'getConsole' }, (c) => assetPage(c, 'console.html')),
    )
    .get(
      '/docs',
      described({ ...about, summary: 'This document as a page to read and try', id: 'getDocs' }, (c) =>
        assetPage(c, 'docs.html', DOCS_POLICY),
      ),
    )
    .get(
      '/openapi.json',
      described({ summary: 'This document', id: 'getOpenApi', answers: 'json', open: true }, async (c) =>
        c.body(await document(), 200, { 'content-type': 'application/json; charset=utf-8' }),
      ),
    )
}

/** What no route answers, and what is thrown. */
function answerRest(app: Hono<AppEnv>): void {
  const allowed = allowedMethods(app)
  app.notFound((c) => {
    const methods = allowed(c.req.path)
    if (methods.length === 0) return problem(c, { code: 'not_found', what: 'resource' })
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow: methods.join(', ') })
    return problem(c, { code: 'method_not_allowed', allow: methods })
  })
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status < 500) return problem(c, { code: 'not_found', what: 'resource' })
    const failure = failureOf(error)
    if (failure.code === 'internal_error') report(error)
    return problem(c, failure)
  })
}

export const app: Hono<AppEnv> = application()
