import { jsonObject } from '../lib/json.ts'
import * as z from 'zod/mini'
import type { InputIssue } from '../domain/errors.ts'

/** What is read of an answer of type `application/problem+json` (RFC 9457). */
const problemBody = z.object({
  title: z.catch(z.string(), ''),
  detail: z.catch(z.string(), ''),
  code: z.catch(z.string(), 'unknown'),
  request_id: z.catch(z.nullable(z.string()), null),
  errors: z.catch(z.array(z.object({ path: z.string(), message: z.string() })), []),
})

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

  constructor(status: number, body: z.infer<typeof problemBody>, retryAfterMs: number | null = null) {
    const issues = body.errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    super([body.detail || body.title || `HTTP ${status}`, ...issues].join('; '))
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
  return new ApiProblem(response.status, problemBody.parse(jsonObject(text) ?? {}), waitOf(response))
}

/** `Retry-After` in seconds, which is how this server says it. */
function waitOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : null
}
