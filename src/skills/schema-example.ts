import { LIMITS } from '../domain/limits.ts'
import { isObject } from '../lib/json.ts'
import type { JsonSchema } from '../domain/tool.ts'

/** So deep an example goes: a schema may hold itself. */
const DEPTH_MAX = 8

/** A value of the form that a JSON Schema describes, made of its own words: its constants, defaults and examples, else one of its type.
 *  Patterns and the like may not hold for it; whoever shows it checks it. Undefined: none could be made. */
export function exampleOf(schema: JsonSchema): unknown {
  return valueOf(schema, { root: schema, depth: 0, made: { count: 0 } })
}

interface Place {
  root: JsonSchema
  depth: number
  /** Values so far, of the whole example. */
  made: { count: number }
}

function valueOf(schema: unknown, at: Place): unknown {
  if (schema === true) return TEXT
  if (!isObject(schema) || at.depth > DEPTH_MAX || ++at.made.count > LIMITS.skill.exampleValuesMax) return undefined
  const place = { ...at, depth: at.depth + 1 }
  const given = wordOf(schema)
  if (given !== undefined) return given
  if (typeof schema['$ref'] === 'string') return valueOf(target(schema['$ref'], place.root), place)
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray)
  if (choices)
    return firstOf(
      choices.map((one) => ({ ...schema, anyOf: undefined, oneOf: undefined, ...one })),
      place,
    )
  if (Array.isArray(schema['allOf'])) return valueOf(merged({ ...schema, allOf: undefined }, schema['allOf']), place)
  return ofType(schema, place)
}

/** A value that the schema itself names. */
function wordOf(schema: JsonSchema): unknown {
  const { examples, enum: choices } = schema
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  return Array.isArray(choices) ? choices[0] : undefined
}

/** What a reference within the document means. Source: RFC 6901. */
function target(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').slice(1)
  return names
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      root,
    )
}

function firstOf(schemas: readonly unknown[], place: Place): unknown {
  for (const one of schemas) {
    const value = valueOf(one, place)
    if (value !== undefined) return value
  }
  return undefined
}

function merged(schema: JsonSchema, parts: readonly unknown[]): JsonSchema {
  return parts.filter(isObject).reduce<JsonSchema>((all, part) => {
    const properties = { ...Object(all['properties']), ...Object(part['properties']) }
    const required = [...listOf(all['required']), ...listOf(part['required'])]
    return { ...all, ...part, ...(Object.keys(properties).length > 0 ? { properties } : {}), required }
  }, schema)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

const TEXT = '…'

function ofType(schema: JsonSchema, place: Place): unknown {
  const [named] = [schema['type']].flat()
  const type = named ?? (isObject(schema['properties']) ? 'object' : schema['items'] ? 'array' : 'string')
  switch (type) {
    case 'object':
      return anObject(schema, place)
    case 'array':
      return aList(schema, place)
    case 'string':
      return aText(schema)
    case 'integer':
    case 'number':
      return aNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return undefined
  }
}

/** All that it may have, so that the form is seen whole; what has no example is left out where it may be. */
function anObject({ properties, required }: JsonSchema, place: Place): unknown {
  const members = Object.entries(Object(properties)).map(([name, schema]) => [name, valueOf(schema, place)] as const)
  const known = new Map(members.filter(([, value]) => value !== undefined))
  const lacking = listOf(required).some((name) => typeof name === 'string' && !known.has(name))
  return lacking && place.depth > 1 ? undefined : Object.fromEntries(known)
}

/** A part that has no example is left out, so that a list which needs it does not fit. */
function aList({ items = true, prefixItems, minItems }: JsonSchema, place: Place): unknown {
  const first = listOf(prefixItems)
  const wanted = typeof minItems === 'number' ? Math.min(minItems, LIMITS.skill.exampleValuesMax) : 0
  const more = Math.max(first.length === 0 ? 1 : 0, wanted - first.length)
  const parts = [...first, ...Array.from({ length: more }, () => items)]
  return parts.map((schema) => valueOf(schema, place)).filter((value) => value !== undefined)
}

const OF_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function aText({ format, minLength, maxLength }: JsonSchema): string {
  const known = typeof format === 'string' ? OF_FORMAT[format] : undefined
  if (known !== undefined) return known
  const most = typeof maxLength === 'number' ? maxLength : Infinity
  return TEXT.repeat(Math.min(typeof minLength === 'number' ? Math.max(1, minLength) : 1, most, 1_000))
}

function aNumber(schema: JsonSchema): number {
  const numbers = (names: string[]) => names.map((name) => schema[name]).filter((value) => typeof value === 'number')
  const [least = -Infinity] = numbers(['minimum'])
  const [over = -Infinity] = numbers(['exclusiveMinimum'])
  const [most = Infinity] = numbers(['maximum'])
  const [under = Infinity] = numbers(['exclusiveMaximum'])
  const [step = 1] = numbers(['multipleOf'])
  const low = Math.max(least, over === -Infinity ? over : over + step)
  const high = Math.min(most, under === Infinity ? under : under - step)
  const wanted = Math.min(Math.max(step, low), high)
  const rounded = Math.ceil(wanted / step) * step
  return rounded > high ? wanted : rounded
}
