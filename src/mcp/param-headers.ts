import { isObject } from './schema.ts'

const KEYWORD = 'x-mcp-header'
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Why arguments that are to be sent as headers (revision 2026-07-28, `x-mcp-header`) cannot be; null: they can, or there are
 *  none. A tool with such a problem must not be offered. */
export function paramHeadersProblem(schema: Record<string, unknown>): string | null {
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
  if (!TYPES.has(type)) return `${KEYWORD}: only a string, an integer or a boolean can be a header`
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
