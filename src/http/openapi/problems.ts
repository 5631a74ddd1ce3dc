import { STATUS, type AppError } from '../../domain/errors.ts'
import { titleOf } from '../../domain/problem.ts'
import type { RouteText } from './describe.ts'
import { refTo, type JsonSchema } from './schemas.ts'

type Code = AppError['code']

/** What every route may answer. */
const ALWAYS = ['headers_too_large', 'internal_error', 'unavailable'] as const satisfies Code[]

/** Why a route may refuse: every code that it can answer with. */
export function codesOf({ path, text, isKeyed }: { path: string; text: RouteText; isKeyed: boolean }): Code[] {
  const codes = new Set<Code>([...ALWAYS, ...(text.errors ?? [])])
  const add = (...more: Code[]) => more.forEach((code) => codes.add(code))
  if (text.open === undefined) add('unauthorized', 'forbidden', 'not_configured', 'rate_limited')
  if (text.query) add('invalid_input')
  if (/\{/.test(path)) add('not_found', 'invalid_input')
  if (text.body ?? text.takesBytes) add('invalid_input', 'body_too_large', 'unsupported_media_type')
  if (isKeyed) add('invalid_input', 'body_too_large', 'idempotency_key_reused', 'idempotency_in_progress')
  if (text.answers === 'run' || text.answers === 'new_session' || text.answers === 'skill_run')
    add('run_in_progress', 'unpriced_model', 'queue_full', 'nothing_to_continue')
  return [...codes]
}

/** Refusals by status, each a reference to the same answer of other routes. */
export class Problems {
  readonly #responses = new Map<string, JsonSchema>()

  of(codes: readonly Code[]): Record<string, JsonSchema> {
    const statuses = [...new Set(codes.map((code) => STATUS[code]))].toSorted((a, b) => a - b)
    return Object.fromEntries(
      statuses.map((status) => [
        String(status),
        this.#reference(status, codes.filter((code) => STATUS[code] === status).toSorted()),
      ]),
    )
  }

  /** An answer whose status is also that of a refusal: both. */
  with(good: JsonSchema, refusal: JsonSchema): JsonSchema {
    const { content } = this.#responses.get(String(refusal['$ref']).split('/').at(-1) ?? '') ?? {}
    return {
      ...good,
      content: { ...(good['content'] as JsonSchema | undefined), ...(content as JsonSchema | undefined) },
    }
  }

  /** `components.responses`. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#responses)
  }

  #reference(status: number, codes: readonly Code[]): JsonSchema {
    const name = [status, ...codes].join('.')
    this.#responses.set(name, problemResponse(status, codes))
    return { $ref: `#/components/responses/${name}` }
  }
}

function problemResponse(status: number, codes: readonly Code[]): JsonSchema {
  const schema = {
    allOf: [{ $ref: refTo('Problem') }, { properties: { status: { const: status }, code: { enum: codes } } }],
  }
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]))
  return {
    description: codes.map((code) => `\`${code}\`: ${titleOf(code)}`).join('. '),
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...headersOf(codes) },
    content: { 'application/problem+json': { schema, examples } },
  }
}

function exampleOf(code: Code): JsonSchema {
  return {
    type: `urn:yaa:problem:${code}`,
    title: titleOf(code),
    status: STATUS[code],
    detail: `${titleOf(code)}.`,
    code,
    request_id: 'req_01kahz4m8n3t5v7x9z1b3d5f7h',
    ...(code === 'invalid_input' ? { errors: [{ path: 'limit', message: '1 to 100' }] } : {}),
  }
}

function headersOf(codes: readonly Code[]): Record<string, JsonSchema> {
  const names = new Set(codes.flatMap((code) => HEADERS[code] ?? []))
  return Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const HEADERS: Partial<Record<string, readonly string[]>> = {
  unavailable: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  unauthorized: ['WWW-Authenticate'],
}
