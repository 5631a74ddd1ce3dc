import * as z from 'zod'
import { type AppError, STATUS } from '../../domain/errors.ts'
import { openAiErrorObject } from '../../domain/problem-document.ts'
import { problemBody, problemTitle } from '../../domain/problem.ts'
import { type ErrorShape, errorWords, PROBLEM, type RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'
import { textOfError } from '../../lib/error-text.ts'

/** How an error is said to clients of OpenAI. */
const openAiError = /* @__PURE__ */ onDemand(() => z.object({ error: openAiErrorObject() }))
export type OpenAiError = ShapeOf<typeof openAiError>

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  503: 'service_unavailable_error',
}

function errorType(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
}

/** What a request names that is not there, as clients look for it. */
const UNKNOWN: Readonly<Record<string, { param: string; code: string }>> = {
  model: { param: 'model', code: 'model_not_found' },
}

/** Fields whose fault has a code that clients look for. */
const CODES: Readonly<Record<string, string>> = { previous_response_id: 'previous_response_not_found' }

/** An error of ours in the shape of OpenAI. */
function errorBody(error: AppError, status: number, words = errorWords(error)): OpenAiError {
  const issues = words.issues.map(({ path, message }) => ({ path: inBrackets(path), message }))
  const unknown = error.code === 'not_found' ? UNKNOWN[error.what] : undefined
  const { path: param = '' } = issues[0] ?? {}
  return {
    error: {
      message: textOfError({ ...words, issues }, 1),
      type: errorType(status),
      param: unknown?.param ?? (param || null),
      code: unknown?.code ?? CODES[param] ?? error.code,
    },
  }
}

/** `messages.0.content` as `messages[0].content`. */
function inBrackets(path: string): string {
  return path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** Conflicts that are over by themselves. */
const PASSING: readonly AppError['code'][] = ['run_in_progress', 'idempotency_in_progress', 'queue_full']

/** SDKs send anew what was refused by these statuses, unless they are told not to. */
function headersOf({ code }: AppError): Record<string, string> {
  const isInVain = (STATUS[code] === 409 && !PASSING.includes(code)) || code === 'not_configured'
  return isInVain ? { 'x-should-retry': 'false' } : {}
}

export const OPENAI_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'OpenAiError',
  schema: openAiError,
  exampleOf,
  headersOf,
  bodyOf: (error, { status, words }) => errorBody(error, status, words),
  eventOf: (error) => errorBody(error, STATUS[error.code]),
}

/** Of routes that our own API has in common with OpenAI's: a problem, with what clients of OpenAI look for. */
export const BOTH_ERRORS: ErrorShape = {
  ...PROBLEM,
  bodyOf: (error, { requestId, status, words }) => ({
    ...problemBody(error, requestId),
    ...errorBody(error, status, words),
  }),
}

function exampleOf(code: AppError['code']): OpenAiError {
  return { error: { message: `${problemTitle(code)}.`, type: errorType(STATUS[code]), param: null, code } }
}
