import type { JsonSchema, Tool } from '../domain/tool.ts'

/** A plain object, as JSON has them. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON Schema of one parameter; empty if the tool's schema does not say. References within the schema are followed. */
export function parameterSchema(tool: Pick<Tool, 'inputSchema'>, name: string): JsonSchema {
  const root = tool.inputSchema()
  const properties = root['properties']
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : {}
  return isObject(schema) ? resolved(schema, root) : {}
}

/** The types that a schema admits, in its order; empty if it does not say. */
export function typesOf(schema: JsonSchema): string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const types = choices.filter(isObject).flatMap(typesOf)
  return types.length > 0 ? types : literalsOf(schema).map(jsonType)
}

/** The only values that a schema admits (`enum`, `const`); empty if it does not say. */
export function literalsOf(schema: JsonSchema): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : []
}

/** The schema of a list's items. */
export function itemSchema(schema: JsonSchema): JsonSchema {
  if (isObject(schema['items'])) return schema['items']
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const list = choices.filter(isObject).find((choice) => isObject(choice['items']))
  return list === undefined ? {} : itemSchema(list)
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const path = schema['$ref']
  if (typeof path !== 'string' || !path.startsWith('#/')) return schema
  let found: unknown = root
  for (const key of path.slice(2).split('/')) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : {}
  return isObject(found) ? { ...found, ...schema } : schema
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
