import enPlanner from './en/planner.md'
import enPlanSummary from './en/plan-summary.md'
import zhPlanner from './zh-CN/planner.md'
import zhPlanSummary from './zh-CN/plan-summary.md'

/** What planners are told: how a plan is made, and how an answer is written from its results. */
export const PLAN_PROMPTS: Readonly<Record<'zh-CN' | 'en', { planner: string; summary: string }>> = {
  'zh-CN': { planner: zhPlanner, summary: zhPlanSummary },
  en: { planner: enPlanner, summary: enPlanSummary },
}
