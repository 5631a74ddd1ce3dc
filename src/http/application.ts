import type { Hono, MiddlewareHandler } from 'hono'
import { version } from '../../package.json'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { newId } from '../lib/id.ts'
import { defaultAlias } from '../models/default-alias.ts'
import { knownConfig, readConfig } from '../objects/config.ts'
import { failureOf, report } from '../objects/report.ts'
import { factory, problem, type AppEnv } from './context.ts'
import { refusalsInLanguage } from './refusal-language.ts'
import type { DoorWords } from './openapi/document.ts'
import type { ErrorShape } from './openapi/error-shape.ts'
import { allowedMethods, boundedHeaders, headAlone, securityHeaders } from './middleware/headers.ts'
import { described } from './openapi/describe.ts'
import { observed } from './middleware/observed.ts'

export type Routes = readonly (readonly [path: string, routes: Hono<AppEnv>])[]

const identified = factory.createMiddleware(async (c, next) => {
  c.set('requestId', newId('req', Date.now()))
  c.header('x-request-id', c.get('requestId'))
  return next()
})

/** Nothing is answered without a config. */
const configured = factory.createMiddleware(async (c, next) => {
  c.set('config', knownConfig(c.env) ?? (await readConfig(c.env)))
  return next()
})

/** Off unless the config names origins. */
const crossOrigin = factory.createMiddleware(async (c, next) => {
  const origins = c.get('config').cors?.origins ?? []
  // An OPTIONS that a browser did not send before another request asks for the methods of a resource.
  const isAsked = c.req.method !== 'OPTIONS' || c.req.header('access-control-request-method') !== undefined
  if (origins.length === 0 || !isAsked) return next()
  return cors({
    origin: origins,
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: [
      'etag',
      'location',
      'x-request-id',
      'idempotent-replayed',
      'retry-after',
      'x-yaa-session',
      'x-yaa-run',
      'ratelimit',
      'ratelimit-policy',
    ],
    maxAge: 600,
  })(c, next)
})

/** Who speaks to us in a shape of theirs. An isolate loads what the door is made of with the first request of one of its routes. */
export interface Door {
  /** Whether a path is of one of its routes. */
  owns(path: string): boolean
  load(): Promise<DoorRoutes>
}

export interface DoorRoutes {
  /** Routes that ask for no key. */
  open?: Routes
  /** Routes that ask for a key. */
  keyed: Routes
  errors: ErrorShape
  /** What the document says of its schemas. */
  words?: () => Promise<DoorWords>
}

/** Routes that ask for a key, and what stands before them. */
interface Keyed {
  routes: Routes
  counted: MiddlewareHandler<AppEnv>
  authenticated: MiddlewareHandler<AppEnv>
  /** What stands before open routes, too; absent: there are none. */
  opened?: MiddlewareHandler<AppEnv>
  /** How errors are said; absent: as our own API does. */
  errors?: ErrorShape
  /** The paths that ask for a key; default: those of our own API. */
  under?: readonly string[]
}

const OWN_PATHS = ['/v1/*', '/']

/** Routes behind what stands before all of them: `open` ones first, which ask for a proof of their own if at all, then those that ask for a key. */
export function application(open: Routes, keyed: Keyed | null): Hono<AppEnv> {
  const app = factory.createApp()
  app.use(headAlone).use(identified).use(refusalsInLanguage)
  if (keyed?.errors) app.use(saidBy(keyed.errors))
  app.use(configured)
  if (keyed) app.use(keyed.counted)
  app.use(observed).use(securityHeaders).use(boundedHeaders).use(crossOrigin)
  if (keyed?.opened) app.use(keyed.opened)
  for (const [path, routes] of open) app.route(path, routes)
  if (keyed) {
    for (const path of keyed.under ?? OWN_PATHS) app.use(path, keyed.authenticated)
    for (const [path, routes] of keyed.routes) app.route(path, routes)
  }
  answerRest(app)
  return app
}

const saidBy = (errors: ErrorShape) =>
  factory.createMiddleware((c, next) => {
    c.set('errors', errors)
    return next()
  })

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
    const failure = failureOf(error, c.env)
    if (failure.code === 'internal_error') report(error)
    return problem(c, failure)
  })
}

/** Whether the server is up, and which model it uses by default. Open to all, so it says no more. */
export const healthRoutes = factory.createApp().get(
  '/',
  described({ summary: 'Whether the server is up', id: 'getHealth', returns: 'Health', open: true }, (c) => {
    const { AI, YAA_OLLAMA: ollamaModel = null } = c.env
    const model = defaultAlias(c.get('config'), { workersAi: AI !== undefined, ollamaModel })
    return c.json({ status: 'ok', version, default_model: model })
  }),
)
