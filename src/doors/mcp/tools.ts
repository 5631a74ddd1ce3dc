import { isSpecType, type Tool } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Skill, inLanguage, type SkillDefinition } from '../../domain/skill.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import type { WorkflowDefinition } from '../../domain/workflow.ts'
import type { AppEnv } from '../../http/context.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import { serverFor, serverOf } from '../../objects/engine.ts'
import { directoryObject } from '../../objects/env.ts'
import { inputSchema } from '../../skills/template.ts'
import { workflowNames } from '../kernel/names.ts'
import { type ListedTool, RUN_TASK, RUN_TASK_NAME, SESSION_STATUS, SESSION_STATUS_NAME } from './own-tools.ts'

/** The tools of this door: its own, and each skill and workflow that says `expose: true`. Of two of one name the skill goes before. */

/** Names of tools are of these letters; what has another name is offered under a digest of it. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const SKILL = 'skill'
const WORKFLOW = 'workflow'
const TAKEN: ReadonlySet<string> = new Set([RUN_TASK_NAME, SESSION_STATUS_NAME])
const DIGEST_CHARS = 12

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
    name: await toolNameOf(skill.name, SKILL),
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
  if (!tool.startsWith(`${SKILL}_`)) return null
  for (const { name: skill } of await exposedSkills(c, language))
    if ((await toolNameOf(skill, SKILL)) === tool) return exposed(await skills.find(tenant, skill), language)
  return null
}

function exposed(skill: Skill | null, language: Language): SkillDefinition | null {
  return skill?.definition.expose ? inLanguage(skill, language) : null
}

async function workflowTools(
  c: Context<AppEnv>,
  language: Language,
  taken: ReadonlySet<string>,
): Promise<ListedTool[]> {
  const tools = await Promise.all(
    (await exposedNames(c, language)).map(async (name): Promise<ListedTool[]> => {
      const tool = await toolNameOf(name, WORKFLOW)
      const found = taken.has(tool) ? null : await definitionOf(c, name, language)
      if (!found) return []
      return [{ name: tool, title: name, description: found.description, inputSchema: inputSchemaOf(found) }]
    }),
  )
  return tools.flat()
}

/** The workflow that a tool is; null: there is no such tool. */
export async function workflowOfTool(
  c: Context<AppEnv>,
  tool: string,
  language: Language,
): Promise<WorkflowDefinition | null> {
  const named = await definitionOf(c, tool, language)
  if (named) return named.expose ? named : null
  if (!tool.startsWith(`${WORKFLOW}_`)) return null
  for (const name of await exposedNames(c, language))
    if ((await toolNameOf(name, WORKFLOW)) === tool) return definitionOf(c, name, language)
  return null
}

async function exposedNames(c: Context<AppEnv>, language: Language): Promise<string[]> {
  const all = await workflowNames(c.env, c.get('principal').tenant, language)
  return all.flatMap(({ name, isExposed }) => (isExposed ? [name] : [])).slice(0, LIMITS.mcpDoor.toolsMax)
}

async function definitionOf(c: Context<AppEnv>, name: string, language: Language): Promise<WorkflowDefinition | null> {
  const { engine } = serverOf(c.env)
  const isName = name !== '' && name.length <= LIMITS.text.nameCharsMax
  return isName ? ((await engine.workflows(c.get('principal').tenant, name, language))?.definition ?? null) : null
}

/** A workflow without inputs takes words. */
function inputSchemaOf({ inputs }: WorkflowDefinition): JsonSchema {
  return inputs ? { ...inputs, type: 'object' } : { type: 'object', properties: { task: { type: 'string' } } }
}

async function toolNameOf(own: string, prefix: string): Promise<string> {
  return NAME.test(own) && !TAKEN.has(own) ? own : `${prefix}_${(await sha256Hex(own)).slice(0, DIGEST_CHARS)}`
}
