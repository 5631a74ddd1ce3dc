import type { Context } from 'hono'
import { STATUS, type AppError } from '../domain/errors.ts'
import { problemBody } from '../domain/problem.ts'
import type { AppEnv } from './context.ts'

/** An error as `application/problem+json`. Source: RFC 9457. */
export function problem(c: Context<AppEnv>, error: AppError): Response {
  if (error.code === 'method_not_allowed') c.header('allow', error.allow.join(', '))
  if (error.code === 'unauthorized') c.header('www-authenticate', 'Bearer')
  if (error.code === 'unavailable') c.header('retry-after', '1')
  if (error.code === 'rate_limited') c.header('retry-after', String(Math.ceil(error.retryAfterMs / 1_000)))
  if (error.code === 'upgrade_required') c.header('upgrade', 'websocket')
  c.set('refusal', error.code)
  c.header('content-type', 'application/problem+json; charset=utf-8')
  return c.body(JSON.stringify(problemBody(error, c.get('requestId'))), STATUS[error.code])
}
