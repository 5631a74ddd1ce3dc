import * as z from 'zod'
import { schemaFault } from '../domain/json-schema.ts'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpWarning } from '../domain/mcp.ts'
import { isDeeper, isObject } from '../lib/json.ts'

const { toolNameCharsMax, schemaCharsMax, schemaDepthMax } = LIMITS.mcp

const hint = z.boolean().optional()
const annotations = z.object({
  title: z.string().optional(),
  readOnlyHint: hint,
  idempotentHint: hint,
  destructiveHint: hint,
  openWorldHint: hint,
})

/** A tool as a server tells of it; null where it cannot be used. What is wrong with it stands in `warnings`. */
interface ReadTool {
  tool: McpListedTool | null
  warnings: McpWarning[]
}

/** Take what of a tool can be used. `sendsHeaders`: the revision has arguments that go as headers. */
export function readTool(given: unknown, sendsHeaders: boolean): ReadTool {
  const { name } = Object(given)
  const shown = typeof name === 'string' ? name.slice(0, LIMITS.mcp.shownNameChars) : null
  const problem = toolProblem(given, sendsHeaders)
  if (problem !== null || !isObject(given))
    return { tool: null, warnings: [{ tool: shown, message: `left out: ${problem}` }] }
  const parts = partsOf(given)
  const warnings = parts.dropped.map((message) => ({ tool: shown, message }))
  return { tool: { name: String(name), inputSchema: Object(given['inputSchema']), ...parts.kept }, warnings }
}

/** Why there is no use for a tool at all. */
function toolProblem(given: unknown, sendsHeaders: boolean): string | null {
  if (!isObject(given)) return 'an object was expected'
  const { name, inputSchema: schema } = given
  if (typeof name !== 'string' || name.length < 1 || name.length > toolNameCharsMax)
    return `name: 1 to ${toolNameCharsMax} characters were expected`
  if (!isObject(schema)) return 'inputSchema: a schema was expected'
  if (schema['type'] !== undefined && schema['type'] !== 'object') return 'inputSchema.type: object was expected'
  if (isDeeper(given, 2 * schemaDepthMax)) return `deeper than ${schemaDepthMax} schemas within each other`
  if (JSON.stringify(given).length > schemaCharsMax) return `its JSON is longer than ${schemaCharsMax} characters`
  return schemaProblem(schema, 'inputSchema') ?? (sendsHeaders ? paramHeadersProblem(schema) : null)
}

/** What a tool can do without: each part that is broken is dropped. Hints count together or not at all: what one of them allows
 *  another may take back. */
function partsOf({ title, description, outputSchema, annotations: hints }: Record<string, unknown>) {
  const read = annotations.safeParse(hints)
  const faults = [
    ...(isText(title) ? [] : ['title: not a text']),
    ...(isText(description) ? [] : ['description: not a text']),
    ...(isGiven(outputSchema) ? [schemaProblem(outputSchema, 'outputSchema')] : []),
    ...(isGiven(hints) && !read.success
      ? [`annotations.${read.error.issues[0]?.path.join('.')}: not what it has to be`]
      : []),
  ]
  const kept: Omit<McpListedTool, 'name' | 'inputSchema'> = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(outputSchema) && schemaProblem(outputSchema, '') === null ? { outputSchema } : {}),
    ...(isGiven(hints) && read.success ? { annotations: read.data } : {}),
  }
  return { kept, dropped: faults.flatMap((fault) => (fault === null ? [] : [`not used: ${fault}`])) }
}

/** Null stands for what is not given. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isText(value: unknown): boolean {
  return !isGiven(value) || typeof value === 'string'
}

/** Why something is no JSON Schema, with its place; null: it is one, as far as can be told. */
function schemaProblem(schema: unknown, place: string): string | null {
  const fault = schemaFault(schema, place, schemaDepthMax)
  return fault && `${fault.place}: ${fault.problem}`
}

const KEYWORD = 'x-mcp-header'
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Why arguments that are to be sent as headers (revision 2026-07-28, `x-mcp-header`) cannot be; null: they can, or there are
 *  none. A tool with such a problem must not be offered. */
function paramHeadersProblem(schema: Record<string, unknown>): string | null {
  const names = new Set<string>()
  const visit = (node: unknown, isProperty: boolean, isReached: boolean): string | null => {
    if (Array.isArray(node)) return firstOf(node, (one) => visit(one, false, false))
    if (!isObject(node)) return null
    const own = Object.hasOwn(node, KEYWORD) ? headerProblem(node, isProperty && isReached, names) : null
    return own ?? firstOf(Object.entries(node), ([keyword, value]) => within(keyword, value, isReached))
  }
  const within = (keyword: string, value: unknown, isReached: boolean): string | null => {
    if (keyword === 'properties' && isObject(value))
      return firstOf(Object.values(value), (one) => visit(one, true, isReached))
    return HOLDERS.has(keyword) ? visit(value, false, false) : null
  }
  return visit(schema, false, true)
}

/** Keywords under which there are schemas that no chain of properties leads to. */
const HOLDERS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
])

function headerProblem(schema: Record<string, unknown>, isReached: boolean, names: Set<string>): string | null {
  const { [KEYWORD]: name, type } = schema
  if (!isReached) return `${KEYWORD} stands where no chain of properties leads`
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return `${KEYWORD}: the name of a header was expected`
  if (!HEADER_TYPES.has(type)) return `${KEYWORD}: only a string, an integer or a boolean can be a header`
  if (names.has(name.toLowerCase())) return `${KEYWORD}: the same header twice`
  names.add(name.toLowerCase())
  return null
}

function firstOf<T>(all: readonly T[], find: (one: T) => string | null): string | null {
  for (const one of all) {
    const found = find(one)
    if (found !== null) return found
  }
  return null
}
