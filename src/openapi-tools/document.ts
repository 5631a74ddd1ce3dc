import { LIMITS } from '../domain/limits.ts'
import { isDeeper, isObject } from '../lib/json.ts'
import { byteSize, cutText } from '../lib/text.ts'

/** An OpenAPI document whose version is known, as JSON. */
export type ApiDocument = Record<string, unknown>

/** A value, or why there is none: what is wrong, and what to do. */
export type Found<T> = { ok: true; value: T } | { ok: false; message: string }

export const found = <T>(value: T): Found<T> => ({ ok: true, value })
export const lacking = (message: string): { ok: false; message: string } => ({ ok: false, message })

const NOT_OPENAPI =
  'not an OpenAPI document: it has no field `openapi`. Give an OpenAPI 3.0, 3.1 or 3.2 document in JSON or YAML, not the page that shows it'

/** The document that a text is: JSON, or else YAML. */
export async function documentIn(text: string): Promise<Found<ApiDocument>> {
  const plain = text.replace(/^\uFEFF/, '').trimStart()
  if (plain.startsWith('<')) return lacking(NOT_OPENAPI)
  if (!/^[{[]/.test(plain)) return documentInYaml(plain)
  try {
    return checkedDocument(JSON.parse(plain))
  } catch {
    return lacking('not valid JSON: check that it is whole')
  }
}

async function documentInYaml(text: string): Promise<Found<ApiDocument>> {
  const { yamlBytesMax } = LIMITS.openapi
  if (text.length > yamlBytesMax)
    return lacking(`YAML of more than ${byteSize(yamlBytesMax)}: give the same document as JSON, or a part of it`)
  const { parse } = await import('yaml')
  try {
    return checkedDocument(parse(text, { maxAliasCount: 100, logLevel: 'error' }))
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : []
    return lacking(`neither JSON nor YAML: ${cutText(line, 200)}`)
  }
}

/** A value as a document, if it is one of a version that is spoken here. */
export function checkedDocument(value: unknown): Found<ApiDocument> {
  if (!isObject(value)) return lacking(NOT_OPENAPI)
  if (value['swagger'] !== undefined)
    return lacking(
      'Swagger 2.0 is not read. Convert the document to OpenAPI 3 first (editor.swagger.io does that, or `npx swagger2openapi FILE`) and give what comes out',
    )
  const { openapi: version } = value
  if (typeof version !== 'string') return lacking(NOT_OPENAPI)
  if (!/^3\.[012](?:\.|$)/.test(version))
    return lacking(`OpenAPI ${cutText(version, 20)} is not read: give a document of version 3.0, 3.1 or 3.2`)
  const { documentDepthMax } = LIMITS.openapi
  if (isDeeper(value, documentDepthMax)) return lacking(`nested deeper than ${documentDepthMax} levels`)
  if (!isObject(value['paths']) || Object.keys(value['paths']).length === 0)
    return lacking('it has no `paths`, so that there is nothing to call')
  return found(value)
}

/** What a value stands for, references followed. Null: one leads to nothing here, to another document, or in a circle. */
export function dereferenced(document: ApiDocument, value: unknown): Record<string, unknown> | null {
  let at = value
  for (let times = 0; times <= LIMITS.openapi.referencesMax; times++) {
    if (!isObject(at)) return null
    const { $ref } = at
    if (typeof $ref !== 'string') return at
    at = pointedAt(document, $ref)
  }
  return null
}

/** What a reference within the document points at (RFC 6901); undefined: nothing. */
export function pointedAt(document: ApiDocument, ref: string): unknown {
  if (ref === '#') return document
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = document
  for (const part of ref.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
