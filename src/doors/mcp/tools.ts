import { isSpecType, type Tool } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import * as z from 'zod'
import { partInput } from '../../domain/content-input.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import { type Skill, inLanguage, type SkillDefinition } from '../../domain/skill.ts'
import type { AppEnv } from '../../http/context.ts'
import { isObject } from '../../lib/json.ts'
import { serverFor } from '../../objects/engine.ts'
import { directoryObject } from '../../objects/env.ts'
import { inputSchema } from '../../skills/template.ts'
import { RUN_SCHEMA } from './result.ts'
import { type ListedTool, RUN_TASK_NAME, SESSION_STATUS_NAME, toolNameOf } from './tool-names.ts'
import { workflowTools } from './workflow-tools.ts'

/** The tools of this door: to run a task, to look at a session, and a skill or a workflow each. */

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
export type RunTaskInput = z.infer<typeof runTaskInput>

export const sessionStatusInput = z.strictObject({ session: name })

const text = (description: string): JsonSchema => ({ type: 'string', description })

const RUN_TASK: Record<Language, Omit<ListedTool, 'name'>> = {
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

const SESSION_STATUS: Record<Language, Omit<ListedTool, 'name'>> = {
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

export async function listedTools(c: Context<AppEnv>, language: Language): Promise<Tool[]> {
  const skills = await Promise.all((await exposedSkills(c, language)).map(toolOfSkill))
  const tools: unknown[] = [
    { name: RUN_TASK_NAME, ...RUN_TASK[language] },
    { name: SESSION_STATUS_NAME, ...SESSION_STATUS[language] },
    ...skills,
    ...(await workflowTools(c, language, new Set(skills.map((skill) => skill.name)))),
  ]
  return tools.filter(isSpecType.Tool)
}

/** Skills that are tools of their own, by name. */
async function exposedSkills(c: Context<AppEnv>, language: Language): Promise<Omit<SkillDefinition, 'prompt'>[]> {
  const { tenant } = c.get('principal')
  const { skills } = (await serverFor(c.env, tenant)).engine
  const own = await directoryObject(c.env, tenant).skills('', LIMITS.skill.perTenantMax)
  const { data } = await skills.page(own, { after: '', limit: Infinity, language })
  return data.filter(({ expose }) => expose).slice(0, LIMITS.mcpDoor.toolsMax)
}

async function toolOfSkill(skill: Omit<SkillDefinition, 'prompt'>): Promise<ListedTool> {
  const output = structureOf(skill)
  return {
    name: await toolNameOf(skill.name),
    title: skill.name,
    description: skill.description,
    inputSchema: withUserInput(skill),
    ...(output ? { outputSchema: output } : {}),
  }
}

/** A skill without inputs takes words. */
function withUserInput(skill: Pick<SkillDefinition, 'inputs'>): JsonSchema {
  const { properties, required } = inputSchema(skill)
  const declared = isObject(properties) ? properties : {}
  const words = 'user_input' in declared ? {} : { user_input: { type: 'string' } }
  return {
    type: 'object',
    properties: { ...words, ...declared },
    required: Array.isArray(required) ? required.map(String) : [],
    additionalProperties: false,
  }
}

/** The schema of what a skill gives, where that is an object; null: it gives words, or other JSON. */
export function structureOf({ output_schema: schema }: Pick<SkillDefinition, 'output_schema'>): JsonSchema | null {
  return schema?.['type'] === 'object' ? schema : null
}

/** The skill that a tool is; null: there is no such tool. */
export async function skillOfTool(
  c: Context<AppEnv>,
  tool: string,
  language: Language,
): Promise<SkillDefinition | null> {
  const { tenant } = c.get('principal')
  const { skills } = (await serverFor(c.env, tenant)).engine
  const found = await skills.find(tenant, tool)
  if (found) return exposed(found, language)
  if (!tool.startsWith('skill_')) return null
  for (const { name: skill } of await exposedSkills(c, language))
    if ((await toolNameOf(skill)) === tool) return exposed(await skills.find(tenant, skill), language)
  return null
}

function exposed(skill: Skill | null, language: Language): SkillDefinition | null {
  return skill?.definition.expose ? inLanguage(skill, language) : null
}
