import { LIMITS } from '../domain/limits.ts'
import { isObject } from './schema.ts'

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Keywords whose members are schemas under names of their own, in a list, or alone. */
const NAMED = ['properties', '$defs', 'definitions', 'dependentSchemas'] as const
const LISTED = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SINGLE = ['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains', 'propertyNames'] as const

/** Why something is no JSON Schema, with its place; null: it is one, as far as can be told. */
export function schemaProblem(schema: unknown, place: string, depth = 0): string | null {
  if (typeof schema === 'boolean') return null
  if (!isObject(schema)) return `${place}: a schema was expected`
  if (depth > LIMITS.mcp.schemaDepthMax) return `${place}: deeper than ${LIMITS.mcp.schemaDepthMax} levels`
  return ownProblem(schema, place) ?? membersProblem(schema, place, depth + 1)
}

function ownProblem({ type, required, enum: choices, $ref }: Record<string, unknown>, place: string): string | null {
  const types = Array.isArray(type) ? type : [type]
  if (type !== undefined && !types.every((one) => TYPES.has(one))) return `${place}.type: no type of JSON Schema`
  const names = Array.isArray(required) ? required : null
  if (required !== undefined && !names?.every((one) => typeof one === 'string'))
    return `${place}.required: a list of names was expected`
  if (choices !== undefined && !Array.isArray(choices)) return `${place}.enum: a list was expected`
  return $ref !== undefined && typeof $ref !== 'string' ? `${place}.$ref: an address was expected` : null
}

function membersProblem(schema: Record<string, unknown>, place: string, depth: number): string | null {
  for (const keyword of [...NAMED, ...LISTED, ...SINGLE]) {
    const found = memberProblem(keyword, schema[keyword], `${place}.${keyword}`, depth)
    if (found !== null) return found
  }
  return null
}

function memberProblem(keyword: string, value: unknown, place: string, depth: number): string | null {
  if (value === undefined) return null
  const members = membersOf(keyword, value)
  if (members === null) return `${place}: ${isOf(LISTED, keyword) ? 'a list' : 'an object'} of schemas was expected`
  for (const [name, member] of members) {
    const found = schemaProblem(member, name === '' ? place : `${place}.${name}`, depth)
    if (found !== null) return found
  }
  return null
}

/** Null: not of the kind that the keyword holds. */
function membersOf(keyword: string, value: unknown): [string, unknown][] | null {
  if (isOf(NAMED, keyword)) return isObject(value) ? Object.entries(value) : null
  if (isOf(LISTED, keyword) || (keyword === 'items' && Array.isArray(value)))
    return Array.isArray(value) ? Object.entries(value) : null
  return [['', value]]
}

function isOf(keywords: readonly string[], keyword: string): boolean {
  return keywords.includes(keyword)
}
