import type { ApiBody, ApiParameter, FormField, ParameterPlace, ParameterStyle } from '../domain/openapi-tools.ts'
import { PARAMETER_PLACES, PARAMETER_STYLES } from '../domain/openapi-tools.ts'
import { LIMITS } from '../domain/limits.ts'
import { isObject, memberOf } from '../lib/json.ts'
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
  return {
    about: {
      key: taken.keyFor(name, place),
      name,
      in: place,
      style: shown,
      explode: typeof explode === 'boolean' ? explode : shown === 'form',
      required: place === 'path' || required === true,
      ...(allowReserved === true ? { allowReserved } : {}),
    },
    schema: media ? mediaSchema : parameter['schema'],
    description: typeof description === 'string' ? description : '',
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
      schema: form === 'file' ? FILE : form === 'multipart' ? withFiles(document, schema, files) : schema,
      description,
    }
  }
  return media.length === 0 ? null : 'unreadable'
}

const FILE = { type: 'string', description: 'Path of a file of the workspace, which is sent.' }

function fieldsOf(encoding: unknown): Record<string, FormField> {
  if (!isObject(encoding)) return {}
  const fields = Object.entries(encoding).flatMap(([name, about]): [string, FormField][] => {
    const style = PARAMETER_STYLES.find((one) => one === memberOf(about, 'style'))
    const explode = memberOf(about, 'explode')
    if (style === undefined) return []
    return [[name, { style, explode: typeof explode === 'boolean' ? explode : style === 'form' }]]
  })
  return Object.fromEntries(fields)
}

/** Fields of a multipart form that hold bytes. */
function filesIn(document: ApiDocument, schema: unknown): string[] {
  const properties = dereferenced(document, schema)?.['properties']
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, given]) => {
    const about = dereferenced(document, given) ?? {}
    const { format, contentMediaType, contentEncoding } = about
    const isBytes =
      format === 'binary' ||
      (typeof contentMediaType === 'string' && contentEncoding === undefined) ||
      (about['type'] === undefined && Object.keys(about).length === 0)
    return isBytes ? [name] : []
  })
}

function withFiles(document: ApiDocument, given: unknown, files: readonly string[]): unknown {
  const schema = dereferenced(document, given)
  if (!schema || files.length === 0) return given
  const { properties } = schema
  const own = Object.fromEntries(files.map((name) => [name, FILE]))
  return { ...schema, properties: { ...(isObject(properties) ? properties : {}), ...own } }
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
