import type { Context } from 'hono'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import type { WorkflowDefinition } from '../../domain/workflow.ts'
import type { AppEnv } from '../../http/context.ts'
import { serverOf } from '../../objects/engine.ts'
import { workflowNames } from '../kernel/names.ts'
import { type ListedTool, toolNameOf } from './tool-names.ts'

/** Workflows that say `expose: true`, each as a tool of this door. A skill of the same name goes before. */

const PREFIX = 'workflow'

export async function workflowTools(
  c: Context<AppEnv>,
  language: Language,
  taken: ReadonlySet<string>,
): Promise<ListedTool[]> {
  const tools = await Promise.all(
    (await exposedNames(c, language)).map(async (name): Promise<ListedTool[]> => {
      const tool = await toolNameOf(name, PREFIX)
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
  if (!tool.startsWith(`${PREFIX}_`)) return null
  for (const name of await exposedNames(c, language))
    if ((await toolNameOf(name, PREFIX)) === tool) return definitionOf(c, name, language)
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
