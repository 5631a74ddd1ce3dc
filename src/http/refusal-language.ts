import { factory } from './context.ts'
import { dependsOn } from './negotiate.ts'

/** Refusals of our own API in the language that the request asks for: English, or Chinese. Codes, paths and names are the same in both. */
export const refusalsInLanguage = factory.createMiddleware(async (c, next) => {
  await next()
  if (c.get('refusal') === undefined || !isProblem(c.res)) return
  dependsOn(c, 'Accept-Language')
  if (!/\bzh\b/i.test(c.req.header('accept-language') ?? '')) return
  const { inChinese } = await import('./refusal-chinese.ts')
  await inChinese(c)
})

function isProblem({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/problem+json') === true
}
