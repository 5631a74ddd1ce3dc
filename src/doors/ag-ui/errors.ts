import * as z from 'zod'
import { type AppError } from '../../domain/errors.ts'
import { detailOf, problemTitle } from '../../domain/problem.ts'
import type { ErrorShape, RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'

/** How an error is said to clients of AG-UI: as the event that ends a run which failed. */
const runError = /* @__PURE__ */ onDemand(() =>
  z.object({
    type: z.literal('RUN_ERROR'),
    message: z.string(),
    code: z.string(),
    metadata: z.record(z.string(), z.unknown()).exactOptional(),
  }),
)
type RunError = ShapeOf<typeof runError>

function bodyOf(error: AppError): RunError {
  const issues = 'issues' in error ? (error.issues ?? []) : []
  const places = issues.map(({ path, message }) => [path, message].filter((part) => part !== '').join(': '))
  const more = issues.length > 0 ? { metadata: { yaa: { errors: issues } } } : {}
  return { type: 'RUN_ERROR', message: [detailOf(error), ...places].join(' '), code: error.code, ...more }
}

export const AG_UI_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'AgUiError',
  schema: runError,
  exampleOf: (code): RunError => ({ type: 'RUN_ERROR', message: `${problemTitle(code)}.`, code }),
  bodyOf: (error) => bodyOf(error),
  eventOf: bodyOf,
}
