import * as z from 'zod'
import { problemTitle } from '../../domain/problem.ts'
import type { ErrorShape, RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'
import { textOfError } from '../../lib/error-text.ts'

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

const bodyOf: ErrorShape['bodyOf'] = ({ code }, { words }): RunError => {
  const { issues } = words
  const more = issues.length > 0 ? { metadata: { yaa: { errors: issues } } } : {}
  return { type: 'RUN_ERROR', message: textOfError(words), code, ...more }
}

export const AG_UI_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'AgUiError',
  schema: runError,
  exampleOf: (code): RunError => ({ type: 'RUN_ERROR', message: `${problemTitle(code)}.`, code }),
  bodyOf,
  eventOf: bodyOf,
}
