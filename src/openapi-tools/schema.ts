import { LIMITS } from '../domain/limits.ts'
import type { JsonSchema } from '../domain/tool.ts'
import { isObject } from '../lib/json.ts'
import { cutText } from '../lib/text.ts'
import { type ApiDocument, pointedAt } from './document.ts'

/** Tags in which some documents write what things are for. */
export const HTML_TAG = /<\/?(?:p|br|a|b|i|em|strong|code|pre|ul|ol|li|span|div|h\d)(?:\s[^<>]{0,300})?\/?>/gi

/** What of a schema stays: what says which values it takes. What shows them, or says how they are named in XML, does not. */
const KEPT: ReadonlySet<string> = new Set([
  'type',
  'format',
  'enum',
  'const',
  'default',
  'title',
  'description',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
])
const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames'])
const MANY: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])

/** The JSON Schema of arguments, each by the schema that a document has for it, small enough to be told to a model. References stand
 *  there as what they mean. What refers to itself, or is too deep for the size, takes anything: the API checks it itself. */
export function argumentSchema(
  document: ApiDocument,
  members: readonly { key: string; schema: unknown; description: string; required: boolean }[],
): JsonSchema | null {
  for (const depthMax of LIMITS.openapi.schemaDepths) {
    const inliner = new Inliner(document, depthMax)
    const properties = Object.fromEntries(
      members.map(({ key, schema, description }) => [key, withDescription(inliner.inlined(schema), description)]),
    )
    const required = members.filter((one) => one.required).map(({ key }) => key)
    const whole = {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    }
    if (!inliner.isFull && JSON.stringify(whole).length <= LIMITS.openapi.schemaCharsMax) return whole
  }
  return null
}

function withDescription(schema: unknown, description: string): JsonSchema {
  const own = isObject(schema) ? schema : {}
  const text = textOfSchema(description) || textOfSchema(own['description'])
  return text === '' ? own : { ...own, description: text }
}

function textOfSchema(value: unknown): string {
  if (typeof value !== 'string') return ''
  const plain = value.replaceAll(HTML_TAG, '').replaceAll(/\s+/g, ' ').trim()
  return cutText(plain, LIMITS.openapi.schemaTextChars)
}

class Inliner {
  readonly #document: ApiDocument
  readonly #depthMax: number
  #nodes = 0

  constructor(document: ApiDocument, depthMax: number) {
    this.#document = document
    this.#depthMax = depthMax
  }

  /** There is more than is looked at. */
  get isFull(): boolean {
    return this.#nodes > LIMITS.openapi.schemaNodesMax
  }

  /** `within`: references that are being followed. */
  inlined(given: unknown, depth = 0, within: readonly string[] = []): unknown {
    this.#nodes += 1
    if (typeof given === 'boolean') return given ? {} : { not: {} }
    if (!isObject(given) || this.isFull) return {}
    const { $ref } = given
    if (typeof $ref === 'string') return this.#referred($ref, given, depth, within)
    if (depth > this.#depthMax) return shallow(given)
    const schema = given
    const inner = (value: unknown) => this.inlined(value, depth + 1, within)
    const kept: JsonSchema = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'properties' && isObject(value)) kept[keyword] = writable(value, this.#document, inner)
      else if (ONE.has(keyword)) kept[keyword] = typeof value === 'boolean' ? value : inner(value)
      else if (MANY.has(keyword) && Array.isArray(value)) kept[keyword] = value.map(inner)
      else if (KEPT.has(keyword)) kept[keyword] = value
    }
    return ofToday(kept, schema)
  }

  /** What a reference means, with what stands beside it. */
  #referred(ref: string, given: JsonSchema, depth: number, within: readonly string[]): unknown {
    const { $ref: _, ...beside } = given
    const target = within.includes(ref) ? undefined : pointedAt(this.#document, ref)
    if (target === undefined) return this.inlined({ ...beside }, depth, within)
    const meant = this.inlined(target, depth, [...within, ref])
    const more = this.inlined(beside, depth, within)
    return isObject(meant) && isObject(more) ? { ...meant, ...more } : meant
  }
}

/** The properties that a request may have. */
function writable(
  properties: JsonSchema,
  document: ApiDocument,
  inner: (schema: unknown) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(properties).filter(([, schema]) => !isReadOnly(schema, document))
  return Object.fromEntries(entries.map(([name, schema]) => [name, inner(schema)]))
}

function isReadOnly(schema: unknown, document: ApiDocument): boolean {
  if (!isObject(schema)) return false
  const { $ref, readOnly } = schema
  const target = typeof $ref === 'string' ? pointedAt(document, $ref) : undefined
  return readOnly === true || (isObject(target) && target['readOnly'] === true)
}

/** Too deep to be told whole: its type and what it is for. */
function shallow({ type, nullable, description }: JsonSchema): JsonSchema {
  const text = textOfSchema(description)
  const types = typeof type === 'string' && nullable === true ? [type, 'null'] : type
  return { ...(types === undefined ? {} : { type: types }), ...(text === '' ? {} : { description: text }) }
}

/** Keywords of OpenAPI 3.0 in the words of JSON Schema 2020-12, and required properties that there are. */
function ofToday(kept: JsonSchema, { nullable }: JsonSchema): JsonSchema {
  const schema = { ...kept }
  if (typeof schema['description'] === 'string') schema['description'] = textOfSchema(schema['description'])
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  const { properties, required } = schema
  if (isObject(properties) && Array.isArray(required))
    schema['required'] = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  return nullable === true ? orNull(schema) : schema
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...(values as unknown[]), null] } : {}),
  }
}
