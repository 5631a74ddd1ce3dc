import type { Context } from 'hono'
import { languageOf } from '../domain/language.ts'
import type { AppEnv } from './context.ts'
import { languageAsked } from './language.ts'
import { type ProblemBody, refusalInChinese } from './refusal-words.ts'

/** The refusal that a request is answered, in Chinese, where it asks for that more than for other languages. */
export async function inChinese(c: Context<AppEnv>): Promise<void> {
  const asked = languageAsked(c)
  if (asked === null || languageOf(asked) !== 'zh-CN') return
  const body = refusalInChinese((await c.res.json()) as ProblemBody)
  const { status, headers } = c.res
  c.res = undefined
  c.res = new Response(JSON.stringify(body), {
    status,
    headers: { ...Object.fromEntries(headers), 'content-language': 'zh-CN' },
  })
}
