import * as z from 'zod'
import { partInput } from '../../domain/content-input.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import { RUN_SCHEMA } from './result.ts'

/** The tools of this door itself: to run a task, and to look at a session. */

/** A tool as a list shows it. */
export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: { readOnlyHint: boolean }
}

export const RUN_TASK_NAME = 'run_task'
export const SESSION_STATUS_NAME = 'session_status'

const name = z.string().min(1).max(LIMITS.text.nameCharsMax)

export const runTaskInput = z.strictObject({
  task: z.string().min(1).max(LIMITS.text.contentCharsMax),
  agent: name.optional(),
  session: name.optional(),
  user: name.optional(),
  /** The task is one of those that a message may have. */
  parts: z
    .array(partInput)
    .min(1)
    .max(LIMITS.parts.perMessageMax - 1)
    .optional(),
})

export const sessionStatusInput = z.strictObject({ session: name })

const text = (description: string): JsonSchema => ({ type: 'string', description })

export const RUN_TASK: Record<Language, Omit<ListedTool, 'name'>> = {
  en: {
    title: 'Run a task',
    description:
      'Hand a task to the agent. It works in steps with its own tools, may ask a person before it uses one, and ends with an answer. Name `session` to go on in a conversation.',
    inputSchema: {
      type: 'object',
      properties: {
        task: text('What is to be done, or the next message of the session.'),
        agent: text(
          'Who does it: `yaa`, `yaa/plan`, `yaa/team/NAME`, `yaa/workflow/NAME`, a skill or a model; default `yaa`.',
        ),
        session: text('Id of the session to go on in, `ses_…`; default: a new one.'),
        user: text('In whose name.'),
        parts: { type: 'array', items: { type: 'object' }, description: 'Images, files and data beside the task.' },
      },
      required: ['task'],
      additionalProperties: false,
    },
    outputSchema: RUN_SCHEMA,
  },
  'zh-CN': {
    title: '运行任务',
    description:
      '把任务交给智能体。它用自己的工具分步工作，使用某些工具前会先问人，最后给出答案。给出 `session` 则在该会话中继续。',
    inputSchema: {
      type: 'object',
      properties: {
        task: text('要做的事，或会话的下一条消息。'),
        agent: text('由谁来做：`yaa`、`yaa/plan`、`yaa/team/名称`、`yaa/workflow/名称`、技能或模型；默认 `yaa`。'),
        session: text('要继续的会话 `ses_…`；默认新建。'),
        user: text('以谁的名义。'),
        parts: { type: 'array', items: { type: 'object' }, description: '任务之外的图片、文件和数据。' },
      },
      required: ['task'],
      additionalProperties: false,
    },
    outputSchema: RUN_SCHEMA,
  },
}

export const SESSION_STATUS: Record<Language, Omit<ListedTool, 'name'>> = {
  en: {
    title: 'Look at a session',
    description: 'How the newest run of a session stands: its answer, or what waits for a person.',
    inputSchema: {
      type: 'object',
      properties: { session: text('Id of the session, `ses_…`.') },
      required: ['session'],
      additionalProperties: false,
    },
    outputSchema: RUN_SCHEMA,
    annotations: { readOnlyHint: true },
  },
  'zh-CN': {
    title: '查看会话',
    description: '会话最新一次运行的状况：答案，或在等人决定的事。',
    inputSchema: {
      type: 'object',
      properties: { session: text('会话的 id，`ses_…`。') },
      required: ['session'],
      additionalProperties: false,
    },
    outputSchema: RUN_SCHEMA,
    annotations: { readOnlyHint: true },
  },
}
