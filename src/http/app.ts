import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { newId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { report } from '../objects/report.ts'
import { failureOf } from '../objects/service-ports.ts'
import { assets, DOCS_POLICY, page } from './assets.ts'
import { audit } from './audit.ts'
import { callbacks } from './callbacks.ts'
import { catalog } from './catalog.ts'
import { factory, problem, type AppEnv } from './context.ts'
import { files } from './files.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { keys } from './keys.ts'
import { links } from './links.ts'
import { mcpServers } from './mcp-servers.ts'
import { memory } from './memory.ts'
import { metrics } from './metrics.ts'
import { allowedMethods } from './middleware/allowed-methods.ts'
import { authenticated } from './middleware/auth.ts'
import { boundedHeaders, securityHeaders } from './middleware/headers.ts'
import { observed } from './middleware/observed.ts'
import { oauth } from './oauth.ts'
import { described } from './openapi/describe.ts'
import { schedules } from './schedules.ts'
import { linkSecret, sessionLinks } from './session-links.ts'
import { sessions } from './sessions.ts'
import { skills } from './skills.ts'
import { stateless } from './stateless.ts'
import { team, teams } from './team.ts'
import { transfer } from './transfer.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

type Routes = readonly (readonly [path: string, routes: Hono<AppEnv>])[]

/** Routes that ask for a key, by the path under which they are. */
export const ROUTES: Routes = [
  ['/v1/sessions', transfer],
  ['/v1/sessions', files],
  ['/v1/sessions', team],
  ['/v1/sessions', sessionLinks],
  ['/v1/sessions', sessions],
  ['/v1/users', memory],
  ['/v1/usage', usage],
  ['/v1/audit', audit],
  ['/v1/metrics', metrics],
  ['/v1/keys', keys],
  ['/v1/links', linkSecret],
  ['/v1/agent', stateless],
  ['/v1/skills', skills],
  ['/v1/teams', teams],
  ['/v1/webhooks', webhooks],
  ['/v1/schedules', schedules],
  ['/v1/mcp-servers', mcpServers],
  ['/v1/callbacks', callbacks],
  ['/v1', catalog],
]

/** Open routes; what needs a proof of its own asks for it. */
const OPEN: Routes = [
  ['/healthz', health],
  ['/oauth', oauth],
  ['/links', links],
  ['/hooks', hooks],
  ['/assets', assets],
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
  app.route('/', stateless)
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
      described({ ...about, summary: 'The web console', id: 'getConsole' }, (c) => page(c, 'console.html')),
    )
    .get(
      '/docs',
      described({ ...about, summary: 'This document as a page to read and try', id: 'getDocs' }, (c) =>
        page(c, 'docs.html', DOCS_POLICY),
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
