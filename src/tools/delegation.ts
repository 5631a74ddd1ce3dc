import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import { defineTool } from './define.ts'

/** Tools whose calls are moves of src/orchestrators/delegate: what they do is done there. */

const words = z.string().trim().min(1).max(LIMITS.text.contentCharsMax)
const taskId = z.string().trim().min(1).max(100)

const run = (): never => {
  throw new Error('calls of this tool are moves')
}

const COMMON = {
  risk: 'read',
  idempotent: true,
  provenance: 'model',
  isMove: true,
  needs: 'lasting',
  run,
} as const

/** Gives a task away, and waits for its result or goes on. */
const delegate = defineTool({
  ...COMMON,
  id: 'delegate',
  optIn: true,
  names: { 'zh-CN': '委派任务', en: 'delegate' },
  description: {
    'zh-CN': '把一项任务交给另一位执行者，结果就是它的回答；可以在后台进行，任务结束前未完成的会被取消。',
    en: 'Give a task to another worker; its answer is the result. In the background you go on meanwhile; what is open at your end is cancelled.',
  },
  input: z.strictObject({
    task: words,
    to: z.string().trim().min(1).max(LIMITS.text.nameCharsMax).optional(),
    background: z.boolean().optional(),
  }),
  parameters: {
    task: {
      names: { 'zh-CN': '任务', en: 'task' },
      description: { 'zh-CN': '完整的任务说明，执行者只知道这些', en: 'the whole task: the worker knows nothing else' },
    },
    to: {
      names: { 'zh-CN': '执行者', en: 'to' },
      description: {
        'zh-CN':
          '技能、MCP 服务、team/团队名、workflow/工作流名（任务写成它的输入，JSON）、llm_tool（无工具的模型）或 self（你自己，默认）',
        en: 'a skill, an MCP server, team/NAME, workflow/NAME (the task is its inputs, as JSON), llm_tool (the model without tools), or self (yourself, the default)',
      },
    },
    background: {
      names: { 'zh-CN': '后台', en: 'background' },
      description: { 'zh-CN': '不等待结果', en: 'do not wait for it' },
    },
  },
})

/** How tasks stand that were given away. */
const taskStatus = defineTool({
  ...COMMON,
  id: 'task_status',
  optIn: 'delegate',
  names: { 'zh-CN': '任务状态', en: 'task_status' },
  description: {
    'zh-CN': '查看委派出去的任务及其结果；可以等到它们结束。',
    en: 'See the tasks that you gave away, with their results; wait for them if you like.',
  },
  input: z.strictObject({ task_id: taskId.optional(), wait: z.boolean().optional() }),
  parameters: {
    task_id: {
      names: { 'zh-CN': '任务编号', en: 'task_id' },
      description: { 'zh-CN': 'tsk_…，默认全部', en: 'tsk_…, all by default' },
    },
    wait: { names: { 'zh-CN': '等待', en: 'wait' }, description: { 'zh-CN': '等到结束', en: 'until they have ended' } },
  },
})

/** Ends a task that was given away. */
const cancelTask = defineTool({
  ...COMMON,
  id: 'cancel_task',
  optIn: 'delegate',
  names: { 'zh-CN': '取消任务', en: 'cancel_task' },
  description: { 'zh-CN': '取消一项委派出去的任务。', en: 'Cancel a task that you gave away.' },
  input: z.strictObject({ task_id: taskId }),
  parameters: {
    task_id: { names: { 'zh-CN': '任务编号', en: 'task_id' }, description: { 'zh-CN': 'tsk_…', en: 'tsk_…' } },
  },
})

export const DELEGATION_TOOLS = [delegate, taskStatus, cancelTask] as const
