import { BoundedValidator } from '../lib/bounded-schema.ts'
import { isObject } from '../lib/json.ts'
import type { OutputUnit, SchemaDraft } from '@cfworker/json-schema'
import { LIMITS } from '../domain/limits.ts'
import type { JsonSchema } from '../domain/tool.ts'
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client'

/** A place of a value that its schema does not take; `path` in dotted form. */
interface SchemaViolation {
  path: string
  expected: string
}

/** What is wrong with a value. A schema that cannot be read, or takes too many steps, takes everything: whoever gave it checks the call itself. */
export type Check = (value: unknown) => SchemaViolation[]

/** A check by a schema of somebody else. Its patterns are not run: they could be made to run for ever. */
export function checkOf(schema: JsonSchema): Check {
  let validator: BoundedValidator | undefined
  return (value) => {
    try {
      validator ??= new BoundedValidator(withoutPatterns(schema), draftOf(schema), LIMITS.schema)
      const { valid, errors } = validator.validate(value)
      if (valid) return []
      const leaves = errors.filter(({ keyword }) => !HOLDERS.has(keyword))
      return (leaves.length > 0 ? leaves : errors).slice(0, ERRORS_MAX).map(violationOf)
    } catch {
      return []
    }
  }
}

const ERRORS_MAX = 10

/** What is missing is named by its own path, and so is what is too much. */
function violationOf({ instanceLocation, keyword, error }: OutputUnit): SchemaViolation {
  const path = pathOf(instanceLocation)
  const missing = keyword === 'required' ? /"(.+)"\.?$/.exec(error)?.[1] : undefined
  const expected = keyword === 'false' ? 'not given: the schema takes nothing here' : error.replace(/\.+$/, '')
  return { path: [path, missing ?? ''].filter(Boolean).join('.'), expected }
}

/** Keywords that are wrong because of what they hold. */
const HOLDERS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'dependentSchemas',
  'additionalProperties',
  'unevaluatedProperties',
])

/** `#/a/0` as `a.0`. The validator writes a name as it stands in an address. */
function pathOf(location: string): string {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const named = typeof $schema === 'string' ? $schema : ''
  if (named.includes('draft-04')) return '4'
  if (named.includes('draft-07') || named.includes('draft-06')) return '7'
  return named.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Members of these hold schemas under names of their own; members of those hold values. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])

function withoutPatterns(schema: JsonSchema): Record<string, unknown> {
  const kept = keptOf(schema, 0)
  return isObject(kept) ? kept : {}
}

function keptOf(schema: unknown, depth: number): unknown {
  if (depth > LIMITS.mcp.schemaDepthMax) return {}
  if (Array.isArray(schema)) return schema.map((one) => keptOf(one, depth + 1))
  if (!isObject(schema)) return schema
  const dropped = 'patternProperties' in schema ? BESIDE_PATTERNS : PATTERNS
  const kept = Object.entries(schema).filter(([keyword]) => !dropped.has(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, memberOf(keyword, value, depth + 1)]))
}

const PATTERNS: ReadonlySet<string> = new Set(['pattern'])
/** What these say depends on which names the patterns take. */
const BESIDE_PATTERNS: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
])

function memberOf(keyword: string, value: unknown, depth: number): unknown {
  if (VALUES.has(keyword)) return value
  if (!MAPS.has(keyword) || !isObject(value)) return keptOf(value, depth)
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, keptOf(schema, depth)]))
}

/** Read by the MCP SDK, for which the bundle puts this file in the place of its `_shims`. */
export const CORS_IS_POSSIBLE = false

/** Checks structured results of tools by the schema that their server gave. */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const check = checkOf(isObject(schema) ? schema : {})
    return (input) => {
      const violations = check(input)
      if (violations.length === 0) return { valid: true, data: input as T, errorMessage: undefined }
      const errorMessage = violations.map(({ path, expected }) => `${path}: ${expected}`).join('; ')
      return { valid: false, data: undefined, errorMessage }
    }
  }
}
