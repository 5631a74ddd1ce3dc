import type { JsonSchema } from '../../domain/tool.ts'
import { COMMON_FIELDS, SAME_FIELDS, type SchemaTexts } from './texts/common.ts'
import { EVENT_TEXTS } from './texts/events.ts'
import { PART_TEXTS } from './texts/parts.ts'
import { RUN_TEXTS } from './texts/runs.ts'
import { SERVER_TEXTS } from './texts/server.ts'
import { SESSION_TEXTS } from './texts/session.ts'
import { TENANT_TEXTS } from './texts/tenant.ts'
import { TRIGGER_TEXTS } from './texts/triggers.ts'
import { WORK_TEXTS } from './texts/work.ts'

/** What the schemas of the document and their fields mean, in words. */

const OWN: SchemaTexts = {
  ...SESSION_TEXTS,
  ...RUN_TEXTS,
  ...PART_TEXTS,
  ...WORK_TEXTS,
  ...EVENT_TEXTS,
  ...SERVER_TEXTS,
  ...TENANT_TEXTS,
  ...TRIGGER_TEXTS,
}
let TEXTS = OWN

/** Take the words along that doors bring for schemas of their own. */
export function takeWords(more: readonly SchemaTexts[]): void {
  TEXTS = Object.assign({}, OWN, ...more) as SchemaTexts
}

interface Words {
  /** What the tables have it under: a schema, `SCHEMA.FIELD`, or `*.FIELD` of any schema. */
  key: string
  text: string
}

/** What is said of a place: a schema, or a field in it such as `Message.tool_calls.id`. Null: nothing. */
export function wordsAt(place: string): Words | null {
  return ownWords(place) ?? commonWords(place)
}

/** All keys of the tables. */
export function wordKeys(): string[] {
  const own = Object.entries(TEXTS).flatMap(([schema, [, fields = {}]]) => [
    schema,
    ...Object.keys(fields).map((field) => `${schema}.${field}`),
  ])
  return [...own, ...Object.keys(COMMON_FIELDS).map((field) => `*.${field}`)]
}

/** The schemas, each with what it and its fields mean. */
export function inWords(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const description = wordsAt(name)?.text ?? listWords(schema)
      return [name, { ...(description ? { description } : {}), ...described(schema, name) }]
    }),
  )
}

function ownWords(place: string): Words | null {
  const [schema = '', ...path] = place.split('.')
  const [about, fields = {}] = TEXTS[schema] ?? []
  const text = path.length === 0 ? about : fields[path.join('.')]
  if (text !== undefined) return { key: place, text }
  return path.length === 0 ? null : wordsElsewhere(schema, path)
}

/** What is said of the same field where another schema has it: the longest part of the path that is known to be like another counts. */
function wordsElsewhere(schema: string, path: readonly string[]): Words | null {
  for (let length = path.length - 1; length >= 0; length--)
    for (const like of likesOf([schema, ...path.slice(0, length)].join('.'))) {
      const found = ownWords([like, ...path.slice(length)].join('.'))
      if (found) return found
    }
  return null
}

/** Every event has what an event of an unknown type has, too. */
function likesOf(place: string): string[] {
  const known = SAME_FIELDS[place]
  const isEvent = /^\w+Event$/.test(place) && place !== 'OtherEvent'
  return [...(known === undefined ? [] : [known]), ...(isEvent ? ['OtherEvent'] : [])]
}

function commonWords(place: string): Words | null {
  const path = place.split('.').slice(1)
  for (let from = 0; from < path.length; from++) {
    const field = path.slice(from).join('.')
    const text = COMMON_FIELDS[field]
    if (text !== undefined) return { key: `*.${field}`, text }
  }
  return null
}

/** A page of a list says what its entries are. */
export function pageWords(entry: string): string {
  return `A page of a list; its entries have the schema ${entry}.`
}

function listWords({ properties }: JsonSchema): string | null {
  const { data } = Object(properties) as { data?: { items?: { $ref?: string } } }
  const entry = data?.items?.$ref?.split('/').at(-1)
  return entry === undefined ? null : pageWords(entry)
}

/** A schema whose fields are described, those of the schemas within it too. */
function described(schema: JsonSchema, place: string): JsonSchema {
  const within = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(within)
    return typeof inner === 'object' && inner !== null ? described({ ...inner }, place) : inner
  }
  const { properties, ...rest } = schema
  const fields = Object.entries(Object(properties) as Record<string, JsonSchema>).map(([name, field]) => {
    const inner = described(field, `${place}.${name}`)
    return [name, withText(inner, wordsAt(`${place}.${name}`)?.text)]
  })
  return {
    ...Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, HOLD_SCHEMAS.has(key) ? within(value) : value]),
    ),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
  }
}

/** What of a schema holds schemas of the same place. */
const HOLD_SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])

/** What a schema says of itself is the form of its value: it stands behind what the field means. */
function withText(schema: JsonSchema, text: string | undefined): JsonSchema {
  const { description: form, ...rest } = schema
  if (text === undefined) return schema
  return { ...rest, description: typeof form === 'string' ? `${text.replace(/\.$/, '')}: ${form}.` : text }
}
