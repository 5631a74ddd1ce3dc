import type { Hono } from 'hono'
import { version } from '../../package.json'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { newId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { report } from '../objects/report.ts'
import { failureOf } from '../objects/service-ports.ts'
import { factory, problem, type AppEnv } from './context.ts'
import { authenticated } from './middleware/auth.ts'
import { allowedMethods, boundedHeaders, securityHeaders } from './middleware/headers.ts'
import { described } from './openapi/describe.ts'
import { observed } from './middleware/observed.ts'

export type Routes = readonly (readonly [path: string, routes: Hono<AppEnv>])[]

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

/** Routes behind what stands before all of them: `open` ones first, which ask for a proof of their own if at all, then those that ask for a key. */
export function application(open: Routes, keyed: Routes): Hono<AppEnv> {
  const app = factory.createApp()
  app.use(identified).use(observed).use(securityHeaders).use(boundedHeaders).use(crossOrigin)
  for (const [path, routes] of open) app.route(path, routes)
  app.use('/v1/*', authenticated)
  app.use('/', authenticated)
  for (const [path, routes] of keyed) app.route(path, routes)
  answerRest(app)
  return app
}

/** What `OPTIONS *` is answered. */
const ALL_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** What no route answers, and what is thrown. */
function answerRest(app: Hono<AppEnv>): void {
  const allowed = allowedMethods(app)
  app.notFound((c) => {
    const methods = c.req.path === '/*' && c.req.method === 'OPTIONS' ? ALL_METHODS : allowed(c.req.path)
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

/** Whether the server is up, and which model it uses by default. Open to all, so it says no more. */
export const healthRoutes = factory.createApp().get(
  '/',
  described({ summary: 'Whether the server is up', id: 'getHealth', returns: 'Health', open: true }, (c) => {
    const model = serverOf(c.env).models.find((one) => one.default)?.id ?? null
    return c.json({ status: 'ok', version, default_model: model })
  }),
)
