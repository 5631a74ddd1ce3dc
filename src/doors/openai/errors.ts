import * as z from 'zod'
import { type AppError, STATUS } from '../../domain/errors.ts'
import { openAiErrorObject } from '../../domain/problem-document.ts'
import { detailOf, problemBody, problemTitle } from '../../domain/problem.ts'
import { type ErrorShape, PROBLEM, type RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'

/** How an error is said to clients of OpenAI. */
const openAiError = /* @__PURE__ */ onDemand(() => z.object({ error: openAiErrorObject() }))
export type OpenAiError = ShapeOf<typeof openAiError>

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  503: 'service_unavailable_error',
}

export function errorType(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
}

/** What a request names that is not there, as clients look for it. */
const UNKNOWN: Readonly<Record<string, { param: string; code: string }>> = {
  model: { param: 'model', code: 'model_not_found' },
  'previous response': { param: 'previous_response_id', code: 'previous_response_not_found' },
}

/** An error of ours in the shape of OpenAI. */
export function errorBody(error: AppError, status: number): OpenAiError {
  const [issue] = 'issues' in error ? error.issues : []
  const unknown = error.code === 'not_found' ? UNKNOWN[error.what] : undefined
  const place = issue === undefined ? [] : [[issue.path, issue.message].filter((part) => part !== '').join(': ')]
  return {
    error: {
      message: [detailOf(error), ...place].join(' '),
      type: errorType(status),
      param: unknown?.param ?? (issue?.path || null),
      code: unknown?.code ?? error.code,
    },
  }
}

export const OPENAI_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'OpenAiError',
  schema: openAiError,
  exampleOf,
  bodyOf: (error, { status }) => errorBody(error, status),
}

/** Of routes that our own API has in common with OpenAI's: a problem, with what clients of OpenAI look for. */
export const BOTH_ERRORS: ErrorShape = {
  ...PROBLEM,
  bodyOf: (error, { requestId, status }) => ({ ...problemBody(error, requestId), ...errorBody(error, status) }),
}

function exampleOf(code: AppError['code']): OpenAiError {
  return { error: { message: `${problemTitle(code)}.`, type: errorType(STATUS[code]), param: null, code } }
}
