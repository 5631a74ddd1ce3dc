import type { Context } from 'hono'
import type { AppError } from '../domain/errors.ts'
import { languageOf } from '../domain/language.ts'
import type { AppEnv } from './context.ts'
import { languageAsked } from './language.ts'
import { type ErrorShape, errorWords, PROBLEM } from './openapi/error-shape.ts'
import { type ProblemBody, refusalInChinese, wordsInChinese } from './refusal-words.ts'

/** The refusal that a request is answered, in Chinese, where it asks for that more than for other languages. */
export function inChinese(c: Context<AppEnv>, error: AppError, shape: ErrorShape): void {
  const asked = languageAsked(c)
  if (asked === null || languageOf(asked) !== 'zh-CN') return
  const { status, headers } = c.res
  const words = wordsInChinese(errorWords(error))
  const body = shape.bodyOf(error, { requestId: c.get('requestId'), status, words })
  const isProblem = shape.contentType === PROBLEM.contentType
  c.res = undefined
  c.res = new Response(JSON.stringify(isProblem ? refusalInChinese(body as ProblemBody) : body), {
    status,
    headers: { ...Object.fromEntries(headers), 'content-language': 'zh-CN' },
  })
}
