import * as z from 'zod'
import { problemTitle } from '../../domain/problem.ts'
import type { ErrorShape, RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'
import { textOfError } from '../../lib/error-text.ts'

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
  bodyOf: ({ code }, { requestId, words }): AiSdkError => {
    const [issue] = words.issues
    return {
      error: textOfError(words, 1),
      code,
      ...(issue?.path ? { path: issue.path } : {}),
      request_id: requestId,
    }
  },
  eventOf: (_error, { words }) => ({ type: 'error', errorText: textOfError(words, 1) }),
}
