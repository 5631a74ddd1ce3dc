import type { Language } from '../../domain/language.ts'
import type { Pending } from '../../domain/pending.ts'

/** What people read who are asked something by way of an MCP client. */
interface Words {
  approve: (pending: { tool: string; shown: string }) => string
  step: string
  reason: (reason: string) => string
  risk: (risk: string) => string
  decision: string
  approveWord: string
  rejectWord: string
  edited: string
  feedback: string
  answer: string
  done: string
  fits: (schema: string) => string
  fault: (fault: string) => string
  waits: (items: string, at: string) => string
  call: (pending: Pick<Pending, 'id' | 'tool'>, shown: string) => string
  question: (pending: { id: string; question?: string | undefined }) => string
  failed: (detail: string) => string
  cancelled: string
  nothing: string
  notEdited: (fault: string) => string
  stands: (status: string) => string
}

const EN: Words = {
  approve: ({ tool, shown }) => `The agent wants to call ${tool} with these arguments:\n${shown}`,
  step: 'The workflow needs an approval.',
  reason: (reason) => `Why it asks: ${reason}`,
  risk: (risk) => `Risk: ${risk}`,
  decision: 'Decision',
  approveWord: 'Approve',
  rejectWord: 'Refuse',
  edited: 'Other arguments to call with, as a JSON object; empty: as shown',
  feedback: 'What the agent is told with a refusal',
  answer: 'Answer',
  done: 'Done, go on',
  fits: (schema) => `The answer is JSON that fits this schema:\n${schema}`,
  fault: (fault) => `Not decided yet: ${fault}`,
  waits: (items, at) => `The run waits for a human:\n${items}\nDecide at ${at}, then ask session_status.`,
  call: ({ id, tool = 'plan' }, shown) => `- ${id}: call ${tool} with ${shown}`,
  question: ({ id, question = '' }) => `- ${id}: ${question}`,
  failed: (detail) => `The run failed. ${detail}`,
  cancelled: 'The run was cancelled.',
  nothing: 'The run ended without an answer.',
  notEdited: (fault) => `The person wanted other arguments, which could not be read (${fault}). Ask again.`,
  stands: (status) => `Status: ${status}.`,
}

const ZH: Words = {
  approve: ({ tool, shown }) => `智能体要以下列参数调用 ${tool}：\n${shown}`,
  step: '工作流等待批准。',
  reason: (reason) => `为何询问：${reason}`,
  risk: (risk) => `风险：${risk}`,
  decision: '决定',
  approveWord: '批准',
  rejectWord: '拒绝',
  edited: '改用的参数（JSON 对象）；留空则照所示参数',
  feedback: '拒绝时告诉智能体的话',
  answer: '回答',
  done: '已完成，请继续',
  fits: (schema) => `回答须为符合以下 schema 的 JSON：\n${schema}`,
  fault: (fault) => `尚未决定：${fault}`,
  waits: (items, at) => `运行在等待人的决定：\n${items}\n请到 ${at} 决定，然后查询 session_status。`,
  call: ({ id, tool = 'plan' }, shown) => `- ${id}：调用 ${tool}，参数 ${shown}`,
  question: ({ id, question = '' }) => `- ${id}：${question}`,
  failed: (detail) => `运行失败。${detail}`,
  cancelled: '运行已取消。',
  nothing: '运行结束，没有答案。',
  notEdited: (fault) => `对方想改参数，但无法读取（${fault}）。请再问一次。`,
  stands: (status) => `状态：${status}。`,
}

export function wordsIn(language: Language): Words {
  return language === 'en' ? EN : ZH
}
