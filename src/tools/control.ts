import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import { CONTROL_TOOL_NAMES } from '../domain/tool.ts'
import { defineTool } from './define.ts'

const words = z.string().trim().min(1).max(LIMITS.text.contentCharsMax)

/** Ends the run; `reason` is the answer. */
export const finish = defineTool({
  id: 'finish',
  names: CONTROL_TOOL_NAMES.finish,
  description: {
    'zh-CN': '结束任务；理由就是给用户的完整答案（Markdown，可含 mermaid 图表）。',
    en: 'End the task. The reason is the whole answer that the user gets (Markdown, mermaid charts too).',
  },
  risk: 'read',
  idempotent: true,
  synchronous: true,
  control: true,
  input: z.strictObject({ reason: words }),
  parameters: {
    reason: {
      names: { 'zh-CN': '理由', en: 'reason' },
      description: { 'zh-CN': '完整答案', en: 'the whole answer' },
    },
  },
  run: () => ({ ok: true, content: null }),
})

/** Lets the model think once more before it acts. */
export const rethink = defineTool({
  id: 'rethink',
  names: CONTROL_TOOL_NAMES.rethink,
  description: {
    'zh-CN': '不做任何事，只让你再想一轮。',
    en: 'Does nothing but give you another turn to think.',
  },
  risk: 'read',
  idempotent: true,
  synchronous: true,
  control: true,
  input: z.strictObject({ reason: words }),
  parameters: {
    reason: {
      names: { 'zh-CN': '理由', en: 'reason' },
      description: { 'zh-CN': '为什么', en: 'why' },
    },
  },
  run: () => ({ ok: true, content: null }),
})

const OPTIONS_MAX = 20

/** Asks the user; the run waits as a pending question, and the answer is the result. */
const ask = defineTool({
  id: 'ask',
  names: CONTROL_TOOL_NAMES.ask,
  description: {
    'zh-CN': '问只有用户才知道或才能决定的事；任务会等用户回答。',
    en: 'Ask what only the user can know or choose. The task waits for the answer.',
  },
  risk: 'read',
  idempotent: true,
  control: true,
  input: z.strictObject({
    question: words,
    options: z.array(z.string().trim().min(1).max(500)).max(OPTIONS_MAX).optional(),
  }),
  parameters: {
    question: {
      names: { 'zh-CN': '问题', en: 'question' },
      description: { 'zh-CN': '问题', en: 'the question' },
    },
    options: {
      names: { 'zh-CN': '选项', en: 'options' },
      description: { 'zh-CN': '可选的答案', en: 'answers to choose from' },
    },
  },
  run: async () => ({ ok: true, content: null }),
})

export const CONTROL_TOOLS = [rethink, ask, finish] as const

const CONTROL: ReadonlySet<string> = new Set(CONTROL_TOOLS.map(({ id }) => id))

/** Whether a tool only says how the run goes on. */
export function isControl(tool: string): boolean {
  return CONTROL.has(tool)
}
