import type { BudgetRefusal } from '../../domain/budget.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Language, Localized } from '../../domain/language.ts'
import type { MissingServer } from '../../domain/mcp.ts'

/** Why a run ended without its answer, and what may be done about it, for a person. */
const FAILURES: Record<string, Localized> = {
  iteration_limit: {
    'zh-CN': '已达到 max_iterations_total（一次运行的总轮数上限）。可以用更大的上限继续（continue）。',
    en: 'max_iterations_total, the rounds of one run, is used up. Continue with a larger limit to go on.',
  },
  budget_exhausted: {
    'zh-CN': '下一次模型调用会超出 max_total_tokens 或 max_cost。可以用更大的额度继续（continue）。',
    en: 'The next model call would exceed max_total_tokens or max_cost. Continue with a larger budget to go on.',
  },
  unpriced_model: {
    'zh-CN':
      '有 max_cost（金额上限），但模型或它的后备模型没有这种货币的价格。可以换个模型、配置价格，或改用 max_total_tokens，然后继续（continue）。',
    en: 'There is a max_cost, but the model, or one that it falls back to, has no price in its currency. Change the model, give it a price, or use max_total_tokens, then continue.',
  },
  deadline: {
    'zh-CN': '已达到 deadline_ms（运行时间上限）。可以用更大的上限继续（continue）。',
    en: 'deadline_ms, the time of one run, is over. Continue with a larger limit to go on.',
  },
  stuck: {
    'zh-CN': '模型连续多次没有正确调用工具（errors_in_a_row_max）。可以换个说法、换个模型，或直接继续（continue）。',
    en: 'The model failed to call a tool properly too often in a row (errors_in_a_row_max). Rephrase, change the model, or continue.',
  },
  going_in_circles: {
    'zh-CN':
      '模型反复做同样的调用并得到同样的结果（repeats_max），提醒后仍然如此。可以换个说法、换个模型，或直接继续（continue）。',
    en: 'The model made the same calls with the same results again and again (repeats_max), also after it was told. Rephrase, change the model, or continue.',
  },
  attempts_exhausted: {
    'zh-CN': '同一步骤多次中断都没有完成（attempts_max）。可以继续（continue）再试。',
    en: 'The same step was cut off too often before it was done (attempts_max). Continue to try again.',
  },
  max_plan_rounds: {
    'zh-CN': '已达到 max_plan_rounds（规划轮数上限），答复是根据已有的结果写的。可以用更大的上限继续（continue）。',
    en: 'max_plan_rounds, the rounds of planning, is used up; the answer is written from what there is. Continue with a larger limit to go on.',
  },
  max_rounds: {
    'zh-CN': 'n_round（轮数）已用完。可以用 continue 的 n_round 再加轮数继续。',
    en: 'n_round, the rounds of the team, is used up. Continue with n_round to add rounds.',
  },
  no_money: {
    'zh-CN': '下一次模型调用会超出 investment（团队的总预算）。可以用更大的 investment 继续（continue）。',
    en: 'The next model call would exceed the investment of the team. Continue with a larger investment to go on.',
  },
  team_in_circles: {
    'zh-CN': '团队一轮又一轮地说着同样的话（repeats_max）。可以换个说法，或直接继续（continue）。',
    en: 'The team says the same things round after round (repeats_max). Rephrase, or continue.',
  },
  worker_max_rounds: {
    'zh-CN': '这个团队的 n_round（轮数）已用完（max_rounds），子任务没有做完。',
    en: 'n_round, the rounds of the team that works at this, is used up (max_rounds); the sub-task is not done.',
  },
  worker_no_money: {
    'zh-CN': '这个团队的下一次模型调用会超出它的 investment（no_money），子任务没有做完。',
    en: 'The next model call of the team that works at this would exceed its investment (no_money); the sub-task is not done.',
  },
  worker_team_in_circles: {
    'zh-CN': '这个团队一轮又一轮地说着同样的话（stuck，repeats_max），子任务没有做完。',
    en: 'The team that works at this says the same things round after round (stuck, repeats_max); the sub-task is not done.',
  },
  worker_stuck: {
    'zh-CN': '这个团队里的模型连续多次没有正确调用工具（stuck，errors_in_a_row_max），子任务没有做完。',
    en: 'A model of the team that works at this failed to call a tool properly too often in a row (stuck, errors_in_a_row_max); the sub-task is not done.',
  },
  team_within_team: {
    'zh-CN': `这个工作代理是一个团队；团队之内不能再有团队（depthMax ${LIMITS.team.depthMax}），子任务没有执行。`,
    en: `This worker is a team, and no team works within a team (depthMax ${LIMITS.team.depthMax}); the sub-task was not run.`,
  },
  team_unfit: {
    'zh-CN': '这个工作代理的团队在这台服务器上无法工作，子任务没有执行：',
    en: 'The team of this worker cannot work on this server; the sub-task was not run:',
  },
  output_invalid: {
    'zh-CN': '答复不符合要求的 JSON 格式（output_schema），再次要求后仍然如此。',
    en: 'The answer does not fit output_schema, also after it was asked for again.',
  },
  worker_unavailable: {
    'zh-CN': '这个工作代理现在没有任何可用的工具，子任务没有执行。',
    en: 'This worker has no tools at the moment; the sub-task was not run.',
  },
  internal_error: {
    'zh-CN': '服务器内部出错，会话完好。可以继续（continue）再试。',
    en: 'The server broke inside; the session is intact. Continue to try again.',
  },
}

export function failureText(language: Language, code: string): string {
  const general = code.replace(/^worker_/, '')
  return (FAILURES[code] ?? FAILURES[general])?.[language] ?? general
}

const MISSING = {
  'zh-CN': ({ name, reason }: MissingServer) => `MCP 服务 ${name} 的工具现在不可用，子任务没有执行：${reason['zh-CN']}`,
  en: ({ name, reason }: MissingServer) =>
    `The tools of MCP server ${name} are not available now; the sub-task was not run: ${reason.en}`,
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
