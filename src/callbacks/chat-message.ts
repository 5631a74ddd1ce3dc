import { type DeliveryEvent, type NewsData, type NotifiedPending, TEST_EVENT } from '../domain/callback.ts'
import type { Language, Localized } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { stepApproval } from '../domain/pending.ts'
import { withHiddenShown } from '../lib/hidden-characters.ts'
import { cutText } from '../lib/text.ts'

/** A line of a message: a label of ours, and a text that others wrote. `isLong`: it may have many lines. */
export interface ChatField {
  label: string
  text: string
  isLong: boolean
}

/** A message for a chat, whatever the chat is. `main`: the button that is meant to be pressed. */
export interface ChatMessage {
  headline: string
  urgent: boolean
  fields: ChatField[]
  buttons: { text: string; url: string; main: boolean }[]
}

/** The message of a delivery, in bounded lines. */
export function chatMessage(
  event: DeliveryEvent,
  data: NewsData | { test: true },
  base: string,
  language: Language,
): ChatMessage {
  const headline = HEADLINES[event][language]
  if ('test' in data) return { headline, urgent: false, fields: [], buttons: [] }
  const [item] = data.pending ?? []
  const fields = [
    line(LABELS.session[language], data.title || data.session_id),
    ...(data.result ? [long(LABELS.result[language], data.result)] : []),
    ...(data.error ? [long(LABELS.error[language], data.error.detail)] : []),
    ...(item ? itemFields(item, language) : []),
  ]
  const open = { text: LABELS.open[language], url: `${base}/#/s/${data.session_id}`, main: item === undefined }
  const decide = item?.decide_url ? [{ text: LABELS.decide[language], url: item.decide_url, main: true }] : []
  return { headline, urgent: item !== undefined, fields, buttons: [...decide, open] }
}

function itemFields(item: NotifiedPending, language: Language): ChatField[] {
  if (item.type === 'question') return [long(LABELS.question[language], withHiddenShown(item.question ?? ''))]
  const agreed = stepApproval(item)?.trim()
  if (agreed) return [long(LABELS.question[language], withHiddenShown(agreed))]
  const touched = [...(item.touches?.addresses ?? []), ...(item.touches?.paths ?? [])]
  const args = withHiddenShown(item.arguments_excerpt ?? JSON.stringify(item.arguments ?? {}, null, 1))
  return [
    ...(item.tool === undefined ? [] : [line(LABELS.tool[language], withHiddenShown(item.tool))]),
    ...(item.risk ? [line(LABELS.risk[language], RISKS[item.risk]?.[language] ?? item.risk)] : []),
    ...(item.reason ? [long(LABELS.why[language], item.reason)] : []),
    ...(touched.length > 0 ? [long(LABELS.touches[language], withHiddenShown(touched.join('\n')))] : []),
    long(LABELS.arguments[language], args),
  ]
}

function line(label: string, text: string): ChatField {
  const flat = text.replaceAll(/\s+/g, ' ')
  return { label, text: cutText(flat, LIMITS.callback.chatLineCharsMax), isLong: false }
}

function long(label: string, text: string): ChatField {
  return { label, text: cutText(text, LIMITS.callback.chatTextCharsMax), isLong: true }
}

/** The headline of each event in a chat. */
const HEADLINES: Readonly<Record<DeliveryEvent, Localized>> = {
  'run.completed': { 'zh-CN': '✅ 任务已完成', en: '✅ Task completed' },
  'run.failed': { 'zh-CN': '❌ 任务失败', en: '❌ Task failed' },
  'run.budget_exhausted': { 'zh-CN': '💰 任务预算已用完', en: '💰 The budget of a task is used up' },
  'run.interrupted': { 'zh-CN': '⏸️ 任务在等待你', en: '⏸️ A task waits for you' },
  'run.cancelled': { 'zh-CN': '🚫 任务已取消', en: '🚫 Task cancelled' },
  'approval.requested': { 'zh-CN': '🔐 需要你批准', en: '🔐 Your approval is needed' },
  'tool_call.requested': { 'zh-CN': '🧩 有一个调用在等待你的程序', en: '🧩 A call waits for your program' },
  [TEST_EVENT]: { 'zh-CN': '🔔 这是一条测试消息', en: '🔔 This is a test' },
}

const LABELS = {
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

const RISKS: Readonly<Record<string, Localized>> = {
  read: { 'zh-CN': '读取', en: 'reads' },
  network: { 'zh-CN': '访问网络', en: 'reaches the network' },
  write: { 'zh-CN': '修改', en: 'changes something' },
  destructive: { 'zh-CN': '破坏性', en: 'destructive' },
}
