import { LIMITS } from '../domain/limits.ts'
import type { JsonSchema, Tool, ToolParameter } from '../domain/tool.ts'
import { isObject } from '../lib/json.ts'
import { cutText } from '../lib/text.ts'
import { checkOf, type Check } from '../mcp/schema.ts'

/** How a tool is called whose parameters somebody else said in a JSON Schema. What is made of it is made when it is first asked for. */
export function calledBySchema(given: JsonSchema): Pick<Tool, 'parameters' | 'inputSchema' | 'parse'> {
  let schema: JsonSchema | undefined
  let parameters: Tool['parameters'] | undefined
  let check: Check | undefined
  return {
    get parameters() {
      return (parameters ??= parametersOf(given))
    },
    inputSchema: () => (schema ??= schemaFor(given)),
    parse: (args) => {
      const value = withoutNulls(args, given)
      const errors = (check ??= checkOf(given))(value)
      return errors.length === 0 ? { ok: true, value } : { ok: false, errors }
    },
  }
}

/** Models write null for what they leave out; where a schema does not take it, it means: not given. */
function withoutNulls(args: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const takesNull = (name: string) => JSON.stringify(propertiesOf(schema)[name] ?? {}).includes('null')
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || takesNull(name)))
}

/** The schema as a model is told it: an object, and nothing about where its words come from. */
function schemaFor(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== '$schema' && keyword !== '$id')
  return { ...Object.fromEntries(kept), type: 'object', properties: propertiesOf(schema) }
}

function parametersOf(schema: JsonSchema): Record<string, ToolParameter> {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const entries = Object.entries(propertiesOf(schema)).slice(0, LIMITS.mcp.parametersMax)
  return Object.fromEntries(
    entries.map(([name, property]) => {
      const said = isObject(property) && typeof property['description'] === 'string' ? property['description'] : ''
      const text = cutText(said.replaceAll(/\s+/g, ' ').trim(), LIMITS.mcp.parameterDescriptionChars)
      const parameter = { names: { 'zh-CN': name, en: name }, description: { 'zh-CN': text, en: text } }
      return [name, { ...parameter, required: required.includes(name) }]
    }),
  )
}

function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return isObject(schema['properties']) ? schema['properties'] : {}
}
