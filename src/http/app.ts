import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { newId } from '../lib/id.ts'
import { serverOf } from '../objects/engine.ts'
import { report } from '../objects/report.ts'
import { failureOf } from '../objects/service-ports.ts'
import { allowedMethods } from './middleware/allowed-methods.ts'
import { assets, DOCS_POLICY, page } from './assets.ts'
import { audit } from './audit.ts'
import { authenticated } from './middleware/auth.ts'
import { boundedHeaders } from './middleware/bounded-headers.ts'
import { callbacks } from './callbacks.ts'
import { catalog } from './catalog.ts'
import { describe } from './openapi/describe.ts'
import { factory, type AppEnv } from './context.ts'
import { files } from './files.ts'
import { health } from './health.ts'
import { keys } from './keys.ts'
import { hooks } from './hooks.ts'
import { links } from './links.ts'
import { mcpServers } from './mcp-servers.ts'
import { memory } from './memory.ts'
import { oauth } from './oauth.ts'
import { metrics } from './metrics.ts'
import { observed } from './middleware/observed.ts'
import { problem } from './problem.ts'
import { schedules } from './schedules.ts'
import { linkSecret, sessionLinks } from './session-links.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { sessions } from './sessions.ts'
import { skills } from './skills.ts'
import { stateless } from './stateless.ts'
import { transfer } from './transfer.ts'
import { tasks } from './tasks.ts'
import { team, teams } from './team.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

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
export const app: Hono<AppEnv> = factory
  .createApp()
  .use(identified)
  .use(observed)
  .use(securityHeaders)
  .use(boundedHeaders)
  .use(crossOrigin)
  .route('/healthz', health)
  .route('/oauth', oauth)
  .route('/links', links)
  .route('/hooks', hooks)
  .route('/assets', assets)
  .get(
    '/',
    describe({ summary: 'The web console', id: 'getConsole', errors: ['not_found'], answers: 'page', open: true }),
    (c) => page(c, 'console.html'),
  )
  .use('/v1/*', authenticated)
  .route('/v1/sessions', transfer)
  .route('/v1/sessions', files)
  .route('/v1/sessions', tasks)
  .route('/v1/sessions', team)
  .route('/v1/sessions', sessionLinks)
  .route('/v1/sessions', sessions)
  .route('/v1/users', memory)
  .route('/v1/usage', usage)
  .route('/v1/audit', audit)
  .route('/v1/metrics', metrics)
  .route('/v1/keys', keys)
  .route('/v1/links', linkSecret)
  .route('/v1/agent', stateless)
  .route('/v1/skills', skills)
  .route('/v1/teams', teams)
  .route('/v1/webhooks', webhooks)
  .route('/v1/schedules', schedules)
  .route('/v1/mcp-servers', mcpServers)
  .route('/v1/callbacks', callbacks)
  .route('/v1', catalog)
  .get(
    '/docs',
    describe({
      summary: 'This document as a page to read and try',
      id: 'getDocs',
      errors: ['not_found'],
      answers: 'page',
      open: true,
    }),
    (c) => page(c, 'docs.html', DOCS_POLICY),
  )
  .get(
    '/openapi.json',
    describe({ summary: 'This document', id: 'getOpenApi', answers: 'json', open: true }),
    async (c) => c.body(await document(), 200, { 'content-type': 'application/json; charset=utf-8' }),
  )
  .use('/', authenticated)
  .route('/', stateless)

const allowed = allowedMethods(app)

let written: string | undefined
/** The OpenAPI document as text. What it is made of is loaded when it is first asked for. */
async function document(): Promise<string> {
  const { openApi } = await import('./openapi/document.ts')
  written ??= JSON.stringify(openApi(app))
  return written
}

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
