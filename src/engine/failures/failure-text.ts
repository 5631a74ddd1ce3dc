import type { BudgetRefusal } from '../../domain/budget.ts'
import { detailInChinese, modelFailureInChinese } from '../../domain/detail-in-chinese.ts'
import type { Language } from '../../domain/language.ts'
import type { MissingServer } from '../../domain/mcp.ts'
import type { LoggedError, RunError } from '../../domain/run.ts'
import { toldIn } from '../../lib/in-language.ts'
import { FAILURES, type FailureWords } from './failure-words.ts'

/** Why work ended without its answer, and what may be done about it, for a person. */
export function failureText(language: Language, code: string): string {
  const words = wordsOf(code)
  return words ? joined(words, language) : code.replace(/^worker_/, '')
}

/** Why alone. */
export function failureMessage(language: Language, code: string): string {
  return wordsOf(code)?.[language][0] ?? code
}

/** Why the model of a sub-task or step failed. A service says it in English: for other readers our own words stand before that. */
export function modelFailureText(language: Language, { code, detail }: Pick<LoggedError, 'code' | 'detail'>): string {
  return language === 'en' ? detail : modelFailureInChinese(failureMessage(language, code), detail)
}

/** What failed, for a person, on a line: of a model in words before those of its service; another failure says it itself. */
export function failureLine(language: Language, { code, detail }: Pick<LoggedError, 'code' | 'detail'>): string {
  const words = wordsOf(code)
  const message = words?.[language][0]
  if (message === undefined) return language === 'en' ? detail : detailInChinese(detail)
  if (detail === '' || isGeneral(detail, words)) return message
  if (!OF_A_MODEL.test(code)) return detail
  return language === 'en'
    ? toldIn(language, message.replace(/\.$/, ''), detail)
    : modelFailureInChinese(message, detail)
}

/** The error of a run with what happened and what to do next. A detail of our own that says more than its code is what happened. */
export function explained(language: Language, error: LoggedError): RunError {
  const { code, detail } = error
  const words = wordsOf(code)
  const [general, hint] = words?.[language] ?? [detail, GENERAL_HINT[language]]
  const saysMore = !OF_A_MODEL.test(code) && !isGeneral(detail, words)
  const known = saysMore && code === 'budget_exhausted' ? OTHERS_BUDGET[language] : hint
  return { ...error, message: error.message ?? (saysMore ? detail : general), hint: error.hint ?? known }
}

/** Details of these are in the words of a service or of its config. */
const OF_A_MODEL = /^(model_|unknown_model$|address_refused$)/

const GENERAL_HINT = {
  'zh-CN': '可以继续（continue）再试。',
  en: 'Continue to try again.',
} as const

/** A budget of the tenant, a user or a key, which its run cannot raise. */
const OTHERS_BUDGET = {
  'zh-CN': '请等它重新开始，或请管理员提高它，然后继续（continue）。',
  en: 'Wait until it begins anew, or have an admin raise it, then continue.',
} as const

function wordsOf(code: string): FailureWords | undefined {
  return own(code) ?? own(code.replace(/^worker_/, ''))
}

/** A log that was imported may name anything, members of every object too. */
function own(code: string): FailureWords | undefined {
  return Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined
}

function joined(words: FailureWords, language: Language): string {
  return words[language].filter((part) => part !== '').join(language === 'en' ? ' ' : '')
}

/** Whether a detail is no more than the words of its code, in whichever language. */
function isGeneral(detail: string, words: FailureWords | undefined): boolean {
  return words !== undefined && (detail === joined(words, 'zh-CN') || detail === joined(words, 'en'))
}

const MISSING = {
  'zh-CN': ({ name, reason }: MissingServer) => `${name} 的工具现在不可用，子任务没有执行：${reason['zh-CN']}`,
  en: ({ name, reason }: MissingServer) =>
    `The tools of ${name} are not available now; the sub-task was not run: ${reason.en}`,
}

/** Why the sub-task of a server was not run, for a person and for the planner. */
export function missingServerText(language: Language, server: MissingServer): string {
  return MISSING[language](server)
}

const WHOSE = {
  'zh-CN': { tenant: () => '本租户', user: (id: string) => `用户 ${id} `, key: (id: string) => `密钥 ${id} ` },
  en: { tenant: () => 'this tenant', user: (id: string) => `user ${id}`, key: (id: string) => `key ${id}` },
} as const

const BUDGETS = {
  'zh-CN': { day: '日预算', month: '月预算' },
  en: { day: 'day', month: 'month' },
} as const

/** Whose budget a model call does not fit, how much of it is spent, and when it begins anew. */
export function budgetText(language: Language, refusal: BudgetRefusal): string {
  const whose = WHOSE[language][refusal.of](refusal.id)
  const period = BUDGETS[language][refusal.period]
  const reset = new Date(refusal.resetTime).toISOString()
  const limit = refusal.what === 'tokens' ? `max_total_tokens ${refusal.max}` : costLimit(refusal)
  if (language === 'zh-CN') {
    if (refusal.what === 'unpriced')
      return `${whose}的${period}（${limit}）是金额，但模型或它的后备模型没有这种货币的价格。`
    return `下一次模型调用会超出${whose}的${period}（${limit}；已用或已预留 ${refusal.spent}）。${reset} 重新开始。`
  }
  if (refusal.what === 'unpriced')
    return `The ${period} budget of ${whose} (${limit}) is money, but the model, or one that it falls back to, has no price in its currency.`
  return `The next model call would exceed the ${period} budget of ${whose} (${limit}; ${refusal.spent} are spent or held). It begins anew at ${reset}.`
}

function costLimit({ max }: Exclude<BudgetRefusal, { what: 'tokens' }>): string {
  return `max_cost ${max.amount} ${max.currency}`
}
