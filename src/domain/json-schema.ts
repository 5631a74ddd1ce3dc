import { isObject } from '../lib/json.ts'

/** What is wrong with something that should be a JSON Schema, and where; `place` in dotted form. */
export interface SchemaFault {
  place: string
  problem: string
}

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Keywords whose members are schemas under names of their own, in a list, or alone. */
const NAMED = ['properties', '$defs', 'definitions', 'dependentSchemas'] as const
const LISTED = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SINGLE = ['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains', 'propertyNames'] as const

/** Why something is no JSON Schema; null: it is one, as far as can be told. */
export function schemaFault(schema: unknown, place: string, depthMax: number, depth = 0): SchemaFault | null {
  if (typeof schema === 'boolean') return null
  if (!isObject(schema)) return { place, problem: 'a schema was expected' }
  if (depth > depthMax) return { place, problem: `deeper than ${depthMax} levels` }
  return ownFault(schema, place) ?? membersFault(schema, place, depthMax, depth + 1)
}

function ownFault({ type, required, enum: choices, $ref }: Record<string, unknown>, place: string): SchemaFault | null {
  const types = Array.isArray(type) ? type : [type]
  if (type !== undefined && !types.every((one) => TYPES.has(one)))
    return { place: `${place}.type`, problem: 'no type of JSON Schema' }
  const names = Array.isArray(required) ? required : null
  if (required !== undefined && !names?.every((one) => typeof one === 'string'))
    return { place: `${place}.required`, problem: 'a list of names was expected' }
  if (choices !== undefined && !Array.isArray(choices))
    return { place: `${place}.enum`, problem: 'a list was expected' }
  return $ref !== undefined && typeof $ref !== 'string'
    ? { place: `${place}.$ref`, problem: 'an address was expected' }
    : null
}

function membersFault(
  schema: Record<string, unknown>,
  place: string,
  depthMax: number,
  depth: number,
): SchemaFault | null {
  for (const keyword of [...NAMED, ...LISTED, ...SINGLE]) {
    const value = schema[keyword]
    if (value === undefined) continue
    const within = `${place}.${keyword}`
    const members = membersOf(keyword, value)
    if (members === null)
      return { place: within, problem: `${isOf(LISTED, keyword) ? 'a list' : 'an object'} of schemas was expected` }
    for (const [name, member] of members) {
      const found = schemaFault(member, name === '' ? within : `${within}.${name}`, depthMax, depth)
      if (found !== null) return found
    }
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
