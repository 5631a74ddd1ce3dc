import { textOfError } from '../lib/error-text.ts'
import { jsonObject, memberOf } from '../lib/json.ts'
import type { InputIssue } from '../domain/errors.ts'

/** What is read of an answer of type `application/problem+json` (RFC 9457). */
interface ProblemBody {
  title: string
  detail: string
  code: string
  request_id: string | null
  errors: InputIssue[]
}

/** By hand: a library that checks shapes would be most of the client's bytes, and this is all that it checks. */
export function readProblem(given: unknown): ProblemBody {
  const text = (name: string, value: unknown = given) => {
    const member = memberOf(value, name)
    return typeof member === 'string' ? member : ''
  }
  const errors = memberOf(given, 'errors')
  return {
    title: text('title'),
    detail: text('detail'),
    code: text('code') || 'unknown',
    request_id: text('request_id') || null,
    errors: Array.isArray(errors)
      ? errors.map((one) => ({ path: text('path', one), message: text('message', one) }))
      : [],
  }
}

/** The server refused a request, and said why. */
export class ApiProblem extends Error {
  readonly status: number
  /** Stable; `unknown` when the answer was no problem document. */
  readonly code: string
  readonly detail: string
  readonly errors: readonly InputIssue[]
  readonly requestId: string | null
  /** How long the server asks to wait, in ms; null: it does not say. */
  readonly retryAfterMs: number | null

  constructor(status: number, body: ProblemBody, retryAfterMs: number | null = null) {
    super(textOfError({ detail: body.detail || body.title || `HTTP ${status}`, issues: body.errors }))
    this.name = 'ApiProblem'
    this.status = status
    this.code = body.code
    this.detail = body.detail
    this.errors = body.errors
    this.requestId = body.request_id
    this.retryAfterMs = retryAfterMs
  }
}

/** No answer came, or it broke off and could not be taken up again. */
export class Unreachable extends Error {
  readonly server: string

  constructor(server: string, cause: unknown) {
    super(`${server} cannot be reached`, { cause })
    this.name = 'Unreachable'
    this.server = server
  }
}

/** The error that an answer outside 2xx means. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text().catch(() => '')
  return new ApiProblem(response.status, readProblem(jsonObject(text)), waitOf(response))
}

/** `Retry-After` in seconds, which is how this server says it. */
function waitOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : null
}
