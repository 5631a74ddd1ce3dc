import * as z from 'zod'
import type { AppError } from '../../domain/errors.ts'
import { detailOf, problemTitle } from '../../domain/problem.ts'
import type { ErrorShape, RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'

/** How an error is said to clients of the AI SDK, which have no shape of their own: `error.message` of a hook is the body of the answer. */
const aiSdkError = /* @__PURE__ */ onDemand(() =>
  z.object({
    error: z.string(),
    code: z.string(),
    path: z.string().exactOptional(),
    request_id: z.string().exactOptional(),
  }),
)
type AiSdkError = ShapeOf<typeof aiSdkError>

export const AI_SDK_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'AiSdkError',
  schema: aiSdkError,
  exampleOf: (code) => ({ error: `${problemTitle(code)}.`, code }),
  bodyOf: (error, { requestId }) => ({ ...errorBody(error), request_id: requestId }),
  eventOf: (error) => ({ type: 'error', errorText: errorBody(error).error }),
}

function errorBody(error: AppError): AiSdkError {
  const [issue] = 'issues' in error ? error.issues : []
  const place = issue === undefined ? [] : [[issue.path, issue.message].filter((part) => part !== '').join(': ')]
  const path = issue?.path ? { path: issue.path } : {}
  return { error: [detailOf(error), ...place].join(' '), code: error.code, ...path }
}
