import { Validator } from '@cfworker/json-schema'

export type Json = Record<string, unknown>

export interface Operation {
  operationId: string
  tags: string[]
  parameters: (Json & { name?: string; $ref?: string })[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, ResponseObject>
  security?: unknown[]
  [more: string]: unknown
}

export interface ResponseObject {
  $ref?: string
  description?: string
  content?: Record<string, { schema: Json; examples?: Record<string, { value: unknown }> }>
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>
}

export interface OpenApiDocument {
  openapi: string
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Json & { examples?: unknown[] }>
    responses: Record<string, ResponseObject>
    parameters: Record<string, Json>
    headers: Record<string, Json>
    securitySchemes: Record<string, Json>
  }
}

export interface PlacedOperation {
  method: string
  path: string
  operation: Operation
}

/** An OpenAPI document, to be asked. */
export class Told {
  readonly document: OpenApiDocument
  readonly operations: readonly PlacedOperation[]
  readonly #validators = new Map<string, Validator>()

  constructor(document: OpenApiDocument) {
    this.document = document
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
  }

  /** What a local reference of the document points at; undefined: at nothing. */
  resolve(ref: string): unknown {
    const parts = ref.replace(/^#\//, '').split('/')
    const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    return names.reduce<unknown>((at, part) => (at as Json | undefined)?.[part], this.document)
  }

  /** Why a value does not fit a schema of the document, which is closed: what it does not name is wrong too. Empty: it fits. */
  misfit(value: unknown, schema: Json): string[] {
    const key = JSON.stringify(schema)
    const { schemas } = this.document.components
    const closed = () => shut({ ...schema, components: { schemas } }) as Json
    const made = this.#validators.get(key) ?? new Validator(closed(), '2020-12', false)
    this.#validators.set(key, made)
    const { errors, valid } = made.validate(value)
    return valid ? [] : errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`)
  }
}

/** A schema whose objects hold nothing that it does not name. */
function shut(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shut)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, shut(value)]))
  if (inner['allOf'] !== undefined) return schema
  const isOpen = inner['type'] === 'object' && inner['properties'] !== undefined && !('additionalProperties' in inner)
  return isOpen ? { ...inner, additionalProperties: false } : inner
}
