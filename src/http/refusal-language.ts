import { STATUS } from '../domain/errors.ts'
import { factory } from './context.ts'
import { dependsOn } from './negotiate.ts'
import { PROBLEM } from './openapi/error-shape.ts'

/** Refusals in the language that the request asks for: English, or Chinese. Codes, paths and names are the same in both. */
export const refusalsInLanguage = factory.createMiddleware(async (c, next) => {
  await next()
  const error = c.get('refusal')
  if (!error) return
  const shape = c.get('errors') ?? PROBLEM
  const { status, headers } = c.res
  const isSaid = status === (shape.statusOf?.(error) ?? STATUS[error.code])
  if (!isSaid || headers.get('content-type') !== shape.contentType) return
  dependsOn(c, 'Accept-Language')
  if (!/\bzh\b/i.test(c.req.header('accept-language') ?? '')) return
  const { inChinese } = await import('./refusal-chinese.ts')
  inChinese(c, error, shape)
})
