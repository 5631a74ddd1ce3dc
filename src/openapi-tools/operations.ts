import { LIMITS } from '../domain/limits.ts'
import type { ApiCatalogue, ApiOperation, ApiWarning } from '../domain/openapi-tools.ts'
import { isObject } from '../lib/json.ts'
import { cutText, textOf } from '../lib/text.ts'
import { type ApiDocument, found, type Found, lacking, dereferenced } from './document.ts'
import { isIncluded } from './include.ts'
import { bodyIn, Keys, parametersIn } from './parameters.ts'
import { argumentSchema, HTML_TAG } from './schema.ts'
import { serverAddress } from './servers.ts'

/** Methods that send no body (Fetch standard, "Request class"). Stripe's document declares an empty one for each read. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What is made of a document. */
export type ReadApi = Pick<ApiCatalogue, 'title' | 'apiVersion' | 'baseUrl' | 'operations' | 'warnings'>

/** Why operations cannot be had: `path` names the field of the input that is to be changed. */
export type Unreadable = { ok: false; path: 'document' | 'include' | 'base_url'; message: string }

interface Wishes {
  /** Where the document was read; null: it was sent. */
  url: string | null
  baseUrl: string | null
  include: readonly string[] | null
}

/** Methods as a document names them. */
const METHODS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'query'] as const

/** The operations of a document that are wanted, each with the schema of its arguments. */
export function operationsIn(document: ApiDocument, wishes: Wishes): ({ ok: true } & ReadApi) | Unreadable {
  const base =
    wishes.baseUrl === null
      ? serverAddress(document, document['servers'], wishes.url)
      : found(wishes.baseUrl.replace(/\/+$/, ''))
  if (!base.ok) return { ok: false, path: 'base_url', message: base.message }
  const reader = new Reader(document, base.value, wishes)
  const named = [...placesIn(document)]
  if (named.length === 0) return unreadable('document', 'it has no operations, so that there is nothing to call')
  const wanted = named.filter((place) => isIncluded(place, wishes.include))
  if (wanted.length === 0)
    return unreadable(
      'include',
      `none of its ${named.length} operations fits; patterns are an operationId such as ${named[0]?.name ?? ''}, "GET /path" or "tag:NAME", with * and **`,
    )
  const { operationsMax, listCharsMax } = LIMITS.openapi
  const narrower = 'name those that you need in include, such as ["tag:NAME", "GET /path/**"]'
  if (wanted.length > operationsMax)
    return unreadable('include', `${wanted.length} operations, ${operationsMax} at most: ${narrower}`)
  const operations = wanted.flatMap((place) => reader.operation(place))
  if (operations.length === 0)
    return unreadable('document', `none of its operations can be used: ${reader.warnings[0]?.message ?? ''}`)
  const size = operations.reduce((sum, one) => sum + JSON.stringify(one).length, 0)
  if (size > listCharsMax)
    return unreadable(
      'include',
      `its operations take ${size} characters as tools, ${listCharsMax} at most: ${narrower}`,
    )
  const info = isObject(document['info']) ? document['info'] : {}
  return {
    ok: true,
    title: cutText(textOf(info['title']) || 'API', LIMITS.openapi.titleChars),
    apiVersion: cutText(textOf(info['version']), LIMITS.openapi.titleChars),
    baseUrl: base.value,
    operations,
    warnings: reader.warnings.slice(0, LIMITS.openapi.warningsMax),
  }
}

function unreadable(path: Unreadable['path'], message: string): Unreadable {
  return { ok: false, path, message }
}

/** An operation where it stands in its document. */
export interface OperationPlace {
  /** Its operationId, else its method and path; unique in the document. */
  name: string
  /** In capitals. */
  method: string
  path: string
  tags: readonly string[]
  operation: Record<string, unknown>
  item: Record<string, unknown>
}

function* placesIn(document: ApiDocument): Generator<OperationPlace> {
  const names = new Set<string>()
  const paths = isObject(document['paths']) ? document['paths'] : {}
  for (const [path, given] of Object.entries(paths)) {
    const item = path.startsWith('/') ? dereferenced(document, given) : null
    if (!item) continue
    for (const [method, operation] of methodsOf(item)) {
      const { operationId, tags } = operation
      const called = typeof operationId === 'string' ? operationId.trim() : ''
      const placed = `${method.toLowerCase()}_${path.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_|_$/g, '')}`
      const name = called === '' || names.has(called) ? unused(placed, names) : called
      names.add(name)
      const own = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
      yield { name, method, path, tags: own, operation, item }
    }
  }
}

function unused(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let at = 2; taken.has(free); at++) free = `${name}_${at}`
  return free
}

function* methodsOf(item: Record<string, unknown>): Generator<[string, Record<string, unknown>]> {
  for (const method of METHODS) if (isObject(item[method])) yield [method.toUpperCase(), item[method]]
  const { additionalOperations: more } = item
  for (const [method, operation] of Object.entries(isObject(more) ? more : {}))
    if (isObject(operation) && /^[A-Za-z]{1,20}$/.test(method) && !/^(?:connect|trace|track)$/i.test(method))
      yield [method.toUpperCase(), operation]
}

/** Reads operations of one document; what cannot be used is left out, and said. */
class Reader {
  readonly warnings: ApiWarning[] = []
  readonly #document: ApiDocument
  readonly #base: string
  readonly #wishes: Wishes

  constructor(document: ApiDocument, base: string, wishes: Wishes) {
    this.#document = document
    this.#base = base
    this.#wishes = wishes
  }

  operation(place: OperationPlace): ApiOperation[] {
    const read = this.#read(place)
    if (read.ok) return [read.value]
    this.warnings.push({ operation: cutText(place.name, 100), message: read.message })
    return []
  }

  #read({ name, method, path, operation, item }: OperationPlace): Found<ApiOperation> {
    const keys = new Keys()
    const parameters = parametersIn(this.#document, [item['parameters'], operation['parameters']], keys)
    if (parameters === null) return lacking('a parameter that cannot be read, or that is in another document')
    if (parameters.length > LIMITS.openapi.parametersMax)
      return lacking(`more than ${LIMITS.openapi.parametersMax} parameters`)
    const lost = placeholders(path).find(
      (one) => !parameters.some(({ about }) => about.in === 'path' && about.name === one),
    )
    if (lost !== undefined) return lacking(`the path has {${lost}}, which is none of its parameters`)
    const given = bodyIn(this.#document, operation['requestBody'], keys)
    if (given === 'unreadable') return lacking('a request body that cannot be read, or that is in another document')
    const isBodyless = BODYLESS.has(method)
    if (isBodyless && given?.about.required) return lacking(`a request body that it needs, and ${method} sends none`)
    const body = isBodyless ? null : given
    const base = this.#baseOf(operation['servers'] ?? item['servers'])
    if (!base.ok) return base
    const members = [...parameters, ...(body ? [body] : [])].map(({ about, schema, description }) => ({
      key: about.key,
      schema,
      description,
      required: about.required,
    }))
    const inputSchema = argumentSchema(this.#document, members)
    if (inputSchema === null) return lacking('its arguments are too many to be told to a model')
    return found({
      name,
      method,
      path,
      ...(base.value === this.#base ? {} : { baseUrl: base.value }),
      description: descriptionOf(operation, item, `${method} ${path}`),
      parameters: parameters.map(({ about }) => about),
      body: body?.about ?? null,
      inputSchema,
    })
  }

  /** An address that an administrator gave is that of all operations. */
  #baseOf(servers: unknown): Found<string> {
    const { baseUrl, url } = this.#wishes
    return baseUrl !== null || servers === undefined ? found(this.#base) : serverAddress(this.#document, servers, url)
  }
}

/** Names between braces in a path. */
function placeholders(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

function descriptionOf(operation: Record<string, unknown>, item: Record<string, unknown>, place: string): string {
  const said = [operation['summary'] ?? item['summary'], operation['description'] ?? item['description']]
    .filter((text) => typeof text === 'string')
    .map((text) => text.replaceAll(HTML_TAG, '').trim())
    .filter((text, at, all) => text !== '' && all.indexOf(text) === at)
  const text = [...said, ...(operation['deprecated'] === true ? ['(deprecated)'] : [])].join('\n')
  return cutText(`${place}${text === '' ? '' : `: ${text}`}`, LIMITS.openapi.descriptionChars)
}
