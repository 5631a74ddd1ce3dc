import { TEST_EVENT, type DeliveryEvent } from '../domain/callback.ts'
import type { Localized } from '../domain/language.ts'

/** The headline of each event in a chat. */
export const HEADLINES: Readonly<Record<DeliveryEvent, Localized>> = {
  'run.completed': { 'zh-CN': '✅ 任务已完成', en: '✅ Task completed' },
  'run.failed': { 'zh-CN': '❌ 任务失败', en: '❌ Task failed' },
  'run.budget_exhausted': { 'zh-CN': '💰 任务预算已用完', en: '💰 The budget of a task is used up' },
  'run.interrupted': { 'zh-CN': '⏸️ 任务在等待您', en: '⏸️ A task waits for you' },
  'run.cancelled': { 'zh-CN': '🚫 任务已取消', en: '🚫 Task cancelled' },
  'approval.requested': { 'zh-CN': '🔐 需要您批准', en: '🔐 Your approval is needed' },
  [TEST_EVENT]: { 'zh-CN': '🔔 这是一条测试消息', en: '🔔 This is a test' },
}

export const LABELS = {
  session: { 'zh-CN': '会话', en: 'Session' },
  result: { 'zh-CN': '结果', en: 'Result' },
  error: { 'zh-CN': '原因', en: 'Reason' },
  tool: { 'zh-CN': '工具', en: 'Tool' },
  risk: { 'zh-CN': '风险', en: 'Risk' },
  why: { 'zh-CN': '询问原因', en: 'Why it asks' },
  touches: { 'zh-CN': '将访问', en: 'It reaches' },
  arguments: { 'zh-CN': '参数', en: 'Arguments' },
  question: { 'zh-CN': '问题', en: 'Question' },
  open: { 'zh-CN': '打开会话', en: 'Open the session' },
  decide: { 'zh-CN': '查看并决定', en: 'Review and decide' },
} as const satisfies Record<string, Localized>

export const RISKS: Readonly<Record<string, Localized>> = {
  read: { 'zh-CN': '读取', en: 'reads' },
  network: { 'zh-CN': '访问网络', en: 'reaches the network' },
  write: { 'zh-CN': '修改', en: 'changes something' },
  destructive: { 'zh-CN': '破坏性', en: 'destructive' },
}
