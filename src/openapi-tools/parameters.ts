import type { ApiBody, ApiParameter, FormField, ParameterPlace, ParameterStyle } from '../domain/openapi-tools.ts'
import { PARAMETER_PLACES, PARAMETER_STYLES } from '../domain/openapi-tools.ts'
import { LIMITS } from '../domain/limits.ts'
import { isObject, memberOf } from '../lib/json.ts'
import { textOf } from '../lib/text.ts'
import { type ApiDocument, dereferenced } from './document.ts'

/** An argument of a tool: where it goes, and what its document says of its value. */
export interface Argument<T> {
  about: T
  schema: unknown
  description: string
}

/** Headers that a document has no word on (OpenAPI, "Parameter Object"), and those that are ours. */
const NOT_PARAMETERS =
  /^(?:accept|content-type|authorization|cookie|host|content-length|connection|transfer-encoding|idempotency-key|te|trailer|upgrade|expect|via|forwarded|accept-encoding|proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|cf-.*)$/i

const DEFAULT_STYLES: Readonly<Record<ParameterPlace, ParameterStyle>> = {
  path: 'simple',
  query: 'form',
  querystring: 'json',
  header: 'simple',
  cookie: 'form',
}

/** The parameters of an operation, those of its path among them; null: one cannot be read. */
export function parametersIn(
  document: ApiDocument,
  lists: readonly unknown[],
  taken: Keys,
): Argument<ApiParameter>[] | null {
  const byPlace = new Map<string, Record<string, unknown>>()
  for (const given of lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))) {
    const parameter = dereferenced(document, given)
    if (!parameter || typeof parameter['name'] !== 'string' || typeof parameter['in'] !== 'string') return null
    byPlace.set(`${parameter['in']} ${parameter['name']}`, parameter)
  }
  const known = [...byPlace.values()].filter(isSent)
  const made = known.map((parameter) => argumentOf(document, parameter, taken))
  return made.includes(null) ? null : made.filter((one) => one !== null)
}

function isSent({ name, in: place, deprecated, required }: Record<string, unknown>): boolean {
  if (deprecated === true && required !== true) return false
  return place !== 'header' || !NOT_PARAMETERS.test(String(name))
}

function argumentOf(
  document: ApiDocument,
  parameter: Record<string, unknown>,
  taken: Keys,
): Argument<ApiParameter> | null {
  const { name, description, required, style, explode, allowReserved, content } = parameter
  const place = PARAMETER_PLACES.find((one) => one === parameter['in'])
  if (place === undefined || typeof name !== 'string') return null
  const [media] = isObject(content) ? Object.entries(content) : []
  const mediaSchema = media ? memberOf(dereferenced(document, media[1]), 'schema') : undefined
  const isForm = media?.[0].startsWith('application/x-www-form-urlencoded') === true
  const written = PARAMETER_STYLES.find((one) => one === style) ?? DEFAULT_STYLES[place]
  const shown = media ? (isForm ? 'form' : 'json') : written
  const key = taken.keyFor(name, place)
  const said = typeof description === 'string' ? description : ''
  return {
    about: {
      key,
      name,
      in: place,
      style: shown,
      explode: typeof explode === 'boolean' ? explode : shown === 'form',
      required: place === 'path' || required === true,
      ...(allowReserved === true ? { allowReserved } : {}),
    },
    schema: media ? mediaSchema : parameter['schema'],
    description: key === name ? said : said === '' ? name : `${name}: ${said}`,
  }
}

const FORMS: readonly [RegExp, ApiBody['form']][] = [
  [/^application\/(?:[a-z0-9.+-]+\+)?json\b/i, 'json'],
  [/^application\/x-www-form-urlencoded\b/i, 'urlencoded'],
  [/^multipart\/form-data\b/i, 'multipart'],
  [/^text\/(?:plain|csv|markdown|html|xml|\*)/i, 'text'],
  [/^application\/(?:[a-z0-9.+-]+\+)?xml\b/i, 'text'],
  [/^(?:\*\/\*|[a-z]+\/)/i, 'file'],
]

/** The body of a request, in the first of these forms that the document has; null: it takes none. */
export function bodyIn(document: ApiDocument, given: unknown, taken: Keys): Argument<ApiBody> | null | 'unreadable' {
  if (given === undefined) return null
  const request = dereferenced(document, given)
  if (!request || !isObject(request['content'])) return 'unreadable'
  const media = Object.entries(request['content'])
  for (const [pattern, form] of FORMS) {
    const [type, content] = media.find(([name]) => pattern.test(name)) ?? []
    if (type === undefined) continue
    const about = dereferenced(document, content) ?? {}
    const { schema } = about
    const files = form === 'multipart' ? filesIn(document, schema) : []
    const description = typeof request['description'] === 'string' ? request['description'] : ''
    return {
      about: {
        key: taken.keyFor('body', 'request'),
        mediaType: type === '*/*' || type.includes('*') ? 'application/octet-stream' : type,
        required: request['required'] === true,
        form,
        fields: fieldsOf(about['encoding']),
        files,
      },
      schema: schemaOfBody(document, form, schema, { type, files }),
      description,
    }
  }
  return media.length === 0 ? null : 'unreadable'
}

function schemaOfBody(
  document: ApiDocument,
  form: ApiBody['form'],
  schema: unknown,
  { type, files }: { type: string; files: readonly string[] },
): unknown {
  if (form === 'file') return FILE
  if (form === 'multipart') return withFiles(document, schema, files)
  const isOther = form === 'text' && dereferenced(document, schema)?.['type'] !== 'string'
  return !isOther ? schema : { type: 'string', description: `The text that is sent, of type ${type}.` }
}

const FILE = { type: 'string', description: 'Path of a file of the workspace, which is sent.' }

function fieldsOf(encoding: unknown): Record<string, FormField> {
  if (!isObject(encoding)) return {}
  const fields = Object.entries(encoding).flatMap(([name, about]): [string, FormField][] => {
    const isJson = /^application\/(?:[a-z0-9.+-]+\+)?json\b/i.test(textOf(memberOf(about, 'contentType')))
    const style = PARAMETER_STYLES.find((one) => one === memberOf(about, 'style')) ?? (isJson ? 'json' : undefined)
    const explode = memberOf(about, 'explode')
    if (style === undefined) return []
    return [[name, { style, explode: typeof explode === 'boolean' ? explode : style === 'form' }]]
  })
  return Object.fromEntries(fields)
}

/** Fields of a multipart form that hold bytes, or lists of such. */
function filesIn(document: ApiDocument, given: unknown, depth = 0): string[] {
  const schema = dereferenced(document, given)
  if (!schema || depth > FORM_DEPTH_MAX) return []
  const { properties } = schema
  const own = Object.entries(isObject(properties) ? properties : {})
  const within = variantsOf(schema).flatMap(([, one]) => filesIn(document, one, depth + 1))
  return [...new Set([...own.flatMap(([name, one]) => (asPath(document, one) ? [name] : [])), ...within])]
}

function withFiles(document: ApiDocument, given: unknown, files: readonly string[], depth = 0): unknown {
  const schema = dereferenced(document, given)
  if (!schema || files.length === 0 || depth > FORM_DEPTH_MAX) return given
  const { properties } = schema
  const own = Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => [
    name,
    asPath(document, one) ?? one,
  ])
  const variants = mapped(schema, (one) => withFiles(document, one, files, depth + 1))
  return { ...schema, ...variants, ...(isObject(properties) ? { properties: Object.fromEntries(own) } : {}) }
}

/** How deep forms are put together, and lists of files stand, in any document that is meant. */
const FORM_DEPTH_MAX = 5

/** A schema of bytes, or of lists of them, as one of paths; null: it is of something else. */
function asPath(document: ApiDocument, given: unknown, depth = 0): Record<string, unknown> | null {
  const schema = dereferenced(document, given)
  if (!schema || depth > FORM_DEPTH_MAX) return null
  if (isBytes(schema)) return FILE
  const inner = (one: unknown) => asPath(document, one, depth + 1)
  if (schema['type'] === 'array') {
    const items = inner(schema['items'])
    return items && { ...schema, items }
  }
  const variants = variantsOf(schema).filter(([, one]) => dereferenced(document, one)?.['type'] !== 'null')
  if (variants.length === 0 || variants.some(([, one]) => inner(one) === null)) return null
  return { ...schema, ...mapped(schema, (one) => inner(one) ?? one) }
}

function isBytes(schema: Record<string, unknown>): boolean {
  const { format, contentMediaType, contentEncoding } = schema
  if (format === 'binary' || (typeof contentMediaType === 'string' && contentEncoding === undefined)) return true
  return Object.keys(schema).length === 0
}

const VARIANTS = ['allOf', 'anyOf', 'oneOf'] as const

function variantsOf(schema: Record<string, unknown>): [string, unknown][] {
  return VARIANTS.flatMap((keyword) => {
    const all = schema[keyword]
    return Array.isArray(all) ? (all as unknown[]).map((one): [string, unknown] => [keyword, one]) : []
  })
}

function mapped(schema: Record<string, unknown>, map: (one: unknown) => unknown): Record<string, unknown> {
  const given = VARIANTS.filter((keyword) => Array.isArray(schema[keyword]))
  return Object.fromEntries(given.map((keyword) => [keyword, (schema[keyword] as unknown[]).map(map)]))
}

/** Names of the arguments of one tool: each of what all services take, and none twice. */
export class Keys {
  readonly #taken = new Set<string>()

  keyFor(name: string, place: string): string {
    const { keyCharsMax } = LIMITS.openapi
    const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '')
    const own = (plain(name) || place).slice(0, keyCharsMax)
    const placed = `${place}_${own}`.slice(0, keyCharsMax)
    const numbered = (at: number) => `${own.slice(0, keyCharsMax - 4)}_${at}`
    let key = this.#taken.has(own) ? placed : own
    for (let at = 2; this.#taken.has(key); at++) key = numbered(at)
    this.#taken.add(key)
    return key
  }
}
